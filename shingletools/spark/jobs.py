"""What a pipeline is on a cluster."""

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.filter import Filter
from shingletools.simgroup.groups import Groups
from shingletools.simjoin.sketches import SketchJoin
from shingletools.spark import dedup, frames, group, join
from shingletools.spark.frames import LINES, Filters, Kept, Places, Rejects, through, write
from shingletools.spark.pipeline import Keep, Step
from shingletools.spark.signed import SIGNED, Taken, checked, documents, seen_before
from shingletools.wire import Failed


class Jobs:
    """One run of a pipeline: from --in to --out, and what is said of it."""

    places: Places

    def __init__(
        self, spark: SparkSession, options: argparse.Namespace, complain: Callable[[str], None], kept: Kept
    ) -> None:
        self.kept = kept
        self.spark = spark
        self.options = options
        self.rejects = Rejects(options.rejects, complain)
        self.said: list[str] = []

    def run(self, steps: Sequence[Step]) -> list[str]:
        """What -v says of it. Raises Failed."""
        self.refuse_to_overwrite(steps)
        names = [step.name for step in steps]
        inputs, others = self.options.inputs, [path for step in steps for path in beside(step)]
        filters = [step for step in steps if isinstance(step.stage, Filter)]
        lines = through(frames.read(self.spark, inputs), Filters(filters), LINES)
        for part, path in enumerate(others, len(inputs)):
            lines = lines.unionAll(through(frames.read(self.spark, [path], part), Filters([]), LINES))
        lines = self.kept(lines)
        self.places = Places(lines)
        numbered = self.places.numbered(lines)
        self.rejects.add(numbered.where("step > 0"))
        try:
            frame = self.work(numbered, steps, len(filters), len(others))
        except Failed:
            self.rejects.tell(names, self.places)  # so that these are not lost
            raise
        self.rejects.tell(names, self.places)
        written = self.write(frame)
        read = f"{self.places.first_of(len(inputs))} lines read"
        return [read, f"{self.rejects.count} rejected", *self.said, f"{written} written"]

    def work(self, numbered: DataFrame, steps: Sequence[Step], filters: int, others: int) -> DataFrame:
        """The lines of the output, in order, from those that so many filters have made."""
        good = numbered.where("step = 0").select("number", "line")
        borders = [self.places.first_of(len(self.options.inputs) + number) for number in range(others + 1)]
        parts = [good.where(F.col("number") < borders[0])]
        parts += [good.where((F.col("number") >= first) & (F.col("number") < end)) for first, end in pairwise(borders)]
        frame, order = parts.pop(0), ["number"]
        for number, step in enumerate(steps[filters:], filters + 1):
            some, parts = parts[: len(beside(step))], parts[len(beside(step)) :]
            if isinstance(step.stage, SketchJoin):
                frame, order = self.joined(frame, some, step.stage, number), ["a", "b"]
            elif isinstance(step.stage, Groups):
                frame, order = self.grouped(frame, order, some, step.stage, number), ["second", "node"]
            elif isinstance(step.stage, Keep):
                frame = self.deduplicated(frame, some[0], step.stage, number)
        return frame.orderBy(*order)

    def refuse_to_overwrite(self, steps: Sequence[Step]) -> None:
        """Now, rather than when all is done."""
        removed = [step.stage.job.removed for step in steps if isinstance(step.stage, Keep)]
        files = frames.Files(self.spark)
        paths = [path.rstrip("/") for path in (self.options.out, self.options.rejects, *removed) if path is not None]
        for number, path in enumerate(paths):
            if files.exists(path) or path in paths[:number]:
                raise Failed(f"{wire.printable(path)}: is there already")

    def write(self, frame: DataFrame) -> int:
        """How many lines."""
        observed = Observation()
        frame = frame.observe(observed, F.count(F.lit(1)).alias("lines"))
        out = self.options.out
        if not frames.is_parquet(out):
            write(frame, out, self.options.gzip)
        else:
            lines = self.kept.path()
            write(frame, lines)
            mixed = frames.mixed(self.spark.read.text(lines, lineSep="\n"))
            if mixed is not None:
                raise Failed(f"--out {wire.printable(out)}: {wire.shown(mixed)} is of several types, a column of one")
            records = self.spark.read.json(lines, lineSep="\n", mode="FAILFAST")
            if not records.columns:
                raise Failed(f"--out {wire.printable(out)}: no records, and so no columns")
            records.write.parquet(out)
        return int(observed.get["lines"])

    def joined(self, lines: DataFrame, others: Sequence[DataFrame], stage: SketchJoin, step: int) -> DataFrame:
        cross = self.places.first_of(len(self.options.inputs)) if others else None
        every = lines.unionAll(others[0]) if others else lines
        signed = self.kept(through(every, Taken(stage.id_field, stage.wanted.verify, step), SIGNED))
        self.rejects.add(signed.where("step > 0"))
        shaped = checked(signed, stage, self.places)
        fresh, again = seen_before(signed.where("step = 0"), every, cross, step, self.kept)
        if again is not None:
            self.rejects.add(again)
        found = None if shaped is None else documents(fresh, stage, shaped, self.kept)
        if found is None:
            return self.spark.createDataFrame(join.SAID.empty_table())
        self.said += [f"{found.bands} bands", f"recall {found.recall:.4g}"]
        return join.said(join.pairs(found, cross, self.kept), found)

    def grouped(
        self, good: DataFrame, order: Sequence[str], others: Sequence[DataFrame], stage: Groups, step: int
    ) -> DataFrame:
        x, *y = map(F.col, order)
        pairs = good.select(x.alias("x"), (y[0] if y else F.lit(0).cast("long")).alias("y"), "line")
        paired = self.kept(through(pairs, group.Paired(stage.least, step), group.PAIRED))
        bad = paired.where("step > 0")
        self.rejects.add(bad.withColumn("number", F.lit(None).cast("long") if y else F.col("x")))
        nodes = group.documents(paired.where("step = 0"), self.kept)
        groups = group.groups(paired.where("step = 0"), nodes, self.kept).withColumn("second", F.lit(0))
        if not others:
            return groups
        named = self.kept(through(others[0], group.Named(stage.id_field, step), group.NAMED))
        self.rejects.add(named.where("step > 0"))
        return groups.unionAll(group.singles(named.where("step = 0"), nodes).withColumn("second", F.lit(1)))

    def deduplicated(self, good: DataFrame, groups: DataFrame, keep: Keep, step: int) -> DataFrame:
        taken = self.kept(through(good, dedup.Taken(keep, step), dedup.TAKEN))
        self.rejects.add(taken.where("step > 0"))
        fresh, again = seen_before(taken.where("step = 0"), good, None, step, self.kept)
        if again is not None:
            self.rejects.add(again)
        chosen = self.kept(dedup.chosen(fresh, dedup.read_groups(groups, self.places)))
        if keep.job.annotate:
            return through(chosen, dedup.marked, dedup.MARKED)
        if keep.job.removed is not None:
            write(chosen.where("kept is not null").orderBy("number"), keep.job.removed, self.options.gzip)
        return chosen.where("kept is null")


def beside(step: Step) -> Sequence[str]:
    """What a step reads beside what the one before it writes."""
    if isinstance(step.stage, Keep):
        return [step.stage.job.groups]
    return [] if isinstance(step.stage, Filter) else step.stage.against
