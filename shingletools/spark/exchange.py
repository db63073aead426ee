"""What tasks send each other: rows that are brought together by key, and arrays for the tasks of the next step."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from math import ceil
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from shingletools.kernel.types import U64, Index
from shingletools.spark.batches import Batches, of_rows, through
from shingletools.system.waiting import gathered

SENT = pa.schema([("to", pa.int32()), ("entries", pa.binary())])
Kind = np.dtype[np.void]  # a structured one
Entries = NDArray[np.void]  # of such a kind
Parted = tuple[Entries, Index]  # entries, and the number of the part of each
Work = Callable[[Batches], Iterator[Parted]]
TASK_BYTES = 32 << 20  # of entries that a task takes at once; intermediate arrays may take four times as much
HELD = 64 << 20  # bytes of entries that a task holds before it sends them
ROW = 4 << 20  # bytes in a row


def hashed(number: int) -> int:
    """The hash by which Spark finds the partition of an int: 32-bit MurmurHash3 with seed 42.

    >>> [hashed(number) for number in (0, 1)]
    [933211791, -559580957]
    """
    mask, rotated = 0xFFFFFFFF, (number & 0xFFFFFFFF) * 0xCC9E2D51 & 0xFFFFFFFF
    rotated = (rotated << 15 | rotated >> 17) & mask
    hash_ = 42 ^ rotated * 0x1B873593 & mask
    hash_ = (hash_ << 13 | hash_ >> 19) & mask
    hash_ = (hash_ * 5 + 0xE6546B64) & mask ^ 4
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13), (1, 16)):
        hash_ = (hash_ ^ hash_ >> shift) * factor & mask
    return hash_ - (hash_ >> 31 << 32)


def addresses(parts: int) -> list[int]:
    """One number for each of `parts` partitions, which Spark sends to this partition."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < parts:
        found.setdefault(hashed(number) % parts, number)
        number += 1
    return list(found.values())


def send(work: Work, parts: int, batches: Batches) -> Batches:
    """Rows to the entries that `work` makes of them, packed and addressed to the parts."""
    where = addresses(parts)
    for held in gathered(work(batches), lambda parted: parted[0].nbytes, HELD):
        yield from addressed(held, where)


def addressed(held: Sequence[Parted], where: Sequence[int]) -> Batches:
    entries, part = (np.concatenate(columns) for columns in zip(*held, strict=True))
    order = np.argsort(part.astype(np.uint16 if len(where) < 1 << 16 else np.int64), kind="stable")
    ends = np.cumsum(np.bincount(part, minlength=len(where))).tolist()
    some = max(1, ROW // entries.itemsize)
    for address, start, end in zip(where, [0, *ends], ends, strict=False):
        for first in range(start, end, some):
            rows = entries[order[first : min(first + some, end)]]
            yield of_rows(SENT, [(address, rows.tobytes())])


def part_of(keys: U64, parts: int) -> Index:
    """The part that each key belongs to, by its highest bits. Shapes: (keys,) in, (keys,) out."""
    part: Index = ((keys >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)
    return part


def parts_for(size: int, least: int) -> int:
    """The number of parts for `size` bytes of entries: at least `least`, so that no task is idle."""
    return max(least, ceil(size / TASK_BYTES))


def sent(frame: DataFrame, work: Work, parts: int) -> DataFrame:
    """The entries that `work` makes of a DataFrame, each part in one task."""
    return through(frame, partial(send, work, parts), SENT).repartition(parts, "to")


def received(batches: Batches, kind: Kind) -> Entries:
    """All entries that were sent to a task."""
    data = [each.as_py() for batch in batches for each in batch.column("entries")]
    return np.frombuffer(b"".join(data), kind)


def together(frame: DataFrame, key: str, *order: str, alone: bool = False) -> DataFrame:
    """Brings rows with equal keys together, one after the other, in one task; with `alone`, all in the same task."""
    if alone:  # nothing need be shuffled
        return frame.coalesce(1).sortWithinPartitions(key, *order)
    return frame.repartition(key).sortWithinPartitions(key, *order)


def runs(batches: Batches, key: str) -> Iterator[tuple[Any, Iterator[dict[str, Any]]]]:
    """The runs of rows with equal keys."""
    return groupby((row for batch in batches for row in batch.to_pylist()), itemgetter(key))
