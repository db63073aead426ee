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
from shingletools.kernel.types import Index
from shingletools.spark.arrow_batches import LONG, Batches, from_columns, runs
from shingletools.spark.buckets import BLOCKS, RESTS, TASKS, table_of

SHARE = ["share", "one", "other"]  # the key of a share: its number, or a bucket of which two blocks are compared
PAIRS = pa.schema([("a", LONG), ("b", LONG), ("agreeing", LONG)])


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
        bucket = np.unique(key, return_inverse=True)[1]
        order = np.lexsort((row, bucket))
        asks = (mine & RESTS * BLOCKS) == 0
        self.portion = Portion(bucket[order], row[order], asks[order])
        self.block: Index | None = None  # of each row, if two blocks are compared
        if len(one) and one[0] != other[0]:
            self.block = np.zeros(len(self.number), np.int64)
            self.block[row] = mine

    def pairs(self, limits: Limits) -> Iterator[Pairs]:
        """Yields the pairs of rows that share a bucket here, some more than once.

        With two blocks, a pair has a row of each. A bucket with many candidates is cut again, as in the shell.
        """
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
                yield Pairs(left[pair], right[pair], agreeing[pair])


def to_pairs(factory: TableFactory, cross: int | None, batches: Batches, limits: Limits = DEFAULT) -> Batches:
    """Turns bucket shares into PAIRS. A pair comes from each share in which it has a bucket, perhaps more than once.

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
