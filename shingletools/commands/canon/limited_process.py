"""Calls a function in another process, with limits on its time and memory."""

import resource
import signal
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, TypeVar, cast

from shingletools.system.signals import uninterrupted
from shingletools.system.worker_loop import Gone
from shingletools.system.workers import Worker

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class LimitExceeded(Exception):
    """The function took more memory or time than its limits."""


class LimitedProcess(Generic[Argument, Result]):
    """Calls a function in another process, with limits on time and memory.

    A process that exceeds them is replaced by a new one, so no estimate of a call's cost can be wrong. A call takes
    about 50 microseconds more than in this process.
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

        The memory of the process before its first call does not count.
        """
        if self.worker is not None and self.worker.process.poll() is not None:
            self.end()  # somebody ended it while it was idle
        if self.worker is None:
            with uninterrupted():
                self.worker = Worker(LimitedFunction(self.function))
                self.ending.callback(self.worker.end)
            self.worker.answer()  # wait until it has loaded the function
        try:
            self.worker.to.send((argument, seconds, memory))
            return cast(Result, self.worker.back.receive())
        except (Gone, MemoryError, SystemError):  # the last where a library was refused memory and raised nothing
            self.end()
            raise LimitExceeded from None

    def end(self) -> None:
        """Ends the process, if there is one."""
        self.ending.close()
        self.worker = None


class LimitedFunction(Generic[Argument, Result]):
    """The function as the other process calls it, within its limits."""

    def __init__(self, function: Callable[[Argument], Result]) -> None:
        self.function = function
        self.held: int | None = None  # bytes before the first call

    def __call__(self, request: tuple[Argument, float, int]) -> Result:
        argument, seconds, memory = request
        self.held = data_held() if self.held is None else self.held
        limits = resource.getrlimit(resource.RLIMIT_DATA)
        least = min([self.held + memory, *(limit for limit in limits if limit != resource.RLIM_INFINITY)])
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_DATA, (least, limits[1]))
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            return self.function(argument)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            resource.setrlimit(resource.RLIMIT_DATA, limits)


def data_held() -> int:
    """Returns the bytes that count for RLIMIT_DATA; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[5]) * resource.getpagesize()
    except OSError:
        return 0
