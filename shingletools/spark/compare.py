"""Documents that share a bucket: which tasks compare which of them, and the comparisons of a task."""

from collections.abc import Iterator
from functools import partial, reduce
from itertools import chain, groupby
from operator import add

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shingletools.commands.simjoin.buckets import Portion, by_size
from shingletools.commands.simjoin.candidates import BucketCandidates, weigh
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.split_buckets import split_portion
from shingletools.commands.simjoin.table import Candidates, Table
from shingletools.kernel.types import Flags, Index
from shingletools.spark.arrow_batches import Batches, bytes_of, from_columns, runs

OTHER_SIDE, RESTS = 1, 2  # bits of the kind of a row in a bucket: it is of the other side; it does not ask
KINDS = range(4)
# A document (number) in a bucket (key), its kind, and the bytes of its payloads
ENTRIES = pa.schema({"key": "int64", "number": "int64", "kind": "int64", "size": "int64"})
# A document (number) in a bucket (key), which a task compares whole (`one` and `other` are WHOLE), or two blocks of it,
# `one` and `other`. `mine` is the document's own block; in a whole bucket it is its kind times BLOCKS
TASKS = pa.schema([(name, "int64") for name in ("key", "number", "mine", "one", "other")])
WHOLE = -1
BLOCKS = 1 << 32  # the number of a block is BLOCKS times the kind of its rows, plus its number among these
BLOCK_ROWS, BLOCK_BYTES = 1 << 12, 1 << 22  # rows, and bytes of their payloads, in a block at most
BAND_FACTOR = 0x9E3779B97F4A7C15  # makes equal keys of different bands differ


def keys_of(table: Table) -> Iterator[tuple[Index, Index, Flags]]:
    """Yields for each band the buckets (keys) of rows, the rows, and whether they ask; as Bucketed."""
    for band, (key, row, asks, _) in enumerate(table.buckets(range(table.bands), np.ones(len(table), np.bool_))):
        yield (key ^ np.uint64(band * BAND_FACTOR % 2**64)).view(np.int64), row, asks


def table_of(factory: TableFactory, columns: list[pa.Array]) -> Table:
    """Returns a table of documents with these payloads."""
    return factory.table([bytes_of(column) for column in columns[: len(factory.signatures)]])


def to_entries(factory: TableFactory, cross: int | None, batches: Batches) -> Batches:
    """Takes documents (number, payload, second) to ENTRIES. cross: the first number of the other side."""
    for batch in batches:
        payloads = [batch.column(name) for name in ("payload", "second")]
        numbers = batch.column("number").to_numpy()
        size = np.sum([bytes_of(each)[1] for each in payloads], axis=0)
        side = np.zeros(len(numbers), np.int64) if cross is None else OTHER_SIDE * (numbers >= cross)
        key, row, asks = map(np.concatenate, zip(*keys_of(table_of(factory, payloads)), strict=True))
        kind = side[row] + np.where(asks, 0, RESTS)
        yield from_columns(ENTRIES, key=key, number=numbers[row], kind=kind, size=size[row])


def compared_with(kind: int, cross: bool) -> list[int]:
    """Returns the kinds of rows that a kind of rows in a bucket is compared with.

    >>> compared_with(0, False), compared_with(RESTS, False), compared_with(OTHER_SIDE | RESTS, True)
    ([0, 2], [0], [0])
    """
    side = kind & OTHER_SIDE ^ cross
    return [other for other in KINDS if other & OTHER_SIDE == side and not kind & other & RESTS]


def tasks_of(entries: DataFrame, cross: bool) -> DataFrame:
    """Returns TASKS of all buckets in which documents are to be compared: in a block, one for each block it meets."""
    counts = [F.count_if(F.col("kind") == kind).alias(f"rows{kind}") for kind in KINDS]
    buckets = entries.groupBy("key").agg(F.sum("size").alias("bytes"), *counts)
    of_kind = [F.col(f"rows{kind}") for kind in KINDS]
    rows, asking = reduce(add, of_kind), of_kind[0] + of_kind[OTHER_SIDE]
    of_input = of_kind[0] + of_kind[RESTS]
    buckets = buckets.where((asking > 0) & ((of_input > 0) & (rows > of_input) if cross else rows > 1))
    entries = entries.join(buckets.hint("shuffle_hash"), "key")
    # Two blocks, and all that is made of them, must fit in memory
    fitting = F.floor(BLOCK_BYTES * rows / F.greatest("bytes", F.lit(1)))
    block = F.greatest(F.lit(1), F.least(F.lit(BLOCK_ROWS), fitting))
    blocks = [F.ceil(count / block) for count in of_kind]
    whole, own, against = rows <= block, F.lit(0), F.array(F.lit(WHOLE))
    for kind in KINDS:
        others = F.concat(*(numbers_of(other, blocks[other]) for other in compared_with(kind, cross)))
        here = ~whole & (F.col("kind") == kind)
        own = F.when(here, F.pmod(F.xxhash64("number"), blocks[kind])).otherwise(own)
        against = F.when(here, others).otherwise(against)
    own_block = (F.col("kind") * BLOCKS + own).alias("mine")
    tasks = entries.select("key", "number", own_block, F.explode(against).alias("met"))
    one, other = (F.when(F.col("met") == WHOLE, WHOLE).otherwise(end("mine", "met")) for end in (F.least, F.greatest))
    return tasks.select("key", "number", "mine", one.alias("one"), other.alias("other"))


def numbers_of(kind: int, blocks: Column) -> Column:
    """Returns the numbers of the blocks that rows of one kind have."""
    first = F.lit(kind * BLOCKS).cast("long")
    return F.when(blocks > 0, F.sequence(first, first + blocks - 1)).otherwise(F.array().cast("array<bigint>"))


SHARE = ["share", "one", "other"]  # the key of a share: its number, or a bucket of which two blocks are compared
PAIRS = pa.schema([("a", "int64"), ("b", "int64"), ("agreeing", "int64")])


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
            candidates = BucketCandidates(some, self.cross)
            for one, other, *_ in map(candidates.within, candidates.parts(limits.candidates)):
                key = np.unique(one[one != other] * len(self.number) + other[one != other])
                left, right = key // len(self.number), key % len(self.number)
                if self.block is not None:
                    apart = self.block[left] != self.block[right]
                    left, right = left[apart], right[apart]
                agreeing = self.table.compare(Candidates(left, right)).agreeing
                yield Pairs(left, right, agreeing).at(agreeing > 0)


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
    parts = chain.from_iterable(runs(batch, *SHARE) for batch in batches)
    for _, some in groupby(parts, lambda part: [part.column(name)[0].as_py() for name in SHARE]):
        yield pa.Table.from_batches([*some])
