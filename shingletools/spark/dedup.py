"""dedup on Spark, for more documents than one task can hold: what is decided goes back to the lines."""

from functools import partial

import numpy as np
import orjson
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from shingletools.commands.dedup.duplicate_marks import annotated, mark
from shingletools.commands.dedup.pair_input import NO_SIMILARITY
from shingletools.commands.dedup.spec import FIRST, KNOWN, NONE, DedupSpec, doubtful_side, in_two_groups
from shingletools.commands.dedup.value_order import OTHER, common_form, why_incomparable
from shingletools.kernel.independent_set import EITHER_MAY, FIRST_MAY, SECOND_MAY
from shingletools.spark import dedup_records as records
from shingletools.spark.arrow_batches import through, union
from shingletools.spark.graph import thinned, with_nodes
from shingletools.spark.lines import GOOD, REMOVED, Decision, LineRow, NumberedLines, StepInput, bad_row, with_decisions
from shingletools.system.errors import Failed

BAD = "bad"  # in place of the rule by which a document goes: it is bad


class Removal:
    """Runs dedup once, in many tasks."""

    def __init__(self, given: StepInput) -> None:
        stage = given.step.stage
        assert isinstance(stage, DedupSpec)
        self.given, self.stage, self.checkpoint = given, stage, given.checkpoint
        deciding = [
            through(frame, partial(records.to_deciding, stage, option), records.DECIDING)
            for (option, _), frame in zip(stage.side_files, given.others, strict=True)
        ]
        self.deciding = self.checkpoint(union(deciding))
        rows = through(given.lines, partial(records.to_documents, stage), records.DOCUMENTS)
        first = F.min("number").over(Window.partitionBy("name", F.isnull("cause"))).alias("first_number")
        self.rows = self.checkpoint(rows.select("*", first))
        good = self.rows.where("cause IS NULL")
        # Nothing is decided on others of the same id
        self.documents = good.where("number = first_number").drop("first_number", "cause")

    def deciding_rows(self, what: int) -> DataFrame:
        """Returns the rows of DECIDING that are of one kind."""
        return self.deciding.where(F.col("what") == what).drop("what")

    def run(self) -> DataFrame:
        """Returns documents that stay, those that are removed, and bad records. Raises Failed."""
        self.check()
        archived = (
            self.deciding_rows(records.KNOWN)
            .groupBy("name")
            .agg(
                F.max_by("other", F.struct("similarity", -F.col("number"))).alias("partner"),
                F.max("similarity").alias("similarity"),
            )
        )
        known = decisions(self.documents.join(archived, "name"), KNOWN)
        documents = self.documents.join(archived.select("name"), "name", "left_anti")
        gone = self.by_pairs(documents) if self.stage.pairs else self.by_groups(documents)
        bad = decisions(self.rows.where("cause IS NOT NULL"), BAD)
        every = self.checkpoint(union([known, gone, bad]))
        return with_decisions(self.given.lines, every, partial(divide, self.stage, self.given.number))

    def check(self) -> None:
        """Raises Failed for a document in two groups, and for one that is in doubt."""
        twice = self.deciding_rows(records.MEMBER).groupBy("name").agg(F.count_distinct("number").alias("groups"))
        if (row := twice.where("groups > 1").first()) is not None:
            raise Failed(in_two_groups(orjson.loads(bytes(row["name"]))))
        doubted = self.deciding_rows(records.DOUBTED).select("name").distinct()
        row = self.documents.join(doubted, "name").orderBy("number").first() if self.stage.known else None
        if row is not None:
            raise Failed(doubtful_side(orjson.loads(bytes(row["name"]))))

    def by_groups(self, remaining: DataFrame) -> DataFrame:
        """Returns the documents of groups that go: all but one of each."""
        member = self.deciding_rows(records.MEMBER).select("name", F.col("number").alias("group"))
        sizes = member.groupBy("group").agg(F.count(F.lit(1)).alias("members"))
        if self.stage.counted is not None:
            repeated = (F.count(F.lit(1)) - F.countDistinct("whole")).alias("repeated")
            parts = self.documents.where("whole IS NOT NULL").join(member, "name").groupBy("group").agg(repeated)
            members = F.col("members") - F.coalesce("repeated", F.lit(0))
            sizes = sizes.join(parts, "group", "left").withColumn("members", members)
        large = sizes.where(F.col("members") > (self.stage.larger_than or 1)).select("group")
        grouped = self.keyed(remaining.join(member.join(large, "group"), "name"))
        if self.stage.keep == NONE:
            return decisions(grouped, NONE)
        best = grouped.groupBy("group").agg(F.min(F.struct("key", "number", "name")).alias("best"))
        others = grouped.join(best, "group").where("number <> best.number")
        return decisions(others.withColumn("partner", F.col("best.name")), self.stage.keep)

    def by_pairs(self, remaining: DataFrame) -> DataFrame:
        """Returns the documents that may go for one that stays."""
        nodes = self.ranked(
            self.keyed(remaining.join(self.deciding_rows(records.NAMED).select("name").distinct(), "name"))
        )
        pairs = self.deciding_rows(records.PAIR).withColumnsRenamed({"name": "a", "other": "b"})
        inside = with_nodes(pairs, nodes).select("u", "v", "similarity", "number")
        turned = inside.select(F.col("v").alias("u"), F.col("u").alias("v"), "similarity", "number")
        may = F.col("number").bitwiseAND
        both = self.checkpoint(inside.where(may(FIRST_MAY) > 0).unionAll(turned.where(may(SECOND_MAY) > 0)))
        edges = both.where(f"u > v OR number <> {EITHER_MAY}").select("u", "v")
        stays, _ = thinned(edges, edges.count(), self.checkpoint)
        for end, stay in (("u", False), ("v", True)):
            both = both.join(stays.where(F.col("stays") == stay).select(F.col("node").alias(end)), end)
        best = both.groupBy("u").agg(
            F.max_by("v", F.struct("similarity", -F.col("v"))).alias("v"), F.max("similarity").alias("similarity")
        )
        partner = nodes.select(F.col("node").alias("v"), F.col("name").alias("partner"))
        return decisions(nodes.join(best, nodes["node"] == best["u"]).join(partner, "v"), self.stage.keep)

    def ranked(self, documents: DataFrame) -> DataFrame:
        """Returns documents as nodes, which are numbers in the order of preference."""
        columns = "first", "number", "name"
        if self.stage.keep == FIRST:
            return documents.select(F.col("number").alias("node"), *columns)
        ordered = documents.orderBy("key", "number").select(*columns)
        return self.checkpoint(ordered.select(F.monotonically_increasing_id().alias("node"), *columns))

    def keyed(self, documents: DataFrame) -> DataFrame:
        """Returns documents with a key by which they are preferred. Raises Failed if values cannot be compared."""
        if self.stage.valued is None:
            return documents
        to_forms = partial(records.to_forms, self.stage.as_form)
        forms = through(documents.select("value"), to_forms, records.FORMS).distinct().collect()
        form = common_form({row["form"] for row in forms})
        if form == OTHER:
            raise Failed(why_incomparable(self.stage.valued, self.stage.as_form))
        keys = partial(records.to_keys, form, self.stage.keep)
        return through(documents, keys, documents.schema).drop("key").withColumnRenamed("value", "key")


