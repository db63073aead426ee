"""One run of a pipeline: what is read, what came of it so far, what is written; jobs are made of these."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce

from pyspark.sql import DataFrame, SparkSession

from shingletools import errors
from shingletools.chain import Chain
from shingletools.errors import Failed
from shingletools.spark import (
    files,
    join_at_once,
    parquet,
)
from shingletools.spark.batches import through
from shingletools.spark.files import Kept
from shingletools.spark.lines import (
    BAD,
    KEPT,
    LINES,
    LINES_READ,
    REJECTED,
    WRITTEN,
    Filtered,
    Keeping,
    LineNumbers,
    RejectedLines,
    bad_of,
)
from shingletools.spark.parts import WritingParts
from shingletools.spark.pipeline import Step, is_parquet, texts
from shingletools.spark.store import KeptStage, Making, Stages
from shingletools.spark.tally import Tally, Told
from shingletools.stage import Filter

FILES = 1000  # of the input, up to which each may give one of the output


class TooManyRejected(Exception):
    """More bad records than are all right: nothing is written."""


class PipelineRun:
    """From --in to --out, and what is said of it."""

    numbers: LineNumbers
    read_numbers: LineNumbers  # of the lines that were read, not of those that filters made of them
    steps: Sequence[Step]
    kept: Kept
    beside: Kept  # in the file system of --out
    stages: Stages
    filters: list[tuple[Filter, str]]  # and the field of ids of each
    inputs: int  # how many --in there are
    sources: Sequence[files.Source]

    def __init__(self, spark: SparkSession, options: argparse.Namespace, complain: Callable[[str], None]) -> None:
        self.spark = spark
        self.options = options
        self.rejects = RejectedLines(options.rejects, complain)
        self.figures: list[str] = []
        self.states: list[list[tuple[str, int, int]]] = []  # of the files that are read, for --keep

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

    def others(self, part: int) -> KeptStage | None:
        """The lines of the files beside, from a part on, as KEPT; None if there are none."""
        if not self.sources[part:]:
            return None
        every = Filtered(Chain([]), 0, self.tally())
        lines = through(all_rows(self.sources[part:]), Keeping(every), KEPT)
        return KeptStage(self.kept(lines), every.tally.all())

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

    def room(self) -> int:
        """Bytes of memory that one task may take."""
        return join_at_once.room(self.spark.sparkContext, self.options.at_once)

    def gzip(self, path: str) -> bool:
        return self.options.gzip and not is_parquet(path)

    def write(self, frame: DataFrame, path: str, arranged: bool = True) -> int:
        """PARTS: how many lines; `arranged` if those of each part are in one task, in order."""
        tally, folder = self.tally(), self.beside.path()
        if not arranged:
            frame = frame.repartition("part").sortWithinPartitions("part", "number")
        files.write_runs(through(frame, WritingParts(tally), WRITTEN), folder, self.gzip(path))
        return self.place(folder, tally.all(), path)

    def bad_in(self, folder: str) -> DataFrame:
        """PLACES and REJECTED of what was written there."""
        return bad_of(self.spark.read.text(files.literal(f"{folder}/kind={BAD}"), lineSep="\n"), "value")

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
