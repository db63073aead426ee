"""simjoin on a cluster: the same bands and the same comparisons, bucket by bucket, in tasks of bounded size."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.kernel.types import U64, Index
from shingletools.simjoin.arrays import CANDIDATES, spread, stretches
from shingletools.simjoin.buckets import Portion
from shingletools.simjoin.finer import finer
from shingletools.simjoin.forest import Forest
from shingletools.simjoin.sets import COUNTERS, Rarity
from shingletools.simjoin.signatures import (
    LONG_SHINGLES, MINHASHES, SHORT_SHINGLES, SIMHASHES, SUPERSHINGLES, Build, Shingles, Signature,
)  # fmt: skip
from shingletools.simjoin.sketches import SketchJoin, made_by, take_signed
from shingletools.simjoin.store import both
from shingletools.simjoin.table import Table
from shingletools.spark.frames import SOURCE, Batches, Places, batch_of, kept
from shingletools.wire import Failed, Rejected

KINDS: tuple[Signature, ...] = (MINHASHES, SUPERSHINGLES, SIMHASHES, SHORT_SHINGLES, LONG_SHINGLES)
BLOCK = 1 << 12  # rows of a bucket that are compared in one task with so many others
BUNDLE = 1 << 14  # rows of buckets that are worked on together
SIGNED = pa.schema(
    [(name, kind) for name, kind in zip(SOURCE, (pa.int32(), pa.string(), pa.int64()), strict=True)]
    + [("place", pa.int64()), ("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary()),
       ("name", pa.binary()), ("via", pa.string()), ("kind", pa.int32()), ("shape", pa.string()),
       ("payload", pa.binary()), ("second", pa.binary())]
)  # fmt: skip
HITS = pa.schema([("band", pa.int32()), ("key", pa.int64()), ("number", pa.int64())])
FOUND = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("agreeing", pa.int64())])
TASK = ["band", "key", "one", "other"]  # a bucket, and which of its blocks


class Taken(NamedTuple):
    """Lines that went through all steps, as the join has them."""

    id_field: str
    verify: bool
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [self.row(*row) for row in zip(*(batch.column(name).to_pylist() for name in ("step", "cause", "line")), strict=True)]
            columns = [batch.column(name) for name in (*SOURCE, "place")]
            arrays = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), [*SIGNED][4:], strict=True)]
            yield pa.RecordBatch.from_arrays([*columns, *arrays], schema=SIGNED)

    def row(self, step: int, cause: str | None, line: bytes) -> tuple[Any, ...]:
        if not step:
            try:
                name, via, signature, payloads = take_signed(wire.parse_json(line, 1, ""), self.id_field, self.verify)
            except Rejected as error:
                step, cause = self.step, str(error)
            else:
                shape = signature.shape(len(payloads[0])) if payloads[0] else ""
                second = payloads[1] if len(payloads) > 1 else b""
                return 0, None, None, orjson.dumps(name), via, KINDS.index(signature), shape, payloads[0], second
        return step, cause, line, None, None, None, None, None, None


class Documents(NamedTuple):
    """What a run of simjoin knows of its records."""

    frame: DataFrame  # number, side, name, payload, second, original
    join: SketchJoin
    cross: bool
    build: "Builder | None"  # none if there is nothing to join


class Builder(NamedTuple):
    """Makes tables of payloads, wherever it is sent."""

    builds: Sequence[Build]

    def __call__(self, payloads: Sequence[Sequence[bytes]]) -> Table:
        columns = zip(*payloads, strict=True)
        tables = []
        for build, column in zip(self.builds, columns, strict=False):
            sizes = np.array(list(map(len, column)))
            tables.append(build(np.frombuffer(b"".join(column), np.uint8), sizes))
        return both(tables)


def documents(signed: DataFrame, join: SketchJoin, places: Places) -> Documents:
    """Checks what was taken as simjoin does. Raises Failed as that does."""
    good = signed.where("step = 0")
    first = good.orderBy("number").first()
    if first is None:
        return Documents(good, join, bool(join.against), None)
    differs = F.col("via") != first["via"]
    shaped = good.where("shape <> ''").orderBy("number").first()
    if shaped is not None:
        differs |= (F.col("shape") != "") & (F.col("shape") != shaped["shape"])
    other = good.where(differs).orderBy("number").first()
    if other is not None:
        cause = f"{other['shape']}, after {shaped['shape']}" if shaped is not None else ""
        if other["via"] != first["via"]:
            cause = f"made by {made_by(other['via'])}, but the records before by {made_by(first['via'])}"
        raise Failed(f"{places.where(other['number'])}: {cause}")
    if shaped is None:
        return Documents(good, join, bool(join.against), None)
    kind = KINDS[shaped["kind"]]
    try:
        kind.check(join.wanted, len(shaped["payload"]))
    except Failed as error:
        raise Failed(f"{places.where(shaped['number'])}: {error}") from None
    with_words = good.where("shape <> ''").select("number", "side", "name", "payload", "second")
    alike = Window.partitionBy("side", "payload", "second")
    frame = kept(with_words.withColumn("original", F.min("number").over(alike)))
    kinds: list[tuple[Signature, str]] = [(kind, "payload")]
    if join.wanted.verify:
        kinds.append((LONG_SHINGLES, "second"))
    builds = [builder(each, join, frame, column) for each, column in kinds]
    return Documents(frame, join, bool(join.against), Builder(builds))


def builder(kind: Signature, join: SketchJoin, frame: DataFrame, column: str) -> Build:
    if not isinstance(kind, Shingles):
        return kind.builder(join.wanted, [])
    counted = frame.select(F.col(column).alias("payload")).mapInArrow(count_tokens, "counter int, sets long")
    rarity = Rarity([])
    for row in counted.groupBy("counter").agg(F.sum("sets").alias("sets")).toLocalIterator():
        rarity.counts[row["counter"]] = row["sets"]
    return kind.builder_by(join.wanted, rarity)


def count_tokens(batches: Batches) -> Iterator[pa.RecordBatch]:
    """In how many sets the tokens of each of Rarity's counters are."""
    counts = np.zeros(1 << COUNTERS, np.int64)
    for batch in batches:
        tokens = np.frombuffer(b"".join(batch.column("payload").to_pylist()), np.uint64)
        counts += np.bincount(Rarity.counter(tokens), minlength=1 << COUNTERS)
    some = np.flatnonzero(counts)
    yield pa.RecordBatch.from_arrays([pa.array(some, pa.int32()), pa.array(counts[some])], ["counter", "sets"])


