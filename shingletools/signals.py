"""Signals that ask a run to end: they become exceptions, except where a step must not be cut in two."""

import contextlib
import math
import signal
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

FROM_OUTSIDE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)  # mostly to all processes of a terminal
ENDING = (*FROM_OUTSIDE, signal.SIGXCPU)
GRACE = 5  # seconds in which a run that is ending is left to end: a second Ctrl-C must not cut its tidying up in two


class Ended(BaseException):
    """One of ENDING came; like KeyboardInterrupt, this must pass every handler but the last."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """Python runs handlers in the main thread only, whichever thread a signal comes to, so this needs no lock."""

    holding = 0
    pending: int | None = None
    ended = -math.inf  # when an Ended was raised


def _handle(number: int, _frame: FrameType | None) -> None:
    if time.monotonic() < _State.ended + GRACE:
        return
    if _State.holding:
        _State.pending = number
    else:
        _end(number)


def _raise_pending() -> None:
    if not _State.holding and _State.pending is not None:
        number, _State.pending = _State.pending, None
        _end(number)


def _end(number: int) -> NoReturn:
    _State.ended = time.monotonic()
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
    """The exit status of a run, or 128 and the number of the signal that ended it; after it, signals do nothing."""
    _State.ended = -math.inf
    try:
        for number in ENDING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _handle)  # what the caller ignores, as nohup does, stays ignored
        status = run()
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except Ended as end:
        status = 128 + end.number
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)  # Python ends in many steps
    return status
