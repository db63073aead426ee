"""How rows of buckets become tasks: blocks of bounded size, each two of which are compared in one."""

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shingletools.simjoin.factory import TableFactory
from shingletools.spark.batches import through
from shingletools.spark.files import Kept
from shingletools.spark.meeting import KINDS
from shingletools.spark.tasks import BLOCKS, CONNECTED, NEAR, RESTS, SIDE, TASK, Connecting, Every, Near


def met(kind: int, cross: int | None) -> list[int]:
    """Which kinds of rows of a bucket one is compared with.

    >>> met(0, None), met(CONNECTED, None), met(CONNECTED | RESTS, 1)
    ([0, 1, 4, 5], [0, 4], [2])
    """
    side = (kind & SIDE) ^ (0 if cross is None else SIDE)
    return [other for other in KINDS if other & SIDE == side and not kind & other & (CONNECTED | RESTS)]


def counts() -> list[Column]:
    """How many rows of each kind there are, n0, n1 and so on."""
    return [F.count(F.when(F.col("kind") == kind, 1)).alias(f"n{kind}") for kind in KINDS]


def tasks(hits: DataFrame, cross: int | None) -> DataFrame:
    """Rows (key, number, kind, how many of each kind the bucket has) once for each block they are compared with."""
    blocks = [F.ceil(F.col(f"n{kind}") / F.col("block")) for kind in KINDS]
    none = F.array().cast("array<long>")
    ranges = [F.when(count > 0, F.sequence(F.lit(kind * BLOCKS), kind * BLOCKS + count - 1)).otherwise(none)
              for kind, count in enumerate(blocks)]  # fmt: skip
    own, against = F.lit(0).cast("long"), none
    for kind in KINDS:
        here = F.col("kind") == kind
        own = F.when(here, kind * BLOCKS + block_of(blocks[kind])).otherwise(own)
        against = F.when(here, F.concat(*(ranges[other] for other in met(kind, cross)))).otherwise(against)
    rows = hits.select("key", "number", own.alias("mine"), F.explode(against).alias("against"))
    return rows.select("key", "number", "mine", F.least("mine", "against").alias("one"),
                       F.greatest("mine", "against").alias("other"))  # fmt: skip


def block_of(blocks: Column) -> Column:
    return F.pmod(F.xxhash64("number"), F.greatest(F.lit(1), blocks).cast("long"))


def worked(rows: DataFrame, originals: DataFrame, work: Every | Connecting | Near, schema: pa.Schema) -> DataFrame:
    """What is made of tasks, each where all its rows are, with their signatures."""
    with_signatures = rows.join(originals, "number")
    return through(with_signatures.repartition(*TASK).sortWithinPartitions(*TASK, "number"), work, schema)


def without_hubs(
    large: DataFrame, originals: DataFrame, factory: TableFactory, cross: int | None, kept: Kept
) -> tuple[DataFrame, DataFrame]:
    """Tasks of what is left of large buckets, once all rows have been compared with the first; and the pairs of that.

    Rows that the first connects need not be compared with each other, only with those that it does not.
    """
    hubs = F.filter(F.array("first", "other_first"), lambda number: number >= 0)
    blocks = F.ceil(F.col("rows") / F.col("block"))
    others = large.where(~F.array_contains(hubs, F.col("number")))
    beside = others.select("key", "number", block_of(blocks).alias("mine"))
    everywhere = F.explode(F.sequence(F.lit(0).cast("long"), blocks - 1)).alias("mine")
    first = large.where("number = first").withColumn("number", F.explode(hubs)).select("key", "number", everywhere)
    block = beside.unionAll(first).select("*", F.col("mine").alias("one"), F.col("mine").alias("other"))
    near = kept(worked(block, originals, Near(factory, cross), NEAR))
    connected = near.where("connected").select("key", "number", F.lit(CONNECTED).alias("done"))
    left = others.join(connected, ["key", "number"], "left").select(
        "key", "number", "block", (F.col("kind") + F.coalesce("done", F.lit(0))).alias("kind")
    )
    return tasks(left.join(left.groupBy("key").agg(*counts()), "key"), cross), near.select("a", "b", "agreeing")
