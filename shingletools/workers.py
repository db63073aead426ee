"""Work done ahead by several workers, its results in the order of its items."""

import itertools
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, TypeVar, cast

from shingletools.signals import ENDING
from shingletools.wire import Failed

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2  # items that a worker has: one at work, one that waits


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """map(function, items) by so many threads; 2 * jobs items are taken before the first result is given."""
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
    """map(function, items) by so many processes, taken ahead as by threads.

    The processes are asked in turn, so their answers are in order without any thread or queue that waits for them.
    Each has pipes that nobody else holds: so who waits for a process that dies is told, and processes whose asker
    dies end by themselves. (concurrent.futures' process pool shares one queue, and was seen to wait for ever after a
    worker was killed.) Raises Failed if a process dies.
    """
    workers: list[Worker] = []
    pending: deque[Worker] = deque()
    try:
        workers.extend(Worker(function) for _ in range(jobs))
        turns = itertools.cycle(workers)
        for item in items:
            if len(pending) == AHEAD * jobs:
                yield cast(Result, pending.popleft().answer())
            worker = next(turns)
            worker.ask(item)
            pending.append(worker)
        while pending:
            yield cast(Result, pending.popleft().answer())
    finally:
        for worker in workers:
            worker.end()


class Messages:
    """One direction between two processes: pickles through a pipe, the bytes in their PickleBuffers through stores.

    A store is a file in memory that both have open. A pipe would cost each byte twice as much, and could fill up:
    two processes that both write would wait for each other for ever. The stores are used in turn, each for what is
    sent next: so no more messages than there are stores may be under way.
    """

    def __init__(self, pipe: IO[bytes], stores: Iterable[int]) -> None:
        self.pipe = pipe
        self.stores = itertools.cycle(stores)

    def send(self, message: object) -> None:
        """Raises OSError if the pipe is closed, Failed if the store cannot take the bytes."""
        store = next(self.stores)
        sizes: list[int] = []

        def keep(buffer: pickle.PickleBuffer) -> None:
            view, at = buffer.raw(), sum(sizes)
            sizes.append(len(view))
            try:
                while view:
                    written = os.pwrite(store, view, at)
                    view, at = view[written:], at + written
            except OSError as error:
                raise Failed(f"memory shared with a worker: {error.strerror}") from None

        head = pickle.dumps(message, pickle.HIGHEST_PROTOCOL, buffer_callback=keep)
        pickle.dump((head, sizes), self.pipe)
        self.pipe.flush()

    def receive(self) -> object:
        """Raises EOFError or UnpicklingError where the pipe ends."""
        store = next(self.stores)
        head, sizes = pickle.load(self.pipe)
        ends = itertools.accumulate(sizes)
        return pickle.loads(
            head, buffers=[read(store, end - size, size) for end, size in zip(ends, sizes, strict=True)]
        )


def read(store: int, at: int, size: int) -> bytes:
    data = os.pread(store, size, at)
    while len(data) < size:  # a call gives 2 GB at most
        data += os.pread(store, size - len(data), at + len(data))
    return data


class Worker:
    """A process that applies one function to what it is sent."""

    def __init__(self, function: Callable[[Item], Result]) -> None:
        # Ctrl-C reaches every process of a terminal; we end our workers ourselves. -P: the current folder is the
        # user's, so no module is to be found there.
        self.stores = [open_store() for _ in range(2 * AHEAD)]
        command = [sys.executable, "-P", "-m", "shingletools.workers", *map(str, self.stores)]
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # which a new process inherits
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=self.stores
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.to = Messages(cast(IO[bytes], self.process.stdin), self.stores[:AHEAD])
        self.back = Messages(cast(IO[bytes], self.process.stdout), self.stores[AHEAD:])
        self.ask(pickle.dumps(function))  # as bytes it goes through the pipe, and leaves the stores to items

    def ask(self, item: object) -> None:
        try:
            self.to.send(item)
        except OSError:
            raise Failed("a worker process died") from None

    def answer(self) -> object:
        try:
            return self.back.receive()
        except (EOFError, pickle.UnpicklingError):
            raise Failed("a worker process died") from None

    def end(self) -> None:
        self.process.kill()
        with suppress(OSError):
            self.to.pipe.close()
        self.back.pipe.close()
        self.process.wait()
        for store in self.stores:
            os.close(store)


def open_store() -> int:
    """A file of no name, in memory where the system has such files."""
    if sys.platform == "linux":
        return os.memfd_create("shingletools")
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def serve(stores: Sequence[int]) -> None:
    """A worker's life: the function first, then items, each answered; the end of the input is the end."""
    asked = Messages(sys.stdin.buffer, stores[:AHEAD])
    answers = Messages(sys.stdout.buffer, stores[AHEAD:])
    with suppress(EOFError, pickle.UnpicklingError, BrokenPipeError):
        function = cast(Callable[[object], object], pickle.loads(cast(bytes, asked.receive())))
        while True:
            answers.send(function(asked.receive()))


if __name__ == "__main__":
    serve([int(store) for store in sys.argv[1:]])
