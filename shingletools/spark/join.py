"""simjoin on Spark, for more signatures than one task can hold: the same buckets, in tasks of bounded size."""

from collections import Counter
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signature import Signature
from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.signed_records import Needed, Signed, SignedRecords
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record import wire
from shingletools.spark.arrow_batches import Batches, binary_array, bytes_of, from_columns, selected_ids, through, union
from shingletools.spark.compare import ENTRIES, PAIRS, SHARE, TASKS, WHOLE, tasks_of, to_entries, to_pairs
from shingletools.spark.lines import GOOD, LINES, StepInput, numbered_records, repeated_ids, tasks_for, with_decisions
from shingletools.spark.read import of_one_split
from shingletools.system.errors import Failed

SHUFFLED = "spark.sql.shuffle.partitions"
SHARE_BYTES = 1 << 28  # bytes of signatures that a task compares
RECIPES = 100  # different recipes and sizes of signatures that are looked at: with two recipes, the run fails
BROADCAST_ROWS = 1 << 20  # rows of TASKS: up to so many go to all machines
COUNTING_TASKS = 64  # at most; each gives up to 32 MB to the driver, one after the other
ENTRY_BYTES = 32  # bytes of a document in a bucket, as it is sent
COUNTS = pa.schema({"counts": "binary"})
# The columns of LINES, of a bad line; or a document: its number, and that of its file split, its id as JSON, its
# recipe, the kind of its signature (its place in SIGNATURES), and one payload or two, which are empty if it has none
SIGNED = pa.schema(
    [*LINES, *pa.schema({"name": "binary", "via": "string", "kind": "int32", "payload": "binary", "second": "binary"})]
)


class JoinRun:
    """Runs simjoin once, in many tasks."""

    def __init__(self, given: StepInput) -> None:
        """Raises Failed for options for which one task must hold all signatures."""
        stage = given.step.stage
        assert isinstance(stage, JoinSpec)
        for options, there in {
            "--within, --across and --best": stage.wanted.best is not None or stage.wanted.scope.fields,
            "--forest and archives of --against": stage.wanted.forest or stage.archives,
            "--copies once": stage.wanted.copies_once,
        }.items():
            if there:
                raise Failed(f"{options} need more memory than --at-once gives to one task")
        self.given, self.stage, self.checkpoint = given, stage, given.checkpoint
        self.cores = given.lines.sparkSession.sparkContext.defaultParallelism
        self.cross = given.boundary if given.others else None
        self.comparable = Comparable(stage.wanted)

    def run(self) -> DataFrame:
        """Returns pairs and bad records. Raises Failed."""
        step, stage = self.given.number, self.stage
        needed = [Needed(stage.id_of(side), stage.once(side), stage.wanted.verify) for side in (0, 1)]
        every = [(needed[0], self.given.lines), *((needed[1], lines) for lines in self.given.others)]
        signed = [through(lines, partial(to_signed, fields, step), SIGNED) for fields, lines in every]
        rows = self.checkpoint(union(signed))
        bad, documents = [rows.where(F.col("step") > 0).select(*LINES.names)], rows.where(F.col("step") == GOOD)
        size = F.sum(F.octet_length("payload") + F.octet_length("second"))
        size, count = documents.agg(size, F.count("*")).collect()[0]
        self.bytes_each = (size or 0) // max(1, count) + 64
        self.parts = tasks_for(count * self.bytes_each, self.cores)
        documents.sparkSession.conf.set(SHUFFLED, str(self.parts))
        signature = self.accept(documents)
        if (again := self.repeated(documents)) is not None:
            lines = union([self.given.lines, *self.given.others])
            bad += [with_decisions(lines, again, partial(repeated_ids, step))]
            documents = documents.join(again.select("number"), "number", "left_anti")
        if signature is None:
            return union(bad)
        size = F.octet_length("second" if stage.wanted.verify else "payload").cast("long").alias("size")
        names = documents.select("number", "first", "name", size)
        documents = documents.select("number", "payload", "second").where(F.octet_length("payload") > 0)
        factory = TableFactory(signature, self.comparable.wanted)
        self.count(documents, factory)
        sizes = [signature.fixed(self.comparable.size) or 8 for signature in factory.signatures]
        table = factory.table([(np.zeros(size, np.uint8), np.array([size])) for size in sizes])  # of one document
        pairs = self.compared(documents, factory, table.bands, count)
        return union([self.lines(pairs, names, factory), *bad])

    def accept(self, documents: DataFrame) -> Signature | None:
        """Takes the recipe and the size of all signatures. Returns what they are, if there is one. Raises Failed."""
        fixed = F.col("kind").isin([kind for kind, signature in enumerate(SIGNATURES) if signature.fixed(8)])
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
        return self.comparable.signature

    def repeated(self, documents: DataFrame) -> DataFrame | None:
        """Returns the documents whose ids were used before on their side (number, first, name), if there are any."""
        side = F.lit(False) if self.cross is None else F.col("number") >= self.cross
        named = documents.select("number", "first", "name", side.alias("side"))
        uses = named.groupBy("name", "side").agg(F.min("number").alias("first_use"), F.count("*").alias("uses"))
        several = self.checkpoint(uses.where("uses > 1"))
        again = named.join(several, ["name", "side"]).where("number > first_use")
        return None if several.isEmpty() else self.checkpoint(again.select("number", "first", "name"))

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
        size = count * (bands * ENTRY_BYTES if factory.signatures[0].fixed(8) else 3 * self.bytes_each)
        entries = through(documents, partial(to_entries, factory, self.cross), ENTRIES)
        entries = entries.repartition(tasks_for(size, self.cores), "key").persist(StorageLevel.DISK_ONLY)
        tasks = self.checkpoint(tasks_of(entries, self.cross is not None))  # which reads them twice
        entries.unpersist()
        rows, meeting = tasks.agg(F.count("*"), F.approx_count_distinct("number")).collect()[0]
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
            of_side = names.withColumnsRenamed(columns).hint("shuffle_hash")
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


