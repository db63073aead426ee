"""Buckets of documents on Spark: which documents share one, and which blocks of a bucket are compared in a task."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.table import Table
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.ranges import spread, stretches
from shingletools.spark.arrow_batches import Batches, bytes_of, from_columns
from shingletools.spark.exchange import Entries, received

OTHER_SIDE, RESTS = 1, 2  # bits of the kind of a row in a bucket: it is of the other side; it does not ask
KINDS = range(4)
# A document (number) in a bucket (key), which a task compares whole (`one` and `other` are WHOLE), or two blocks of it,
# `one` and `other`. `mine` is the document's own block; in a whole bucket it is its kind times BLOCKS
TASKS = pa.schema([(name, pa.int64()) for name in ("key", "number", "mine", "one", "other")])
WHOLE = -1
BLOCKS = 1 << 32  # the number of a block is BLOCKS times the kind of its rows, plus its number among these
ENTRY = np.dtype([("key", "<u8"), ("number", "<i8"), ("size", "<u4"), ("asks", "?")])
BLOCK_ROWS, BLOCK_BYTES = 1 << 12, 1 << 22  # rows, and bytes of their payloads, in a block at most
ROWS_AT_ONCE = 1 << 18  # rows of TASKS in a batch
BAND_FACTOR = 0x9E3779B97F4A7C15  # makes equal keys of different bands differ


def keys_of(table: Table) -> Iterator[tuple[Index, Index, Flags]]:
    """Yields for each band the buckets (keys) of rows, the rows, and whether they ask; as Bucketed."""
    for band, (key, row, asks, _) in enumerate(table.buckets(range(table.bands), np.ones(len(table), np.bool_))):
        yield (key ^ np.uint64(band * BAND_FACTOR % 2**64)).view(np.int64), row, asks


def table_of(factory: TableFactory, columns: list[pa.Array]) -> Table:
    """Returns a table of documents with these payloads."""
    return factory.table([bytes_of(column) for column in columns[: len(factory.signatures)]])


def to_entries(factory: TableFactory, batches: Batches) -> Iterator[Entries]:
    """Takes documents (number, payload, second) to their entries in buckets, ENTRY."""
    for batch in batches:
        payloads = [batch.column(name) for name in ("payload", "second")]
        numbers = batch.column("number").to_numpy()
        size = np.sum([bytes_of(each)[1] for each in payloads], axis=0)
        for key, row, asks in keys_of(table_of(factory, payloads)):
            entries = np.empty(len(key), ENTRY)
            entries["key"], entries["number"] = key.view(np.uint64), numbers[row]
            entries["size"], entries["asks"] = size[row], asks
            yield entries


@dataclass(frozen=True)
class Sharing:
    """Takes entries of whole buckets; returns those of buckets in which documents are to be compared, as columns.

    These are the bucket, the document, its kind, the rows in a block, and how many rows of each kind the bucket has.
    """

    cross: int | None  # documents from this number on are of the other side
    block: tuple[int, int]  # most rows, and bytes, of a block

    def __call__(self, batches: Batches) -> tuple[Index, ...]:
        entries = received(batches, ENTRY)
        entries = entries[kernel.shared(np.ascontiguousarray(entries["key"]))]
        entries = entries[np.lexsort((entries["number"], entries["key"]))]
        key, number, asks = np.ascontiguousarray(entries["key"]), entries["number"], entries["asks"]
        if not len(key):
            return (np.empty(0, np.int64),) * (4 + len(KINDS))
        new = np.append(True, key[1:] != key[:-1])
        start, bucket = np.flatnonzero(new), np.cumsum(new) - 1
        other = np.zeros(len(key), np.bool_) if self.cross is None else number >= self.cross
        kind = OTHER_SIDE * other + np.where(asks, 0, RESTS)
        rows = np.diff(np.append(start, len(key)))
        others = np.add.reduceat(other.astype(np.int64), start)
        size = np.add.reduceat(entries["size"].astype(np.int64), start)
        wanted = np.logical_or.reduceat(asks, start)
        wanted &= rows > 1 if self.cross is None else (others > 0) & (others < rows)
        # Two blocks, and all that is made of them, must fit in memory
        block = np.clip(self.block[1] * rows // np.maximum(size, 1), 1, self.block[0])
        counts = [np.add.reduceat((kind == each).astype(np.int64), start)[bucket] for each in KINDS]
        columns = key.view(np.int64), number, kind.astype(np.int64), block[bucket], *counts
        return tuple(column[wanted[bucket]] for column in columns)


def compared_with(kind: int, cross: bool) -> list[int]:
    """Returns the kinds of rows that a kind of rows in a bucket is compared with.

    >>> compared_with(0, False), compared_with(RESTS, False), compared_with(OTHER_SIDE | RESTS, True)
    ([0, 2], [0], [0])
    """
    side = kind & OTHER_SIDE ^ cross
    return [other for other in KINDS if other & OTHER_SIDE == side and not kind & other & RESTS]


def to_tasks(sharing: Sharing, batches: Batches) -> Batches:
    """Takes entries of whole buckets to TASKS: in a block, a row for each block that this one is compared with."""
    key, number, kind, block, *counts = sharing(batches)
    small = np.sum(counts, axis=0) <= block
    whole = np.full(np.count_nonzero(small), WHOLE)
    yield from_columns(TASKS, key=key[small], number=number[small], mine=kind[small] * BLOCKS, one=whole, other=whole)
    for each in np.unique(kind[~small]).tolist():
        some = np.flatnonzero(~small & (kind == each))
        blocks = -(-counts[each][some] // block[some])
        own = kernel.fmix64(number[some].astype(np.uint64)) % blocks.astype(np.uint64)
        mine = each * BLOCKS + own.astype(np.int64)
        for other in compared_with(each, sharing.cross is not None):
            against = -(-counts[other][some] // block[some])
            for part in stretches(against, ROWS_AT_ONCE):
                place, owner = spread(other * BLOCKS + np.zeros_like(against[part]), against[part])
                owner += part.start
                row, here = some[owner], mine[owner]
                ends = {"one": np.minimum(here, place), "other": np.maximum(here, place)}
                yield from_columns(TASKS, key=key[row], number=number[row], mine=here, **ends)
