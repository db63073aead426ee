"""Signals that ask for the end of a command end its process at once, as the system does by default.

Little must be done before that: a file has no name until it is complete, so the system removes what is unfinished. What
must have a name before is removed by a handler (`at_end`). In a program that runs a pipeline, signals are the program's
own: there, nothing here does anything.
"""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Ended(BaseException):
    """A signal came; like KeyboardInterrupt, this must pass every handler but the last."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """Of this process."""

    own = False  # whether it is a command's, so that its signals are ours


_clean_ups: list[Callable[[], object]] = []


def claim() -> None:
    """From now on, this process is a command's."""
    _State.own = True


def disclaim() -> None:
    """In a worker that began as a copy of a command's process, and blocks signals: what is there is not its own."""
    _State.own = False
    _clean_ups.clear()


def ours() -> bool:
    """Whether this process is a command's."""
    return _State.own


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends at once
    for clean_up in reversed(_clean_ups):
        with contextlib.suppress(Exception):
            clean_up()
    os.kill(os.getpid(), number)


def _handle(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in ENDING if _State.own else ():
        if signal.getsignal(number) is not signal.SIG_IGN:  # what the caller ignores, as nohup does, stays ignored
            signal.signal(number, handler)


def _handle_as_usual() -> None:
    _handle(_end if _clean_ups else signal.SIG_DFL)


@contextlib.contextmanager
def at_end(clean_up: Callable[[], object]) -> Iterator[None]:
    """Inside, a signal calls this before it ends the process. Python does it between its own steps, not in C code."""
    _clean_ups.append(clean_up)
    _handle_as_usual()
    try:
        yield
    finally:
        _clean_ups.remove(clean_up)
        _handle_as_usual()


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Inside, signals wait: for a moment's step that must not be cut in two, as where several files get their names."""
    came: list[int] = []
    _handle(lambda number, _: came.append(number))
    try:
        yield
    finally:
        _handle_as_usual()
        for number in came[:1]:
            os.kill(os.getpid(), number)


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """Inside, the first signal raises Ended, and ends the process only afterwards; a second one ends it at once."""

    def end(number: int, _frame: FrameType | None) -> None:
        _handle(signal.SIG_DFL)
        if number == signal.SIGHUP:
            signal.signal(number, signal.SIG_IGN)  # a terminal that is closed sends it more than once
        raise Ended(number)

    _handle(end)
    try:
        yield
    except Ended as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
    finally:
        _handle_as_usual()
