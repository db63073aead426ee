"""Sends arrays between tasks, many entries in a row of Spark."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import ceil

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from shingletools.kernel.types import U64, Index
from shingletools.spark.arrow_batches import Batches, from_rows, through
from shingletools.system.interruptible_reads import gathered

SENT = pa.schema([("to", pa.int32()), ("entries", pa.binary())])
Entries = NDArray[np.void]  # of a structured type
Parted = tuple[Entries, Index]  # entries, and the number of the part of each
Work = Callable[[Batches], Iterator[Parted]]
TASK_BYTES = 32 << 20  # of entries that a task takes at once; intermediate arrays may take four times as much
HELD_BYTES = 64 << 20  # of entries that a task holds before it sends them
ROW_BYTES = 4 << 20
PARTS_OF_TASK = 8


def send(work: Work, parts: int, batches: Batches) -> Batches:
    """Takes rows to the entries that `work` makes of them, packed by part."""
    for held in gathered(work(batches), lambda parted: parted[0].nbytes, HELD_BYTES):
        entries, part = (np.concatenate(columns) for columns in zip(*held, strict=True))
        order = np.argsort(part.astype(np.uint16 if parts < 1 << 16 else np.int64), kind="stable")
        ends = np.cumsum(np.bincount(part, minlength=parts)).tolist()
        some = max(1, ROW_BYTES // entries.itemsize)
        for to, (start, end) in enumerate(pairwise([0, *ends])):
            for first in range(start, end, some):
                yield from_rows(SENT, [(to, entries[order[first : min(first + some, end)]].tobytes())])


def part_of(keys: U64, parts: int) -> Index:
    """Returns the part that each key belongs to, by its highest bits. Shapes: (keys,) in, (keys,) out."""
    part: Index = ((keys >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)
    return part


def tasks_for(size: int, least: int) -> int:
    """Returns the number of tasks for `size` bytes of entries: at least `least`, so that none is idle."""
    return max(least, ceil(size / TASK_BYTES))


def sent(frame: DataFrame, work: Callable[[int], Work], tasks: int) -> DataFrame:
    """Returns the entries that `work`, given the number of parts, makes of a DataFrame; each part is in one task.

    Spark puts parts into tasks by a hash. As there are more parts than tasks, these get about equally many.
    """
    parts = PARTS_OF_TASK * tasks
    return through(frame, partial(send, work(parts), parts), SENT).repartition(tasks, "to")


def received(batches: Batches, kind: "np.dtype[np.void]") -> Entries:
    """Returns all entries that were sent to a task."""
    data = [each.as_py() for batch in batches for each in batch.column("entries")]
    return np.frombuffer(b"".join(data), kind)
