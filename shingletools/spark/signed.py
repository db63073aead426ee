"""What simjoin takes of its records, on a cluster: checked as in the shell, and copies collapsed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from shingletools import errors
from shingletools.errors import Failed, Rejected
from shingletools.kernel.types import U32
from shingletools.records import parse
from shingletools.simjoin.collector import take_shingles, take_signed
from shingletools.simjoin.comparable import Comparable
from shingletools.simjoin.factory import TableFactory
from shingletools.simjoin.signatures import SIGNATURES, Signature
from shingletools.simjoin.spec import recipes_differ, shapes_differ
from shingletools.simjoin.table import Table
from shingletools.spark.batches import Batches, batch_of, by_line, through
from shingletools.spark.files import Kept
from shingletools.spark.lines import LineNumbers

PAYLOADS = "payload", "second"  # columns
SIGNED = pa.schema(
    [("number", pa.int64()), ("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary()), ("name", pa.binary()),
     ("via", pa.string()), ("kind", pa.int32()), ("shape", pa.string()), ("payload", pa.binary()),
     ("second", pa.binary())]
)  # fmt: skip
COPIED = pa.schema([("number", pa.int64()), ("original", pa.int64()), ("agreeing", pa.int64())])
COUNTED = pa.schema([("counter", pa.int32()), ("count", pa.int64())])


@dataclass(frozen=True)
class Taken:
    """Lines to what the join takes of them; those that are rejected stay beside why."""

    id_field: str
    once: Sequence[str]
    verify: bool
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        return by_line(batches, self.row, SIGNED)

    def row(self, number: int, line: bytes) -> tuple[Any, ...]:
        taken: tuple[Any, ...] = (None,) * 5
        try:
            record = parse(line, self.once)
            name, via, signature, data = take_signed(record, self.id_field)
            shape = signature.shape(len(data)) if data else ""
            taken = orjson.dumps(name), via, SIGNATURES.index(signature), shape, data
            second = take_shingles(record) if self.verify and data else b""
        except Rejected as error:
            return number, self.step, str(error), line, *taken, None
        return number, 0, None, None, *taken, second


def seen_before(
    named: DataFrame, lines: DataFrame, cross: int | None, step: int, kept: Kept
) -> tuple[DataFrame, DataFrame | None]:
    """Documents whose ids no earlier one of their side has, with `side`; and of the others the lines, rejected."""
    side = F.lit(0) if cross is None else (F.col("number") >= cross).cast("int")
    sided = named.withColumn("side", side)
    names = sided.select("side", "name", "number")
    several = (
        names.groupBy("side", "name").agg(F.count(F.lit(1)).alias("lines"), F.min("number").alias("first"))
        .where("lines > 1")
    )  # fmt: skip
    again = kept(names.join(several, ["side", "name"]).where("number > first").select("number", "name"))
    if again.isEmpty():
        return sided, None
    said = F.udf(lambda name: errors.seen_before(orjson.loads(bytes(name))), "string")
    causes = again.select("number", F.lit(step).alias("step"), said("name").alias("cause"))
    return sided.join(again, "number", "left_anti"), lines.select("number", "line").join(causes, "number")


def table_of(factory: TableFactory, payloads: Sequence[Sequence[bytes]]) -> Table:
    """A table of documents that have these payloads each."""
    columns = zip(*payloads, strict=True)
    joined = [(np.frombuffer(b"".join(column), np.uint8), np.array(list(map(len, column)))) for column in columns]
    return factory.table(joined)


class JoinInput(NamedTuple):
    """What a run of simjoin knows of its records, but for those with empty signatures."""

    frame: DataFrame  # number, name, size (the bytes of what decides)
    originals: DataFrame  # number, payload, second
    copies: DataFrame  # number, original, agreeing
    factory: TableFactory
    bands: int
    recall: float


def checked(signed: DataFrame, fresh: DataFrame, comparable: Comparable, numbers: LineNumbers) -> Row | None:
    """The first of `fresh` that has a signature, once all are checked as simjoin does; None if there is none.

    Raises Failed. `fresh` are those that are not rejected. With the first of these all behind it are compared; what is
    rejected leaves no trace, but fails the run as any other does.
    """
    good = signed.where("via is not null")
    first = fresh.orderBy("number").first()
    shaped = fresh.where("shape <> ''").orderBy("number").first()
    # Up to the first that is kept, each is asked whether it can have what is wanted
    early = F.lit(True) if shaped is None else F.col("number") <= shaped["number"]
    kinds = (
        good.where("shape <> ''")
        .where(early)
        .groupBy("shape")
        .agg(F.min(F.struct("number", "kind", "via", F.length("payload").alias("size"))).alias("one"))
    )
    wrong: list[tuple[int, str]] = []
    for row in kinds.collect():
        number, kind, via, size = row["one"]
        try:
            comparable.check(SIGNATURES[kind], size, via)
        except Failed as error:
            wrong.append((number, str(error)))
    if first is not None:
        differs = (F.col("via") != first["via"]) & (F.col("number") > first["number"])
        if shaped is not None:
            later = F.col("number") > shaped["number"]
            differs |= later & (F.col("shape") != "") & (F.col("shape") != shaped["shape"])
        other = good.where(differs).orderBy("number").first()
        if other is not None:
            cause = shapes_differ(other["shape"], shaped["shape"]) if shaped is not None else ""
            if other["via"] != first["via"]:
                cause = recipes_differ(other["via"], first["via"])
            wrong.insert(0, (other["number"], cause))  # a recipe is compared first
    if wrong:
        number, cause = min(wrong, key=lambda each: each[0])
        raise Failed(f"{numbers.where(number)}: {cause}")
    if shaped is not None:
        comparable.accept(SIGNATURES[shaped["kind"]], len(shaped["payload"]), shaped["via"])
    return shaped


def documents(good: DataFrame, comparable: Comparable, shaped: Row, kept: Kept) -> JoinInput | None:
    """What there is to join, if anything; `shaped` is the first that has a signature."""
    kind = SIGNATURES[shaped["kind"]]
    size = F.length("second" if comparable.wanted.verify else "payload")
    with_signatures = good.where("shape <> ''").withColumn("size", size)
    factory = TableFactory(kind, comparable.wanted)
    copies = kept(through(copied(with_signatures), Agreeing(factory.signatures[-1]), COPIED))
    originals = kept(with_signatures.join(copies, "number", "left_anti").select("number", "payload", "second"))
    for signature, counts, column in zip(factory.signatures, factory.counts, PAYLOADS, strict=False):
        if len(counts):
            add_counts(counts, originals.select(F.col(column).alias("payload")), signature)
    first = originals.first()
    if first is None:
        return None
    table = table_of(factory, [[bytes(first[column]) for column in PAYLOADS]])
    names = with_signatures.select("number", "name", "size")
    return JoinInput(names, originals, copies, factory, table.bands, table.recall)


def copied(with_signatures: DataFrame) -> DataFrame:
    """Documents (number, size) that have their signature from an earlier one of their side, the original.

    A cryptographic hash stands for the signature, so that a group of millions weighs little.
    """
    digest = F.unhex(F.sha2(F.concat("payload", "second"), 256))
    heads = with_signatures.select("side", digest.alias("digest"), "number", "size")
    several = (
        heads.groupBy("side", "digest").agg(F.count(F.lit(1)).alias("lines"), F.min("number").alias("original"))
        .where("lines > 1")
    )  # fmt: skip
    return heads.join(several, ["side", "digest"]).where("number > original").select("number", "original", "size")


@dataclass(frozen=True)
class Agreeing:
    """Copies to in how many components each agrees with its original."""

    signature: Signature

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            agreeing = [self.signature.components(size) for size in batch.column("size").to_pylist()]
            yield batch_of(COPIED, [batch.column("number"), batch.column("original"), agreeing])


def add_counts(counts: U32, payloads: DataFrame, signature: Signature) -> None:
    """What a signature counts of all payloads, each part of them where it is, into `counts`."""
    counted = through(payloads, Counted(signature), COUNTED)
    for row in counted.groupBy("counter").agg(F.sum("count").alias("count")).toLocalIterator():
        counts[row["counter"]] = min(row["count"], 0xFFFFFFFF)


@dataclass(frozen=True)
class Counted:
    """Payloads to what their signature counts of them; zeros are left out."""

    signature: Signature

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        payloads = (b"".join(batch.column("payload").to_pylist()) for batch in batches)
        counts = self.signature.counted(np.frombuffer(data, np.uint8) for data in payloads)
        some = np.flatnonzero(counts)
        yield batch_of(COUNTED, [some, counts[some]])
