"""One run of a pipeline: what is read, kept and written. Jobs are made of these."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record.chain import Chain
from shingletools.record.stage import Filter
from shingletools.running.outcomes import FAILED, SOME_REJECTED
from shingletools.running.steps import Step
from shingletools.spark import (
    parquet_rows,
    spark_files,
)
from shingletools.spark.batches import through, union
from shingletools.spark.filtered_lines import (
    BAD,
    KEPT,
    LINES,
    LINES_READ,
    REJECTED,
    WRITTEN,
    Filtered,
    LineNumbers,
    RejectedLines,
    bad_of,
    to_kept,
)
from shingletools.spark.kept_stages import KeptStage, Stages
from shingletools.spark.parts import to_files
from shingletools.spark.pipeline import is_parquet, texts
from shingletools.spark.room import room
from shingletools.spark.spark_files import Kept
from shingletools.spark.tally import SplitStats, Tally, in_order, merged
from shingletools.system import errors
from shingletools.system.errors import Failed

FILES = 1000  # files of the input: up to so many, each may become a file of the output


class TooManyRejected(Exception):
    """There are more bad records than --allow-rejects allows, or not one good one: nothing is written."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status


class StepParts(NamedTuple):
    """A step that takes all lines: its number, and the parts of what is read for it."""

    number: int
    step: Step
    inputs: Sequence[int]  # of --in, or one for the lines of the step before
    beside: Sequence[int]  # of the files that its options name
    first: int  # of all that these may name
    filtered: bool  # whether its input goes through filters


