"""Sends entries between tasks, many in a row of Spark, so that all with one key come to one task."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import ceil

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Index
from shingletools.spark.arrow_batches import Batches, from_columns, through
from shingletools.system.interruptible_reads import gathered

SENT = pa.schema([("to", pa.int32()), ("entries", pa.binary())])
Entries = NDArray[np.void]  # of a structured type, with a field "key", uint64
TASK_BYTES = 32 << 20  # bytes of entries that a task takes at once; intermediate arrays may take four times as much
HELD_BYTES = 64 << 20  # bytes of entries that a task holds before it sends them
ROW_BYTES = 4 << 20  # bytes of entries in a row
PARTS_OF_TASK = 8  # parts of the keys for each task that receives them


def send(work: Callable[[Batches], Iterator[Entries]], parts: int, batches: Batches) -> Batches:
    """Takes rows to the entries that `work` makes of them, packed by part."""
    for held in gathered(work(batches), lambda entries: entries.nbytes, HELD_BYTES):
        entries = np.concatenate(held)
        part = part_of(entries["key"], parts)
        order = np.argsort(part.astype(np.uint16 if parts < 1 << 16 else np.int64), kind="stable")
        ends = np.cumsum(np.bincount(part, minlength=parts)).tolist()
        some = max(1, ROW_BYTES // entries.itemsize)
        for to, (start, end) in enumerate(pairwise([0, *ends])):
            for first in range(start, end, some):
                yield from_columns(SENT, to=to, entries=entries[order[first : min(first + some, end)]].tobytes())


def part_of(keys: U64, parts: int) -> Index:
    """Returns the part that each key belongs to: the highest bits of its hash. Shapes: (keys,) in, (keys,) out."""
    high = kernel.fmix64(np.ascontiguousarray(keys)) >> np.uint64(32)
    part: Index = (high * np.uint64(parts) >> np.uint64(32)).astype(np.int64)
    return part


def tasks_for(size: int, least: int) -> int:
    """Returns the number of tasks for `size` bytes of entries: at least `least`, so that none is idle."""
    return max(least, ceil(size / TASK_BYTES))


def sent(frame: DataFrame, work: Callable[[Batches], Iterator[Entries]], tasks: int) -> DataFrame:
    """Returns the entries that `work` makes of a DataFrame, as SENT; each part is in one task.

    Spark puts parts into tasks by a hash. As there are more parts than tasks, these get about equally many.
    """
    return through(frame, partial(send, work, PARTS_OF_TASK * tasks), SENT).repartition(tasks, "to")


def received(batches: Batches, kind: "np.dtype[np.void]") -> Entries:
    """Returns all entries that were sent to a task."""
    data = [each.as_py() for batch in batches for each in batch.column("entries")]
    return np.frombuffer(b"".join(data), kind)
