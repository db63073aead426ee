"""dedup in many tasks: names of documents, members and pairs meet; fates of documents go back to their lines."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation, Window
from pyspark.sql import functions as F

from shingletools.commands.dedup.spec import FIRST, NONE, DedupSpec, in_doubt, in_two_groups
from shingletools.commands.dedup.values import OTHER, common
from shingletools.commands.dedup.values import in_doubt as values_in_doubt
from shingletools.commands.dedup.verdicts import UNSAID
from shingletools.spark.batches import PACKED, Batches, counted, through, union
from shingletools.spark.cut_documents import AGAIN, CUT, FATES, GOES, KNOWN, to_cut
from shingletools.spark.ordered_keys import FORMS, to_forms, to_keys
from shingletools.spark.packed_names import BAD, StepInput, numbers_of
from shingletools.spark.parts import PARTS, StepOutput
from shingletools.spark.removal_rows import (
    BESIDE,
    DOCUMENTS,
    DOUBTED,
    FAULT,
    MEMBER,
    NAMED,
    PAIR,
    take_beside,
    take_documents,
)
from shingletools.spark.removal_rows import KNOWN as ARCHIVED
from shingletools.spark.thinned import thinned
from shingletools.system.errors import Failed

PART = 1 << 26  # bytes of documents that are brought together
MANY = 20  # rounds
BLOCK = pa.schema([("block", pa.int64()), *FATES])


def deduplicated(given: StepInput, stage: DedupSpec) -> StepOutput:
    """Runs dedup. Raises Failed for a bad line in another file, a document in two groups, and what is in doubt."""
    return Removal(given, stage).run()


def by_block(blocks: bytes, batches: Batches) -> Batches:
    """FATES to BLOCK: with the first number of the row that has the document."""
    starts = numbers_of(blocks)
    for batch in batches:
        place = np.searchsorted(starts, batch.column("number").to_numpy(), "right") - 1
        yield pa.RecordBatch.from_arrays([pa.array(starts[place]), *batch.columns], schema=BLOCK)


class Removal:
    """One run of dedup."""

    def __init__(self, given: StepInput, stage: DedupSpec) -> None:
        self.given, self.stage, self.kept = given, stage, given.kept
        self.figures: list[str] = []
        self.remarks: list[str] = []
        beside = [through(frame, partial(take_beside, stage, option), BESIDE)
                  for (option, _), frame in zip(stage.side_files, given.others, strict=True)]  # fmt: skip
        self.beside = self.kept(union(beside))
        documents = through(given.frame, partial(take_documents, stage), DOCUMENTS)
        named = documents.withColumn("first", F.min("number").over(Window.partitionBy("name")))
        self.documents = self.kept(named)
        self.firsts = self.documents.where("number = first").drop("first")  # of each id, in all tasks

    def of(self, what: int) -> DataFrame:
        return self.beside.where(F.col("what") == what).drop("what")

    def run(self) -> StepOutput:
        self.check_beside()
        archived = self.of(ARCHIVED).groupBy("name").agg(
            F.max_by("other", F.struct("similarity", -F.col("number"))).alias("partner"),
            F.max("similarity").alias("similarity"),
        )  # fmt: skip
        known = fates(self.firsts.join(archived, "name"), KNOWN)
        mine = self.firsts.join(archived.select("name"), "name", "left_anti")
        gone = self.by_pairs(mine) if self.stage.pairs else self.by_groups(mine)
        again = self.documents.where("number > first")
        none = F.lit(None).cast("binary").alias("partner"), F.lit(UNSAID).alias("similarity")
        every = union([known, gone, fates(again.select("*", *none), AGAIN)])
        decided = self.kept(every)
        counts = {row["what"]: row["count"] for row in decided.groupBy("what").count().collect()}
        (good,) = counted(self.firsts, F.count(F.lit(1)))
        go, repeated = counts.get(GOES, 0), counts.get(KNOWN, 0)
        figures = [*self.stage.figures(good - go - repeated, go, repeated), *self.figures]
        return self.cut(decided, figures)

    def check_beside(self) -> None:
        """Raises Failed for the first line that fails the run, and for the first document that is in doubt."""
        member = self.of(MEMBER).withColumn("group", F.min("number").over(Window.partitionBy("name")))
        twice = member.where("number > group").select("number", "place", "name", "cause")
        first = (
            twice.unionAll(self.of(FAULT).select("number", "place", "name", "cause")).orderBy("number", "place").first()
        )
        if first is not None:
            cause = first["cause"] or in_two_groups(orjson.loads(bytes(first["name"])))
            raise Failed(f"{self.given.where(first['number'])}: {cause}")
        doubted = self.of(DOUBTED).select("name").distinct()
        document = self.firsts.join(doubted, "name").orderBy("number").first() if self.stage.known else None
        if document is not None:
            name = orjson.loads(bytes(document["name"]))
            raise Failed(f"{self.given.where(document['number'])}: {in_doubt(name)}")

    def by_groups(self, mine: DataFrame) -> DataFrame:
        """FATES of documents of groups, but for one of each."""
        member = self.of(MEMBER).select("name", F.col("number").alias("group"))
        sizes = member.groupBy("group").agg(F.count(F.lit(1)).alias("members"))
        if self.stage.counted is not None:
            parts = self.firsts.where("whole is not null").join(member, "name").groupBy("group").agg(
                (F.count(F.lit(1)) - F.countDistinct("whole")).alias("repeated")
            )  # fmt: skip
            sizes = sizes.join(parts, "group", "left").withColumn(
                "members", F.col("members") - F.coalesce("repeated", F.lit(0))
            )
        large = sizes.where(F.col("members") > (self.stage.larger_than or 1)).select("group")
        grouped = self.keyed(mine.join(member.join(large, "group"), "name"))
        if self.stage.keep == NONE:
            return fates(grouped.select("*", F.lit(None).cast("binary").alias("partner"), unsaid()), GOES)
        best = grouped.groupBy("group").agg(F.min(F.struct("key", "number", "name")).alias("best"))
        beside = grouped.join(best, "group").where("number <> best.number")
        return fates(beside.select("number", "name", F.col("best.name").alias("partner"), unsaid()), GOES)

    def by_pairs(self, mine: DataFrame) -> DataFrame:
        """FATES of documents that have a pair with one that stays."""
        nodes = self.ranked(self.keyed(mine.join(self.of(NAMED).select("name").distinct(), "name")))
        pairs = self.of(PAIR).select(F.col("name").alias("a"), F.col("other").alias("b"), "similarity")
        inside = pairs
        for end in ("a", "b"):
            ranks = nodes.select(F.col("name").alias(end), F.col("rank").alias(f"{end}_rank"))
            inside = inside.join(ranks, end)
        inside = self.kept(inside.select(F.col("a_rank").alias("u"), F.col("b_rank").alias("v"), "similarity"))
        (count,) = counted(inside, F.count(F.lit(1)))
        edges = inside.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v"))
        stays, rounds = thinned(edges, count, self.kept)
        if rounds > MANY:
            self.remarks.append(f"{rounds} rounds to decide which documents stay: their pairs make long chains")
        both = inside.unionAll(inside.select(F.col("v").alias("u"), F.col("u").alias("v"), "similarity"))
        for end, stay in (("u", False), ("v", True)):
            both = both.join(stays.where(F.col("stays") == stay).select(F.col("node").alias(end)), end)
        best = both.groupBy("u").agg(
            F.max_by("v", F.struct("similarity", -F.col("v"))).alias("v"), F.max("similarity").alias("similarity")
        )  # fmt: skip
        partner = nodes.select(F.col("rank").alias("v"), F.col("name").alias("partner"))
        gone = self.kept(fates(nodes.join(best, nodes["rank"] == best["u"]).join(partner, "v"), GOES))
        self.tell_similarity(gone, pairs)
        return gone

    def ranked(self, documents: DataFrame) -> DataFrame:
        """Documents (number, name) with their ranks in the order of preference."""
        if self.stage.keep == FIRST:
            return documents.select(F.col("number").alias("rank"), "number", "name")
        ordered = documents.orderBy("key", "number").select("number", "name")
        return self.kept(ordered.select(F.monotonically_increasing_id().alias("rank"), "number", "name"))

    def tell_similarity(self, gone: DataFrame, pairs: DataFrame) -> None:
        """Figures as those of the shell."""
        median = F.expr("percentile(similarity, 0.5D)").alias("median")
        said = gone.where(F.col("similarity") > UNSAID).agg(F.min("similarity").alias("least"), median).collect()[0]
        if said["least"] is not None:
            figures = ("lowest similarity", said["least"]), ("median", said["median"])
            self.figures += [f"{name} {round(float(value), 6)}" for name, value in figures]
        inside = pairs
        for end in ("a", "b"):
            inside = inside.join(self.firsts.select(F.col("name").alias(end)), end, "left_semi")
        (every,), (there,) = (counted(frame, F.count(F.lit(1))) for frame in (pairs, inside))
        self.figures.append(f"{every - there} pairs of other documents")

    def keyed(self, documents: DataFrame) -> DataFrame:
        """Documents with a key by which they are preferred. Raises Failed if it is in doubt how values decide."""
        if self.stage.valued is None:
            return documents
        forms = through(documents.select("value"), partial(to_forms, self.stage.as_form), FORMS).distinct().collect()
        form = common({row["form"] for row in forms})
        if form == OTHER:
            raise Failed(values_in_doubt(self.stage.valued, self.stage.as_form))
        keys = partial(to_keys, form, self.stage.keep)
        return through(documents, keys, documents.schema).drop("key").withColumnRenamed("value", "key")

    def cut(self, decided: DataFrame, figures: Sequence[str]) -> StepOutput:
        """The documents, after their fates have come to them."""
        sizes = F.octet_length("lines").alias("bytes")
        found = self.given.frame.select("number", sizes).orderBy("number").collect()
        starts, ends = np.array([row["number"] for row in found], np.int64), np.cumsum([row["bytes"] for row in found])
        parts = starts[np.unique(np.append(0, ends)[:-1] // PART, return_index=True)[1]]
        fate = F.collect_list(F.struct("what", "name", "partner", "similarity")).alias("fates")
        blocks = through(decided, partial(by_block, starts.tobytes()), BLOCK)
        of_rows = blocks.groupBy(F.col("block").alias("number")).agg(fate)
        frame = self.given.frame.join(of_rows, "number", "left").select(*PACKED.names, "fates")
        stats, step = Observation(), self.given.step
        bad = F.count("step").alias("bad"), F.sum("again").alias("again")
        cut = self.kept(through(frame, partial(to_cut, self.stage, step, parts.tobytes()), CUT).observe(stats, *bad))
        rejects = [cut.where("step is not null").select(*(name for name, _ in BAD))] if stats.get["bad"] else []
        lines = cut.where("step is null")
        removed = lines.select("part", "number", F.col("removed").alias("lines"))
        return StepOutput(lines.select(*PARTS.names), figures, rejects, removed, stats.get["again"] or 0, self.remarks)


def unsaid() -> Column:
    return F.lit(UNSAID).alias("similarity")


def fates(rows: DataFrame, what: int) -> DataFrame:
    """Rows as FATES."""
    return rows.select("number", F.lit(what).alias("what"), "name", "partner", "similarity")
