"""Work done ahead by several workers, its results in the order of its items."""

import pickle
import queue
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, TypeVar, cast

from shingletools.signals import ENDING
from shingletools.streams import widen
from shingletools.wire import Failed

Item = TypeVar("Item")
Result = TypeVar("Result")


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
            if len(pending) >= 2 * jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """map(function, items) by so many processes, taken ahead as by threads.

    Each process is asked by one thread at a time, over pipes that nobody else holds: so whoever waits for a process
    that dies is told, and processes whose asker dies end by themselves. (concurrent.futures' process pool shares one
    queue, and was seen to wait for ever after a worker was killed.) Raises Failed if a process dies.
    """
    workers: list[Worker] = []
    free: queue.SimpleQueue[Worker] = queue.SimpleQueue()

    def ask(item: Item) -> Result:
        worker = free.get()
        try:
            return cast(Result, worker.ask(item))
        finally:
            free.put(worker)  # a dead one too: whoever asks it next must hear so, not wait

    try:
        for _ in range(jobs):
            workers.append(Worker(function))
            free.put(workers[-1])
        yield from in_threads(ask, items, jobs)
    finally:
        for worker in workers:
            worker.end()


class Worker:
    """A process that applies one function to what it is sent."""

    def __init__(self, function: Callable[[Item], Result]) -> None:
        # Ctrl-C reaches every process of a terminal; we end our workers ourselves. -P: the current folder is the
        # user's, so no module is to be found there.
        command = [sys.executable, "-P", "-m", "shingletools.workers"]
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # which a new process inherits
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.to, self.back = cast(IO[bytes], self.process.stdin), cast(IO[bytes], self.process.stdout)
        for pipe in (self.to, self.back):
            widen(pipe.fileno())
        self.send(function)

    def send(self, message: object) -> None:
        try:
            write_message(self.to, message)
        except OSError:
            raise Failed("a worker process died") from None

    def ask(self, item: object) -> object:
        self.send(item)
        try:
            return read_message(self.back)
        except (EOFError, pickle.UnpicklingError):
            raise Failed("a worker process died") from None

    def end(self) -> None:
        self.process.kill()
        with suppress(OSError):
            self.to.close()
        self.back.close()
        self.process.wait()


def write_message(stream: IO[bytes], message: object) -> None:
    """Pickles a message; the bytes that are in a PickleBuffer follow as they are, which spares copies of them."""
    buffers: list[memoryview] = []

    def keep(buffer: pickle.PickleBuffer) -> None:
        buffers.append(buffer.raw())

    head = pickle.dumps(message, pickle.HIGHEST_PROTOCOL, buffer_callback=keep)
    pickle.dump((head, list(map(len, buffers))), stream)
    for buffer in buffers:
        stream.write(buffer)
    stream.flush()


def read_message(stream: IO[bytes]) -> object:
    """Raises EOFError or UnpicklingError where the stream ends."""
    head, sizes = pickle.load(stream)
    buffers = [stream.read(size) for size in sizes]
    if list(map(len, buffers)) != sizes:
        raise EOFError
    return pickle.loads(head, buffers=buffers)


def serve() -> None:
    """A worker's life: the function first, then items, each answered; the end of the input is the end."""
    with suppress(EOFError, pickle.UnpicklingError, BrokenPipeError):
        function = cast(Callable[[object], object], read_message(sys.stdin.buffer))
        while True:
            write_message(sys.stdout.buffer, function(read_message(sys.stdin.buffer)))


if __name__ == "__main__":
    serve()
