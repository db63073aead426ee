"""Work done ahead by several workers, its results in the order of its items."""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from shingletools.wire import Failed

Item = TypeVar("Item")
Result = TypeVar("Result")

_work: list[Callable[[Any], Any]] = []  # in a worker process: the function it was started for


def in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """map(function, items) by so many processes; function is pickled once for each.

    At most 2 * jobs items and results are held. Raises Failed if a process dies.
    """
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_start, initargs=(function,))
    try:
        yield from _in_order(pool, _call, items, 2 * jobs)
    except BrokenProcessPool:
        raise Failed("a worker process died") from None


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """map(function, items) by so many threads: for functions that spend their time in numpy or C."""
    if jobs == 1:
        return map(function, items)
    return _in_order(ThreadPoolExecutor(jobs), function, items, 2 * jobs)


def _in_order(
    pool: Executor, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(_submit(pool, function, item))
            if len(pending) >= ahead:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _submit(pool: Executor, function: Callable[[Item], Result], item: Item) -> "Future[Result]":
    """Submits with Ctrl-C held back: a worker started here inherits that, and leaves it to us."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(function, item)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _start(function: Callable[[Any], Any]) -> None:
    _work.append(function)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """A killed parent closes no queue, so its workers would wait for ever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _call(item: Any) -> Any:
    return _work[0](item)
