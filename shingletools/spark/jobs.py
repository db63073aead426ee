"""What a pipeline is on a cluster."""

import argparse
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple, cast

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from shingletools import errors
from shingletools.dedup.spec import DedupSpec
from shingletools.errors import Failed
from shingletools.simgroup.spec import GroupSpec
from shingletools.simjoin.comparable import Comparable
from shingletools.simjoin.spec import JoinSpec
from shingletools.spark import dedup, files, group, join, parquet
from shingletools.spark.batches import through
from shingletools.spark.files import Kept
from shingletools.spark.lines import LINES, Filters, LineNumbers, RejectedLines
from shingletools.spark.pipeline import Step, is_parquet, texts
from shingletools.spark.signed import SIGNED, Taken, checked, documents, seen_before


class Before(NamedTuple):
    """What a step has: the lines of the step before, and those of the files beside."""

    frame: DataFrame
    order: Sequence[str]  # columns
    others: Sequence[DataFrame]


class Jobs:
    """One run of a pipeline: from --in to --out, and what is said of it."""

    numbers: LineNumbers

    def __init__(
        self, spark: SparkSession, options: argparse.Namespace, complain: Callable[[str], None], kept: Kept
    ) -> None:
        self.kept = kept
        self.spark = spark
        self.options = options
        self.rejects = RejectedLines(options.rejects, complain)
        self.figures: list[str] = []
        # Each has the specification of its own command, which mypy cannot know by the name
        self.work_of: dict[str, Callable[[Before, Any, int], tuple[DataFrame, Sequence[str]]]] = {
            "simjoin": self.joined, "simgroup": self.grouped, "dedup": self.deduplicated,
        }  # fmt: skip

    def run(self, steps: Sequence[Step]) -> list[str]:
        """What -v says of it. Raises Failed."""
        self.refuse_to_overwrite(steps)
        names = [step.name for step in steps]
        inputs, others = self.options.inputs, [path for step in steps for path in step.stage.beside]
        filters = [(each, step.id_field) for step in steps if (each := step.stage.record_by_record)]
        text = texts(steps)
        sources = [files.read(self.spark, path, part, text) for part, path in enumerate(inputs)]
        lines = through(reduce(DataFrame.unionAll, sources), Filters(filters), LINES)
        for part, (option, path) in enumerate(others, len(inputs)):
            lines = lines.unionAll(through(files.read(self.spark, path, part, text, option), Filters([]), LINES))
        lines = self.kept(lines)
        self.numbers = LineNumbers(lines)
        numbered = self.numbers.numbered(lines)
        self.rejects.add(numbered.where("step > 0"))
        try:
            frame = self.work(numbered, steps, len(filters), len(others))
        except Failed:
            self.rejects.tell(names, self.numbers)  # so that these are not lost
            raise
        self.rejects.tell(names, self.numbers)
        written = self.write(frame, self.options.out, parquet.columns(steps[-1]))
        read = f"{self.numbers.first_of(len(inputs))} lines read"
        return [read, f"{self.rejects.count} rejected", *self.figures, f"{written} written"]

    def work(self, numbered: DataFrame, steps: Sequence[Step], filters: int, others: int) -> DataFrame:
        """The lines of the output, in order, from those that so many filters have made."""
        good = numbered.where("step = 0").select("number", "line")
        borders = [self.numbers.first_of(len(self.options.inputs) + number) for number in range(others + 1)]
        parts = [good.where(F.col("number") < borders[0])]
        parts += [good.where((F.col("number") >= first) & (F.col("number") < end)) for first, end in pairwise(borders)]
        frame, order = parts.pop(0), cast(Sequence[str], ["number"])
        for number, step in enumerate(steps[filters:], filters + 1):
            some, parts = parts[: len(step.stage.beside)], parts[len(step.stage.beside) :]
            try:
                frame, order = self.work_of[step.name](Before(frame, order, some), step.stage, number)
            except Failed as error:
                raise Failed(f"{step.name}: {error}") from None
        return frame.orderBy(*order)

    def refuse_to_overwrite(self, steps: Sequence[Step]) -> None:
        """Now, rather than when all is done."""
        removed = [step.stage.removed for step in steps]
        folders = files.Files(self.spark)
        paths = [path.rstrip("/") for path in (self.options.out, self.options.rejects, *removed) if path is not None]
        for number, path in enumerate(paths):
            if folders.exists(path) or path in paths[:number]:
                raise Failed(f"{errors.printable(path)}: is there already")

    def write(self, frame: DataFrame, path: str, empty: StructType) -> int:
        """How many lines; as Parquet, if there are none, with the columns `empty`."""
        observed = Observation()
        frame = frame.observe(observed, F.count(F.lit(1)).alias("lines"))
        if is_parquet(path):
            lines = self.kept.path()
            files.write_lines(frame, lines, gzip=False)
            parquet.write(self.spark, files.literal(lines), path, self.options.gzip, empty)
        else:
            files.write_lines(frame, path, self.options.gzip)
        return int(observed.get["lines"])

    def joined(self, before: Before, stage: JoinSpec, step: int) -> tuple[DataFrame, Sequence[str]]:
        """Pairs, from documents."""
        cross = self.numbers.first_of(len(self.options.inputs)) if before.others else None
        every = reduce(DataFrame.unionAll, before.others, before.frame)
        order = "a", "b"
        signed = self.kept(through(every, Taken(stage.id_field, stage.once(0), stage.wanted.verify, step), SIGNED))
        self.rejects.add(signed.where("step > 0"))
        fresh, again = seen_before(signed.where("step = 0"), every, cross, step, self.kept)
        if again is not None:
            self.rejects.add(again)
        comparable = Comparable(stage.wanted)
        shaped = checked(signed, fresh, comparable, self.numbers)
        found = None if shaped is None else documents(fresh, comparable, shaped, self.kept)
        if found is None:
            return self.spark.createDataFrame(join.SAID.empty_table()), order
        self.figures += [*comparable.summary(), f"{found.bands} bands", f"recall {found.recall:.4g}"]
        return join.said(join.pairs(found, cross, self.kept), found), order

    def grouped(self, before: Before, stage: GroupSpec, step: int) -> tuple[DataFrame, Sequence[str]]:
        """Groups, from pairs."""
        x, *y = map(F.col, before.order)
        order = "single", "node"
        pairs = before.frame.select(x.alias("x"), (y[0] if y else F.lit(0).cast("long")).alias("y"), "line")
        paired = self.kept(through(pairs, group.Paired(stage.least, stage.once(0), step), group.PAIRED))
        bad = paired.where("step > 0")
        self.rejects.add(bad.withColumn("number", F.lit(None).cast("long") if y else F.col("x")))
        nodes = group.documents(paired.where("step = 0"), self.kept)
        edges = self.kept(group.edges(paired.where("step = 0"), nodes))
        roots = group.connected(edges, self.kept)
        if self.options.verbose:
            self.figures += group.figures(edges, roots)
        groups = group.groups(roots, nodes).withColumn("single", F.lit(0))
        if not before.others:
            return groups, order
        others = reduce(DataFrame.unionAll, before.others)
        named = self.kept(through(others, group.Named(stage.id_field, step), group.NAMED))
        self.rejects.add(named.where("step > 0"))
        return groups.unionAll(group.singles(named.where("step = 0"), nodes).withColumn("single", F.lit(1))), order

    def deduplicated(self, before: Before, stage: DedupSpec, step: int) -> tuple[DataFrame, Sequence[str]]:
        """Documents, from documents; the groups are beside."""
        order = before.order
        ranked = self.kept(through(before.frame, dedup.Ranked(stage, step), dedup.RANKED))
        self.rejects.add(ranked.where("step > 0"))
        fresh, again = seen_before(ranked.where("step = 0"), before.frame, None, step, self.kept)
        if again is not None:
            self.rejects.add(again)
        groups = dedup.read_groups(reduce(DataFrame.unionAll, before.others), self.numbers)
        chosen = self.kept(dedup.chosen(fresh, groups))
        if self.options.verbose:
            self.figures += dedup.figures(chosen, stage.annotate)
        if stage.annotate:
            return through(chosen, dedup.marked, dedup.MARKED), order
        if stage.removed is not None:
            gone = chosen.where("kept is not null").orderBy("number")
            self.write(gone, stage.removed, parquet.columns(Step("dedup", stage.id_field, stage)))
        return chosen.where("kept is null"), order