def decisions(rows: DataFrame, rule: str) -> DataFrame:
    """Returns documents that go, by a rule. Rows may lack the document that is kept for them, and the cause."""
    null = F.lit(None)
    nothing = {"partner": null.cast("binary"), "similarity": F.lit(NO_SIMILARITY), "cause": null.cast("string")}
    rows = rows.withColumns({name: value for name, value in nothing.items() if name not in rows.columns})
    columns = "name", "partner", "similarity", F.col("cause").alias("why")
    return rows.select("first", "number", F.lit(rule).alias("rule"), *columns)


def divide(stage: DedupSpec, step: int, some: NumberedLines, decisions: list[Decision]) -> list[LineRow]:
    """Divides lines into documents that stay, those that are removed, and bad ones. Returns rows of LINES."""
    if not decisions and not stage.annotate:
        return [some.row()]
    by_number = {decision["number"]: decision for decision in decisions}
    divided: dict[int, list[tuple[int, bytes]]] = {GOOD: [], REMOVED: []}
    rows: list[LineRow] = []
    for number, line in zip(some.numbers.tolist(), some.lines.split(b"\n"), strict=False):
        each = by_number.get(number)
        cause = each and each["why"]
        if cause:
            rows.append(bad_row(some.first, number, step, cause, line))
            continue
        removed = each is not None and not stage.annotate
        marked = stage.annotate or (each is not None and stage.marks and each["rule"] == KNOWN)
        made = None if each is None else mark(each["partner"], each["rule"], each["similarity"])
        divided[REMOVED if removed else GOOD].append((number, annotated(line, made) if marked else line))
    for to, lines in divided.items():
        if lines:
            numbers, texts = zip(*lines, strict=True)
            rows.append(NumberedLines(some.first, np.array(numbers), b"\n".join([*texts, b""])).row(to))
    return rows
