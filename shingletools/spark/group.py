"""simgroup on a cluster: connected components by large stars and small stars, in turn (Kiveris et al. 2014)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import orjson
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.errors import Rejected
from shingletools.records import parse
from shingletools.simgroup.groups import take_pair
from shingletools.spark.batches import Batches, batch_of, by_line, counted, of_rows, through
from shingletools.spark.files import Kept

PAIRED = pa.schema([("x", pa.int64()), ("y", pa.int64()), ("step", pa.int32()), ("cause", pa.string()),
                    ("line", pa.binary()), ("one", pa.binary()), ("two", pa.binary())])  # fmt: skip
NAMED = pa.schema([("number", pa.int64()), ("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary()),
                   ("name", pa.binary())])  # fmt: skip
GROUPS = pa.schema([("node", pa.int64()), ("line", pa.binary())])


@dataclass(frozen=True)
class Paired:
    """Lines, whose order is that of x and y, to pairs of names; those not alike enough are left out."""

    least: Fraction | None
    once: Sequence[str]
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            found = zip(*(batch.column(name).to_pylist() for name in ("x", "y", "line")), strict=True)
            rows = [row for each in found if (row := self.row(*each)) is not None]
            yield of_rows(PAIRED, rows)

    def row(self, x: int, y: int, line: bytes) -> tuple[Any, ...] | None:
        try:
            pair = take_pair(parse(line, self.once), self.least)
        except Rejected as error:
            return x, y, self.step, str(error), line, None, None
        return None if pair is None else (x, y, 0, None, None, *map(orjson.dumps, pair))


@dataclass(frozen=True)
class Named:
    """Lines to names of documents."""

    id_field: str
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        return by_line(batches, self.row, NAMED)

    def row(self, number: int, line: bytes) -> tuple[Any, ...]:
        try:
            name = wire.take_id(parse(line, [self.id_field]), self.id_field)
        except Rejected as error:
            return number, self.step, str(error), line, None
        return number, 0, None, None, orjson.dumps(name)


def documents(pairs: DataFrame, kept: Kept) -> DataFrame:
    """Documents (name, node), whose numbers are in the order in which pairs (x, y, one, two) first name them."""
    sides = [F.struct("x", "y", F.lit(role).alias("role"), F.col(side).alias("name"))
             for role, side in enumerate(("one", "two"))]  # fmt: skip
    seen = pairs.select(F.explode(F.array(*sides)).alias("seen"))
    first = seen.groupBy("seen.name").agg(F.min(F.struct("seen.x", "seen.y", "seen.role")).alias("first"))
    return kept(first.orderBy("first").select("name", F.monotonically_increasing_id().alias("node")))


def singles(named: DataFrame, nodes: DataFrame) -> DataFrame:
    """Groups of one, for names that no pair has, as lines, by `node`."""
    alone = named.groupBy("name").agg(F.min("number").alias("node")).join(nodes.select("name"), "name", "left_anti")
    return through(alone.select("node", F.array("name").alias("names")), lines, GROUPS)


def edges(pairs: DataFrame, nodes: DataFrame) -> DataFrame:
    """Pairs as those of nodes (u, v), v the lesser one, each once."""
    named = pairs.select("one", "two")
    for side in ("one", "two"):
        named = named.join(nodes.select(F.col("name").alias(side), F.col("node").alias(f"{side}_node")), side)
    ends = "one_node", "two_node"
    return named.select(F.greatest(*ends).alias("u"), F.least(*ends).alias("v")).distinct()


def figures(pairs: DataFrame, roots: DataFrame) -> list[str]:
    """What simgroup says of its groups."""
    sizes = roots.groupBy("v").agg(F.count("u").alias("others"))
    found, others, most = counted(sizes, F.count("v"), F.sum("others"), F.max("others"))
    (beside_first,) = counted(pairs.join(roots, ["u", "v"]), F.count("u"))
    return [
        f"{found} groups",
        f"{others + found} documents in them",
        f"{most + (most > 0)} in the largest",
        f"{others - beside_first} without a pair with their first",
    ]


def groups(roots: DataFrame, nodes: DataFrame) -> DataFrame:
    """Groups, from nodes (u) and the first of their groups (v), as lines, by `node`."""
    every = roots.select(F.col("u").alias("node"), F.col("v").alias("root")).unionAll(
        roots.select(F.col("v").alias("node"), F.col("v").alias("root")).distinct()
    )
    members = (
        every.join(nodes, "node")
        .groupBy("root")
        .agg(F.sort_array(F.collect_list(F.struct("node", "name"))).alias("members"))
    )
    return through(members.select(F.col("root").alias("node"), F.col("members.name").alias("names")), lines, GROUPS)


def lines(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        records = [
            b'{"group":%b,"size":%d,"members":[%b]}' % (names[0], len(names), b",".join(names))
            for names in batch.column("names").to_pylist()
        ]
        yield batch_of(GROUPS, [batch.column("node"), records])


def connected(edges: DataFrame, kept: Kept) -> DataFrame:
    """For each node (u) that has an edge (u, v) the least of all that are connected with it (v)."""
    before = None
    while True:
        edges = kept(small_star(large_star(edges)))
        state = edges.agg(F.count(F.lit(1)), F.sum(F.xxhash64("u", "v").cast("decimal(38,0)"))).first()
        if state == before:
            return edges
        before = state


def large_star(edges: DataFrame) -> DataFrame:
    """Each node's larger neighbours to the least of its neighbours and itself."""
    both = edges.unionAll(edges.select(F.col("v").alias("u"), F.col("u").alias("v")))
    least = both.groupBy("u").agg(F.least(F.min("v"), F.col("u")).alias("m"))
    return (
        both.where("v > u")
        .join(least, "u")
        .select(F.col("v").alias("u"), F.col("m").alias("v"))
        .where("u <> v")
        .distinct()
    )


def small_star(edges: DataFrame) -> DataFrame:
    """Each node and its smaller neighbours to the least of these."""
    down = edges.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v"))
    least = down.groupBy("u").agg(F.min("v").alias("m"))
    others = down.join(least, "u").select(F.col("v").alias("u"), F.col("m").alias("v"))
    return others.unionAll(least.select("u", F.col("m").alias("v"))).where("u <> v").distinct()
