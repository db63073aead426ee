"""simjoin on a cluster: the comparisons of a task, bucket by bucket."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from shingletools.commands.simjoin.buckets import Portion, by_size
from shingletools.commands.simjoin.candidates import candidates_in, weigh
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.forest import Forest
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.split_buckets import split_portion
from shingletools.commands.simjoin.table import Table
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.ranges import spread, stretches
from shingletools.spark.batches import Batches, batch_of, bytes_of

TASK = ["key", "one", "other"]  # a bucket, and two of its blocks
FOUND = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("agreeing", pa.int64())])
NEAR = pa.schema([("key", pa.int64()), ("number", pa.int64()), ("connected", pa.bool_()), *FOUND])
BLOCKS = 1 << 32  # the number of a block is BLOCKS times the kind of its rows, plus its number among these
# Bits of the kind of a row: it is of the other side; it is connected with all such rows; it does not ask
SIDE, CONNECTED, RESTS = 2, 1, 4

BUNDLE_ROWS, BUNDLE_BYTES = 1 << 14, 1 << 23  # of tasks that are worked on together
FEW = 64  # rows: so few may all be compared with each other
ENTRIES = 1 << 20  # entries of pairs of rows that are worked on together
APART = 0x9E3779B97F4A7C15  # makes equal keys of different bands differ


def buckets(table: Table) -> Iterator[tuple[Index, Index, Flags]]:
    """For each band, the buckets (keys) of rows, the rows, and whether they ask."""
    for band, (key, row, asks) in enumerate(table.buckets(range(table.bands))):
        yield (key ^ np.uint64(band * APART % 2**64)).view(np.int64), row, asks


def table_of(factory: TableFactory, columns: Sequence[pa.Array]) -> Table:
    """A table of documents with these payloads."""
    return factory.table([bytes_of(column) for column in columns[: len(factory.signatures)]])


class Bundle:
    """Several tasks. Their rows are those of a table, with one side before the other."""

    def __init__(self, rows: pa.Table, factory: TableFactory, cross: int | None) -> None:
        columns = [rows.column(name).to_numpy() for name in ("number", "mine", *TASK)]
        changed = np.any([column[1:] != column[:-1] for column in columns[2:]], axis=0)
        other_side = np.zeros(len(rows), np.bool_) if cross is None else columns[0] >= cross
        order = np.argsort(other_side, kind="stable")
        self.number, self.mine, self.key, one, other = (column[order] for column in columns)
        self.apart: Flags = one != other
        self.cross = None if cross is None else len(rows) - int(np.count_nonzero(other_side))
        payloads = [rows.column(name).combine_chunks() for name in ("payload", "second")]
        self.table = table_of(factory, [column.take(pa.array(order)) for column in payloads])
        task = np.cumsum(np.append(False, changed))[order]
        row = np.argsort(task, kind="stable")
        self.portion = Portion(task[row], row, self.mine[row] & RESTS * BLOCKS == 0)

    def named(self, one: Index, other: Index) -> tuple[Index, Index]:
        """Pairs of rows as pairs of numbers."""
        a, b = self.number[one], self.number[other]
        return np.minimum(a, b), np.maximum(a, b)


def to_pairs(factory: TableFactory, cross: int | None, batches: Batches, limits: Limits = DEFAULT) -> Batches:
    """Tasks to their pairs. A pair is given in one bucket only: the least that has both rows.

    A bucket with many candidates is cut again, as in the shell. If a task compares two blocks of a bucket, pairs inside
    one of them belong to another task. cross: the first number of the other side.
    """
    for rows in bundles(batches):
        bundle = Bundle(rows, factory, cross)
        shared = Shared(bundle.table)
        portion = by_size(bundle.table, bundle.portion)
        whole, *cut = split_portion(bundle.table, portion, partial(weigh, cross=bundle.cross), limits)
        for found in pairs_of(bundle, shared, [whole], limits):
            yield found_batch(bundle, found)
        if cut:  # then the same rows may meet many times
            yield found_batch(bundle, distinct(len(bundle.number), list(pairs_of(bundle, shared, cut, limits))))


def pairs_of(bundle: Bundle, shared: "Shared", portions: Iterable[Portion], limits: Limits) -> Iterator[Pairs]:
    """The pairs among rows that meet in these buckets and belong to one task."""
    for portion in portions:
        for one, other in candidates_in(portion, bundle.cross, limits.candidates):
            some = ~bundle.apart[one] | (bundle.mine[one] != bundle.mine[other])
            # A row is in a bucket twice if the keys of two bands agree
            some &= bundle.number[one] != bundle.number[other]
            pair, agreeing = bundle.table.compare(one[some], other[some])
            left, right = one[some][pair], other[some][pair]
            here = shared.least(left, right) == bundle.key[left]
            yield Pairs(left[here], right[here], agreeing[pair][here])


def found_batch(bundle: Bundle, found: Pairs) -> pa.RecordBatch:
    """Pairs of rows as a batch of FOUND."""
    return batch_of(FOUND, [*bundle.named(found.a, found.b), found.agreeing])


def distinct(rows: int, found: Sequence[Pairs]) -> Pairs:
    """The distinct pairs. rows: their number."""
    a, b, agreeing = (np.concatenate(columns) for columns in zip(*found, strict=True))
    _, first = np.unique(a * rows + b, return_index=True)
    return Pairs(a[first], b[first], agreeing[first])


class Shared:
    """The buckets in which rows of a table are compared."""

    def __init__(self, table: Table) -> None:
        keys, rows, asks = zip(*buckets(table), strict=True)
        self.table = table
        self.in_all = all(len(row) == len(table) for row in rows) and all(map(np.all, asks))
        if self.in_all:  # each band has all rows
            self.columns = np.stack(keys, axis=1)
            self.counts = np.full(len(table), len(keys))
        else:
            key, row = np.concatenate(keys), np.concatenate(rows)
            order = np.lexsort((key, row))
            self.key, self.asks = key[order], np.concatenate(asks)[order]
            self.counts = np.bincount(row, minlength=len(table)).astype(np.int64)
            self.starts = np.cumsum(self.counts) - self.counts

    def least(self, left: Index, right: Index) -> Index:
        """The least common bucket of each candidate, in which the smaller row asks; of two equal ones, the first."""
        found = [np.empty(0, np.int64)]
        for part in stretches(self.counts[left] + self.counts[right], ENTRIES):
            one, other = left[part], right[part]
            if not self.in_all:
                smaller = self.table.whole(one) <= self.table.whole(other)
                one, other = np.where(smaller, one, other), np.where(smaller, other, one)
            found.append(self._in_columns(one, other) if self.in_all else self._in_rows(one, other))
        return np.concatenate(found)

    def _in_columns(self, left: Index, right: Index) -> Index:
        one = self.columns[left]
        least: Index = np.where(one == self.columns[right], one, np.iinfo(np.int64).max).min(axis=1)
        return least

    def _in_rows(self, left: Index, right: Index) -> Index:
        (one, of_one), (other, of_other) = (spread(self.starts[rows], self.counts[rows]) for rows in (left, right))
        asking = self.asks[one]
        one, of_one = one[asking], of_one[asking]
        key, pair = self.key[np.append(one, other)], np.append(of_one, of_other)
        order = np.lexsort((key, pair))
        key, pair = key[order], pair[order]
        shared = np.flatnonzero((pair[1:] == pair[:-1]) & (key[1:] == key[:-1]))
        least: Index = key[shared[np.unique(pair[shared], return_index=True)[1]]]
        return least


def to_found(factory: TableFactory, cross: int | None, batches: Batches) -> Batches:
    """Tasks to pairs that connect the rows of each task as all of its pairs would, whatever tasks come with it.

    Rows in blocks with CONNECTED are connected already.
    """
    for rows in bundles(batches):
        bundle = Bundle(rows, factory, cross)
        forest = Forest(bundle.table, bundle.cross)
        portion = by_size(bundle.table, bundle.portion)
        few = np.bincount(portion.bucket)[portion.bucket] <= FEW
        for candidates in candidates_in(portion.at(few), bundle.cross, DEFAULT.candidates):
            forest.compare(*candidates)
        large = portion.at(~few)
        for each in np.unique(large.bucket).tolist():
            task = large.at(large.bucket == each)
            forest.connected.together(task.row[bundle.mine[task.row] & CONNECTED * BLOCKS > 0])
            forest.connect(task)
        one, other, agreeing = map(np.array, forest.found)
        yield batch_of(FOUND, [*bundle.named(one, other), agreeing])


def to_near(factory: TableFactory, cross: int | None, batches: Batches) -> Batches:
    """Tasks to the pairs of each row with the first row, or the first one of the other side.

    `connected` has the rows that such pairs connect with the first.
    """
    for rows in bundles(batches):
        bundle = Bundle(rows, factory, cross)
        task, row, _ = bundle.portion
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
    """Whole tasks, several together."""
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