class Entries(NamedTuple):
    """The buckets that rows of a table are in; two rows that are a pair share one."""

    band: Index
    key: U64
    row: Index


def entries(table: Table) -> Entries:
    found = [(np.full(len(row), band), key, row) for band, (key, row) in enumerate(table.buckets(range(table.bands)))]
    return Entries(*(np.concatenate(part) for part in zip(*found, strict=True)))


class Exploded(NamedTuple):
    """Rows to their buckets."""

    build: Builder

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if len(batch):
                table = self.build(payloads_of(batch))
                band, key, row = entries(table)
                number = batch.column("number").to_numpy()[row]
                yield batch_of(HITS, [band, key.view(np.int64), number])


def payloads_of(batch: pa.RecordBatch) -> list[tuple[bytes, bytes]]:
    return list(zip(batch.column("payload").to_pylist(), batch.column("second").to_pylist(), strict=True))


class Compared(NamedTuple):
    """Tasks, one after the other, to the pairs in them.

    A pair is told in one bucket only, the least of those that both rows are in. A forest tells only what connects the
    rows of a task, but may do so again elsewhere.
    """

    build: Builder
    cross: int | None  # the first number of the other side
    forest: bool

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for bundle in bundles(batches):
            yield batch_of(FOUND, self.pairs(bundle))

    def pairs(self, bundle: pa.RecordBatch) -> tuple[Index, Index, Index]:
        number, band, key, block, *_ = columns = [bundle.column(name).to_numpy() for name in ("number", *TASK, "mine")]
        changed = np.any([column[1:] != column[:-1] for column in columns[1:5]], axis=0)
        bucket = np.cumsum(np.append(False, changed))
        table = self.build(payloads_of(bundle))
        portion = Portion(bucket, np.arange(len(number)))
        # A table's rows are on the first side before some row, on the other from it on
        cross = None if self.cross is None else self.cross
        raise NotImplementedError((band, key, block, table, portion, cross))
