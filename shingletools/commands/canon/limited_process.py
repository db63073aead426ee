"""Calls a function in another process, with limits on its time and memory."""

import resource
import signal
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, TypeVar, cast

from shingletools.system.signals import uninterrupted
from shingletools.system.worker_loop import ProcessEnded
from shingletools.system.workers import Worker

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class LimitExceeded(Exception):
    """The function needs more memory or time than its limits."""


class LimitedProcess(Generic[Argument, Result]):
    """Calls a function in another process, with limits on time and memory.

    A process that exceeds a limit ends, and a new one takes its place: nothing relies on an estimate of a call's cost.
    A call takes about 50 microseconds more than in this process.
    """

    def __init__(self, function: Callable[[Argument], Result]) -> None:
        self.function = function
        self.worker: Worker | None = None
        self.ending = ExitStack()
        weakref.finalize(self, self.ending.close)

    def __reduce__(self) -> tuple[object, ...]:
        return LimitedProcess, (self.function,)

    def __call__(self, argument: Argument, seconds: float, memory: int) -> Result:
        """Calls the function. Raises LimitExceeded beyond `seconds` of processor time or `memory` bytes.

        `memory` is in addition to what the process had before its first call.
        """
        if self.worker is not None and self.worker.process.poll() is not None:
            self.end()  # somebody ended it while it was idle
        if self.worker is None:
            with uninterrupted():
                self.worker = Worker(LimitedFunction(self.function))
                self.ending.callback(self.worker.end)
            self.worker.answer()  # wait until it has loaded the function
        try:
            self.worker.requests.send((argument, seconds, memory))
            return cast(Result, self.worker.answers.receive())
        except (ProcessEnded, MemoryError, SystemError):  # the last if a library got no memory, and raised nothing
            self.end()
            raise LimitExceeded from None

    def end(self) -> None:
        """Ends the process, if there is one."""
        self.ending.close()
        self.worker = None


class LimitedFunction(Generic[Argument, Result]):
    """Calls the function within its limits, in the other process."""

    def __init__(self, function: Callable[[Argument], Result]) -> None:
        self.function = function
        self.first_bytes: int | None = None  # that the process had before the first call

    def __call__(self, request: tuple[Argument, float, int]) -> Result:
        argument, seconds, memory = request
        self.first_bytes = data_bytes() if self.first_bytes is None else self.first_bytes
        limits = resource.getrlimit(resource.RLIMIT_DATA)
        least = min([self.first_bytes + memory, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which the timer sends; by default, it ends the process
        resource.setrlimit(resource.RLIMIT_DATA, (least, limits[1]))
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            return self.function(argument)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            resource.setrlimit(resource.RLIMIT_DATA, limits)


def data_bytes() -> int:
    """Returns the bytes of memory that RLIMIT_DATA limits; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[5]) * resource.getpagesize()
    except OSError:
        return 0
