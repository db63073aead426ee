"""simjoin on Spark, for more signatures than one task can hold: the same buckets, in tasks of bounded size."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signatures import SIGNATURES, Signature
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.kernel.ids import SelectedIds
from shingletools.kernel.types import U32
from shingletools.record import wire
from shingletools.spark import buckets
from shingletools.spark.arrow_batches import (
    BYTES,
    GOOD,
    LINES,
    LONG,
    TEXT,
    Batches,
    NumberedLines,
    bytes_of,
    from_rows,
    through,
    union,
)
from shingletools.spark.buckets import TASKS, WHOLE, Sharing, to_entries, to_tasks
from shingletools.spark.compare import BIN, PAIRS, to_pairs
from shingletools.spark.decided_lines import Decision, decided
from shingletools.spark.exchange import Parted, received, sent, tasks_for
from shingletools.spark.join_records import SIGNED, Signing, to_causes
from shingletools.spark.read import of_one_split
from shingletools.spark.step_input import StepInput, StepOutput
from shingletools.system.errors import Failed

SHUFFLED = "spark.sql.shuffle.partitions"
BIN_BYTES = 1 << 28  # of signatures that a task compares
RECIPES = 100  # different ones that are looked at: with two, the run fails
BROADCAST_ROWS = 1 << 20  # of tasks: up to so many go to all machines
COUNTED = np.dtype([("counter", "<u4"), ("count", "<u8")])
SUMMED = pa.schema({"counts": BYTES})


def joined(given: StepInput) -> StepOutput:
    """Returns the pairs of documents, and bad records. Raises Failed."""
    stage = given.step.stage
    assert isinstance(stage, JoinSpec)
    if why := needs_one_task(stage):
        raise Failed(f"{why} need more memory than --at-once gives to one task")
    return JoinRun(given, stage).run()


def needs_one_task(stage: JoinSpec) -> str:
    """Returns the options for which one task must hold all signatures; "" if there are none."""
    wanted = stage.wanted
    every = {
        "--within, --across and --best": wanted.best is not None or wanted.scope.fields,
        "--forest and archives of --against": wanted.forest or stage.archives,
    }
    return " and ".join(options for options, there in every.items() if there)


class JoinRun:
    """One run of simjoin in many tasks."""

    def __init__(self, given: StepInput, stage: JoinSpec) -> None:
        self.given, self.stage, self.checkpoint = given, stage, given.checkpoint
        self.session = given.lines.sparkSession
        self.cores = self.session.sparkContext.defaultParallelism
        self.cross = given.boundary if given.others else None
        self.comparable = Comparable(stage.wanted)

    def run(self) -> StepOutput:
        step, stage = self.given.number, self.stage
        signing = Signing(stage.id_field, stage.once(0), stage.wanted.verify, step)
        every = [through(each, signing, SIGNED) for each in (self.given.lines, *self.given.others)]
        rows = self.checkpoint(union(every))
        bad, documents = [rows.where(F.col("step") > 0).select(*LINES.names)], rows.where(F.col("step") == GOOD)
        size, inputs = F.octet_length("payload") + F.octet_length("second"), F.col("number") < self.given.boundary
        size, count, good = documents.agg(F.sum(size), F.count("*"), F.count_if(inputs)).collect()[0]
        self.bytes_each = (size or 0) // max(1, count) + 64
        self.parts = tasks_for(count * self.bytes_each, self.cores)
        self.session.conf.set(SHUFFLED, str(self.parts))
        signed = self.accept(documents)
        known, again = self.known(documents)
        if again is not None:
            bad += [self.rejected(again)]
            documents = documents.join(again.select("number"), "number", "left_anti")
        if not signed:
            return StepOutput(union(bad), [], [], good)
        factory = TableFactory(self.signature, self.comparable.wanted)
        originals, copies = self.originals(documents, known)
        self.count(originals, factory)
        sizes = [each.fixed(self.comparable.size) or 8 for each in factory.signatures]
        table = factory.table([(np.zeros(size, np.uint8), np.array([size])) for size in sizes])  # of one document
        pairs = self.compared(originals, factory, table.bands, count)
        if copies:
            pairs = with_copies(pairs, known, factory.signatures[-1], self.cross)
        figures = [*self.comparable.summary(), f"{table.bands} bands", f"recall {table.recall:.4g}"]
        return StepOutput(union([self.lines(pairs, known, factory), *bad]), figures, [], good)

    @property
    def signature(self) -> Signature:
        assert self.comparable.signature is not None
        return self.comparable.signature

    def accept(self, documents: DataFrame) -> bool:
        """Takes the recipe and the shape of all signatures; returns whether there is a signature. Raises Failed."""
        fixed = F.col("kind").isin([kind for kind, each in enumerate(SIGNATURES) if each.fixed(8)])
        size = F.octet_length("payload")
        shape = F.when(fixed, size).otherwise(F.least(size, F.lit(1))).alias("size")
        shapes = documents.groupBy("via", "kind", shape).agg(F.min("number").alias("number"))
        found = shapes.orderBy("number").limit(RECIPES).collect()
        for each in found:
            if each["via"] != found[0]["via"]:
                raise Failed(wire.recipes_differ(each["via"], found[0]["via"]))
            if each["size"]:
                signature = SIGNATURES[each["kind"]]
                self.comparable.check(signature, each["size"], each["via"])
                if self.comparable.signature is None:
                    self.comparable.accept(signature, each["size"], each["via"])
        return self.comparable.signature is not None

    def known(self, documents: DataFrame) -> tuple[DataFrame, DataFrame | None]:
        """Returns documents with new ids (number, first, name, size, original), and those with repeated ids, if any."""
        last = "second" if self.stage.wanted.verify else "payload"
        other = F.lit(False) if self.cross is None else F.col("number") >= self.cross
        both = F.concat("payload", "second")
        signature = self.comparable.signature
        least = (
            1 if signature is None else signature.smallest(self.comparable.wanted)
        )  # bytes of one that can be in a pair
        digest = F.when(F.octet_length("payload") >= least, F.unhex(F.sha2(both, 256)))
        size = F.octet_length(last).cast("long").alias("size")
        named = documents.select("number", "first", "name", size, other.alias("other"), digest.alias("digest"))
        first_with_name = F.min("number").over(Window.partitionBy("name", "other"))
        named = self.checkpoint(named.withColumn("with_name", first_with_name))
        again = named.where("number > with_name").select("number", "first", "name")
        new = named.where("number = with_name")
        original = F.min("number").over(Window.partitionBy("digest", "other"))
        original = F.when(F.col("digest").isNotNull(), original).alias("original")
        known = self.checkpoint(new.select("number", "first", "name", "size", "other", original))
        return known, None if again.isEmpty() else again

    def rejected(self, again: DataFrame) -> DataFrame:
        """Returns the lines of documents whose ids were used before, as bad ones."""
        schema = pa.schema({"number": LONG, "first": LONG, "why": TEXT})
        causes = through(again, to_causes, schema)
        lines = union([self.given.lines, *self.given.others])
        return decided(lines, causes, partial(bad_lines, self.given.number), self.parts)

    def originals(self, documents: DataFrame, known: DataFrame) -> tuple[DataFrame, bool]:
        """Returns documents (number, payload, second) of which each has a different signature; are there copies?"""
        rows = documents.select("number", "payload", "second").where(F.octet_length("payload") > 0)
        copies = not known.where("original < number").isEmpty()
        if copies:
            some = known.where("original = number").select("number")
            rows = self.checkpoint(rows.join(some, "number", "left_semi"))
        return rows, copies

    def count(self, originals: DataFrame, factory: TableFactory) -> None:
        """Counts what tables need of all documents, so that all tasks order tokens alike."""
        for column, signature, counts in zip(("payload", "second"), factory.signatures, factory.counts, strict=False):
            if len(counts):
                counting = partial(partial, to_counts, signature, column)
                rows = through(sent(originals.select(column), counting, self.cores), summed, SUMMED)
                for row in rows.toLocalIterator():
                    add_counts(counts, bytes(row["counts"]))

    def compared(self, originals: DataFrame, factory: TableFactory, bands: int, documents: int) -> DataFrame:
        """Returns the pairs of originals (a, b, agreeing)."""
        entries = bands * documents * 24 if self.signature.fixed(8) else 3 * documents * self.bytes_each
        keys = sent(originals, partial(partial, to_entries, factory), tasks_for(entries, self.cores))
        sharing = Sharing(self.cross, (buckets.BLOCK_ROWS, buckets.BLOCK_BYTES))
        tasks = self.checkpoint(through(keys, partial(to_tasks, sharing), TASKS))
        rows, meeting = tasks.agg(F.count("*"), F.count_distinct("number")).collect()[0]
        bins = bins_for(rows, meeting, self.bytes_each, self.cores)
        number = F.when(F.col("one") == WHOLE, F.pmod(F.xxhash64("key"), F.lit(bins))).otherwise(F.col("key"))
        entries = tasks.select(number.alias("bin"), *TASKS.names)
        needed = entries.select(*BIN, "number").distinct()
        payloads = originals.join(F.broadcast(needed) if rows <= BROADCAST_ROWS else needed, "number")
        nothing = [F.lit(None).cast("binary").alias(name) for name in ("payload", "second")]
        together = entries.select("*", *nothing).unionByName(payloads, allowMissingColumns=True)
        together = together.repartition(max(bins, self.parts), *BIN).sortWithinPartitions(*BIN)
        pairs = through(together, partial(to_pairs, factory, self.cross), PAIRS)
        return self.checkpoint(pairs.dropDuplicates(["a", "b"]))

    def lines(self, pairs: DataFrame, known: DataFrame, factory: TableFactory) -> DataFrame:
        """Returns the pairs as lines, in order."""
        for side in ("a", "b"):
            columns = {"number": side, "name": f"{side}_name", "size": f"{side}_size"}
            named = known.select("first", *columns).withColumnsRenamed(columns)
            pairs = pairs.join(named if side == "a" else named.drop("first"), side)
        ordered = pairs.repartition("first").sortWithinPartitions("first", "a", "b")
        write = partial(write_pairs, factory.signatures[-1], factory.wanted, self.cross is not None)
        return through(ordered, write, LINES)


def bins_for(entries: int, documents: int, size: int, least: int) -> int:
    """Returns the number of bins, so that the documents in one, of `size` bytes each, have about BIN_BYTES.

    A document goes to each bin in which it has an entry; entries are spread over bins at random.

    >>> bins_for(17_000_000, 1_000_000, 400, 8), bins_for(1_000_000, 4_000, 50_000, 2)
    (16, 2)
    """
    bins = max(1, least)
    while documents * (1 - (1 - 1 / bins) ** (entries / max(documents, 1))) * size > BIN_BYTES:
        bins *= 2
    return bins


def bad_lines(step: int, some: NumberedLines, decisions: list[Decision]) -> list[tuple[object, ...]]:
    """Returns the lines with causes as bad ones."""
    causes = {each["number"]: each["why"] for each in decisions}
    lines = some.lines.split(b"\n") if causes else []
    numbers = some.numbers.tolist() if causes else []
    return [
        (step, some.first, number, b"", causes[number], line)
        for number, line in zip(numbers, lines, strict=False)
        if number in causes
    ]


def with_copies(pairs: DataFrame, known: DataFrame, signature: Signature, cross: int | None) -> DataFrame:
    """Returns pairs of originals as pairs of documents, and those of copies with each other."""
    alike = known.where("original IS NOT NULL").select("original", F.col("number").alias("member"), "size")
    copied = alike.where("original < member").select("original").distinct()
    members = alike.join(copied, "original", "left_semi")
    for side in ("a", "b"):
        of_side = members.select(F.col("original").alias(side), "member")
        found = pairs.join(of_side, side, "left")
        pairs = found.withColumn(side, F.coalesce("member", side)).drop("member")
    every = pairs.select(F.least("a", "b").alias("a"), F.greatest("a", "b").alias("b"), "agreeing")
    if cross is None:
        one = members.select("original", F.col("member").alias("a"), F.lit(0).cast("long").alias("agreeing"), "size")
        two = members.select("original", F.col("member").alias("b"))
        both = one.join(two, "original").where("a < b").select("a", "b", "agreeing", "size")
        schema = pa.schema([*PAIRS, ("size", LONG)])
        both = through(both.select("a", "b", "agreeing", "size"), partial(with_whole, signature), schema)
        every = every.unionAll(both.select(*PAIRS.names))
    return every


def with_whole(signature: Signature, batches: Batches) -> Batches:
    """Sets in how many components copies agree: all, of a payload of `size` bytes."""
    for batch in batches:
        agreeing = [signature.components(size) for size in batch.column("size").to_pylist()]
        yield batch.set_column(2, "agreeing", pa.array(agreeing, pa.int64()))


def to_counts(signature: Signature, column: str, parts: int, batches: Batches) -> Iterator[Parted]:
    """Takes signatures to counts, which are to be added up by counter; zeros are left out."""
    counts = signature.counted(bytes_of(batch.column(column))[0] for batch in batches)
    some = np.flatnonzero(counts)
    entries = np.empty(len(some), COUNTED)
    entries["counter"], entries["count"] = some, counts[some]
    yield entries, some * parts // max(len(counts), 1)


def summed(batches: Batches) -> Batches:
    """Adds up the counts of several tasks, in one row."""
    entries = received(batches, COUNTED)
    if len(entries):
        counter, place = np.unique(entries["counter"], return_inverse=True)
        found = np.empty(len(counter), COUNTED)
        found["counter"], found["count"] = counter, np.bincount(place, entries["count"])
        yield from_rows(SUMMED, [(found.tobytes(),)])


def add_counts(counts: U32, row: bytes) -> None:
    found = np.frombuffer(row, COUNTED)
    counts[found["counter"]] = np.minimum(found["count"], 0xFFFFFFFF)


def write_pairs(signature: Signature, wanted: JoinOptions, against: bool, batches: Batches) -> Batches:
    """Takes pairs with their names, in order, to LINES, as simjoin writes them; their numbers begin anew in a split."""
    lines = PairLines(signature, wanted, against)
    split, number = -1, 0
    for batch in chain.from_iterable(map(of_one_split, batches)):
        first = batch.column("first")[0].as_py()
        number = number if first == split else 0
        a, b = (named(batch.column(name)) for name in ("a_name", "b_name"))
        figures = (batch.column(name).to_numpy().astype(np.int64) for name in ("agreeing", "a_size", "b_size"))
        yield from_rows(LINES, [(GOOD, first, number, b"", None, lines.format_pairs(a, b, *figures))])
        split, number = first, number + len(batch)


def named(names: pa.Array) -> SelectedIds:
    """Returns a column of ids as JSON."""
    data, sizes = bytes_of(names)
    return SelectedIds(data.tobytes(), np.cumsum(sizes), np.arange(len(names)))
