"""Divides the rows of buckets into blocks of bounded size. A task compares two blocks of a bucket."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shingletools.commands.simjoin.factory import TableFactory
from shingletools.kernel.arrays import fmix64
from shingletools.numbers.ranges import spread, stretches
from shingletools.spark.batches import Batches, batch_of, through
from shingletools.spark.meeting import COUNTS, KINDS
from shingletools.spark.spark_files import Kept
from shingletools.spark.tasks import BLOCKS, CONNECTED, NEAR, RESTS, SIDE, TASK, to_near

TASKS = pa.schema([(name, pa.int64()) for name in ("key", "number", "mine", "one", "other")])
ENTRIES = ["key", "number", "kind", "block", *COUNTS]
AT_ONCE = 1 << 18  # rows that are made together


def met(kind: int, cross: int | None) -> list[int]:
    """The kinds of rows that a kind of rows in a bucket is compared with.

    >>> met(0, None), met(CONNECTED, None), met(CONNECTED | RESTS, 1)
    ([0, 1, 4, 5], [0, 4], [2])
    """
    side = (kind & SIDE) ^ (0 if cross is None else SIDE)
    return [other for other in KINDS if other & SIDE == side and not kind & other & (CONNECTED | RESTS)]


def counts() -> list[Column]:
    """The columns with the number of rows of each kind: n0, n1 and so on."""
    return [F.count(F.when(F.col("kind") == kind, 1)).alias(f"n{kind}") for kind in KINDS]


def tasked(cross: int | None, batches: Batches) -> Batches:
    """Entries of buckets to TASKS. Of HITS it needs key, number, kind, block and the counts.

    It gives an entry once for each block that the entry's own block is compared with.
    """
    for batch in batches:
        key, number, kind, block, *counts = (batch.column(name).to_numpy() for name in ENTRIES)
        for each in np.unique(kind).tolist():
            some = np.flatnonzero(kind == each)
            blocks = -(-counts[each][some] // block[some])
            own = each * BLOCKS + (fmix64(number[some].view(np.uint64)) % blocks.view(np.uint64)).view(np.int64)
            for other in met(each, cross):
                against = -(-counts[other][some] // block[some])
                for part in stretches(against, AT_ONCE):
                    place, owner = spread(other * BLOCKS + np.zeros_like(against[part]), against[part])
                    owner += part.start
                    mine, row = own[owner], some[owner]
                    columns = key[row], number[row], mine, np.minimum(mine, place), np.maximum(mine, place)
                    yield batch_of(TASKS, columns)


def tasks(hits: DataFrame, cross: int | None) -> DataFrame:
    return through(hits.select(*ENTRIES), partial(tasked, cross), TASKS)


def block_of(blocks: Column) -> Column:
    return F.pmod(F.xxhash64("number"), F.greatest(F.lit(1), blocks).cast("long"))


def worked(rows: DataFrame, originals: DataFrame, work: Callable[[Batches], Batches], schema: pa.Schema) -> DataFrame:
    """The rows that `work` makes of tasks, after all rows of a task have come together with their signatures."""
    with_signatures = rows.join(originals, "number")
    return through(with_signatures.repartition(*TASK).sortWithinPartitions(*TASK, "number"), work, schema)


def without_hubs(
    large: DataFrame, originals: DataFrame, factory: TableFactory, cross: int | None, kept: Kept
) -> tuple[DataFrame, DataFrame]:
    """Compares all rows of large buckets with the first; gives tasks of the remaining rows, and these pairs.

    Rows that the first one connects need not be compared with each other, only with the remaining ones.
    """
    hubs = F.filter(F.array("first", "other_first"), lambda number: number >= 0)
    blocks = F.ceil(F.col("rows") / F.col("block"))
    others = large.where(~F.array_contains(hubs, F.col("number")))
    beside = others.select("key", "number", block_of(blocks).alias("mine"))
    everywhere = F.explode(F.sequence(F.lit(0).cast("long"), blocks - 1)).alias("mine")
    first = large.where("number = first").withColumn("number", F.explode(hubs)).select("key", "number", everywhere)
    block = beside.unionAll(first).select("*", F.col("mine").alias("one"), F.col("mine").alias("other"))
    near = kept(worked(block, originals, partial(to_near, factory, cross), NEAR))
    connected = near.where("connected").select("key", "number", F.lit(CONNECTED).alias("done"))
    left = others.join(connected, ["key", "number"], "left").select(
        "key", "number", "block", (F.col("kind") + F.coalesce("done", F.lit(0))).alias("kind")
    )
    return tasks(left.join(left.groupBy("key").agg(*counts()), "key"), cross), near.select("a", "b", "agreeing")
