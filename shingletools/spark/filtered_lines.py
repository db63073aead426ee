"""Lines on a cluster: they go through filters, and have numbers over all input."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.kernel.types import Index
from shingletools.reading.compressed import HEAD_BYTES, recognised
from shingletools.record.chain import Chain, Rejection
from shingletools.running.complaints import Complaints
from shingletools.spark.batches import Batches, batch_of, joined, of_rows, packed, through, union
from shingletools.spark.number_sets import Chosen
from shingletools.spark.spark_files import SOURCE, write_lines
from shingletools.spark.splits import lines_of, splits_of
from shingletools.spark.tally import Key, SplitStats, StatsCollector, Tally
from shingletools.system import errors
from shingletools.system.errors import Failed

# The lines of a split that go on, many in a row, and those that were rejected, one in a row; `numbers` has the offset
# of each from the first place, int64, or is empty if they are consecutive
PLACES = [("part", pa.int32()), ("file", pa.string()), ("block", pa.int64()), ("place", pa.int64())]
REJECTED = [("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary())]
KEPT = pa.schema([*PLACES, *REJECTED, ("numbers", pa.binary()), ("lines", pa.binary())])
NUMBERED = pa.schema([("number", pa.int64()), ("line", pa.binary())])
WRITTEN = pa.schema([("kind", pa.string()), ("run", pa.int32()), ("value", pa.binary())])
STARTS = pa.schema([*PLACES[:3], ("start", pa.int64())])
LINES, BAD, REMOVED = "lines", "rejected", "removed"  # kinds of written rows
SIZE = "bytes"  # a figure: bytes of lines that are kept, or of signatures
LINES_READ = "read"  # a figure: lines read, if the count is of lines made from them
ABOUT = "part int, file string, block long, place long, step int, cause string"
SHOWN = 10  # rejected records of a step that are reported one by one


class SplitLines(NamedTuple):
    """Lines of one split of a file."""

    source: tuple[int, str, int]
    place: int  # of the first line in its split
    places: Index  # offset of each line from that
    lines: bytes


def portions(batches: Batches) -> Iterator[SplitLines]:
    """The lines of READ: those in the rows, or those that the rows say where to read. Raises Failed."""
    for first in batches:
        if first.column("splits").null_count < len(first):
            for split in chain.from_iterable(map(splits_of, first.column("splits").to_pylist())):
                place = 0
                for lines in lines_of(split):
                    yield SplitLines(split[:3], place, np.arange(count := lines.count(b"\n")), lines)
                    place += count
        else:
            for source, place, batch in of_splits(chain([first], batches)):
                lines = joined(batch.column("line"))
                if not place and not source[2]:
                    check_plain(source[1], lines)
                yield SplitLines(source, place, np.arange(len(batch)), lines)


def check_plain(file: str, lines: bytes) -> None:
    """Raises Failed if these are the first lines of a compressed file that Java did not decompress."""
    codec = recognised(lines[:HEAD_BYTES])
    if codec is not None:
        raise Failed(
            f"{name_of(file)}: {codec.name} data, which Spark did not decompress, for it goes by the file's name"
        )


def of_splits(batches: Batches) -> Iterator[tuple[tuple[int, str, int], int, pa.RecordBatch]]:
    """Divides rows by split: their SOURCE, the place of the first row in it, and the rows."""
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
    """The ranges of rows that are of one split."""
    if not len(batch):
        return
    changed = np.zeros(len(batch) - 1, np.bool_)
    for name in SOURCE:
        column = batch.column(name)
        changed |= pc.not_equal(column[1:], column[:-1]).to_numpy(zero_copy_only=False)
    ends = [*(np.flatnonzero(changed) + 1).tolist(), len(batch)]
    yield from zip([0, *ends], ends, strict=False)


class Done(NamedTuple):
    """The lines that filters made of a portion."""

    portion: SplitLines
    lines: bytes
    rejections: list[Rejection]
    first: int | None = None  # the place of the first line that was made, if these are counted separately

    @property
    def place(self) -> int:
        """The place from which the offsets of the lines made are counted."""
        return self.portion.place if self.first is None else self.first

    @property
    def made(self) -> int:
        """The number of lines made."""
        return len(self.portion.places) - len(self.rejections) if self.first is None else self.lines.count(b"\n")

    def places(self) -> Index:
        """The offsets of the lines made."""
        if self.first is not None:
            return np.arange(self.made)
        return np.delete(self.portion.places, [each.place for each in self.rejections])

    def rejected(self) -> list[tuple[int, str, int, int, int, str, bytes]]:
        """The rejected lines as rows of PLACES and REJECTED."""
        source, place = self.portion.source, self.portion.place
        places = self.portion.places[[each.place for each in self.rejections]].tolist()
        return [(*source, place + behind, each.step, each.cause, each.line)
                for behind, each in zip(places, self.rejections, strict=True)]  # fmt: skip


@dataclass(frozen=True)
class Filtered:
    """Takes lines of the input through filters, and those of other files as they are. Tells the lines of each split.

    If a filter makes several lines of one, it counts the lines that filters make, and also tells how many were read.
    """

    chain: Chain
    inputs: int  # parts before this one are input
    tally: Tally
    before: int | None = None  # how many filters the rows have passed, if they are KEPT

    def __call__(self, batches: Batches, runs: StatsCollector) -> Iterator[Done]:
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
            if portion.source[0] < self.inputs:
                runs.count(self.chain, done.made, bad, self.before or 0)
            yield done
        runs.end()

    def portions(self, batches: Batches) -> Iterator[tuple[SplitLines, list[Rejection]]]:
        """Lines, and those that were rejected earlier."""
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


def to_written(filtered: Filtered, batches: Batches) -> Batches:
    """Filtered lines to WRITTEN. Each run of a task becomes a file."""
    runs = StatsCollector(filtered.tally)
    for done in filtered(batches, runs):
        if done.lines:
            runs.figures[LINES] = runs.figures.get(LINES, 0) + done.made
            yield of_rows(WRITTEN, [(LINES, runs.run, done.lines[:-1])])
        if bad := done.rejected():
            yield of_rows(WRITTEN, [(BAD, 0, about(*row) + b"\t" + line.hex().encode()) for *row, line in bad])


def about(*values: object) -> bytes:
    """The columns of a rejected row except its line, as JSON."""
    return orjson.dumps(dict(zip((*SOURCE, "place", "step", "cause"), values, strict=True)))


def bad_of(frame: DataFrame, column: str) -> DataFrame:
    """PLACES and REJECTED from a column that has `about`, a tab, and the line in hex.

    The line is not in the JSON, because Spark's reader takes strings of at most 20 million characters.
    """
    described, line = (F.substring_index(column, "\t", which) for which in (1, -1))
    return frame.select(F.from_json(described, ABOUT).alias("bad"), F.unhex(line).alias("line")).select("bad.*", "line")


def to_kept(filtered: Filtered, batches: Batches) -> Batches:
    """Filtered lines to KEPT. Tells their bytes."""
    telling = StatsCollector(filtered.tally)
    for done in filtered(batches, telling):
        source, place = done.portion.source, done.place
        if done.lines:
            telling.figures[SIZE] = telling.figures.get(SIZE, 0) + len(done.lines)
            places = done.places()
            numbers = b"" if places[-1] == len(places) - 1 else places.tobytes()
            yield of_rows(KEPT, [(*source, place, 0, None, None, numbers, done.lines)])
        if bad := done.rejected():
            yield of_rows(KEPT, [(*row, None, None) for row in bad])


def to_numbered(wanted: Chosen, batches: Batches) -> Batches:
    """Lines (PACKED) to those with chosen numbers (NUMBERED)."""
    for each in packed(batches):
        some = np.flatnonzero(wanted.has(each.numbers))
        if len(some):
            lines = each.lines.split(b"\n")
            yield batch_of(NUMBERED, [each.numbers[some], [lines[place] for place in some.tolist()]])


def with_numbers(starts: Mapping[Key, int], schema: pa.Schema, batches: Batches) -> Batches:
    """Replaces PLACES by the numbers of lines; other columns stay."""
    for batch in batches:
        *source, place = (batch.column(name).to_pylist() for name, _ in PLACES)
        number = [starts[key] + each for key, each in zip(zip(*source, strict=True), place, strict=True)]
        yield batch_of(schema, [number, *(batch.column(name) for name in schema.names[1:])])


class LineNumbers:
    """The numbers of lines over all input, and their files and lines."""

    def __init__(self, stats: Sequence[SplitStats]) -> None:
        """stats: of all splits, in order. Raises Failed if one option names a file twice."""
        self.starts: dict[Key, int] = {}
        self.files: list[tuple[int, int, str]] = []  # first number, part and name of each
        self.count = 0
        for split in stats:
            if split.key in self.starts:
                raise Failed(f"{name_of(split.key[1])}: named twice by one option")
            if not self.files or split.key[:2] != self.files[-1][1:]:
                self.files.append((self.count, *split.key[:2]))
            self.starts[split.key] = self.count
            self.count += split.lines

    def numbered(self, frame: DataFrame, columns: Sequence[tuple[str, pa.DataType]]) -> DataFrame:
        """The number of each line, and these columns, of a DataFrame with PLACES."""
        schema = pa.schema([("number", pa.int64()), *columns])
        rows = frame.select(*SOURCE, "place", *schema.names[1:])
        return through(rows, partial(with_numbers, self.starts, schema), schema)

    def packed(self, kept: DataFrame, first: int, end: int) -> DataFrame:
        """The lines of KEPT that are in the parts from `first` to `end` of the input, as PACKED."""
        some = kept.where((F.col("step") == 0) & (F.col("part") >= first) & (F.col("part") < end))
        starts = pa.Table.from_batches([of_rows(STARTS, [(*key, start) for key, start in self.starts.items()])])
        numbered = some.join(F.broadcast(some.sparkSession.createDataFrame(starts)), SOURCE)
        return numbered.select((F.col("start") + F.col("place")).alias("number"), "numbers", "lines")

    def first_of(self, part: int) -> int:
        """The number of the first line of a part of the input, or after it."""
        return next((start for start, here, _ in self.files if here >= part), self.count)

    def where(self, number: int) -> str:
        """The file and line of a number; or the file alone, for a number beyond those of all lines."""
        start, _, file = self.files[bisect_right(self.files, number % self.count, key=lambda each: each[0]) - 1]
        return f"{name_of(file)}:{number - start + 1}" if number < self.count else name_of(file)


def name_of(file: str) -> str:
    """The name of a file. Spark replaces some of its letters by percent signs and digits."""
    return errors.printable(unquote(file))


class RejectedLines:
    """Counts, reports and keeps rejected lines, all at the end."""

    def __init__(self, folder: str | None, complain: Callable[[str], None]) -> None:
        self.folder = folder
        self.complain = complain
        self.count = 0
        self.unreadable: Counter[int] = Counter()  # lines of the input, by step, that have no good record
        self.frames: list[DataFrame] = []

    def add(self, frame: DataFrame, unreadable: bool = False) -> None:
        """frame: number (below 0 for a record in no file), step (from 1), cause, and the line as it came.

        They are `unreadable` unless they may be good but for their ids, which were there before.
        """
        self.frames.append(frame.select("number", "step", "cause", "line", F.lit(unreadable).alias("unreadable")))

    def tell(self, steps: Sequence[str], numbers: Callable[[int], LineNumbers], inputs: int) -> None:
        """Reports them. numbers: for each step, the numbers of the lines that it counts. inputs: so many of the first
        parts are the input.
        """
        every, self.frames = union(self.frames), []
        end = F.lit(0)
        for step in range(1, len(steps) + 1):
            end = F.when(F.col("step") == step, numbers(step).first_of(inputs)).otherwise(end)
        unreadable = F.col("unreadable") & F.col("number").between(0, end - 1)
        counts = F.count("*").alias("count"), F.sum(unreadable.cast("long")).alias("unreadable")
        for row in every.groupBy("step").agg(*counts).orderBy("step").collect():
            name, count = steps[row["step"] - 1], row["count"]
            self.unreadable[row["step"]] += row["unreadable"]
            these = every.where(F.col("step") == row["step"]).orderBy("number", "line")
            complaints = Complaints(name, self.complain)
            for first in these.limit(SHOWN).collect():
                message = first["cause"]
                if first["number"] >= 0:
                    where = numbers(row["step"]).where(first["number"])
                    line = bytes(first["line"] or b"")  # missing if lines are not kept
                    message = complaints.message(where, where.endswith(":1"), message, line)
                self.complain(f"{name}: {message}")
            if count > SHOWN:
                self.complain(f"{name}: {count} records rejected in all")
            if self.folder is not None:
                write_lines(these, f"{self.folder}/{row['step']}-{name}", gzip=False)
            self.count += count
