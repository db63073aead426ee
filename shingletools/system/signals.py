"""Signals such as that of Ctrl-C end the process of a command at once, as the system does by default.

Little must be done before that: a file has no name until it is complete, so the system removes unfinished files. A
handler (`at_end`) removes files that need a name before. In a program that runs a pipeline, signals belong to the
program, and only `uninterrupted` has an effect.
"""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Ended(BaseException):
    """A signal came. Like KeyboardInterrupt, it must pass all handlers but the last."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """The state of this process."""

    own = False  # whether it is a command, so that we handle its signals


_clean_ups: list[Callable[[], object]] = []


def claim() -> None:
    """Declares that this process is a command."""
    _State.own = True


def disclaim() -> None:
    """Declares that this process is a worker, a copy of a command's process, which has nothing to clean up."""
    _State.own = False
    _clean_ups.clear()


def ours() -> bool:
    """Returns whether this process is a command."""
    return _State.own


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends at once
    for clean_up in reversed(_clean_ups):
        with contextlib.suppress(Exception):
            clean_up()
    os.kill(os.getpid(), number)


def _handle(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in ENDING if _State.own else ():
        if signal.getsignal(number) is not signal.SIG_IGN:  # signals that are ignored, as by nohup, stay ignored
            signal.signal(number, handler)


def _handle_as_usual() -> None:
    _handle(_end if _clean_ups else signal.SIG_DFL)


@contextlib.contextmanager
def at_end(clean_up: Callable[[], object]) -> Iterator[None]:
    """Calls `clean_up` before a signal inside ends the process. Python does so between its steps, not in C code."""
    _clean_ups.append(clean_up)
    _handle_as_usual()
    try:
        yield
    finally:
        _clean_ups.remove(clean_up)
        _handle_as_usual()


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Delays signals inside, for a short step that must not be interrupted, such as naming several files."""
    came: list[int] = []
    _handle(lambda number, _: came.append(number))
    try:
        yield
    finally:
        _handle_as_usual()
        for number in came[:1]:
            os.kill(os.getpid(), number)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C inside, in a program, so that no process or descriptor is left without an owner.

    Blocking the signal would not do: in a program with several threads, another one may take it.
    """
    handler = signal.getsignal(signal.SIGINT)
    came: list[int] = []
    try:
        waits = not _State.own and callable(handler)
        if waits:
            signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    except ValueError:  # another thread than the main one, in which no handler runs
        waits = False
    try:
        yield
    finally:
        if waits:
            signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """Raises Ended at the first signal inside, and ends the process afterwards; a second one ends it at once."""

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
