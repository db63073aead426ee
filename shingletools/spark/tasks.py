"""simjoin on a cluster: what is done where the documents are, bucket by bucket."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shingletools.kernel.types import Index
from shingletools.simjoin.arrays import spread
from shingletools.simjoin.buckets import Portion
from shingletools.simjoin.forest import Forest
from shingletools.simjoin.join import Join
from shingletools.simjoin.table import Flags, Table
from shingletools.spark.frames import Batches, batch_of
from shingletools.spark.signed import Builder

HITS = pa.schema([("key", pa.int64()), ("number", pa.int64())])
HITS_DDL = "key long, number long"
TASK = ["key", "one", "other"]  # a bucket, and which of its blocks
FOUND = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("agreeing", pa.int64())])
FOUND_DDL = "a long, b long, agreeing long"
NEAR = pa.schema([*HITS, ("connected", pa.bool_()), *FOUND])
NEAR_DDL = f"{HITS_DDL}, connected boolean, {FOUND_DDL}"

BUNDLE_ROWS, BUNDLE_BYTES = 1 << 14, 1 << 23  # of tasks that are worked on together
FEW = 64  # rows, each of which may as well be compared with each
APART = 0x9E3779B97F4A7C15  # so that the bands' keys differ


def entries(table: Table) -> tuple[Index, Index]:
    """The buckets (keys) of rows, and the rows; two that are a pair share one."""
    keys, rows = [], []
    for band, (key, row) in enumerate(table.buckets(range(table.bands))):
        keys.append((key ^ np.uint64(band * APART % 2**64)).view(np.int64))
        rows.append(row)
    return np.concatenate(keys), np.concatenate(rows)


def payloads_of(batch: pa.RecordBatch | pa.Table) -> list[tuple[bytes, bytes]]:
    return list(zip(batch.column("payload").to_pylist(), batch.column("second").to_pylist(), strict=True))


@dataclass(frozen=True)
class Exploded:
    """Rows to their buckets."""

    build: Builder

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if len(batch):
                key, row = entries(self.build(payloads_of(batch)))
                yield batch_of(HITS, [key, batch.column("number").to_numpy()[row]])


class Bundle:
    """Some tasks; each row of each is one of a table, those of one side before those of the other."""

    def __init__(self, rows: pa.Table, build: Builder, cross: int | None) -> None:
        columns = [rows.column(name).to_numpy() for name in ("number", "mine", *TASK)]
        changed = np.any([column[1:] != column[:-1] for column in columns[2:]], axis=0)
        other_side = np.zeros(len(rows), np.bool_) if cross is None else columns[0] >= cross
        order = np.argsort(other_side, kind="stable")
        self.number, self.mine, self.key, one, other = (column[order] for column in columns)
        self.apart: Flags = one != other
        self.cross = None if cross is None else len(rows) - int(np.count_nonzero(other_side))
        payloads = payloads_of(rows)
        self.table = build([payloads[place] for place in order.tolist()])
        task = np.cumsum(np.append(False, changed))[order]
        row = np.argsort(task, kind="stable")
        self.portion = Portion(task[row], row)

    def named(self, one: Index, other: Index) -> tuple[Index, Index]:
        """Pairs of rows as pairs of numbers."""
        a, b = self.number[one], self.number[other]
        return np.minimum(a, b), np.maximum(a, b)


@dataclass(frozen=True)
class Every:
    """Tasks to the pairs in them, each of which is told in one bucket only, the least of those that both rows are in.

    Where two blocks of a bucket are compared, pairs inside of one of them belong to another task.
    """

    build: Builder
    cross: int | None  # the first number of the other side

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in bundles(batches):
            bundle = Bundle(rows, self.build, self.cross)
            left, right, agreeing = self.pairs(bundle)
            here = bundle.key[left] == first_shared(bundle.table, left, right)
            yield batch_of(FOUND, [*bundle.named(left[here], right[here]), agreeing[here]])

    def pairs(self, bundle: Bundle) -> tuple[Index, Index, Index]:
        table = bundle.table
        found = [(np.empty(0, np.int64),) * 3]
        for one, other in Join(table, bundle.cross).candidates_of([bundle.portion]):
            some = ~bundle.apart[one] | (bundle.mine[one] != bundle.mine[other])
            pair, agreeing = table.compare(one[some], other[some])
            found.append((one[some][pair], other[some][pair], agreeing[pair]))
        left, right, agreeing = map(np.concatenate, zip(*found, strict=True))
        _, once = np.unique(left * len(table) + right, return_index=True)
        return left[once], right[once], agreeing[once]


def first_shared(table: Table, left: Index, right: Index) -> Index:
    """For each of some pairs the least bucket that both rows are in."""
    key, row = entries(table)
    order = np.lexsort((key, row))
    key, row = key[order], row[order]
    starts = np.searchsorted(row, np.arange(len(table) + 1))
    (one, of_one), (other, of_other) = (spread(starts[rows], starts[rows + 1] - starts[rows]) for rows in (left, right))
    key, pair = key[np.append(one, other)], np.append(of_one, of_other)
    order = np.lexsort((key, pair))
    key, pair = key[order], pair[order]
    shared = np.flatnonzero((pair[1:] == pair[:-1]) & (key[1:] == key[:-1]))
    return key[shared[np.unique(pair[shared], return_index=True)[1]]]


@dataclass(frozen=True)
class Connecting:
    """Tasks to pairs that connect the rows of each as all pairs of it would, whatever tasks come with it.

    Rows of one task that are connected already have a negative `mine`.
    """

    build: Builder
    cross: int | None

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in bundles(batches):
            bundle = Bundle(rows, self.build, self.cross)
            forest = Forest(bundle.table, bundle.cross)
            task, row = bundle.portion
            few = np.bincount(task)[task] <= FEW
            for candidates in Join(bundle.table, bundle.cross).candidates_of([Portion(task[few], row[few])]):
                forest.compare(*candidates)
            for each in np.unique(task[~few]).tolist():
                some = row[slice(*np.searchsorted(task, [each, each + 1]))]
                forest.together(some[bundle.mine[some] < 0])
                forest.connect(Portion(np.zeros(len(some), np.int64), some))
            one, other, agreeing = map(np.array, forest.found)
            yield batch_of(FOUND, [*bundle.named(one, other), agreeing])


@dataclass(frozen=True)
class Near:
    """Tasks to the pairs of each row with the first one, or the first one of the other side.

    `connected` are rows that such pairs connect with the first.
    """

    build: Builder
    cross: int | None

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in bundles(batches):
            bundle = Bundle(rows, self.build, self.cross)
            task, row = bundle.portion
            first = np.searchsorted(task, task)
            if bundle.cross is None:
                partner, candidate = first, np.flatnonzero(first != np.arange(len(row)))
                here, other = np.zeros(len(row), np.bool_), first
            else:
                here = row < bundle.cross
                other = first + np.bincount(task, here).astype(np.int64)[task]
                partner, candidate = np.where(here, other, first), np.arange(len(row))
            pair, agreeing = bundle.table.compare(row[partner[candidate]], row[candidate])
            connected = np.zeros(len(row), np.bool_)
            connected[candidate] = pair
            connected &= ~here | connected[other]
            some = candidate[pair]
            yield batch_of(NEAR, [bundle.key[row[some]], bundle.number[row[some]], connected[some],
                                  *bundle.named(row[partner[some]], row[some]), agreeing[pair]])  # fmt: skip


def bundles(batches: Batches) -> Iterator[pa.Table]:
    """Whole tasks, which come one after the other, some together."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= BUNDLE_ROWS or sum(each.nbytes for each in held) >= BUNDLE_BYTES:
            together = pa.Table.from_batches(held).combine_chunks()
            last = np.all([(column := together.column(name).to_numpy()) == column[-1] for name in TASK], axis=0)
            cut = int(np.argmax(last))
            if cut:
                yield together.slice(0, cut)
            held = together.slice(cut).to_batches()
    if any(map(len, held)):
        yield pa.Table.from_batches(held).combine_chunks()
