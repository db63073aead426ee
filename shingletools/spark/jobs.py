"""What a pipeline is on a cluster."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from typing import cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from shingletools import errors
from shingletools.chain import Chain
from shingletools.errors import Failed
from shingletools.simjoin.spec import JoinSpec
from shingletools.spark import files, join, parquet
from shingletools.spark.batches import through
from shingletools.spark.chosen import Chosen
from shingletools.spark.files import Kept
from shingletools.spark.lines import (
    BAD,
    BAD_COLUMNS,
    KEPT,
    LINES,
    NUMBERED,
    REJECTED,
    WRITTEN,
    Filtered,
    Keeping,
    LineNumbers,
    Picking,
    RejectedLines,
    Writing,
)
from shingletools.spark.parts import KeepingParts, WritingParts
from shingletools.spark.pipeline import Step, is_parquet, texts
from shingletools.spark.signed import SIGNED, Signing
from shingletools.spark.tally import Tally, Told

# A task writes to several files as it goes, so that nothing need be sorted by the file
SEVERAL_FILES = {"spark.sql.maxConcurrentOutputFileWriters": "100000"}


class Jobs:
    """One run of a pipeline: from --in to --out, and what is said of it."""

    numbers: LineNumbers

    def __init__(self, spark: SparkSession, options: argparse.Namespace, complain: Callable[[str], None]) -> None:
        self.spark = spark
        self.options = options
        self.rejects = RejectedLines(options.rejects, complain)
        self.figures: list[str] = []

    def run(self, steps: Sequence[Step], kept: Kept, beside: Kept) -> list[str]:
        """What -v says of it; `beside` is in the file system of --out. Raises Failed."""
        self.steps, self.kept, self.beside = steps, kept, beside
        self.refuse_to_overwrite()
        filters = [(each, step.id_field) for step in steps if (each := step.stage.record_by_record)]
        self.inputs = len(self.options.inputs)
        self.every = Filtered(Chain(filters), self.inputs, self.tally())
        sources = self.read()
        behind = list(enumerate(steps, 1))[len(filters) :]
        try:
            with set_to(self.spark, SEVERAL_FILES):
                if not behind:
                    written = self.filtered(together(sources))
                elif behind[0][1].name == "simjoin":
                    written = self.joined(sources, *behind)
                else:
                    written = self.collected(together(sources), *behind[0])
        except Failed:
            self.tell_rejects()  # so that these are not lost
            raise
        read = f"{self.numbers.first_of(self.inputs)} lines read"
        return [read, f"{self.rejects.count} rejected", *self.figures, f"{written} written"]

    def read(self) -> list[DataFrame]:
        """The lines of the input, and of the files beside: the parts, in order."""
        inputs = [("--in", path) for path in self.options.inputs]
        others = [beside for step in self.steps for beside in step.stage.beside]
        text = texts(self.steps)
        return [files.read(self.spark, path, part, text, option)
                for part, (option, path) in enumerate([*inputs, *others])]  # fmt: skip

    def filtered(self, lines: DataFrame) -> int:
        """A pipeline of filters, which is one job: how many lines were written."""
        folder = self.beside.path()
        files.write_runs(through(lines, Writing(self.every), WRITTEN), folder, self.gzip(self.options.out))
        told = self.every.tally.all()
        self.count(told)
        if any(BAD in split.figures for split in told):
            bad = self.spark.read.schema(BAD_COLUMNS).json(files.literal(f"{folder}/kind={BAD}"))
            self.reject(bad.withColumn("line", F.unhex("line")))
        self.tell_rejects()
        return self.place(folder, told, self.options.out)

    def joined(
        self, sources: Sequence[DataFrame], first: tuple[int, Step], then: tuple[int, Step] | None = None
    ) -> int:
        """Pairs, from signatures, and perhaps groups: how many lines were written."""
        number, step = first
        stage = cast(JoinSpec, step.stage)
        sides = self.inputs + len(stage.beside)
        with set_to(self.spark, join.PLANNED):
            signing = Signing(self.every, step.id_field, stage.once(0), stage.wanted.verify, number)
            lines = together(sources[:sides])
            signed = self.kept(through(lines, signing, SIGNED))
            told = self.every.tally.all()
            others, more = self.keep(sources[sides:], Filtered(Chain([]), 0, self.tally()))
            self.count([*told, *more])
            if any(BAD in split.figures for split in told):
                self.reject(signed.where("step > 0"))
            cross = self.numbers.first_of(self.inputs) if stage.beside else None
            run = join.Run(join.Signatures(signed, told, self.numbers, cross), stage, self.kept)
            with named(step):
                found = run.joined(partial(self.reject_again, lines), number)
            self.figures += found.figures
            if then is None:
                self.tell_rejects()
                return self.write(found.lines, self.options.out)
            tally = self.tally()
            pairs = self.kept(through(found.lines, KeepingParts(tally), KEPT))
        # What is wrong with a pair is in no line of a file
        return self.made(LineNumbers(tally.all()).packed(pairs, 0, 1), others, sides, *then, in_files=False)

    def collected(self, lines: DataFrame, number: int, step: Step) -> int:
        """Groups, or documents without duplicates, from lines: how many lines were written."""
        kept, told = self.keep([lines], self.every)
        assert kept is not None
        self.count(told)
        if any(BAD in split.figures for split in told):
            self.reject(kept.where("step > 0"))
        return self.made(self.numbers.packed(kept, 0, self.inputs), kept, self.inputs, number, step)

    def keep(self, frames: Sequence[DataFrame], filtered: Filtered) -> tuple[DataFrame | None, list[Told]]:
        """Lines as KEPT, if there are any, and what their splits tell."""
        if not frames:
            return None, []
        return self.kept(through(together(frames), Keeping(filtered), KEPT)), filtered.tally.all()

    def count(self, told: Sequence[Told]) -> None:
        self.numbers = LineNumbers(told)

    def made(  # noqa: PLR0913, PLR0917  # each has a name of its own
        self, frame: DataFrame, kept: DataFrame | None, part: int, number: int, step: Step, in_files: bool = True
    ) -> int:
        """What simgroup or dedup makes of lines (PACKED), and of the parts of files beside them, from `part` on."""
        parts = range(part, part + len(step.stage.beside))
        others = [self.numbers.packed(kept, each, each + 1) for each in parts if kept is not None]
        raise NotImplementedError(frame, others, number, in_files)

    def reject_again(self, lines: DataFrame, again: DataFrame, numbers: Chosen) -> None:
        """Documents (number, step, cause) whose ids were seen before. Their lines are made anew: few runs have such."""
        if self.options.rejects is not None:
            picking = Picking(replace(self.every, tally=self.tally()), self.numbers.starts, numbers)
            again = again.drop("line").join(through(lines, picking, NUMBERED), "number")
        self.rejects.add(again)

    def tally(self) -> Tally:
        return Tally(self.spark.sparkContext)

    def reject(self, bad: DataFrame) -> None:
        """Rows with PLACES and REJECTED."""
        self.rejects.add(self.numbers.numbered(bad, REJECTED))

    def tell_rejects(self) -> None:
        if self.rejects.frames:
            self.rejects.tell([step.name for step in self.steps], self.numbers)

    def refuse_to_overwrite(self) -> None:
        """Now, rather than when all is done."""
        removed = [step.stage.removed for step in self.steps]
        folders = files.Files(self.spark)
        paths = [path.rstrip("/") for path in (self.options.out, self.options.rejects, *removed) if path is not None]
        for number, path in enumerate(paths):
            if folders.exists(path) or path in paths[:number]:
                raise Failed(f"{errors.printable(path)}: is there already")

    def gzip(self, path: str) -> bool:
        return self.options.gzip and not is_parquet(path)

    def write(self, frame: DataFrame, path: str, arranged: bool = True) -> int:
        """PARTS: how many lines; `arranged` if those of each part are in one task, in order."""
        tally, folder = self.tally(), self.beside.path()
        if not arranged:
            frame = frame.repartition("part").sortWithinPartitions("part", "number")
        files.write_runs(through(frame, WritingParts(tally), WRITTEN), folder, self.gzip(path))
        return self.place(folder, tally.all(), path)

    def place(self, folder: str, told: Sequence[Told], path: str) -> int:
        """The lines that are in a folder to where they belong: how many."""
        some = [each for each in told if LINES in each.figures]
        lines = f"{folder}/kind={LINES}"
        if is_parquet(path):
            parquet.write(
                self.spark,
                files.literal(lines) if some else None,
                path,
                self.options.gzip,
                parquet.columns(self.steps[-1]),
            )
        else:
            files.Files(self.spark).gather(lines, some, path)
        return sum(each.figures[LINES] for each in some)


@contextmanager
def set_to(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """With these settings of the session."""
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            spark.conf.unset(name) if old is None else spark.conf.set(name, old)


@contextmanager
def named(step: Step) -> Iterator[None]:
    """What fails is of this command."""
    try:
        yield
    except Failed as error:
        raise Failed(f"{step.name}: {error}") from None


def together(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionAll, frames)
