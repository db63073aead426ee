"""simjoin on a cluster: the same buckets and the same comparisons, in tasks of bounded size."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.simjoin.signatures import LONG_SHINGLES, Signature
from shingletools.simjoin.wanted import Wanted
from shingletools.spark.frames import Batches, Kept
from shingletools.spark.signed import Documents
from shingletools.spark.tasks import FOUND_DDL, HITS_DDL, NEAR_DDL, TASK, Connecting, Every, Exploded, Near

BLOCK_ROWS, BLOCK_BYTES = 1 << 12, 1 << 22  # of a bucket that are compared with so many others in a task


def pairs(found: Documents, cross: int | None, kept: Kept) -> DataFrame:
    """All pairs of documents, a before b, by their numbers, and in how many places they agree."""
    exploded = found.originals.select("number", "payload", "second").mapInArrow(Exploded(found.build), HITS_DDL)
    one_side = F.lit(True) if cross is None else F.col("number") < cross
    shared = exploded.groupBy("key").agg(
        F.count(F.lit(1)).alias("rows"), F.count(F.when(one_side, 1)).alias("ones"),
        F.min("number").alias("first"), F.min(F.when(~one_side, F.col("number"))).alias("other_first"),
    ).where("rows > 1" if cross is None else "ones > 0 and ones < rows")  # fmt: skip
    hits = exploded.join(shared, "key")
    largest = block_rows(found)
    blocks = F.ceil(F.col("rows") / largest)
    if found.join.wanted.forest:
        few = F.col("rows") <= largest
        rest, near = without_hubs(kept(hits.where(~few)), found, cross, largest, kept)
        tasks = compared_with(hits.where(few), F.lit(0), F.lit(0), F.lit(0)).unionAll(rest)
        compared = worked(tasks, found, Connecting(found.build, cross), FOUND_DDL).unionAll(near).distinct()
    else:
        tasks = compared_with(hits, block_of(blocks), F.lit(0), blocks - 1)
        compared = worked(tasks, found, Every(found.build, cross), FOUND_DDL)
    return with_copies(kept(compared), found, cross)


def block_rows(found: Documents) -> int:
    """How many rows of a bucket make a block, so that two of them and what is made of them are in memory."""
    size = found.originals.agg(F.avg(F.length("payload") + F.length("second"))).first()
    assert size is not None
    return max(1, min(BLOCK_ROWS, BLOCK_BYTES // int(size[0] or 1)))


def block_of(blocks: Column) -> Column:
    return F.pmod(F.xxhash64("number"), blocks.cast("long"))


def compared_with(hits: DataFrame, mine: Column, first: Column, last: Column) -> DataFrame:
    """Tasks: rows of a block `mine` of a bucket, once for each of the blocks first to last."""
    against = F.explode(F.sequence(first.cast("long"), last.cast("long")))
    rows = hits.withColumn("mine", mine.cast("long")).withColumn("against", against)
    return rows.select("key", "number", "mine", F.least("mine", "against").alias("one"),
                       F.greatest("mine", "against").alias("other"))  # fmt: skip


def worked(tasks: DataFrame, found: Documents, work: Every | Connecting | Near, ddl: str) -> DataFrame:
    """What is made of tasks, each where all its rows are, with their words."""
    with_words = tasks.join(found.originals, "number")
    return with_words.repartition(*TASK).sortWithinPartitions(*TASK, "number").mapInArrow(work, ddl)


def without_hubs(
    large: DataFrame, found: Documents, cross: int | None, largest: int, kept: Kept
) -> tuple[DataFrame, DataFrame]:
    """Tasks of what is left of large buckets, once all rows have been compared with the first; and the pairs of that.

    Rows that the first connects need not be compared with each other, only with those that it does not.
    """
    hubs = F.array_compact(F.array("first", "other_first"))
    blocks = F.ceil(F.col("rows") / largest)
    others = large.where(~F.array_contains(hubs, F.col("number")))
    block = block_of(blocks)
    beside = compared_with(others, block, block, block)
    everywhere = large.where("number = first").withColumn("number", F.explode(hubs))
    each = F.explode(F.sequence(F.lit(0).cast("long"), blocks - 1))
    first = everywhere.withColumn("one", each).select("key", "number", F.col("one").alias("mine"), "one",
                                                      F.col("one").alias("other"))  # fmt: skip
    near = kept(worked(beside.unionAll(first), found, Near(found.build, cross), NEAR_DDL))
    connected = near.where("connected").select("key", "number", F.lit(1).alias("connected"))
    left = others.join(connected, ["key", "number"], "left")
    counted = left.groupBy("key").agg(F.count("connected").alias("done"),
                                      (F.count(F.lit(1)) - F.count("connected")).alias("open"))  # fmt: skip
    left = left.join(counted.where("open > 0"), "key")
    opened, done = (F.ceil(F.col(name) / largest) for name in ("open", "done"))
    rest = compared_with(left.where("connected is null"), block_of(opened), -done, opened - 1).unionAll(
        compared_with(left.where("connected = 1"), -1 - block_of(done), F.lit(0), opened - 1)
    )
    return rest, near.select("a", "b", "agreeing")


def with_copies(compared: DataFrame, found: Documents, cross: int | None) -> DataFrame:
    """Pairs of originals as pairs of documents; a forest has one for each copy."""
    copies = found.copies
    if found.join.wanted.forest:
        if cross is None:
            return compared.unionAll(
                copies.select(F.col("original").alias("a"), F.col("number").alias("b"), "agreeing")
            )
        sides = compared.unionAll(compared.select(F.col("b").alias("a"), F.col("a").alias("b"), "agreeing"))
        partner = sides.groupBy(F.col("a").alias("original")).agg(F.min(F.struct("b", "agreeing")).alias("partner"))
        beside = copies.drop("agreeing").join(partner, "original").select("number", "partner.*")
        return compared.unionAll(ordered(beside, "number", "b"))
    alike = copies.select("original", "number").unionAll(
        copies.select("original", F.col("original").alias("number")).distinct()
    )
    for side in ("a", "b"):
        members = alike.select(F.col("original").alias(side), F.col("number").alias("member"))
        joined = compared.join(members, side, "left")
        compared = joined.withColumn(side, F.coalesce("member", side)).drop("member")
    every = ordered(compared, "a", "b")
    if cross is None:
        one = copies.select("original", F.col("number").alias("b"), "agreeing")
        two = alike.select("original", F.col("number").alias("a"))
        every = every.unionAll(one.join(two, "original").where("a < b").select("a", "b", "agreeing"))
    return every


def ordered(compared: DataFrame, one: str, other: str) -> DataFrame:
    return compared.select(F.least(one, other).alias("a"), F.greatest(one, other).alias("b"), "agreeing")


@dataclass(frozen=True)
class Said:
    """Pairs with names to lines, as simjoin has them."""

    kind: Signature
    wanted: Wanted

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        says = lru_cache(1 << 16)(partial(self.kind.says, self.wanted))
        for batch in batches:
            rows = zip(*(batch.column(name).to_pylist() for name in batch.schema.names), strict=True)
            lines = [
                b'{"a":%b,"b":%b,%b' % (one, two, wire.format_json(says(*figures))[1:-1])
                for _, _, one, two, *figures in rows
            ]
            yield pa.RecordBatch.from_arrays(
                [batch.column("a"), batch.column("b"), pa.array(lines, pa.binary())], ["a", "b", "line"]
            )


def said(pairs_found: DataFrame, found: Documents) -> DataFrame:
    """Pairs a, b as lines."""
    named = pairs_found
    for side in ("a", "b"):
        names = found.frame.withColumnsRenamed({"number": side, "name": f"{side}_name", "size": f"{side}_size"})
        named = named.join(names, side)
    last = LONG_SHINGLES if found.join.wanted.verify else found.kind
    columns = named.select("a", "b", "a_name", "b_name", "agreeing", "a_size", "b_size")
    return columns.mapInArrow(Said(last, found.join.wanted), "a long, b long, line binary")
