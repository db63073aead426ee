"""Applies a function to items in several workers, which work ahead. The results come in the order of the items."""

import itertools
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import IO, TYPE_CHECKING, TypeVar, cast

from shingletools.system import forked_worker
from shingletools.system.errors import Failed
from shingletools.system.lazy_imports import subprocess
from shingletools.system.signals import ENDING, uninterrupted
from shingletools.system.worker_loop import AHEAD_ITEMS, Messages, ProcessEnded

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKER_CODE = (
    "import os, sys; sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
    "from shingletools.system import worker_loop; "
    "worker_loop.serve(sys.argv.pop(1) == 'keeps', list(map(int, sys.argv[1:])), sys.stdin.buffer, sys.stdout.buffer)"
)


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """Does map(function, items) in `jobs` threads. Takes AHEAD_ITEMS * jobs items before it yields the first result."""
    if jobs == 1:
        yield from map(function, items)
        return
    pool = thread_pool(jobs)
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            try:
                pending.append(pool.submit(function, item))
            except RuntimeError:
                raise Failed("cannot start a thread") from None
            if len(pending) >= AHEAD_ITEMS * jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def thread_pool(jobs: int) -> "ThreadPoolExecutor":
    """Returns threads that begin when they are needed, and end with the object."""
    from concurrent.futures import ThreadPoolExecutor  # late: it loads logging, which one job does not need

    return ThreadPoolExecutor(jobs)


class InTurn:
    """Calls functions one after the other, in another thread if there is to be one; it ends with the object.

    pool: threads to share with other objects; then `wait` comes before each `call`.
    """

    def __init__(self, threaded: bool, pool: "ThreadPoolExecutor | None" = None) -> None:
        self.threaded = threaded
        self.pool = pool
        self.calls: list[Future[object]] = []

    def call(self, function: Callable[[], object], small: bool) -> None:
        """Calls a function after all before it; here if it is small, so that small runs have one thread."""
        if small or not self.threaded:
            self.wait()
            function()
            return
        self.pool = self.pool or thread_pool(1)
        try:
            self.calls.append(self.pool.submit(function))
        except RuntimeError:
            raise Failed("cannot start a thread") from None

    def wait(self) -> None:
        """Waits for all calls, and raises what they raised."""
        calls, self.calls = self.calls, []
        for call in calls:
            call.result()


def in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """Does map(function, items) in `jobs` processes. Takes AHEAD_ITEMS * jobs + 1 items before it yields the first.

    Raises what the function raises, and Failed if a process cannot be started, or dies. If the items raise Failed, the
    results of the items before come first. If a result has bytes in a PickleBuffer, they are valid until the next but
    one.

    The processes get items in turn, so results are in order without a thread or a queue. No other process has their
    pipes, so nobody waits for a worker that died, and workers end when their parent dies. (The process pool of
    concurrent.futures has one queue, and was seen to wait forever after a worker was killed.)
    """
    workers: list[Worker] = []
    pending: deque[Worker] = deque()
    try:
        with uninterrupted():
            workers.extend(Worker(function, keeps=True) for _ in range(jobs))
        for worker in workers:
            worker.answer()  # it has the function
        turns = itertools.cycle(workers)
        for item in until_failed(items):
            if isinstance(item, Failed):
                break
            if len(pending) == AHEAD_ITEMS * jobs:
                yield cast(Result, pending.popleft().answer())
            worker = next(turns)
            worker.ask(item)
            pending.append(worker)
        else:
            item = None
        while pending:
            yield cast(Result, pending.popleft().answer())
        if isinstance(item, Failed):
            raise item
    finally:
        for worker in workers:
            worker.end()


def until_failed(items: Iterable[Item]) -> Generator[Item | Failed]:
    """Yields the items, then the Failed that they raise, if any."""
    try:
        yield from items
    except Failed as error:
        yield error


class Worker:
    """A process that applies a function to items. Its first answer says that it has the function.

    keeps: it keeps memory that it has freed, which is faster for large items; its size then depends on earlier ones.
    """

    def __init__(self, function: Callable[[Item], Result], keeps: bool = False) -> None:
        with ExitStack() as stack:
            try:
                # One more for answers, so that the last one that was received may still be read
                stores = [open_store(stack) for _ in range(2 * AHEAD_ITEMS + 1)]
                self.process = start(stores, keeps, stack)
            except OSError as error:
                raise Failed(f"cannot start a worker process: {error.strerror}") from None
            self.requests = Messages(cast(IO[bytes], self.process.stdin), stores[:AHEAD_ITEMS])
            self.answers = Messages(cast(IO[bytes], self.process.stdout), stores[AHEAD_ITEMS:], lends=True)
            self.ask(function)
            self.end = stack.pop_all().close

    def ask(self, item: object) -> None:
        try:
            self.requests.send(item)
        except ProcessEnded:
            raise Failed(self.death()) from None

    def answer(self) -> object:
        try:
            return self.answers.receive()
        except ProcessEnded:
            raise Failed(self.death()) from None

    def death(self) -> str:
        """Returns the message about a process that has closed its pipes, and ends it."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=1)  # it may live, if what it wrote is no valid answer
        self.process.kill()
        status = self.process.wait()
        return f"a worker process died ({signal.strsignal(-status) if status < 0 else f'status {status}'})"


def start(stores: Sequence[int], keeps: bool, stack: ExitStack) -> "forked_worker.Fork | subprocess.Popen[bytes]":
    """Starts a worker process, which ends when the stack is closed."""
    # It finds modules where this process does, perhaps in an archive that Spark has sent, but not in the user's current
    # folder (-P). Ctrl-C reaches all processes of a terminal, but we end our workers ourselves.
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-P", "-c", WORKER_CODE, path, "keeps" if keeps else "", *map(str, stores)]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # which a new process inherits
    try:
        process = (
            forked_worker.Fork(stores)
            if keeps and forked_worker.can_fork()
            else subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=stores)
        )
        stack.callback(end, process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def end(process: "forked_worker.Fork | subprocess.Popen[bytes]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            cast(IO[bytes], pipe).close()
    process.wait()


def open_store(stack: ExitStack) -> int:
    """Opens a file without a name, in memory if the system can do that. It is closed when the stack is."""
    if hasattr(os, "memfd_create"):
        store = os.memfd_create("shingletools")
    else:
        import tempfile  # late: not needed where files can be in memory

        with tempfile.TemporaryFile() as file:
            store = os.dup(file.fileno())
    stack.callback(os.close, store)
    return store
