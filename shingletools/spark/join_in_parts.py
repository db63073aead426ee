"""simjoin on a cluster: the same buckets and the same comparisons, in tasks of bounded size."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.commands.simjoin.table import Table
from shingletools.spark import archives, heads
from shingletools.spark.archives import PinnedArchive
from shingletools.spark.batches import through, union
from shingletools.spark.bucket_blocks import tasks, without_hubs, worked
from shingletools.spark.copies import with_copies
from shingletools.spark.exchange import parts_for, sent
from shingletools.spark.filtered_lines import PLACES, REJECTED, SIZE, LineNumbers
from shingletools.spark.meeting import HITS, SAME, SIZED, Meeting, to_entries
from shingletools.spark.number_sets import Chosen, chosen
from shingletools.spark.parts import PARTS, StepOutput
from shingletools.spark.said import NAMED, write_pairs
from shingletools.spark.signed import COLUMNS, IDS, SIGNED, Mark, Reading, check, marks_of
from shingletools.spark.signed_documents import (
    AGAIN,
    COPIED,
    FIRST,
    NAMES,
    ORIGINALS,
    SUMMED,
    add_counts,
    first_signed,
    seen_before,
    summed,
    to_counts,
    to_names,
    to_originals,
    with_agreeing,
)
from shingletools.spark.spark_files import Kept
from shingletools.spark.tally import SplitStats, Tally
from shingletools.spark.tasks import (
    FOUND,
    to_found,
    to_pairs,
)

# The number of partitions follows from sizes that are known. With its adaptive execution, Spark would run each stage as
# a job to learn them. Data for all tasks is sent as arrays, since Java copies a table of rows first.
SHUFFLED = "spark.sql.shuffle.partitions"
PLANNED = {"spark.sql.adaptive.enabled": "false", "spark.sql.autoBroadcastJoinThreshold": "-1", SHUFFLED: "1"}
BLOCK_ROWS, BLOCK_BYTES = 1 << 12, 1 << 22  # of a block of a bucket; a task compares two blocks
PAIR_BYTES = 160  # of a pair with its names, about
SIZES = dict(zip(COLUMNS[::2], COLUMNS[1::2], strict=True))
REJECTS = [name for name, _ in REJECTED]


class Signatures(NamedTuple):
    """What is joined: SIGNED, the statistics of its splits, and the numbers of its lines.

    Lines from `cross` on are of the other side.
    """

    rows: DataFrame
    stats: Sequence[SplitStats]
    numbers: LineNumbers
    cross: int | None
    archives: Sequence[PinnedArchive] = ()


class Run:
    """One run of simjoin in many tasks."""

    def __init__(self, signatures: Signatures, stage: JoinSpec, kept: Kept) -> None:
        rows, self.stats, self.numbers, self.cross, self.archives = signatures
        self.stage = stage
        self.kept = kept
        self.signed = rows.where("step = 0").select(*(name for name in SIGNED.names if name not in REJECTS))
        self.session = rows.sparkSession
        self.context = self.session.sparkContext
        self.cores = self.context.defaultParallelism
        self.comparable = Comparable(stage.wanted)
        kinds = {each.mark.kind for each in marks_of(self.stats, self.numbers) if each.mark.size}
        self.least = min((SIGNATURES[kind].smallest(stage.wanted) for kind in kinds), default=1)
        self.reading = Reading(self.numbers.starts, 1 + stage.wanted.verify, Chosen.none())
        self.measure(self.stats)

    def measure(self, stats: Sequence[SplitStats]) -> None:
        """Computes sizes from the statistics of splits."""
        self.ids = sum(split.figures.get(IDS, 0) for split in stats)  # bytes of all
        self.size = sum(split.figures.get(SIZE, 0) for split in stats)  # bytes of all signatures

    def joined(self, reject: Callable[[DataFrame, Chosen], None], step: int) -> StepOutput:
        """Runs the join by buckets. Documents of archives are treated like others.

        reject: called with documents whose ids were used before (number, step, cause), and their set. Raises Failed.
        """
        if self.archives:
            self.with_archives()
        copied, copies, again = self.repeated()
        if again.size:
            reject(through(self.of("ids"), partial(seen_before, self.reading, again, step), AGAIN), again)
        every = self.reading = self.reading._replace(without=again)
        first = self.first_signed()
        check(self.stats, self.numbers, self.comparable, first)
        if self.archives:
            via = next((each.mark.via for each in marks_of(self.stats, self.numbers) if each.mark.good), None)
            asked = first is not None and self.cross is not None and first[0] < self.cross
            archives.check(self.stage, self.archives, self.comparable, via, asked)
        if first is None:
            return StepOutput(self.session.createDataFrame(PARTS.empty_table()), [])
        factory = TableFactory(SIGNATURES[first[1].kind], self.comparable.wanted)
        originals_only = chosen(copied.select("number"), copies, self.numbers.count)
        self.reading = every._replace(without=again | originals_only)
        self.count(factory)
        table = empty_table(factory, first[1].size)
        figures = self.figures(table)
        pairs, count = self.compared(factory, first[1], table.bands)
        self.reading = every
        if copies:
            pairs, count = self.counted(self.with_copies(pairs, copied, copies, factory))
        return StepOutput(self.said(pairs, count, factory), figures)

    def with_archives(self) -> None:
        """Adds the documents of archives to the signatures."""
        found = union([each.signed(self.session).select(*self.signed.columns) for each in self.archives])
        self.signed = self.signed.unionAll(self.kept(found))
        self.measure([*self.stats, *(stats for each in self.archives for stats in each.stats())])

    def figures(self, table: Table) -> list[str]:
        return [*self.comparable.summary(), f"{table.bands} bands", f"recall {table.recall:.4g}"]

    def repeated(self) -> tuple[DataFrame, int, Chosen]:
        """Copies (number, first), their number, and the set of documents whose ids were used before."""
        parts = parts_for(2 * self.numbers.count * heads.HEAD.itemsize, self.cores)
        repeated, counts = self.repeating(self.reading, True, parts)
        ids = repeated.where(F.col("what") == heads.IDS).select("number")
        again = chosen(ids, counts[heads.IDS], self.numbers.count)
        if again.size:  # rejected documents must not be originals
            repeated, counts = self.repeating(self.reading._replace(without=again), False, parts)
        copied = repeated.where(F.col("what") == heads.SIGNATURES).select("number", "first")
        return copied, counts[heads.SIGNATURES], again

    def repeating(self, reading: Reading, ids: bool, parts: int) -> tuple[DataFrame, list[int]]:
        tally = Tally(self.context)
        heading = heads.DigestExchange(reading, self.cross, ids, self.least, parts)
        found = sent(self.of("ids", "payload", "second"), heading, parts)
        kept = self.kept(through(found, partial(heads.to_repeated, tally), heads.REPEATED))
        return kept, [sum(each.figures[what] for each in tally.all()) for what in (heads.IDS, heads.SIGNATURES)]

    def of(self, *things: str, sizes: Sequence[str] = ()) -> DataFrame:
        """Some columns of SIGNED; for `sizes`, only the sizes of things."""
        columns = [each for name in things for each in (name, SIZES[name])] + [SIZES[name] for name in sizes]
        return self.signed.select(*(name for name, _ in PLACES), "numbers", *columns)

    def first_signed(self) -> tuple[int, Mark] | None:
        """The first document with a signature that is not rejected, and its mark."""
        marks = (each for each in marks_of(self.stats, self.numbers) if each.mark.good and each.mark.size)
        found = min(marks, default=None)
        if found is None:
            return None
        if not self.reading.without.has(np.array([found.first]))[0]:
            return found.first, found.mark
        columns = self.of(sizes=["payload"]).columns
        of_files = self.signed.where(~F.col("part").isin([each.part for each in self.archives]))
        rows = through(of_files.select(*columns, "marks", "mark"), partial(first_signed, self.reading), FIRST)
        first = rows.orderBy("number").first()
        return None if first is None else (first["number"], Mark(first["via"], first["kind"], first["size"], True))

    def count(self, factory: TableFactory) -> None:
        """Counts what tables need of all documents."""
        for column, (signature, counts) in enumerate(zip(factory.signatures, factory.counts, strict=True)):
            if len(counts):
                counting = partial(to_counts, self.reading, signature, column, self.cores)
                rows = through(
                    sent(self.of("payload", "second"), counting, self.cores), summed, SUMMED
                ).toLocalIterator()
                add_counts(counts, (bytes(row["counts"]) for row in rows))

    def compared(self, factory: TableFactory, mark: Mark, bands: int) -> tuple[DataFrame, int]:
        """The pairs of originals (a, b, agreeing), and their number."""
        hits, count = self.meeting(factory, mark, bands)
        shared = chosen(hits.select("number"), count, self.numbers.count)
        originals = through(self.of("payload", "second"), partial(to_originals, self.reading, shared), ORIGINALS)
        row = self.size // max(1, self.numbers.count) + 64
        self.session.conf.set(SHUFFLED, str(parts_for(count * row, self.cores)))
        if factory.wanted.forest:
            originals = self.kept(originals)
            rest, near = without_hubs(self.kept(hits.where("rows > block")), originals, factory, self.cross, self.kept)
            small = tasks(hits.where("rows <= block"), self.cross)
            connecting = worked(small.unionAll(rest), originals, partial(to_found, factory, self.cross), FOUND)
            pairs = connecting.unionAll(near).distinct()  # several tasks may give the same pair
        else:
            pairs = worked(tasks(hits, self.cross), originals, partial(to_pairs, factory, self.cross), FOUND)
        return self.counted(pairs)

    def meeting(self, factory: TableFactory, mark: Mark, bands: int) -> tuple[DataFrame, int]:
        """The entries of buckets that are to be compared, and their number."""
        tally = Tally(self.context)
        fixed = SIGNATURES[mark.kind].fixed(mark.size)
        kind = SAME if fixed and len(factory.signatures) == 1 else SIZED
        entries = bands * self.numbers.count if fixed else self.size // 8
        parts = parts_for(entries * kind.itemsize, self.cores)
        exploded = sent(self.of("payload", "second"), partial(to_entries, self.reading, factory, kind, parts), parts)
        meeting = Meeting(tally, self.cross, kind, mark.size, (BLOCK_ROWS, BLOCK_BYTES))
        hits = self.kept(through(exploded, meeting, HITS))
        return hits, sum(each.figures["hits"] for each in tally.all())

    def counted(self, frame: DataFrame) -> tuple[DataFrame, int]:
        """A kept DataFrame, and its number of rows."""
        observed = Observation()
        kept = self.kept(frame.observe(observed, F.count(F.lit(1)).alias("rows")))
        return kept, int(observed.get["rows"])

    def with_copies(self, pairs: DataFrame, copied: DataFrame, copies: int, factory: TableFactory) -> DataFrame:
        """Pairs of originals as pairs of documents."""
        named = copied.select("number", F.col("first").alias("original"))
        originals = chosen(named.select("original"), copies, self.numbers.count)
        sizes = self.names(originals).select(F.col("number").alias("original"), "size")
        with_sizes = named.join(sizes, "original").select("number", "original", "size")
        agreeing = through(with_sizes, partial(with_agreeing, factory.signatures[-1]), COPIED)
        return with_copies(pairs, agreeing, factory.wanted.forest, self.cross)

    def said(self, pairs: DataFrame, count: int, factory: TableFactory) -> DataFrame:
        """All pairs as lines, in order."""
        named = pairs
        for side in ("a", "b"):
            names = self.names(chosen(pairs.select(side), count, self.numbers.count))
            of_side = names.withColumnsRenamed({"number": side, "name": f"{side}_name", "size": f"{side}_size"})
            named = named.join(of_side, side)
        ordered = self.ordered(named.select("a", "b", *NAMED), count)
        write = partial(write_pairs, factory.signatures[-1], factory.wanted, self.cross is not None)
        return through(ordered, write, PARTS)

    def ordered(self, pairs: DataFrame, count: int) -> DataFrame:
        """The pairs by a and b. count: their number."""
        parts = parts_for(PAIR_BYTES * count, 1)
        self.session.conf.set(SHUFFLED, str(parts))
        return pairs.orderBy("a", "b") if parts > 1 else pairs.repartition(1).sortWithinPartitions("a", "b")

    def names(self, some: Chosen) -> DataFrame:
        last = "second" if self.reading.payloads > 1 else "payload"
        return through(self.of("ids", sizes=[last]), partial(to_names, self.reading, some), NAMES)


def empty_table(factory: TableFactory, size: int) -> Table:
    """A table of one document, with a signature of `size` bytes if all have as many."""
    payloads = [signature.fixed(size) or 8 for signature in factory.signatures]
    return factory.table([(np.zeros(each, np.uint8), np.array([each])) for each in payloads])
