"""Which documents share a bucket: tasks exchange keys, and only those that two documents have go on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shingletools.commands.simjoin.factory import TableFactory
from shingletools.kernel import arrays as kernel
from shingletools.spark.batches import Batches, batch_of
from shingletools.spark.exchange import Entries, Kind, Parted, part_of, received
from shingletools.spark.signed import Reading
from shingletools.spark.tally import StatsCollector, Tally
from shingletools.spark.tasks import RESTS, SIDE, buckets

KINDS = range(2 * RESTS)
COUNTS = [f"n{kind}" for kind in KINDS]
# Entries of buckets to be compared: each with its bucket, the number of rows of each kind in the bucket, the rows of a
# block, the first row, and the first row of the other side or -1
HITS = pa.schema(
    [(name, pa.int64()) for name in ("key", "number", "kind", "rows", "block", "first", "other_first", *COUNTS)]
)
SAME = np.dtype([("key", "<u8"), ("number", "<i8")])  # if all signatures have one size
SIZED = np.dtype([*SAME.descr, ("size", "<u4"), ("asks", "?")])


def to_entries(reading: Reading, factory: TableFactory, kind: Kind, parts: int, batches: Batches) -> Iterator[Parted]:
    """Rows of SIGNED to entries of buckets."""
    for documents in reading(batches):
        signed = documents.signed()
        if not len(signed.numbers):
            continue
        size = np.sum([each.sizes for each in signed.payloads], axis=0)
        for key, row, asks in buckets(factory.table(signed.payloads)):
            entries = np.empty(len(key), kind)
            entries["key"], entries["number"] = key.view(np.uint64), signed.numbers[row]
            if kind == SIZED:
                entries["size"], entries["asks"] = size[row], asks
            yield entries, part_of(kernel.fmix64(entries["key"]), parts)


@dataclass(frozen=True)
class Meeting:
    """Entries of whole buckets to HITS. Tells how many there are."""

    tally: Tally
    cross: int | None
    kind: Kind
    size: int  # of each signature, if all have one size
    block: tuple[int, int]  # most rows, and bytes, of a block

    def __call__(self, batches: Batches) -> Batches:
        entries = received(batches, self.kind)
        runs = StatsCollector(self.tally)
        runs.begin((runs.task,))
        entries = entries[kernel.shared(np.ascontiguousarray(entries["key"]))]
        entries = entries[np.lexsort((entries["number"], entries["key"]))]
        hits = self.hits(entries)
        runs.figures["hits"] = len(hits)
        yield hits
        runs.end()

    def hits(self, entries: Entries) -> pa.RecordBatch:
        """HITS from entries, which are sorted by key and number."""
        key, number = np.ascontiguousarray(entries["key"]), entries["number"]
        new = np.append(True, key[1:] != key[:-1])[: len(key)]
        start = np.flatnonzero(new)
        if not len(start):
            return batch_of(HITS, [[]] * len(HITS))
        bucket = np.cumsum(new) - 1
        asks = entries["asks"] if self.kind == SIZED else np.ones(len(key), np.bool_)
        other = np.zeros(len(key), np.bool_) if self.cross is None else number >= self.cross
        kind = SIDE * other + np.where(asks, 0, RESTS)
        rows = np.diff(np.append(start, len(key)))
        others = np.add.reduceat(other.astype(np.int64), start)
        size = np.add.reduceat(entries["size"].astype(np.int64), start) if self.kind == SIZED else self.size * rows
        wanted = np.logical_or.reduceat(asks, start)
        wanted &= rows > 1 if self.cross is None else (others > 0) & (others < rows)
        # Two blocks, and all that is made of them, must fit in memory
        most_rows, most_bytes = self.block
        block = np.clip(most_bytes * rows // np.maximum(size, 1), 1, most_rows)
        first = number[start]
        place = start + rows - others  # rows of the other side come last
        other_first = np.where(others > 0, number[np.minimum(place, len(number) - 1)], -1)
        counts = [np.add.reduceat((kind == each).astype(np.int64), start) for each in KINDS]
        some = wanted[bucket]
        bucket = bucket[some]
        columns = [key.view(np.int64)[some], number[some], kind[some].astype(np.int64)]
        columns += [each[bucket] for each in (rows, block, first, other_first, *counts)]
        return batch_of(HITS, columns)
