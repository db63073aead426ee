"""Signals that ask a run to end: they become exceptions, except where a step must not be cut in two."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)


class Ended(BaseException):
    """One of ENDING came; like KeyboardInterrupt, this must pass every handler but the last."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """Python runs handlers in the main thread only, whichever thread a signal comes to, so this needs no lock."""

    holding = 0
    pending: int | None = None


def _handle(number: int, _frame: FrameType | None) -> None:
    if _State.holding:
        _State.pending = number
    else:
        raise Ended(number)


def _raise_pending() -> None:
    if not _State.holding and _State.pending is not None:
        number, _State.pending = _State.pending, None
        raise Ended(number)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """A signal that comes meanwhile is raised afterwards. For the main thread."""
    _State.holding += 1
    try:
        yield
    finally:
        _State.holding -= 1
        _raise_pending()


@contextlib.contextmanager
def let() -> Iterator[None]:
    """Inside `held`, what may take long, as reading a pipe does: a signal is raised at once."""
    before, _State.holding = _State.holding, 0
    try:
        _raise_pending()
        yield
    finally:
        _State.holding = before


def ended_by_signal(run: Callable[[], int]) -> int:
    """The exit status of a run, or 128 and the number of the signal that ended it."""
    try:
        for number in ENDING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _handle)  # what the caller ignores, as nohup does, stays ignored
        return run()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Ended as end:
        return 128 + end.number
