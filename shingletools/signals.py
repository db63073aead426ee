"""Signals that ask a run to end: they become exceptions, except where a step must not be cut in two."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class Terminated(BaseException):
    """SIGTERM or SIGHUP came; like KeyboardInterrupt, it must pass every handler but the last."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(number)


def install() -> None:
    """Lets SIGTERM and SIGHUP raise Terminated, as Python lets SIGINT raise KeyboardInterrupt."""
    for number in ENDING - {signal.SIGINT}:
        if signal.getsignal(number) is signal.SIG_DFL:  # what the caller ignores, as nohup does, stays ignored
            signal.signal(number, _terminate)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Signals that come meanwhile come afterwards; a process started meanwhile never gets them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
