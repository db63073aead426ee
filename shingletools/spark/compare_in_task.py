"""The comparisons of a task: finds pairs among documents that share a bucket."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shingletools.commands.simjoin.buckets import Portion, by_size
from shingletools.commands.simjoin.candidates import candidates_in, weigh
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.split_buckets import split_portion
from shingletools.commands.simjoin.table import Table
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread, stretches
from shingletools.spark.arrow_batches import LONG, Batches, from_columns, runs
from shingletools.spark.buckets import BLOCKS, RESTS, TASKS, keys_of, table_of

SHARE = ["share", "one", "other"]  # the key of a share: its number, or a bucket of which two blocks are compared
PAIRS = pa.schema([("a", LONG), ("b", LONG), ("agreeing", LONG)])
ENTRIES_AT_ONCE = 1 << 20  # entries in buckets, of the candidates that are searched together


class BucketShare:
    """The buckets that are compared together, many whole ones or two blocks of one, and their documents, each once.

    rows: TASKS, and documents with their payloads. cross: the number of the first document of the other side.
    """

    def __init__(self, rows: pa.Table, factory: TableFactory, cross: int | None) -> None:
        is_document = pc.is_valid(rows.column("payload"))
        documents, entries = rows.filter(is_document).sort_by("number"), rows.filter(pc.invert(is_document))
        self.number = documents.column("number").to_numpy()
        payloads = [documents.column(name).combine_chunks() for name in ("payload", "second")]
        self.table = table_of(factory, [each if isinstance(each, pa.Array) else each.chunk(0) for each in payloads])
        self.cross = None if cross is None else int(np.searchsorted(self.number, cross))
        key, number, mine, one, other = (entries.column(name).to_numpy() for name in TASKS.names)
        row = np.searchsorted(self.number, number)
        self.keys, bucket = np.unique(key, return_inverse=True)
        order = np.lexsort((row, bucket))
        asks = (mine & RESTS * BLOCKS) == 0
        self.portion = Portion(bucket[order], row[order], asks[order])
        self.block: Index | None = None  # of each row, if two blocks are compared
        if len(one) and one[0] != other[0]:
            self.block = np.zeros(len(self.number), np.int64)
            self.block[row] = mine

    def pairs(self, limits: Limits) -> Iterator[Pairs]:
        """Yields the pairs of rows whose least common bucket is in this share, some more than once.

        With two blocks, a pair has a row of each. A bucket with many candidates is cut again, as in the shell.
        """
        shared = Shared(self.table)
        portion = by_size(self.table, self.portion)
        for some, _ in split_portion(self.table, portion, partial(weigh, cross=self.cross), limits):
            for one, other, _ in candidates_in(some, self.cross, limits.candidates):
                key = np.unique(one[one != other] * len(self.number) + other[one != other])
                left, right = key // len(self.number), key % len(self.number)
                if self.block is not None:
                    apart = self.block[left] != self.block[right]
                    left, right = left[apart], right[apart]
                agreeing = self.table.compare(left, right)
                pair = agreeing > 0
                left, right, agreeing = left[pair], right[pair], agreeing[pair]
                here = np.isin(shared.least(left, right), self.keys)
                yield Pairs(left[here], right[here], agreeing[here])


def to_pairs(factory: TableFactory, cross: int | None, batches: Batches, limits: Limits = DEFAULT) -> Batches:
    """Turns bucket shares into PAIRS. A pair comes from one share, but perhaps twice.

    cross: the number of the first document of the other side.
    """
    for rows in shares(batches):
        here = BucketShare(rows, factory, cross)
        for a, b, agreeing in here.pairs(limits):
            yield from_columns(PAIRS, a=here.number[a], b=here.number[b], agreeing=agreeing)


def shares(batches: Batches) -> Iterator[pa.Table]:
    """Yields the rows of each bucket share."""
    held: list[pa.RecordBatch] = []
    for some in chain.from_iterable(runs(batch, *SHARE) for batch in batches):
        if held and any(held[-1].column(name)[0] != some.column(name)[0] for name in SHARE):
            yield pa.Table.from_batches(held)
            held = []
        held.append(some)
    if held:
        yield pa.Table.from_batches(held)


class Shared:
    """Finds the buckets that rows of a table share."""

    def __init__(self, table: Table) -> None:
        keys, rows, asks = zip(*keys_of(table), strict=True)
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
        """Returns for each candidate the least bucket that has both rows, and in which the smaller row asks.

        Of equal sizes, the left row is taken as the smaller. All shapes: (candidates,).
        """
        found = [np.empty(0, np.int64)]
        for part in stretches(self.counts[left] + self.counts[right], ENTRIES_AT_ONCE):
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
