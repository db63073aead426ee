"""What tasks send each other: rows that come together by a key, and arrays, packed for the tasks of the next step."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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

SENT = pa.schema([("to", pa.int32()), ("entries", pa.binary())])
Entries = NDArray[np.void]  # of a structured type
TASK_BYTES = 32 << 20  # of entries that a task takes at once; what is made of them may be four times as much
HELD = 64 << 20  # bytes of entries that a task holds before it sends them
ROW = 4 << 20  # bytes in a row


def hashed(number: int) -> int:
    """What Spark makes of an int to find its partition: MurmurHash3 of 32 bits, with its seed 42.

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
    """Numbers, of which Spark sends each to another one of so many partitions."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < parts:
        found.setdefault(hashed(number) % parts, number)
        number += 1
    return list(found.values())


@dataclass(frozen=True)
class Sending:
    """What `work` makes of rows, entries and to which part of so many each goes, sent to where it belongs."""

    work: Callable[[Batches], Iterator[tuple[Entries, Index]]]
    parts: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        where = addresses(self.parts)
        held: list[tuple[Entries, Index]] = []
        size = 0
        for entries, part in self.work(batches):
            held.append((entries, part))
            size += entries.nbytes
            if size >= HELD:
                yield from self._sent(held, where)
                held, size = [], 0
        if held:
            yield from self._sent(held, where)

    def _sent(self, held: Sequence[tuple[Entries, Index]], where: Sequence[int]) -> Iterator[pa.RecordBatch]:
        entries, part = (np.concatenate(columns) for columns in zip(*held, strict=True))
        order = np.argsort(part.astype(np.uint16 if self.parts < 1 << 16 else np.int64), kind="stable")
        ends = np.cumsum(np.bincount(part, minlength=self.parts)).tolist()
        some = max(1, ROW // entries.itemsize)
        for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            for first in range(start, end, some):
                rows = entries[order[first : min(first + some, end)]]
                yield of_rows(SENT, [(where[number], rows.tobytes())])


def part_of(keys: U64, parts: int) -> Index:
    """Which of so many parts each key belongs to, by its highest bits. Shapes: (keys,) in, (keys,) out."""
    part: Index = ((keys >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)
    return part


def parts_for(size: int, least: int) -> int:
    """How many parts so many bytes of entries make, `least` at least, so that no task is idle."""
    return max(least, ceil(size / TASK_BYTES))


def sent(frame: DataFrame, work: Callable[[Batches], Iterator[tuple[Entries, Index]]], parts: int) -> DataFrame:
    """What `work` makes of a frame, each part of it in a task."""
    return through(frame, Sending(work, parts), SENT).repartition(parts, "to")


def received(batches: Batches, kind: np.dtype[np.void]) -> Entries:
    """All that was sent to a task."""
    data = [each.as_py() for batch in batches for each in batch.column("entries")]
    return np.frombuffer(b"".join(data), kind)


def together(frame: DataFrame, key: str, *order: str, alone: bool = False) -> DataFrame:
    """Rows with equal keys come one after the other, in one task; in the same one, if what is there is small."""
    if alone:  # so that nothing is shuffled
        return frame.coalesce(1).sortWithinPartitions(key, *order)
    return frame.repartition(key).sortWithinPartitions(key, *order)


def runs(batches: Batches, key: str) -> Iterator[tuple[Any, Iterator[dict[str, Any]]]]:
    """Rows with equal keys that come one after the other."""
    return groupby((row for batch in batches for row in batch.to_pylist()), itemgetter(key))
