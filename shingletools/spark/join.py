"""simjoin on a cluster: the same bands and the same comparisons, bucket by bucket, in tasks of bounded size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.kernel.types import U64, Index
from shingletools.simjoin.arrays import spread
from shingletools.simjoin.buckets import Portion
from shingletools.simjoin.forest import Forest
from shingletools.simjoin.join import Join
from shingletools.simjoin.sets import COUNTERS, Rarity, both
from shingletools.simjoin.signatures import (
    LONG_SHINGLES,
    MINHASHES,
    SHORT_SHINGLES,
    SIMHASHES,
    SUPERSHINGLES,
    Build,
    Shingles,
    Signature,
    Words,
)  # fmt: skip
from shingletools.simjoin.sketches import SketchJoin, made_by, take_signed
from shingletools.simjoin.table import Flags, Table
from shingletools.simjoin.wanted import BITS, Wanted
from shingletools.spark.frames import Batches, Kept, Places, batch_of
from shingletools.wire import Failed, Rejected

KINDS: tuple[Signature, ...] = (MINHASHES, SUPERSHINGLES, SIMHASHES, SHORT_SHINGLES, LONG_SHINGLES)
BLOCK = 1 << 12  # rows of a bucket that are compared in one task with so many others
BUNDLE = 1 << 14  # rows of buckets that are worked on together
SIGNED = pa.schema(
    [("number", pa.int64()), ("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary()), ("name", pa.binary()),
     ("via", pa.string()), ("kind", pa.int32()), ("shape", pa.string()), ("payload", pa.binary()),
     ("second", pa.binary())]
)  # fmt: skip
SIGNED_DDL = (
    "number long, step int, cause string, line binary, name binary, via string, kind int, shape string, "
    "payload binary, second binary"
)
HITS_DDL = "band int, key long, number long"
HITS = pa.schema([("band", pa.int32()), ("key", pa.int64()), ("number", pa.int64())])
FOUND = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("agreeing", pa.int64())])
TASK = ["band", "key", "one", "other"]  # a bucket, and which of its blocks


@dataclass(frozen=True)
class Taken:
    """Lines to what the join takes of them."""

    id_field: str
    verify: bool
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = map(self.row, batch.column("number").to_pylist(), batch.column("line").to_pylist())
            yield batch_of(SIGNED, list(zip(*rows, strict=True)) or [[]] * len(SIGNED))

    def row(self, number: int, line: bytes) -> tuple[Any, ...]:
        try:
            name, via, signature, payloads = take_signed(wire.parse_json(line, 1, ""), self.id_field, self.verify)
        except Rejected as error:
            return number, self.step, str(error), line, None, None, None, None, None, None
        shape = signature.shape(len(payloads[0])) if payloads[0] else ""
        second = payloads[1] if len(payloads) > 1 else b""
        return number, 0, None, line, orjson.dumps(name), via, KINDS.index(signature), shape, payloads[0], second


def seen_before(signed: DataFrame, cross: int | None, step: int, kept: Kept) -> tuple[DataFrame, DataFrame]:
    """Documents whose ids no earlier one of their side has; and the others, rejected."""
    side = F.lit(0) if cross is None else (F.col("number") >= cross).cast("int")
    by_name = Window.partitionBy("side", "name").orderBy("number")
    sided = signed.withColumn("side", side)
    names = sided.select("side", "name", "number").withColumn("nth", F.row_number().over(by_name))
    again = kept(names.where("nth > 1").select("number"))
    if again.isEmpty():
        return sided, signed.where("false")
    said = F.udf(lambda name: f"id {wire.shown(orjson.loads(bytes(name)))} was seen before", "string")
    rejected = signed.join(again, "number").withColumn("step", F.lit(step)).withColumn("cause", said("name"))
    return sided.join(again, "number", "left_anti"), rejected


class Documents(NamedTuple):
    """What a run of simjoin knows of its records."""

    frame: DataFrame  # number, side, name, payload, second, original
    join: SketchJoin
    kind: Signature
    build: "Builder | None"  # none if there is nothing to join


@dataclass(frozen=True)
class Builder:
    """Makes tables of payloads, wherever it is sent."""

    builds: Sequence[Build]

    def __call__(self, payloads: Sequence[Sequence[bytes]]) -> Table:
        columns = zip(*payloads, strict=True)
        tables = []
        for build, column in zip(self.builds, columns, strict=False):
            sizes = np.array(list(map(len, column)))
            tables.append(build(np.frombuffer(b"".join(column), np.uint8), sizes))
        return both(tables)


def documents(signed: DataFrame, join: SketchJoin, places: Places, kept: Kept) -> Documents:
    """Checks what was taken as simjoin does. Raises Failed as that does."""
    good = signed.where("step = 0")
    first = good.orderBy("number").first()
    if first is None:
        return Documents(good, join, MINHASHES, None)
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
        return Documents(good, join, MINHASHES, None)
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
    return Documents(frame, join, kind, Builder(builds))


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
    bands, keys, rows = [], [], []
    for band, (key, row) in enumerate(table.buckets(range(table.bands))):
        bands.append(np.full(len(row), band))
        keys.append(key)
        rows.append(row)
    return Entries(np.concatenate(bands), np.concatenate(keys), np.concatenate(rows))


@dataclass(frozen=True)
class Exploded:
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


@dataclass(frozen=True)
class Compared:
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

    def pairs(self, bundle: pa.Table) -> tuple[Index, Index, Index]:
        number, mine = (bundle.column(name).to_numpy() for name in ("number", "mine"))
        keys = [bundle.column(name).to_numpy() for name in TASK]
        changed = np.any([key[1:] != key[:-1] for key in keys], axis=0)
        bucket = np.cumsum(np.append(False, changed))
        # The join has one side's rows before some row, and the other's from it on
        order = np.lexsort((number,) if self.cross is None else (number, number >= self.cross))
        row = np.empty(len(order), np.int64)
        row[order] = np.arange(len(order))
        payloads = payloads_of(bundle)
        table = self.build([payloads[place] for place in order.tolist()])
        cross = None if self.cross is None else int(np.count_nonzero(number < self.cross))
        place = np.lexsort((row, bucket))
        portion = Portion(bucket[place], row[place])
        if self.forest:
            forest = Forest(table, cross)
            forest.connect(portion)
            left, right, agreeing = map(np.array, forest.found)
        else:
            apart = (keys[2] != keys[3])[order]
            left, right, agreeing = self.every(table, Join(table, cross).candidates_of([portion]), apart, mine[order])
            first = first_shared(table, left, right)
            here = (keys[0][order][left] == first.band) & (keys[1].view(np.uint64)[order][left] == first.key)
            left, right, agreeing = left[here], right[here], agreeing[here]
        a, b = number[order][left], number[order][right]
        return np.minimum(a, b), np.maximum(a, b), agreeing

    def every(
        self, table: Table, candidates: Iterable[tuple[Index, Index]], apart: Flags, mine: Index
    ) -> tuple[Index, Index, Index]:
        """The pairs among candidates, each once; where two blocks are compared, not those of one of them."""
        found = [(np.empty(0, np.int64),) * 3]
        for one, other in candidates:
            some = ~apart[one] | (mine[one] != mine[other])
            pair, counts = table.compare(one[some], other[some])
            found.append((one[some][pair], other[some][pair], counts[pair]))
        left, right, agreeing = map(np.concatenate, zip(*found, strict=True))
        _, once = np.unique(left * len(table) + right, return_index=True)
        return left[once], right[once], agreeing[once]


def first_shared(table: Table, left: Index, right: Index) -> Entries:
    """For each of some pairs the least bucket that both rows are in."""
    every = entries(table)
    order = np.lexsort((every.key, every.band, every.row))
    band, key, row = (part[order] for part in every)
    starts = np.searchsorted(row, np.arange(len(table) + 1))
    (one, of_one), (other, of_other) = (spread(starts[rows], starts[rows + 1] - starts[rows]) for rows in (left, right))
    place, pair = np.append(one, other), np.append(of_one, of_other)
    band, key = band[place], key[place]
    order = np.lexsort((key, band, pair))
    band, key, pair = band[order], key[order], pair[order]
    shared = np.flatnonzero((pair[1:] == pair[:-1]) & (band[1:] == band[:-1]) & (key[1:] == key[:-1]))
    _, first = np.unique(pair[shared], return_index=True)
    return Entries(band[shared[first]], key[shared[first]], pair[shared[first]])


def bundles(batches: Batches) -> Iterator[pa.Table]:
    """Whole tasks, which come one after the other, some together."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += len(batch)
        if rows >= BUNDLE:
            together = pa.Table.from_batches(held).combine_chunks()
            last = np.all([(column := together.column(name).to_numpy()) == column[-1] for name in TASK], axis=0)
            cut = int(np.argmax(last))
            if cut:
                yield together.slice(0, cut)
            held = together.slice(cut).to_batches()
            rows -= cut
    if rows:
        yield pa.Table.from_batches(held).combine_chunks()


