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
        self.send(function)

    def send(self, message: object) -> None:
        try:
            pickle.dump(message, self.to, pickle.HIGHEST_PROTOCOL)
            self.to.flush()
        except OSError:
            raise Failed("a worker process died") from None

    def ask(self, item: object) -> object:
        self.send(item)
        try:
            return pickle.load(self.back)
        except (EOFError, pickle.UnpicklingError):
            raise Failed("a worker process died") from None

    def end(self) -> None:
        self.process.kill()
        with suppress(OSError):
            self.to.close()
        self.back.close()
        self.process.wait()


def serve() -> None:
    """A worker's life: the function first, then items, each answered; the end of the input is the end."""
    with suppress(EOFError, pickle.UnpicklingError, BrokenPipeError):
        function = pickle.load(sys.stdin.buffer)
        while True:
            pickle.dump(function(pickle.load(sys.stdin.buffer)), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
