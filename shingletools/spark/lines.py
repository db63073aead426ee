"""Records on a cluster: lines in, through the commands that work record by record, and out again in their order."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools import errors
from shingletools.driver import filter_chunk
from shingletools.errors import Failed
from shingletools.kernel import split_lines
from shingletools.spark.batches import Batches, batch_of, of_rows
from shingletools.spark.files import SOURCE, write_lines
from shingletools.stage import Filter
from shingletools.streams import Chunk

LINES = pa.schema(
    [("part", pa.int32()), ("file", pa.string()), ("block", pa.int64()), ("place", pa.int64()),
     ("step", pa.int32()), ("cause", pa.string()), ("line", pa.binary())]
)  # fmt: skip
STARTS = pa.schema([*(LINES.field(name) for name in SOURCE), pa.field("start", pa.int64())])
SHOWN = 10  # rejected records that are told one by one


@dataclass(frozen=True)
class Filters:
    """Lines through commands, each at its place in its block; a rejected one with the step that it came to."""

    stages: Sequence[tuple[Filter, str]]  # and fields of ids

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        source, place = None, 0
        for batch in batches:
            rows = zip(*(batch.column(name).to_pylist() for name in SOURCE), range(len(batch)), strict=True)
            for here, some in groupby(rows, key=lambda row: row[:3]):
                if here != source:
                    source, place = here, 0
                span = list(some)
                lines = batch.column("line").slice(span[0][3], len(span)).to_pylist()
                worked = self.work(here[1], lines)
                steps, causes, out = zip(*worked, strict=True)
                columns = [[each] * len(span) for each in here]
                places = range(place, place + len(span))
                yield batch_of(LINES, [*columns, places, steps, causes, out])
                place += len(span)

    def work(self, name: str, lines: list[bytes]) -> list[tuple[int, str | None, bytes]]:
        """For each line 0 and what comes out of it; or the number of the step that rejects it, why, and what it got."""
        worked: list[tuple[int, str | None, bytes]] = [(0, None, line) for line in lines]
        alive = list(range(len(lines)))
        for number, (stage, id_field) in enumerate(self.stages, 1):
            data = b"".join(worked[place][2] + b"\n" for place in alive)
            result = filter_chunk(stage, id_field, False, Chunk(name, 1, 1, data))
            rejected = {
                alive[(line or 1) - 1]: (number, cause, document) for _, line, cause, document in result.rejects
            }
            alive = [place for place in alive if place not in rejected]
            for place, line in zip(alive, split_lines(result.written.output), strict=True):
                worked[place] = 0, None, line
            for place, what in rejected.items():
                worked[place] = what
        return worked


class LineNumbers:
    """Numbers of lines, over all input, and the files and lines that they are."""

    def __init__(self, frame: DataFrame) -> None:
        """`frame` has SOURCE and place, and is read once. Raises Failed for a file that is there twice."""
        counted = frame.groupBy(*SOURCE).agg((F.max("place") + 1).alias("lines"), F.count(F.lit(1)).alias("rows"))
        found = counted.collect()
        for row in found:
            if row["rows"] != row["lines"]:
                raise Failed(f"{name_of(row['file'])}: one option names it twice")
        blocks = sorted((row["part"], row["file"], row["block"], row["lines"]) for row in found)
        self.spark = frame.sparkSession
        self.starts: list[tuple[int, str, int, int]] = []
        self.files: list[tuple[int, str]] = []
        number = 0
        for part, file, block, lines in blocks:
            if not self.files or (part, file) != self.starts[-1][:2]:
                self.files.append((number, file))
            self.starts.append((part, file, block, number))
            number += lines
        self.count = number

    def numbered(self, frame: DataFrame) -> DataFrame:
        """With the column number."""
        starts = self.spark.createDataFrame(pa.Table.from_batches([of_rows(STARTS, self.starts)]))
        joined = frame.join(F.broadcast(starts), SOURCE)
        return joined.withColumn("number", F.col("start") + F.col("place")).drop("start", "place", *SOURCE)

    def first_of(self, part: int) -> int:
        """The number of the first line of a part of the input, or behind it."""
        return next((start for here, _, _, start in self.starts if here >= part), self.count)

    def where(self, number: int) -> str:
        """The file and line."""
        start, file = self.files[bisect_right(self.files, number, key=lambda each: each[0]) - 1]
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
        """`frame` has number (none if the record is in no file), step (from 1), cause, and the line as it came."""
        self.frames.append(frame.select("number", "step", "cause", "line"))

    def tell(self, steps: Sequence[str], numbers: LineNumbers) -> None:
        if not self.frames:
            return
        every, self.frames = reduce(DataFrame.unionAll, self.frames), []
        for row in every.groupBy("step").count().orderBy("step").collect():
            name, count = steps[row["step"] - 1], row["count"]
            these = every.where(F.col("step") == row["step"]).orderBy("number", "line")
            for first in these.limit(SHOWN).collect():
                where = "" if first["number"] is None else f"{numbers.where(first['number'])}: "
                self.complain(f"{name}: {where}{first['cause']}")
            if count > SHOWN:
                self.complain(f"{name}: {count} records rejected in all")
            if self.folder is not None:
                write_lines(these, f"{self.folder}/{row['step']}-{name}", gzip=False)
            self.count += count