def pairs(found: Documents, cross: int | None, kept: Kept) -> DataFrame:
    """All pairs of documents, a before b, by their numbers, and in how many places they agree."""
    assert found.build is not None
    frame, forest = found.frame, found.join.wanted.forest
    originals = frame.where("number = original")
    exploded = originals.select("number", "payload", "second").mapInArrow(Exploded(found.build), HITS_DDL)
    alike = Window.partitionBy("band", "key")
    hits = exploded.withColumn("rows", F.count(F.lit(1)).over(alike))
    several = F.col("rows") > 1
    if cross is not None:
        hits = hits.withColumn("firsts", F.sum((F.col("number") < cross).cast("long")).over(alike))
        several &= (F.col("firsts") > 0) & (F.col("firsts") < F.col("rows"))
    blocks = F.ceil(F.col("rows") / BLOCK)
    hits = hits.where(several).withColumn("mine", F.pmod(F.xxhash64("number"), blocks))
    hits = hits.withColumn("against", F.explode(F.sequence(F.lit(0).cast("long"), blocks - 1)))
    tasks = hits.select("band", "key", "number", "mine", F.least("mine", "against").alias("one"),
                        F.greatest("mine", "against").alias("other"))  # fmt: skip
    compared = (
        tasks.join(originals.select("number", "payload", "second"), "number")
        .repartition(*TASK)
        .sortWithinPartitions(*TASK, "number")
        .mapInArrow(Compared(found.build, cross, forest), "a long, b long, agreeing long")
    )
    compared = kept(compared.distinct() if forest else compared)
    return with_copies(compared, found, cross)


