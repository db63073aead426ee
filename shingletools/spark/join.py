"""simjoin on Spark, for more signatures than one task can hold: the same buckets, in tasks of bounded size."""

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
from shingletools.record import wire
from shingletools.spark.arrow_batches import BYTES, LONG, TEXT, Batches, bytes_of, from_columns, through, union
from shingletools.spark.buckets import ENTRIES, TASKS, WHOLE, tasks_of, to_entries
from shingletools.spark.compare_in_task import PAIRS, SHARE, to_pairs
from shingletools.spark.join_records import SIGNED, Signing, to_causes
from shingletools.spark.line_rows import GOOD, LINES, LineRow, NumberedLines, bad_row
from shingletools.spark.lines_with_decisions import Decision, with_decisions
from shingletools.spark.read import of_one_split
from shingletools.spark.step_input import StepInput, StepOutput, tasks_for
from shingletools.system.errors import Failed

SHUFFLED = "spark.sql.shuffle.partitions"
SHARE_BYTES = 1 << 28  # bytes of signatures that a task compares
RECIPES = 100  # different recipes and sizes of signatures that are looked at: with two recipes, the run fails
BROADCAST_ROWS = 1 << 20  # rows of TASKS: up to so many go to all machines
COUNTING_TASKS = 64  # at most; each gives up to 32 MB to the driver, one after the other
ENTRY_BYTES = 24  # bytes of a document in a bucket, as it is sent
COUNTS = pa.schema({"counts": BYTES})
CAUSES = pa.schema({"number": LONG, "first": LONG, "why": TEXT})


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
        "--copies once": wanted.copies_once,
    }
    return " and ".join(options for options, there in every.items() if there)


class JoinRun:
    """Runs simjoin once, in many tasks."""

    def __init__(self, given: StepInput, stage: JoinSpec) -> None:
        self.given, self.stage, self.checkpoint = given, stage, given.checkpoint
        self.session = given.lines.sparkSession
        self.cores = self.session.sparkContext.defaultParallelism
        self.cross = given.boundary if given.others else None
        self.comparable = Comparable(stage.wanted)

    def run(self) -> StepOutput:
        """Returns pairs and bad records. Raises Failed."""
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
        names, again = self.names(documents)
        if again is not None:
            bad += [self.rejected(again)]
            documents = documents.join(again.select("number"), "number", "left_anti")
        if not signed:
            return StepOutput(union(bad), good)
        documents = documents.select("number", "payload", "second").where(F.octet_length("payload") > 0)
        factory = TableFactory(self.signature, self.comparable.wanted)
        self.count(documents, factory)
        sizes = [each.fixed(self.comparable.size) or 8 for each in factory.signatures]
        table = factory.table([(np.zeros(size, np.uint8), np.array([size])) for size in sizes])  # of one document
        pairs = self.compared(documents, factory, table.bands, count)
        return StepOutput(union([self.lines(pairs, names, factory), *bad]), good)

    @property
    def signature(self) -> Signature:
        """Returns the signature that all documents have; it must have been accepted."""
        assert self.comparable.signature is not None
        return self.comparable.signature

    def accept(self, documents: DataFrame) -> bool:
        """Takes the recipe and the size of all signatures. Returns whether there is a signature. Raises Failed."""
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

    def names(self, documents: DataFrame) -> tuple[DataFrame, DataFrame | None]:
        """Returns documents with new ids (number, first, name, size), and those with repeated ids, if any.

        size: the bytes of the payload that decides.
        """
        other = F.lit(False) if self.cross is None else F.col("number") >= self.cross
        size = F.octet_length("second" if self.stage.wanted.verify else "payload").cast("long").alias("size")
        first_use = F.min("number").over(Window.partitionBy("name", other)).alias("first_use")
        names = self.checkpoint(documents.select("number", "first", "name", size, first_use))
        again = names.where("number > first_use")
        return names.where("number = first_use").drop("first_use"), None if again.isEmpty() else again

    def rejected(self, again: DataFrame) -> DataFrame:
        """Returns the lines of documents whose ids were used before, as bad ones."""
        causes = through(again.select("number", "first", "name"), to_causes, CAUSES)
        lines = union([self.given.lines, *self.given.others])
        return with_decisions(lines, causes, partial(bad_lines, self.given.number), self.parts)

    def count(self, documents: DataFrame, factory: TableFactory) -> None:
        """Counts what tables need of all documents, so that all tasks order tokens alike."""
        for column, signature, counts in zip(("payload", "second"), factory.signatures, factory.counts, strict=False):
            if len(counts):
                some = documents.select(column).coalesce(min(self.cores, COUNTING_TASKS))
                rows = self.checkpoint(through(some, partial(to_counts, signature), COUNTS))
                for row in rows.toLocalIterator():
                    counter, count = np.frombuffer(row["counts"], np.uint32).reshape(2, -1)
                    counts[counter] = np.minimum(counts[counter] + count.astype(np.uint64), 0xFFFFFFFF)

    def compared(self, documents: DataFrame, factory: TableFactory, bands: int, count: int) -> DataFrame:
        """Returns the pairs of documents (a, b, agreeing)."""
        size = count * (bands * ENTRY_BYTES if self.signature.fixed(8) else 3 * self.bytes_each)
        entries = through(documents, partial(to_entries, factory, self.cross), ENTRIES)
        entries = entries.repartition(tasks_for(size, self.cores), "key")
        tasks = self.checkpoint(tasks_of(entries, self.cross is not None))
        rows, meeting = tasks.agg(F.count("*"), F.count_distinct("number")).collect()[0]
        shares = shares_for(rows, meeting, self.bytes_each, self.cores)
        number = F.when(F.col("one") == WHOLE, F.pmod(F.xxhash64("key"), F.lit(shares))).otherwise(F.col("key"))
        tasks = tasks.select(number.alias("share"), *TASKS.names)
        needed = tasks.select(*SHARE, "number").distinct()
        payloads = documents.join(F.broadcast(needed) if rows <= BROADCAST_ROWS else needed, "number")
        together = tasks.unionByName(payloads, allowMissingColumns=True)
        together = together.repartition(max(shares, self.parts), *SHARE).sortWithinPartitions(*SHARE)
        pairs = through(together, partial(to_pairs, factory, self.cross), PAIRS)
        return self.checkpoint(pairs.dropDuplicates(["a", "b"]))

    def lines(self, pairs: DataFrame, names: DataFrame, factory: TableFactory) -> DataFrame:
        """Returns the pairs as lines, in order."""
        for side in ("a", "b"):
            columns = {"number": side, "name": f"{side}_name", "size": f"{side}_size"}
            of_side = names.withColumnsRenamed(columns)
            pairs = pairs.join(of_side if side == "a" else of_side.drop("first"), side)
        ordered = pairs.repartition("first").sortWithinPartitions("first", "a", "b")
        write = partial(write_pairs, factory.signatures[-1], factory.wanted, self.cross is not None)
        return through(ordered, write, LINES)


