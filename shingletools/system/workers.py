"""Work done ahead by several workers, its results in the order of its items."""

import itertools
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import IO, TYPE_CHECKING, TypeVar, cast

from shingletools.system import forked
from shingletools.system.deferred import subprocess
from shingletools.system.errors import Failed
from shingletools.system.serving import AHEAD, Gone, Messages
from shingletools.system.signals import ENDING

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

START = (
    "import os, sys; sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
    "from shingletools.system import serving; "
    "serving.serve(sys.argv.pop(1) == 'keeps', list(map(int, sys.argv[1:])), sys.stdin.buffer, sys.stdout.buffer)"
)


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """map(function, items) by so many threads; AHEAD * jobs items are taken before the first result."""
    if jobs == 1:
        yield from map(function, items)
        return
    from concurrent.futures import ThreadPoolExecutor  # and logging, which one job does not need

    pool = ThreadPoolExecutor(jobs)
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            try:
                pending.append(pool.submit(function, item))
            except RuntimeError:
                raise Failed("cannot start a thread") from None
            if len(pending) >= AHEAD * jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """map(function, items) by so many processes; AHEAD * jobs items, and one more, are taken before the first result.

    The processes are asked in turn, so their answers are in order without any thread or queue that waits for them.
    Each has pipes that nobody else holds: so who waits for a process that dies is told, and processes whose asker
    dies end by themselves. (concurrent.futures' process pool shares one queue, and was seen to wait for ever after a
    worker was killed.) Bytes that an answer has in a PickleBuffer are lent: they hold until the next answer is asked
    for. Raises what the function raises, and Failed if a process cannot be started, or dies, or if the items fail:
    then after the answers to those before.
    """
    workers: list[Worker] = []
    pending: deque[Worker] = deque()
    try:
        workers.extend(Worker(function, keeps=True) for _ in range(jobs))
        for worker in workers:
            worker.answer()  # it has the function
        turns = itertools.cycle(workers)
        for item in until_failed(items):
            if isinstance(item, Failed):
                break
            if len(pending) == AHEAD * jobs:
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
    """The items, and last the Failed that they raise, if they do."""
    try:
        yield from items
    except Failed as error:
        yield error


class Worker:
    """A process that applies one function to what it is sent; the first answer says that it has the function.

    One that keeps memory is faster with large items; what it holds then depends on those before.
    """

    def __init__(self, function: Callable[[Item], Result], keeps: bool = False) -> None:
        with ExitStack() as stack:
            try:
                stores = [open_store(stack) for _ in range(2 * AHEAD)]
                self.process = start(stores, keeps, stack)
            except OSError as error:
                raise Failed(f"cannot start a worker process: {error.strerror}") from None
            self.to = Messages(cast(IO[bytes], self.process.stdin), stores[:AHEAD])
            self.back = Messages(cast(IO[bytes], self.process.stdout), stores[AHEAD:], lends=True)
            self.ask(function)
            self.end = stack.pop_all().close

    def ask(self, item: object) -> None:
        try:
            self.to.send(item)
        except Gone:
            raise Failed(self.death()) from None

    def answer(self) -> object:
        try:
            return self.back.receive()
        except Gone:
            raise Failed(self.death()) from None

    def death(self) -> str:
        """What is known of the end of the process, which has closed its pipes."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=1)  # or it lives, and has written what is no answer
        self.process.kill()
        status = self.process.wait()
        return f"a worker process died ({signal.strsignal(-status) if status < 0 else f'status {status}'})"


def start(stores: Sequence[int], keeps: bool, stack: ExitStack) -> "forked.Fork | subprocess.Popen[bytes]":
    """A process that serves; it is ended when the stack is closed."""
    # Modules are found where ours are, which may be an archive that Spark has sent, but not in the current folder (-P),
    # which is the user's. Ctrl-C reaches every process of a terminal; we end our workers ourselves.
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-P", "-c", START, path, "keeps" if keeps else "", *map(str, stores)]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # which a new process inherits
    try:
        process = (
            forked.Fork(stores)
            if keeps and forked.possible()
            else subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=stores)
        )
        stack.callback(end, process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def end(process: "forked.Fork | subprocess.Popen[bytes]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            cast(IO[bytes], pipe).close()
    process.wait()


def open_store(stack: ExitStack) -> int:
    """A file of no name, in memory where the system has such files; it is closed with the stack."""
    if sys.platform == "linux":
        store = os.memfd_create("shingletools")
    else:
        import tempfile  # which Linux does not need

        with tempfile.TemporaryFile() as file:
            store = os.dup(file.fileno())
    stack.callback(os.close, store)
    return store
