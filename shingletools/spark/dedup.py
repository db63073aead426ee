"""dedup on a cluster: a join of documents with groups."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.dedup.choice import annotated, take_members
from shingletools.dedup.spec import FIRST, SHORTEST, DedupSpec, in_two_groups
from shingletools.errors import Failed, Rejected
from shingletools.records import parse
from shingletools.spark.batches import Batches, batch_of, by_line, counted, of_rows, through
from shingletools.spark.lines import LineNumbers

RANKED = pa.schema([("number", pa.int64()), ("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary()),
                    ("name", pa.binary()), ("rank", pa.int64())])  # fmt: skip
MEMBER = pa.schema([("number", pa.int64()), ("cause", pa.string()), ("name", pa.binary())])
MARKED = pa.schema([("number", pa.int64()), ("line", pa.binary())])


@dataclass(frozen=True)
class Ranked:
    """Lines to documents; the one that stays of a group has the least rank."""

    spec: DedupSpec
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        return by_line(batches, self.row, RANKED)

    def row(self, number: int, line: bytes) -> tuple[Any, ...]:
        try:
            record = parse(line, self.spec.once(0))
            rank = 0
            if self.spec.keep != FIRST:
                length = len(wire.take_string(record, self.spec.text_field))
                rank = length if self.spec.keep == SHORTEST else -length
            return number, 0, None, line, orjson.dumps(wire.take_id(record, self.spec.id_field)), rank
        except Rejected as error:
            return number, self.step, str(error), line, None, None


def members(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Groups to their members, or why they are none."""
    for batch in batches:
        rows: list[tuple[int, str | None, bytes | None]] = []
        for number, line in zip(batch.column("number").to_pylist(), batch.column("line").to_pylist(), strict=True):
            try:
                rows += [(number, None, orjson.dumps(name)) for name in take_members(wire.parse_json(line))]
            except Rejected as error:
                rows.append((number, str(error), None))
        yield of_rows(MEMBER, rows)


def read_groups(groups: DataFrame, numbers: LineNumbers) -> DataFrame:
    """Each document (name) with its group (number). Raises Failed for what is no group, or in two."""
    found = through(groups, members, MEMBER)
    twice = (
        found.where("name is not null")
        .groupBy("name")
        .agg(F.min("number").alias("least"), F.max("number").alias("number"))
    )
    wrong = (
        found.where("cause is not null")
        .select("number", "cause", "name")
        .unionAll(twice.where("least < number").select("number", F.lit(None).cast("string").alias("cause"), "name"))
    )
    first = wrong.orderBy("number").first()
    if first is not None:
        cause = first["cause"] or in_two_groups(orjson.loads(bytes(first["name"])))
        raise Failed(f"{numbers.where(first['number'])}: {cause}")
    return found.select("name", F.col("number").alias("group")).distinct()


def chosen(documents: DataFrame, groups: DataFrame) -> DataFrame:
    """Documents with `kept`: none for those that stay, for others the name of the one that does."""
    grouped = documents.select("name", "number", "rank").join(groups, "name")
    best = grouped.groupBy("group").agg(F.min(F.struct("rank", "number", "name")).alias("best"))
    gone = grouped.join(best, "group").where("number <> best.number").select("number", F.col("best.name").alias("kept"))
    return documents.select("number", "line").join(gone, "number", "left")


def figures(chosen: DataFrame, annotate: bool) -> list[str]:
    stay, go = counted(chosen, F.count_if(F.col("kept").isNull()), F.count("kept"))
    return [f"{stay} stay", f"{go} {'marked' if annotate else 'removed'}"]


def marked(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Documents with --annotate."""
    for batch in batches:
        pairs = zip(batch.column("line").to_pylist(), batch.column("kept").to_pylist(), strict=True)
        lines = [annotated(line, kept) for line, kept in pairs]
        yield batch_of(MARKED, [batch.column("number"), lines])
