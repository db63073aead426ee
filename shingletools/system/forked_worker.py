"""A worker that begins as a copy of this process, in a millisecond or two, because all modules are loaded."""

import fcntl
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from math import inf

from shingletools.system import signals
from shingletools.system.lazy_imports import subprocess
from shingletools.system.worker_loop import serve


def can_fork() -> bool:
    """Returns whether a copy is safe: if another thread holds a lock, the copy might wait for it forever.

    It is safe in a command with one thread, if the system lists threads, as Linux does.
    """
    with suppress(OSError):
        return signals.ours() and len(os.listdir("/proc/self/task")) == 1
    return False


class Fork:
    """A worker process with the interface of Popen. Raises OSError if it cannot be started.

    It closes all descriptors except its own and standard error: one that it kept would hide the end of another worker.
    """

    def __init__(self, stores: Sequence[int]) -> None:
        others = set(map(int, os.listdir("/proc/self/fd")))  # here, because the copy may have none left to look with
        ends: list[int] = []
        try:
            ends += os.pipe()
            ends += os.pipe()
            asked, ask, back, answers = ends
            self.pid = os.fork()
            if not self.pid:
                become_worker([asked, answers, *stores], others | {ask, back})
        except OSError:
            for end in ends:
                os.close(end)
            raise
        os.close(asked)
        os.close(answers)
        self.stdin, self.stdout = open(ask, "wb"), open(back, "rb")
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Returns its status, as Popen does, or None if it has not ended."""
        if self.returncode is None:
            try:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # SIGCHLD is ignored, so nobody knows
                ended, status = self.pid, 0
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float = inf) -> int:
        until = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("a worker", timeout)
            time.sleep(0.001)
        return status

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def become_worker(descriptors: Sequence[int], others: set[int]) -> None:
    """Serves with a pipe for items, one for answers, and stores; never returns."""
    status = 1
    try:
        gc.freeze()  # what is here is neither closed by the collector nor copied
        signals.disclaim()
        for each in others - {2, *descriptors}:
            with suppress(OSError):  # the list's own is closed
                os.close(each)
        own = []
        for descriptor in descriptors:  # some may be among 0 to 2, if these were closed
            own.append(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3))
            os.close(descriptor)
        os.open(os.devnull, os.O_RDWR)
        os.dup2(0, 1)
        asked, answers, *stores = own
        serve(True, stores, open(asked, "rb"), open(answers, "wb"))
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)
