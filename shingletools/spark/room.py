"""How much memory one task may take, and how it releases memory."""

from collections.abc import Iterator
from ctypes import CDLL
from typing import TypeVar

from pyspark import SparkContext

T = TypeVar("T")
BASE = 100 << 20  # bytes of Python
ROWS = 32  # rows, about 30 MB, after which memory is released
HERE, ELSEWHERE = 1 << 30, 1 << 29  # bytes for a task, if Spark runs on this machine, and on a cluster


def room(context: SparkContext, asked: int | None) -> int:
    """The bytes of memory that one task may take: those asked for, or the default."""
    if asked is not None:
        return asked
    return HERE if f"{context.master}".startswith("local") else ELSEWHERE


def emptied(rows: list[T]) -> Iterator[T]:
    """Gives rows from the last to the first, and frees each after it was used."""
    trim = getattr(CDLL(None), "malloc_trim", None)  # by itself, glibc keeps freed memory
    while rows:
        if trim is not None and not len(rows) % ROWS:
            trim(0)
        yield rows.pop()
