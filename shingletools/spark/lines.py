"""Records on a cluster: lines in, through the commands that work record by record, and their numbers over all input."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools import errors
from shingletools.chain import Chain, Rejection
from shingletools.errors import Failed
from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches, batch_of, joined, of_rows, packed, through
from shingletools.spark.chosen import Chosen
from shingletools.spark.files import SOURCE, write_lines
from shingletools.spark.splits import lines_of, splits_of
from shingletools.spark.tally import Key, Tally, Telling, Told

# Of each split's lines those that go on, many in a row, and those that were rejected, one in a row; `numbers` has the
# place of each behind the first, int64, or is empty if they follow each other
PLACES = [("part", pa.int32()), ("file", pa.string()), ("block", pa.int64()), ("place", pa.int64())]
REJECTED = [("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary())]
KEPT = pa.schema([*PLACES, *REJECTED, ("numbers", pa.binary()), ("lines", pa.binary())])
NUMBERED = pa.schema([("number", pa.int64()), ("line", pa.binary())])
WRITTEN = pa.schema([("kind", pa.string()), ("run", pa.int32()), ("value", pa.binary())])
STARTS = pa.schema([*PLACES[:3], ("start", pa.int64())])
LINES, BAD = "lines", "rejected"  # kinds of what is written
SIZE = "bytes"  # of lines that are kept, or of signatures
LINES_READ = "read"  # lines, where those that are made of them are counted
ABOUT = "part int, file string, block long, place long, step int, cause string"
SHOWN = 10  # rejected records that are told one by one


class SplitLines(NamedTuple):
    """Lines of one split of a file, which follow each other."""

    source: tuple[int, str, int]
    place: int  # of the first in its split
    places: Index  # of each behind that
    lines: bytes


def portions(batches: Batches) -> Iterator[SplitLines]:
    """The lines of READ: those that the rows of a task are, or those that they say where to read."""
    for first in batches:
        if first.column("splits").null_count < len(first):
            for split in chain.from_iterable(map(splits_of, first.column("splits").to_pylist())):
                place = 0
                for lines in lines_of(split):
                    yield SplitLines(split[:3], place, np.arange(count := lines.count(b"\n")), lines)
                    place += count
        else:
            for source, place, batch in of_splits(chain([first], batches)):
                yield SplitLines(source, place, np.arange(len(batch)), joined(batch.column("line")))


def of_splits(batches: Batches) -> Iterator[tuple[tuple[int, str, int], int, pa.RecordBatch]]:
    """Rows with SOURCE, those of one split at a time: what their SOURCE is, and the place of the first in it."""
    before: tuple[int, str, int] | None = None
    place = 0
    for batch in batches:
        for start, stop in stretches(batch):
            part, file, block = (batch.column(name)[start].as_py() for name in SOURCE)
            source = (part, file, block)
            place = place if source == before else 0
            before = source
            yield source, place, batch.slice(start, stop - start)
            place += stop - start


def stretches(batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
    """From where to where rows are of one split."""
    if not len(batch):
        return
    changed = np.zeros(len(batch) - 1, np.bool_)
    for name in SOURCE:
        column = batch.column(name)
        changed |= pc.not_equal(column[1:], column[:-1]).to_numpy(zero_copy_only=False)
    ends = [*(np.flatnonzero(changed) + 1).tolist(), len(batch)]
    yield from zip([0, *ends], ends, strict=False)


class Done(NamedTuple):
    """What filters made of a portion."""

    portion: SplitLines
    lines: bytes
    rejections: list[Rejection]
    first: int | None = None  # the place of the first line that was made, if these are counted by themselves

    @property
    def place(self) -> int:
        """Behind which the places of the lines are that were made."""
        return self.portion.place if self.first is None else self.first

    @property
    def made(self) -> int:
        """How many lines were made."""
        return len(self.portion.places) - len(self.rejections) if self.first is None else self.lines.count(b"\n")

    def places(self) -> Index:
        """Of the lines that were made."""
        if self.first is not None:
            return np.arange(self.made)
        return np.delete(self.portion.places, [each.place for each in self.rejections])

    def rejected(self) -> list[tuple[int, str, int, int, int, str, bytes]]:
        """Rows of PLACES and REJECTED."""
        source, place = self.portion.source, self.portion.place
        places = self.portion.places[[each.place for each in self.rejections]].tolist()
        return [(*source, place + behind, each.step, each.cause, each.line)
                for behind, each in zip(places, self.rejections, strict=True)]  # fmt: skip


@dataclass(frozen=True)
class Filtered:
    """Lines of the input through filters, those of files beside as they are; tells the lines of each split.

    Where a filter makes several lines of one, the lines that come of all filters are counted, and those that were read
    are told beside.
    """

    chain: Chain
    inputs: int  # parts before this one are input
    tally: Tally
    before: int | None = None  # how many filters made the rows, if they are KEPT

    def __call__(self, batches: Batches, runs: Telling) -> Iterator[Done]:
        for portion, rejections in self.portions(batches):
            runs.begin(portion.source)
            first, lines, bad = None, portion.lines, rejections
            if portion.source[0] < self.inputs and lines:
                lines, more = self.chain.work(lines)
                bad = [each._replace(step=each.step + (self.before or 0)) for each in more]
            if self.chain.cut is not None and portion.source[0] < self.inputs:
                first = runs.lines
                runs.figures[LINES_READ] = runs.figures.get(LINES_READ, 0) + len(portion.places)
            if bad:
                runs.figures[BAD] = 1
            done = Done(portion, lines, bad, first)
            runs.lines += len(portion.places) if first is None else done.made
            yield done
        runs.end()

    def portions(self, batches: Batches) -> Iterator[tuple[SplitLines, list[Rejection]]]:
        """Lines, and those that were rejected before."""
        if self.before is None:
            yield from ((portion, []) for portion in portions(batches))
            return
        for row in (row for batch in batches for row in batch.to_pylist()):
            source, place = (row["part"], row["file"], row["block"]), row["place"]
            if row["step"]:
                yield (
                    SplitLines(source, place, np.arange(1), b""),
                    [Rejection(0, row["step"], row["cause"], row["line"])],
                )
                continue
            found = np.frombuffer(row["numbers"], np.int64)
            places = found if len(found) else np.arange(row["lines"].count(b"\n"))
            yield SplitLines(source, place, places, row["lines"]), []


@dataclass(frozen=True)
class Writing:
    """Filtered lines to WRITTEN, of which each run of a task becomes a file."""

    filtered: Filtered

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        runs = Telling(self.filtered.tally)
        for done in self.filtered(batches, runs):
            if done.lines:
                runs.figures[LINES] = runs.figures.get(LINES, 0) + done.made
                yield of_rows(WRITTEN, [(LINES, runs.run, done.lines[:-1])])
            if bad := done.rejected():
                yield of_rows(WRITTEN, [(BAD, 0, about(*row) + b"\t" + line.hex().encode()) for *row, line in bad])


def about(*told: object) -> bytes:
    """A rejected row without its line, as JSON."""
    return orjson.dumps(dict(zip((*SOURCE, "place", "step", "cause"), told, strict=True)))


def bad_of(frame: DataFrame, column: str) -> DataFrame:
    """PLACES and REJECTED of a column with `about`, a tab and the line in hex.

    The line is no part of the JSON, in which Spark reads strings of 20 million characters at most.
    """
    told, line = (F.substring_index(column, "\t", which) for which in (1, -1))
    return frame.select(F.from_json(told, ABOUT).alias("bad"), F.unhex(line).alias("line")).select("bad.*", "line")


@dataclass(frozen=True)
class Keeping:
    """Filtered lines to KEPT; tells their bytes."""

    filtered: Filtered

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        telling = Telling(self.filtered.tally)
        for done in self.filtered(batches, telling):
            source, place = done.portion.source, done.place
            if done.lines:
                telling.figures[SIZE] = telling.figures.get(SIZE, 0) + len(done.lines)
                places = done.places()
                numbers = b"" if places[-1] == len(places) - 1 else places.tobytes()
                yield of_rows(KEPT, [(*source, place, 0, None, None, numbers, done.lines)])
            if bad := done.rejected():
                yield of_rows(KEPT, [(*row, None, None) for row in bad])


@dataclass(frozen=True)
class Picking:
    """Lines (PACKED) of which some were asked for, by their numbers, to NUMBERED."""

    wanted: Chosen

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for each in packed(batches):
            some = np.flatnonzero(self.wanted.has(each.numbers))
            if len(some):
                lines = each.lines.split(b"\n")
                yield batch_of(NUMBERED, [each.numbers[some], [lines[place] for place in some.tolist()]])


@dataclass(frozen=True)
class Numbered:
    """Rows with PLACES to rows with the number of their line, and the other columns as they are."""

    starts: Mapping[Key, int]
    schema: pa.Schema

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            *source, place = (batch.column(name).to_pylist() for name, _ in PLACES)
            number = [self.starts[key] + each for key, each in zip(zip(*source, strict=True), place, strict=True)]
            yield batch_of(self.schema, [number, *(batch.column(name) for name in self.schema.names[1:])])


class LineNumbers:
    """Numbers of lines, over all input, and the files and lines that they are."""

    def __init__(self, told: Sequence[Told]) -> None:
        """Of all splits, in order. Raises Failed for a file that is there twice."""
        self.starts: dict[Key, int] = {}
        self.files: list[tuple[int, int, str]] = []  # the first number of each, its part, its name
        self.count = 0
        for split in told:
            if split.key in self.starts:
                raise Failed(f"{name_of(split.key[1])}: one option names it twice")
            if not self.files or split.key[:2] != self.files[-1][1:]:
                self.files.append((self.count, *split.key[:2]))
            self.starts[split.key] = self.count
            self.count += split.lines

    def numbered(self, frame: DataFrame, columns: Sequence[tuple[str, pa.DataType]]) -> DataFrame:
        """These columns of a frame with PLACES, behind the number of each line."""
        schema = pa.schema([("number", pa.int64()), *columns])
        return through(frame.select(*SOURCE, "place", *schema.names[1:]), Numbered(self.starts, schema), schema)

    def packed(self, kept: DataFrame, first: int, end: int) -> DataFrame:
        """The lines of KEPT that some parts of the input have, as PACKED."""
        some = kept.where((F.col("step") == 0) & (F.col("part") >= first) & (F.col("part") < end))
        starts = pa.Table.from_batches([of_rows(STARTS, [(*key, start) for key, start in self.starts.items()])])
        numbered = some.join(F.broadcast(some.sparkSession.createDataFrame(starts)), SOURCE)
        return numbered.select((F.col("start") + F.col("place")).alias("number"), "numbers", "lines")

    def first_of(self, part: int) -> int:
        """The number of the first line of a part of the input, or behind it."""
        return next((start for start, here, _ in self.files if here >= part), self.count)

    def where(self, number: int) -> str:
        """The file and line."""
        start, _, file = self.files[bisect_right(self.files, number, key=lambda each: each[0]) - 1]
        return f"{name_of(file)}:{number - start + 1}"


def name_of(file: str) -> str:
    """A file as it is called; Spark has percent signs in place of some letters."""
    return errors.printable(unquote(file))


class RejectedLines:
    """Counts, tells and keeps what the steps rejected, all at the end."""

    def __init__(self, folder: str | None, complain: Callable[[str], None]) -> None:
        self.folder = folder
        self.complain = complain
        self.count = 0
        self.frames: list[DataFrame] = []

    def add(self, frame: DataFrame) -> None:
        """`frame` has number (below 0 if the record is in no file), step (from 1), cause, and the line as it came."""
        self.frames.append(frame.select("number", "step", "cause", "line"))

    def tell(self, steps: Sequence[str], numbers: Callable[[int], LineNumbers]) -> None:
        """With the numbers of the lines that each step counts."""
        every, self.frames = reduce(DataFrame.unionAll, self.frames), []
        for row in every.groupBy("step").count().orderBy("step").collect():
            name, count = steps[row["step"] - 1], row["count"]
            these = every.where(F.col("step") == row["step"]).orderBy("number", "line")
            for first in these.limit(SHOWN).collect():
                where = "" if first["number"] < 0 else f"{numbers(row['step']).where(first['number'])}: "
                self.complain(f"{name}: {where}{first['cause']}")
            if count > SHOWN:
                self.complain(f"{name}: {count} records rejected in all")
            if self.folder is not None:
                write_lines(these, f"{self.folder}/{row['step']}-{name}", gzip=False)
            self.count += count