def with_copies(compared: DataFrame, found: Documents, cross: int | None) -> DataFrame:
    """Pairs of originals as pairs of documents; a forest has one for each copy."""
    frame = found.frame
    members = frame.select("number", "original")
    copies = frame.where("number <> original").withColumn("agreeing", F.expr(whole(found)))
    if found.join.wanted.forest:
        if cross is None:
            return compared.unionAll(
                copies.select(F.col("original").alias("a"), F.col("number").alias("b"), "agreeing")
            )
        sides = compared.unionAll(compared.select(F.col("b").alias("a"), F.col("a").alias("b"), "agreeing"))
        partner = sides.groupBy(F.col("a").alias("original")).agg(F.min(F.struct("b", "agreeing")).alias("partner"))
        beside = copies.drop("agreeing").join(partner, "original").select("number", "partner.*")
        more = beside.select(F.least("number", "b").alias("a"), F.greatest("number", "b").alias("b"), "agreeing")
        return compared.unionAll(more)
    left = members.select(F.col("original").alias("a"), F.col("number").alias("one"))
    right = members.select(F.col("original").alias("b"), F.col("number").alias("two"))
    every = compared.join(left, "a").join(right, "b").select("one", "two", "agreeing")
    if cross is None:
        # Copies of one another
        some = copies.select("original").distinct()
        group = frame.join(some, "original").withColumn("agreeing", F.expr(whole(found)))
        one = group.select("original", F.col("number").alias("one"), "agreeing")
        two = members.select("original", F.col("number").alias("two"))
        every = every.unionAll(one.join(two, "original").where("one < two").select("one", "two", "agreeing"))
    return every.select(F.least("one", "two").alias("a"), F.greatest("one", "two").alias("b"), "agreeing")


def whole(found: Documents) -> str:
    """In how many places a document agrees with a copy, in SQL."""
    if found.join.wanted.verify:
        return "length(second) div 8"
    kind = found.kind
    if isinstance(kind, Words):
        return f"length(payload) * 2 div {kind.digits}"
    return "length(payload) div 8" if isinstance(kind, Shingles) else f"{BITS}L"


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
    size = "length(second)" if found.join.wanted.verify else "length(payload)"
    names = found.frame.select("number", "name", F.expr(size).alias("size"))
    named = pairs_found
    for side in ("a", "b"):
        renamed = names.select(
            F.col("number").alias(side), F.col("name").alias(f"{side}_name"), F.col("size").alias(f"{side}_size")
        )
        named = named.join(renamed, side)
    last = LONG_SHINGLES if found.join.wanted.verify else found.kind
    columns = named.select("a", "b", "a_name", "b_name", "agreeing", "a_size", "b_size")
    return columns.mapInArrow(Said(last, found.join.wanted), "a long, b long, line binary")