def to_counts(signature: Signature, batches: Batches) -> Batches:
    """Takes payloads to the counters of their tokens that are not zero, then what these count, uint32, in one row."""
    counts = signature.counted(bytes_of(batch.column(0))[0] for batch in batches)
    counter = np.flatnonzero(counts)
    yield from_columns(COUNTS, counts=np.stack([counter, counts[counter]]).astype(np.uint32).tobytes())


def write_pairs(signature: Signature, wanted: JoinOptions, against: bool, batches: Batches) -> Batches:
    """Takes pairs with their names, in order, to LINES, as simjoin writes them; their numbers begin anew in a split."""
    lines = PairLines(signature, wanted, against)
    count: Counter[int] = Counter()  # of the pairs of a split
    for batch in chain.from_iterable(map(of_one_split, batches)):
        first = batch.column("first")[0].as_py()
        a, b = (selected_ids(batch.column(name)) for name in ("a_name", "b_name"))
        agreeing, *sizes = (batch.column(name).to_numpy().astype(np.int64) for name in ("agreeing", "a_size", "b_size"))
        pairs = lines.format_pairs(a, b, agreeing, (sizes[0], sizes[1]))
        yield from_columns(LINES, step=GOOD, first=first, number=count[first], offsets=b"", lines=pairs)
        count[first] += len(batch)


def to_signed(needed: Needed, step: int, batches: Batches) -> Batches:
    """Takes LINES to SIGNED."""
    records = SignedRecords(needed, lambda _: None, lines=True)
    known: Signed | None = None
    # The kernel reads lines like the last one with a signature; others make a batch of one row, which sets `last`
    for some in numbered_records(batches, records):
        mark, records.last = known if records.last is None else records.last, None
        batch = some.batch
        if batch.rows and mark is not None:
            columns = [binary_array(column.data, np.frombuffer(column.sizes, np.int64)) for column in batch.columns]
            yield from_columns(
                SIGNED,
                step=GOOD,
                first=some.first,
                number=some.numbers[: batch.rows],
                via=mark.via,
                kind=SIGNATURES.index(mark.signature),
                **{"second": b"", **dict(zip(("name", "payload", "second"), columns, strict=False))},
            )
        if batch.bad is not None:
            yield some.bad(SIGNED, step)
        elif mark is not known and mark is not None and mark.data:
            known = mark
            records.schema = records.schema_of(known.via, known.signature, len(known.data))._replace(max_rows=1)