class PipelineRun:
    """A run from --in to --out."""

    numbers: LineNumbers
    read_numbers: LineNumbers  # of the lines that were read, not of lines that filters or collectors made
    steps: Sequence[Step]
    kept: Kept
    beside: Kept  # in the file system of --out
    stages: Stages
    filters: list[tuple[Filter, str]]  # each with the field of its ids
    inputs: int  # number of --in
    behind: Sequence[StepParts]  # the steps after the filters
    sources: dict[int, spark_files.Source]  # by part
    parts_read: frozenset[int]  # those of the input and of files that options name

    def __init__(self, spark: SparkSession, options: argparse.Namespace, complain: Callable[[str], None]) -> None:
        self.spark = spark
        self.options = options
        self.rejects = RejectedLines(options.rejects, complain)
        self.figures: list[str] = []
        self.states: list[list[tuple[str, int, int]]] = []  # of the files that are read, for --keep
        self.stats: list[SplitStats] = []  # of all that has numbers

    def lay_out(self) -> Iterator[StepParts]:
        """The steps after the filters, with their parts. Archives have parts, too."""
        filters, end = len(self.filters), self.inputs
        for number, step in list(enumerate(self.steps, 1))[filters:]:
            if number == filters + 1:
                inputs, filtered = range(self.inputs), filters > 0
            else:
                inputs, filtered, end = range(end, end + 1), False, end + 1
            beside = [end + place for place in step.stage.places]
            yield StepParts(number, step, inputs, beside, end, filtered)
            end += len(beside) + (len(step.stage.archives) if isinstance(step.stage, JoinSpec) else 0)

    def read(self) -> dict[int, spark_files.Source]:
        """The lines of the input, and of the files that options name."""
        every = spark_files.Read(texts(self.steps))
        # A join writes ids only, so only the columns that commands read are needed
        few = every._replace(some=True, only=self.options.rejects is None)
        joins = len(self.behind) > 0 and self.behind[0].step.name == "simjoin"
        files = {part: ("--in", path, few if joins else every) for part, path in enumerate(self.options.inputs)}
        for each in self.behind:
            how = few if each.step.name == "simjoin" else every
            files |= {part: (*named, how) for part, named in zip(each.beside, each.step.stage.side_files, strict=True)}
        return {part: spark_files.read(self.spark, path, part, how, option)
                for part, (option, path, how) in files.items()}  # fmt: skip

    def rows(self, parts: Iterable[int]) -> DataFrame:
        """The lines of some parts."""
        return union([self.sources[part].rows for part in parts])

    def lines(self) -> KeptStage:
        """The input through all filters, as KEPT."""
        recipe = self.recipe(len(self.filters))
        if (found := self.stages.find(LINES, recipe)) is not None:
            return found
        rows, every, stats = self.begun()

        def all_stats() -> list[SplitStats]:
            return merged(stats, every.tally.all()) if stats else every.tally.all()

        return self.stages.make(LINES, recipe, through(rows, partial(to_kept, every), KEPT), all_stats)

    def begun(self) -> tuple[DataFrame, Filtered, Sequence[SplitStats]]:
        """Returns the lines of the input, or those kept after some filters; the other filters; the statistics."""
        # A filter that makes several lines of one changes the numbers of lines for those after it
        least = len(self.filters) - 1 if any(each.lines for each, _ in self.filters) else 0
        for count in range(len(self.filters), least, -1):
            if (found := self.stages.find(LINES, self.recipe(count))) is not None:
                return found.rows, self.through_filters(count), found.stats
        return self.rows(range(self.inputs)), self.through_filters(), []

    def through_filters(self, before: int | None = None) -> Filtered:
        """The filters, or those that remain for lines (KEPT) that have passed `before` filters."""
        return Filtered(Chain(self.filters[before or 0 :]), self.inputs, self.tally(), before)

    def recipe(self, filters: int) -> list[object]:
        """All that decides the result of the first filters on the input: the recipes, and the files."""
        if self.options.keep is None:
            return []
        how = [
            [each.recipe, *each.read, each.produces, each.keep, each.lines and each.lines.key, *each.adds, name]
            for each, name in self.filters[:filters]
        ]
        if not self.states:
            self.states = [self.stages.files.states(self.sources[part].files()) for part in range(self.inputs)]
        # Rejected lines of Parquet have all columns only if they are kept
        whole = self.options.rejects is not None and any(map(is_parquet, self.options.inputs))
        return [how, self.inputs, sorted(texts(self.steps)), whole, self.states]

    def as_they_are(self, parts: Sequence[int]) -> KeptStage:
        """The lines of some parts, as KEPT, without filters."""
        every = Filtered(Chain([]), 0, self.tally())
        lines = through(self.rows(parts), partial(to_kept, every), KEPT)
        return KeptStage(self.kept(lines), every.tally.all())

    def count(self, stats: Sequence[SplitStats], rows: DataFrame | None = None) -> None:
        """Numbers more lines, and takes those that were rejected from the rows (PLACES, REJECTED), if there are any."""
        self.stats = in_order([*self.stats, *stats])
        self.numbers = LineNumbers(self.stats)
        read = [each._replace(lines=each.figures.get(LINES_READ, each.lines)) for each in self.stats]
        self.read_numbers = LineNumbers([each for each in read if each.key[0] in self.parts_read])
        if has_bad(stats) and rows is not None:
            filters = len(self.filters)
            self.rejects.add(self.read_numbers.numbered(rows.where(f"step > 0 and step <= {filters}"), REJECTED), True)
            self.reject(rows.where(f"step > {filters}"))

    def reject(self, rows: DataFrame) -> None:
        """Takes lines that a step after the filters rejected (PLACES, REJECTED)."""
        self.rejects.add(self.numbers.numbered(rows, REJECTED), unreadable=True)

    def tally(self) -> Tally:
        return Tally(self.spark.sparkContext)

    def tell_rejects(self) -> None:
        if self.rejects.frames:
            self.rejects.tell([step.name for step in self.steps], self.numbers_of, self.inputs)

    def settle_rejects(self) -> None:
        """Reports rejected lines when all are known, before anything is written. Raises TooManyRejected."""
        self.tell_rejects()
        allowed = self.options.allow_rejects
        if allowed is not None and allowed.holds(self.rejects.count, self.records_read()):
            return
        without_good = self.without_good()
        if without_good or allowed is not None:
            why = "not one good record" if without_good else "too many bad records"
            self.rejects.complain(f"{errors.printable(self.options.out)} is not written: {why}")
            raise TooManyRejected(FAILED if without_good else SOME_REJECTED)

    def without_good(self) -> bool:
        """Whether the input has lines, but not one that is a record to all commands that read it.

        Of lines that a filter made of one it is not known which are all of one document; so a filter behind it that
        rejects all of them is not found.
        """
        filters, unreadable = len(self.filters), self.rejects.unreadable
        read, made = (numbers.first_of(self.inputs) for numbers in (self.read_numbers, self.numbers))
        cut = next((step for step, (each, _) in enumerate(self.filters, 1) if each.lines), None)
        of_lines = sum(count for step, count in unreadable.items() if step <= (cut or filters))
        behind = sum(count for step, count in unreadable.items() if step > filters)
        left = made - of_lines if cut is None else made
        return read > 0 and (of_lines == read or 0 < left == behind)

    def records_read(self) -> int:
        """The number of lines of the input and other files, without files of groups and pairs for dedup."""
        is_dedup = self.steps[-1].name == "dedup"
        return self.read_numbers.first_of(self.inputs) if is_dedup else self.read_numbers.count

    def numbers_of(self, step: int) -> LineNumbers:
        """The numbers that a step, from 1, counts by: of lines of the input, or of lines that filters made."""
        return self.read_numbers if step <= len(self.filters) else self.numbers

    def refuse_to_overwrite(self) -> None:
        """Raises Failed if an output exists: better now than after the run."""
        removed = [step.stage.removed for step in self.steps]
        folders = spark_files.Files(self.spark)
        paths = [path.rstrip("/") for path in (self.options.out, self.options.rejects, *removed) if path is not None]
        for number, path in enumerate(paths):
            if folders.exists(path) or path in paths[:number]:
                raise Failed(f"{errors.printable(path)}: exists already")

    def room(self) -> int:
        """The bytes of memory that one task may take."""
        return room(self.spark.sparkContext, self.options.at_once)

    def gzip(self, path: str) -> bool:
        return self.options.gzip and not is_parquet(path)

    def write(self, frame: DataFrame, path: str, arranged: bool = True) -> int:
        """Writes PARTS; returns the number of lines. arranged: the rows of each part are in one task, in order."""
        tally, folder = self.tally(), self.beside.path()
        if not arranged:
            frame = frame.repartition("part").sortWithinPartitions("part", "number")
        spark_files.write_runs(through(frame, partial(to_files, tally), WRITTEN), folder, self.gzip(path))
        return self.place(folder, tally.all(), path)

    def bad_in(self, folder: str) -> DataFrame:
        """The rejected lines in a folder, with PLACES and REJECTED."""
        return bad_of(self.spark.read.text(spark_files.literal(f"{folder}/kind={BAD}"), lineSep="\n"), "value")

    def place(self, folder: str, stats: Sequence[SplitStats], path: str, kind: str = LINES) -> int:
        """Moves the lines in a folder to their place; returns their number."""
        some = [each for each in stats if kind in each.figures]
        lines = f"{folder}/kind={kind}"
        if is_parquet(path):
            parquet_rows.write(
                self.spark,
                spark_files.literal(lines) if some else None,
                path,
                self.options.gzip,
                parquet_rows.columns(self.steps[-1]),
            )
        else:
            spark_files.Files(self.spark).gather(lines, some, path)
        return sum(each.figures[kind] for each in some)


def has_bad(stats: Sequence[SplitStats]) -> bool:
    return any(BAD in split.figures for split in stats)


@contextmanager
def set_to(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Inside, the session has these settings."""
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
    """Inside, a Failed gets the name of this command."""
    try:
        yield
    except Failed as error:
        raise Failed(f"{step.name}: {error}") from None