def shares_for(entries: int, documents: int, size: int, least: int) -> int:
    """Returns the number of bucket shares, so that the documents of one, of `size` bytes each, have about SHARE_BYTES.

    A document goes to each share in which it has an entry; entries are spread over shares at random.

    >>> shares_for(17_000_000, 1_000_000, 400, 8), shares_for(1_000_000, 4_000, 50_000, 2)
    (16, 2)
    """
    shares = max(1, least)
    while documents * (1 - (1 - 1 / shares) ** (entries / max(documents, 1))) * size > SHARE_BYTES:
        shares *= 2
    return shares


def bad_lines(step: int, some: NumberedLines, decisions: list[Decision]) -> list[LineRow]:
    """Returns the lines with causes as bad ones."""
    causes = {each["number"]: each["why"] for each in decisions}
    lines = zip(some.numbers.tolist(), some.lines.split(b"\n"), strict=False)
    return [bad_row(some.first, number, step, causes[number], line) for number, line in lines if number in causes]


def to_counts(signature: Signature, batches: Batches) -> Batches:
    """Takes payloads to the counters of their tokens that are not zero, then what these count, uint32, in one row."""
    counts = signature.counted(bytes_of(batch.column(0))[0] for batch in batches)
    counter = np.flatnonzero(counts)
    yield from_columns(COUNTS, counts=np.stack([counter, counts[counter]]).astype(np.uint32).tobytes())


def write_pairs(signature: Signature, wanted: JoinOptions, against: bool, batches: Batches) -> Batches:
    """Takes pairs with their names, in order, to LINES, as simjoin writes them; their numbers begin anew in a split."""
    lines = PairLines(signature, wanted, against)
    split, number = -1, 0
    for batch in chain.from_iterable(map(of_one_split, batches)):
        first = batch.column("first")[0].as_py()
        number = number if first == split else 0
        a, b = (ids_of(batch.column(name)) for name in ("a_name", "b_name"))
        figures = (batch.column(name).to_numpy().astype(np.int64) for name in ("agreeing", "a_size", "b_size"))
        pairs = lines.format_pairs(a, b, *figures)
        yield from_columns(LINES, step=GOOD, first=first, number=number, offsets=b"", lines=pairs)
        split, number = first, number + len(batch)


def ids_of(names: pa.Array) -> SelectedIds:
    """Returns a column of ids as JSON."""
    data, sizes = bytes_of(names)
    return SelectedIds(data.tobytes(), np.cumsum(sizes), np.arange(len(names)))
