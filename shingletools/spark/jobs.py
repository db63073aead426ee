"""What a pipeline is on a cluster."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial, reduce
from typing import cast

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from shingletools import errors
from shingletools.chain import Chain
from shingletools.dedup.spec import DedupSpec
from shingletools.errors import Failed
from shingletools.simgroup.spec import GroupSpec
from shingletools.simjoin.spec import JoinSpec
from shingletools.spark import columns, dedup, files, group, join, parquet
from shingletools.spark.batches import through
from shingletools.spark.chosen import Chosen
from shingletools.spark.files import Kept
from shingletools.spark.lines import (
    BAD,
    KEPT,
    LINES,
    LINES_READ,
    NUMBERED,
    REJECTED,
    SIZE,
    WRITTEN,
    Filtered,
    Keeping,
    LineNumbers,
    Picking,
    RejectedLines,
    Writing,
    bad_of,
)
from shingletools.spark.parts import PART_BYTES, PARTS, InParts, KeepingParts, WritingParts
from shingletools.spark.pipeline import Step, is_parquet, texts
from shingletools.spark.signed import SIGNED, Signing
from shingletools.spark.store import KeptStage, Making, Stages
from shingletools.spark.tally import Tally, Told

FILES = 1000  # of the input, up to which each may give one of the output
# A task writes to several files as it goes, so that nothing need be sorted by the file
SEVERAL_FILES = {"spark.sql.maxConcurrentOutputFileWriters": "100000", "spark.sql.files.maxRecordsPerFile": "0"}


class TooManyRejected(Exception):
    """More bad records than are all right: nothing is written."""


class Jobs:
    """One run of a pipeline: from --in to --out, and what is said of it."""

    numbers: LineNumbers
    read_numbers: LineNumbers  # of the lines that were read, not of those that filters made of them

    def __init__(self, spark: SparkSession, options: argparse.Namespace, complain: Callable[[str], None]) -> None:
        self.spark = spark
        self.options = options
        self.rejects = RejectedLines(options.rejects, complain)
        self.figures: list[str] = []
        self.states: list[list[tuple[str, int, int]]] = []  # of the files that are read, for --keep

    def run(self, steps: Sequence[Step], kept: Kept, beside: Kept) -> tuple[list[str], bool]:
        """What -v says of it, and whether no more records were bad than may be; `beside` is in the file system of
        --out. Raises Failed.
        """
        self.steps, self.kept, self.beside = steps, kept, beside
        self.stages = Stages(self.spark, kept, self.options.keep, self.figures.append)
        self.refuse_to_overwrite()
        self.filters = [(each, step.id_field) for step in steps if (each := step.stage.record_by_record)]
        self.inputs = len(self.options.inputs)
        behind = list(enumerate(steps, 1))[len(self.filters) :]
        joins = len(behind) > 0 and behind[0][1].name == "simjoin"
        carries = not behind and self.options.keep is None and all(each.lines is None for each, _ in self.filters)
        carries &= all(map(is_parquet, [*self.options.inputs, self.options.out]))
        carries = carries and not self.reads_within_columns()
        if not carries:
            self.sources = self.read(self.inputs + len(behind[0][1].stage.beside) if joins else 0)
        well = True
        try:
            with set_to(self.spark, SEVERAL_FILES):
                if behind:
                    written = self.joined(*behind) if joins else self.collected(*behind[0])
                elif carries:
                    written = self.carried()
                else:
                    several = sum(len(source.files()) for source in self.sources) > FILES
                    written = self.filtered_and_kept() if several or self.options.keep else self.filtered()
        except TooManyRejected:
            written, well = 0, False
        except (Failed, PySparkException, Py4JError):
            with suppress(Failed, PySparkException, Py4JError):
                self.tell_rejects()  # so that these are not lost
            raise
        read = f"{self.read_numbers.first_of(self.inputs)} lines read"
        well &= self.rejects.count == 0 or self.options.allow_rejects is not None
        return [read, f"{self.rejects.count} rejected", *self.figures, f"{written} written"], well

    def read(self, some: int = 0) -> list[files.Source]:
        """The lines of the input, and of the files beside: the parts, in order.

        Of the columns of the first ones, so many parts, nothing is written but ids: those that commands read will do.
        """
        inputs = [("--in", path) for path in self.options.inputs]
        others = [beside for step in self.steps for beside in step.stage.beside]
        every = files.Read(texts(self.steps))
        few = every._replace(some=True, only=self.options.rejects is None)
        return [files.read(self.spark, path, part, few if part < some else every, option)
                for part, (option, path) in enumerate([*inputs, *others])]  # fmt: skip

    def filtered(self) -> int:
        """A pipeline of filters, which is one job: how many lines were written."""
        folder, every = self.beside.path(), self.through_filters()
        lines = through(all_rows(self.sources), Writing(every), WRITTEN)
        files.write_runs(lines, folder, self.gzip(self.options.out))
        told = every.tally.all()
        bad = None
        if has_bad(told):
            bad = bad_of(self.spark.read.text(files.literal(f"{folder}/kind={BAD}"), lineSep="\n"), "value")
        self.count(told, bad)
        self.settle_rejects()
        return self.place(folder, told, self.options.out)

    def reads_within_columns(self) -> bool:
        """Whether a filter reads a field within a column of the input, for which this must be a line. Raises Failed."""
        frames = [files.opened(self.spark, path, "--in") for path in self.options.inputs]
        return any(columns.reads_within(self.filters, frame.columns) for frame in frames)

    def carried(self) -> int:
        """A pipeline of filters from Parquet to Parquet, which is one job: how many rows were written."""
        keep, folder, out = self.options.rejects is not None, self.beside.path(), self.options.out
        filters = self.through_filters()
        work = columns.Work(filters.chain, filters.tally, texts(self.steps), keep)
        every = []
        for part, path in enumerate(self.options.inputs):
            frame = files.opened(self.spark, path, "--in")
            named = f"--in {errors.printable(path)}"
            every.append(columns.Rows.of(named, frame, files.source(frame, part), work.chain))
        kind = columns.kind_beside(every)
        found = columns.together(every, [work.through(rows, kind) for rows in every])
        compression = "gzip" if self.options.gzip else None
        found.write.partitionBy(kind).parquet(folder, compression=compression)
        told = filters.tally.all()
        bad = None
        if has_bad(told):
            rows = self.spark.read.schema("via string").parquet(files.literal(f"{folder}/{kind}={BAD}"))
            bad = self.kept(work.rejected(rows))
        self.count(told, bad)
        self.settle_rejects()
        if not (written := sum(each.figures.get(LINES, 0) for each in told)):
            empty = self.spark.createDataFrame([], found.drop(kind).schema)
            empty.write.parquet(out, compression=compression)
        else:
            files.Files(self.spark).move(f"{folder}/{kind}={LINES}", out)
        return written

    def filtered_and_kept(self) -> int:
        """The same, for a run that goes on from there, or in larger files than those of the input."""
        lines = self.lines()
        self.count(lines.told, lines.rows)
        self.settle_rejects()
        size = sum(split.figures.get(SIZE, 0) for split in lines.told)
        in_parts = InParts(max(1, PART_BYTES * self.numbers.count // max(1, size)))
        frame = through(self.numbers.packed(lines.rows, 0, self.inputs), in_parts, PARTS)
        return self.write(frame, self.options.out, arranged=False)

    def lines(self) -> KeptStage:
        """The input through all filters, as KEPT."""
        recipe = self.recipe(len(self.filters), self.inputs)
        if (found := self.stages.find(LINES, recipe)) is not None:
            return found
        rows, every, told = self.begun()
        return self.stages.make(LINES, recipe, Making(through(rows, Keeping(every), KEPT), every.tally, told))

    def begun(self) -> tuple[DataFrame, Filtered, Sequence[Told]]:
        """The lines of the input, or what was kept of the first filters; what is left to do; what was told of them."""
        # Where one makes several lines of one, those before it count others than those behind it
        least = len(self.filters) - 1 if any(each.lines for each, _ in self.filters) else 0
        for count in range(len(self.filters), least, -1):
            if (found := self.stages.find(LINES, self.recipe(count, self.inputs))) is not None:
                return found.rows, self.through_filters(count), found.told
        return all_rows(self.sources[: self.inputs]), self.through_filters(), []

    def through_filters(self, before: int | None = None) -> Filtered:
        """The filters, or those that are left where so many have made the lines, which are KEPT."""
        return Filtered(Chain(self.filters[before or 0 :]), self.inputs, self.tally(), before)

    def recipe(self, filters: int, parts: int, *more: object) -> list[object]:
        """What decides what comes of the first filters and parts: how it is made, and of which files."""
        if self.options.keep is None:
            return []
        how = [
            [each.recipe, each.consumes, each.produces, each.keep, each.lines and each.lines.carried, *each.adds, name]
            for each, name in self.filters[:filters]
        ]
        if not self.states:
            self.states = [self.stages.files.states(source.files()) for source in self.sources]
        # Of Parquet, lines that are rejected have all columns only if they are kept
        whole = self.options.rejects is not None and any(map(is_parquet, self.options.inputs))
        return [how, self.inputs, sorted(texts(self.steps)), whole, self.states[:parts], *more]

    def joined(self, first: tuple[int, Step], then: tuple[int, Step] | None = None) -> int:
        """Pairs, from signatures, and perhaps groups: how many lines were written."""
        number, step = first
        stage = cast(JoinSpec, step.stage)
        sides = self.inputs + len(stage.beside)
        with set_to(self.spark, join.PLANNED):
            signed = self.signatures(number, step, stage, sides)
            others = self.others(sides)
            self.count([*signed.told, *(others.told if others else [])], signed.rows)
            cross = self.numbers.first_of(self.inputs) if stage.beside else None
            run = join.Run(join.Signatures(*signed, self.numbers, cross), stage, self.kept, self.options.at_once)
            with named(step):
                found = run.joined(partial(self.reject_again, sides), number)
            self.figures += found.figures
            if then is None:
                self.settle_rejects()
                return self.write(found.lines, self.options.out)
            tally = self.tally()
            pairs = self.kept(through(found.lines, KeepingParts(tally), KEPT))
        numbers = LineNumbers(tally.all())
        return self.made(numbers.packed(pairs, 0, 1), others and others.rows, sides, *then, before=numbers.count)

    def signatures(self, number: int, step: Step, stage: JoinSpec, sides: int) -> KeptStage:
        """Those of the input and of the files that it is compared with, as SIGNED."""
        recipe = self.recipe(len(self.filters), sides, step.id_field, stage.wanted.verify)
        if (found := self.stages.find("signatures", recipe)) is not None:
            return found
        how = step.id_field, stage.once(0), stage.wanted.verify, number
        rows, every, told = self.begun()
        signed, beside = [through(rows, Signing(every, *how), SIGNED)], None
        if self.sources[self.inputs : sides]:
            against = Filtered(Chain([]), 0, self.tally())
            signed.append(through(all_rows(self.sources[self.inputs : sides]), Signing(against, *how), SIGNED))
            beside = against.tally
        return self.stages.make("signatures", recipe, Making(together(signed), every.tally, told, beside))

    def others(self, part: int) -> KeptStage | None:
        """The lines of the files beside, from a part on, as KEPT; None if there are none."""
        if not self.sources[part:]:
            return None
        every = Filtered(Chain([]), 0, self.tally())
        lines = through(all_rows(self.sources[part:]), Keeping(every), KEPT)
        return KeptStage(self.kept(lines), every.tally.all())

    def collected(self, number: int, step: Step) -> int:
        """Groups, or documents without duplicates, from lines: how many lines were written."""
        lines, others = self.lines(), self.others(self.inputs)
        self.count([*lines.told, *(others.told if others else [])], lines.rows)
        frame = self.numbers.packed(lines.rows, 0, self.inputs)
        return self.made(frame, others and others.rows, self.inputs, number, step)

    def count(self, told: Sequence[Told], rows: DataFrame | None) -> None:
        """Gives lines their numbers, and finds those rejected among the rows (PLACES, REJECTED), if there are any."""
        self.numbers = self.read_numbers = LineNumbers(told)
        if any(LINES_READ in each.figures for each in told):
            self.read_numbers = LineNumbers(
                [each._replace(lines=each.figures.get(LINES_READ, each.lines)) for each in told]
            )
        if has_bad(told) and rows is not None:
            filters = len(self.filters)
            self.rejects.add(self.read_numbers.numbered(rows.where(f"step > 0 and step <= {filters}"), REJECTED))
            self.rejects.add(self.numbers.numbered(rows.where(f"step > {filters}"), REJECTED))

    def made(  # noqa: PLR0913, PLR0917  # each has a name of its own
        self, frame: DataFrame, kept: DataFrame | None, part: int, number: int, step: Step, before: int = 0
    ) -> int:
        """What simgroup or dedup makes of lines (PACKED), and of the parts of files beside them, from `part` on.

        So many numbers of the lines, `before`, are of no file: those of the files come behind.
        """
        parts = range(part, part + len(step.stage.beside))
        of_files = [self.numbers.packed(kept, each, each + 1) for each in parts if kept is not None]
        others = [each.withColumn("number", F.col("number") + before) for each in of_files]
        found: group.GroupLines | dedup.Deduplicated
        with named(step):
            if step.name == "simgroup":
                spec, verbose = cast(GroupSpec, step.stage), self.options.verbose
                where = self.numbers.where
                found = group.grouped(frame, others, spec, number, self.kept, where=where, verbose=verbose)
            else:
                found = dedup.deduplicated(frame, others, cast(DedupSpec, step.stage), number, self.kept, self.numbers)
        for bad in found.rejects:
            self.rejects.add(bad.withColumn("number", F.col("number") - before))
        self.settle_rejects()
        self.figures += found.figures
        if isinstance(found, dedup.Deduplicated) and found.removed is not None and step.stage.removed is not None:
            self.write(found.removed, step.stage.removed, arranged=False)
        return self.write(found.lines, self.options.out, arranged=False)

    def reject_again(self, sides: int, again: DataFrame, numbers: Chosen) -> None:
        """Documents (number, step, cause) whose ids were seen before. Their lines are made anew: few runs have such."""
        if self.options.rejects is not None:
            every = self.through_filters()
            lines = self.kept(through(all_rows(self.sources[:sides]), Keeping(every), KEPT))
            packed = LineNumbers(every.tally.all()).packed(lines, 0, sides)  # whose splits may be others
            again = again.drop("line").join(through(packed, Picking(numbers), NUMBERED), "number")
        self.rejects.add(again)

    def tally(self) -> Tally:
        return Tally(self.spark.sparkContext)

    def tell_rejects(self) -> None:
        if self.rejects.frames:
            self.rejects.tell([step.name for step in self.steps], self.numbers_of)

    def settle_rejects(self) -> None:
        """Tells them when all are known, before anything is written. Raises TooManyRejected."""
        self.tell_rejects()
        allowed = self.options.allow_rejects
        if allowed is not None and not allowed.holds(self.rejects.count, self.records_read()):
            self.rejects.complain(f"{errors.printable(self.options.out)} is not written: too many bad records")
            raise TooManyRejected

    def records_read(self) -> int:
        """Lines of the input and of files beside it, but those that say which documents are a group."""
        is_dedup = self.steps[-1].name == "dedup"
        return self.read_numbers.first_of(self.inputs) if is_dedup else self.read_numbers.count

    def numbers_of(self, step: int) -> LineNumbers:
        """What a step, from 1, counts: lines of the input, or what filters made of them."""
        return self.read_numbers if step <= len(self.filters) else self.numbers

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


def has_bad(told: Sequence[Told]) -> bool:
    return any(BAD in split.figures for split in told)


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


def all_rows(sources: Sequence[files.Source]) -> DataFrame:
    return together([source.rows for source in sources])
