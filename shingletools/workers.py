"""Work done ahead by several workers, its results in the order of its items."""

import itertools
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import IO, TypeVar, cast

from shingletools import kernel
from shingletools.errors import Failed
from shingletools.signals import FROM_OUTSIDE, held

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2  # items that a worker has: one at work, one that waits
PART = 1 << 30  # bytes written or read at once; some systems refuse 2 GB
LARGE = 1 << 24  # bytes of a message that are given back when it was read
START = (
    "import os, sys; sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
    "from shingletools import workers; workers.serve(list(map(int, sys.argv[1:])))"
)


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """map(function, items) by so many threads; AHEAD * jobs items are taken before the first result."""
    if jobs == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(jobs)
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(function, item))
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
    worker was killed.) Raises what the function raises, and Failed if a process cannot be started, or dies, or if the
    items fail: then after the answers to those before.
    """
    workers: list[Worker] = []
    pending: deque[Worker] = deque()
    try:
        workers.extend(Worker(function) for _ in range(jobs))
        for worker in workers:
            worker.answer()  # it has the function
        turns = itertools.cycle(workers)
        for item in _until_failed(items):
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


def _until_failed(items: Iterable[Item]) -> Generator[Item | Failed]:
    """The items, and last the Failed that they raise, if they do."""
    try:
        yield from items
    except Failed as error:
        yield error


class Gone(Exception):
    """The process at the other end has ended."""


class Messages:
    """One direction between two processes: objects through stores, their sizes through a pipe.

    A store is a file in memory that both have open. A pipe would cost each byte twice as much, and could fill up:
    two processes that both write would wait for each other for ever. The stores are used in turn, each for what is
    sent next: so no more messages than there are stores may be under way. Bytes in a PickleBuffer are not copied into
    the pickle.
    """

    def __init__(self, pipe: IO[bytes], stores: Iterable[int]) -> None:
        self.pipe = pipe
        self.stores = itertools.cycle(stores)

    def send(self, message: object) -> None:
        """Raises Gone, and Failed if the store cannot take the message."""
        store = next(self.stores)
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(message, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
        parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
        try:
            at = 0
            for part in parts:
                at = write(store, at, part)
        except OSError as error:
            raise Failed(f"memory shared with a worker: {error.strerror}") from None
        self.tell(list(map(len, parts)))

    def tell(self, sizes: list[int] | Exception) -> None:
        try:
            pickle.dump(sizes, self.pipe)
            self.pipe.flush()
        except OSError:
            raise Gone from None

    def receive(self) -> object:
        """Raises Gone, and what is told instead of a message."""
        try:
            sizes = pickle.load(self.pipe)
        except (EOFError, pickle.UnpicklingError):
            raise Gone from None
        if isinstance(sizes, Exception):
            raise sizes
        store = next(self.stores)
        ends = itertools.accumulate(sizes)
        head, *buffers = (read(store, end - size, end) for end, size in zip(ends, sizes, strict=True))
        if sum(sizes) > LARGE:
            os.ftruncate(store, 0)
        return pickle.loads(head, buffers=buffers)


def write(store: int, at: int, data: memoryview) -> int:
    """Where the data end."""
    while data:
        written = os.pwrite(store, data[:PART], at)
        data, at = data[written:], at + written
    return at


def read(store: int, at: int, end: int) -> bytes:
    """Raises Gone if the store ends before."""
    parts = []
    while at < end:
        parts.append(os.pread(store, min(end - at, PART), at))
        if not parts[-1]:
            raise Gone
        at += len(parts[-1])
    return b"".join(parts)


class Worker:
    """A process that applies one function to what it is sent; the first answer says that it has the function."""

    def __init__(self, function: Callable[[Item], Result]) -> None:
        with ExitStack() as stack:
            try:
                stores = [open_store(stack) for _ in range(2 * AHEAD)]
                self.process = start(stores, stack)
            except OSError as error:
                raise Failed(f"cannot start a worker process: {error.strerror}") from None
            self.to = Messages(cast(IO[bytes], self.process.stdin), stores[:AHEAD])
            self.back = Messages(cast(IO[bytes], self.process.stdout), stores[AHEAD:])
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


def start(stores: Sequence[int], stack: ExitStack) -> "subprocess.Popen[bytes]":
    """A process that serves; it is ended when the stack is closed."""
    # Modules are found where ours are, which may be an archive that Spark has sent, but not in the current folder (-P),
    # which is the user's. Ctrl-C reaches every process of a terminal; we end our workers ourselves.
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-P", "-c", START, path, *map(str, stores)]
    with held():  # a process that was started is ended
        before = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_OUTSIDE)  # which a new process inherits
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=stores)
            stack.callback(end, process)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def end(process: "subprocess.Popen[bytes]") -> None:
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


def serve(stores: Sequence[int]) -> None:
    """A worker's life: the function first, then items, each answered; the end of the input is the end."""
    kernel.end_with_parent()  # or, where that cannot be, with the input, after what it is at
    asked = Messages(sys.stdin.buffer, stores[:AHEAD])
    answers = Messages(sys.stdout.buffer, stores[AHEAD:])
    with suppress(Gone):
        function = cast(Callable[[object], object], asked.receive())
        answers.send(None)
        while True:
            try:
                answers.send(function(asked.receive()))
            except Gone:
                raise
            except Exception as error:
                error.add_note(traceback.format_exc())  # which the other process could not tell
                answers.tell(error)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # to which Python, when it ends, says what nobody heard
