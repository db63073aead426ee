"""simjoin on a cluster: the same buckets and the same comparisons, in tasks of bounded size."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shingletools.kernel import split_lines
from shingletools.kernel.ids import IdsAt
from shingletools.simjoin.pair_lines import PairLines
from shingletools.simjoin.signatures import Signature
from shingletools.simjoin.wanted import Wanted
from shingletools.spark.batches import Batches, batch_of, through
from shingletools.spark.files import Kept
from shingletools.spark.signed import JoinInput
from shingletools.spark.tasks import (
    BLOCKS,
    CONNECTED,
    FOUND,
    HITS,
    NEAR,
    RESTS,
    TASK,
    Connecting,
    Every,
    Exploded,
    Near,
)  # fmt: skip

NAMED = "a_name", "b_name", "agreeing", "a_size", "b_size"
SAID = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("line", pa.binary())])
BLOCK_ROWS, BLOCK_BYTES = 1 << 12, 1 << 22  # of a bucket that are compared with so many others in a task
# The kind of a row in a bucket: of its side, and whether it is connected with what else is so, and does not ask
SIDE = 2
KINDS = range(2 * RESTS)


def met(kind: int, cross: int | None) -> list[int]:
    """Which kinds of rows of a bucket one is compared with.

    >>> met(0, None), met(CONNECTED, None), met(CONNECTED | RESTS, 1)
    ([0, 1, 4, 5], [0, 4], [2])
    """
    side = (kind & SIDE) ^ (0 if cross is None else SIDE)
    return [other for other in KINDS if other & SIDE == side and not kind & other & (CONNECTED | RESTS)]


def pairs(found: JoinInput, cross: int | None, kept: Kept) -> DataFrame:
    """All pairs of documents, a before b, by their numbers, and in how many components they agree.

    Originals fall into buckets, and the rows of a bucket into blocks; each two blocks are a task.
    """
    exploded = through(found.originals.select("number", "payload", "second"), Exploded(found.factory), HITS)
    side = F.lit(0) if cross is None else (F.col("number") >= cross).cast("int")
    exploded = exploded.withColumn("kind", SIDE * side + F.when(F.col("asks"), 0).otherwise(RESTS))
    shared = exploded.groupBy("key").agg(
        F.count(F.lit(1)).alias("rows"), F.sum(side).alias("others"), F.sum("size").alias("bytes"),
        F.min("number").alias("first"), F.min(F.when(side == 1, F.col("number"))).alias("other_first"),
        F.bool_or("asks").alias("asked"), *counts(),
    ).where("asked and rows > 1" if cross is None else "asked and others > 0 and others < rows")  # fmt: skip
    # So many rows that two blocks, and what is made of them, are in memory
    block = F.least(F.lit(BLOCK_ROWS), F.greatest(F.lit(1), F.floor(BLOCK_BYTES * F.col("rows") / F.col("bytes"))))
    hits = exploded.select("key", "number", "kind").join(shared.withColumn("block", block), "key")
    if not found.factory.wanted.forest:
        compared = worked(tasks(hits, cross), found, Every(found.factory, cross), FOUND)
    else:
        rest, near = without_hubs(kept(hits.where("rows > block")), found, cross, kept)
        small = tasks(hits.where("rows <= block"), cross)
        connecting = worked(small.unionAll(rest), found, Connecting(found.factory, cross), FOUND)
        compared = connecting.unionAll(near).distinct()  # a pair may connect the rows of several tasks
    return with_copies(kept(compared), found, cross)


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


def worked(rows: DataFrame, found: JoinInput, work: Every | Connecting | Near, schema: pa.Schema) -> DataFrame:
    """What is made of tasks, each where all its rows are, with their signatures."""
    with_signatures = rows.join(found.originals, "number")
    return through(with_signatures.repartition(*TASK).sortWithinPartitions(*TASK, "number"), work, schema)


def without_hubs(large: DataFrame, found: JoinInput, cross: int | None, kept: Kept) -> tuple[DataFrame, DataFrame]:
    """Tasks of what is left of large buckets, once all rows have been compared with the first; and the pairs of that.

    Rows that the first connects need not be compared with each other, only with those that it does not.
    """
    hubs = F.array_compact(F.array("first", "other_first"))
    blocks = F.ceil(F.col("rows") / F.col("block"))
    others = large.where(~F.array_contains(hubs, F.col("number")))
    beside = others.select("key", "number", block_of(blocks).alias("mine"))
    everywhere = F.explode(F.sequence(F.lit(0).cast("long"), blocks - 1)).alias("mine")
    first = large.where("number = first").withColumn("number", F.explode(hubs)).select("key", "number", everywhere)
    block = beside.unionAll(first).select("*", F.col("mine").alias("one"), F.col("mine").alias("other"))
    near = kept(worked(block, found, Near(found.factory, cross), NEAR))
    connected = near.where("connected").select("key", "number", F.lit(CONNECTED).alias("done"))
    left = others.join(connected, ["key", "number"], "left").select(
        "key", "number", "block", (F.col("kind") + F.coalesce("done", F.lit(0))).alias("kind")
    )
    return tasks(left.join(left.groupBy("key").agg(*counts()), "key"), cross), near.select("a", "b", "agreeing")


def with_copies(compared: DataFrame, found: JoinInput, cross: int | None) -> DataFrame:
    """Pairs of originals as pairs of documents; a forest has one for each copy."""
    copies = found.copies
    if found.factory.wanted.forest:
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
        lines = PairLines(self.kind, self.wanted)
        for batch in batches:
            a, b, *figures = (batch.column(name) for name in NAMED)
            written = split_lines(lines.of(named(a), named(b), *(each.to_numpy().astype(np.int64) for each in figures)))
            yield batch_of(SAID, [batch.column("a"), batch.column("b"), written])


def named(names: pa.Array) -> IdsAt:
    """A column of ids as JSON."""
    texts = names.to_pylist()
    return IdsAt(b"".join(texts), np.cumsum(list(map(len, texts)), dtype=np.int64), np.arange(len(texts)))


def said(pairs_found: DataFrame, found: JoinInput) -> DataFrame:
    """Pairs a, b as lines."""
    named = pairs_found
    for side in ("a", "b"):
        names = found.frame.withColumnsRenamed({"number": side, "name": f"{side}_name", "size": f"{side}_size"})
        named = named.join(names, side)
    columns = named.select("a", "b", *NAMED)
    return through(columns, Said(found.factory.signatures[-1], found.factory.wanted), SAID)
