"""The names that simgroup and dedup take from lines, gathered in one task if they fit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches, through, union
from shingletools.spark.filtered_lines import BAD, PLACES, REJECTED, Filtered
from shingletools.spark.mentions import Mentions
from shingletools.spark.packed_names import Row, numbers_of, rows_of
from shingletools.spark.room import emptied
from shingletools.spark.tally import Aside, Key, Tally, Telling, Told

# Names and figures of many lines, and the offset of each from the first place, int64, or empty if they are consecutive;
# rejected lines, one in a row; what splits tell
GATHERED = pa.schema([*PLACES, *REJECTED, ("names", pa.binary()), ("sizes", pa.binary()), ("figures", pa.binary()),
                      ("lines", pa.int64()), ("numbers", pa.binary()), ("told", pa.string())])  # fmt: skip
COLUMNS = [name for name, _ in (*PLACES, *REJECTED)]
TOO_MUCH, FAULTS = "too much", "faults"  # figures of a task that gave up, or met a line that fails the run
ROW = 256  # bytes of a row, besides its contents
TIMES = 8  # input more than so many times as large as the memory is not tried


@dataclass(frozen=True)
class Gathering:
    """Filtered lines to GATHERED."""

    filtered: Filtered
    mentions: Callable[[bytes], Mentions]
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        aside = Aside()
        telling = Telling(aside)
        for done in self.filtered(batches, telling):
            rows = [dict(zip(COLUMNS, row, strict=True)) for row in done.rejected()]
            source = dict(zip(COLUMNS, (*done.portion.source, done.place), strict=False))
            if done.lines:
                found, places = self.mentions(done.lines), done.places()
                for each in found.bad:
                    there = {"place": done.place + int(places[each.place]), "step": each.step(self.step)}
                    rows.append(source | there | {"cause": each.cause, "line": each.line})
                    telling.figures[BAD] = 1
                good = found.good(places)
                numbers = b"" if not len(good) or good[-1] == len(good) - 1 else good.tobytes()
                rows.append(source | {
                    "names": found.named.names, "sizes": found.named.sizes.tobytes(),
                    "figures": found.figures.tobytes(), "lines": len(good), "numbers": numbers,
                })  # fmt: skip
            yield rows_of(GATHERED, rows)
        yield rows_of(GATHERED, [{"told": told.text()} for told in aside.every])


def in_one_task(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows of GATHERED in one partition."""
    return union(frames).repartition(1)  # not coalesce, which would make the steps before it one task, too


def gathered(rows: DataFrame, gathering: Gathering) -> DataFrame:
    return through(rows, gathering, GATHERED)


class Mentioned(NamedTuple):
    """The names and figures of lines, in order."""

    split: Key
    names: bytes
    sizes: bytes
    figures: Index
    places: Index  # of the lines in their split

    @classmethod
    def of(cls, row: Row) -> "Mentioned":
        behind = numbers_of(row["numbers"]) if row["numbers"] else np.arange(row["lines"])
        return cls(split_of(row), row["names"], row["sizes"], numbers_of(row["figures"]), row["place"] + behind)


@dataclass
class Arriving:
    """Takes all rows of GATHERED in a task, up to a number of bytes; beyond it, it keeps nothing."""

    room: int
    splits: Tally  # takes what the splits tell
    rows: list[Row] = field(default_factory=list)
    held: int = 0  # bytes
    too_much: bool = False

    def __call__(self, batches: Batches) -> Iterator[Row]:
        """Takes rows. Gives rejected rows as they come."""
        every: list[Told] = []
        for row in (row for batch in batches for row in batch.to_pylist()):
            if row["told"] is not None:
                every.append(Told.of(row["told"]))
            elif row["step"]:
                yield row
            elif self.held <= self.room:
                self.rows.append(row)
                self.held += size_of(row)
        self.splits.told.add(every)
        self.check(0)

    def check(self, more: int) -> None:
        """Gives up if `more` bytes more are too much."""
        if self.held + more > self.room:
            self.too_much = True
            self.rows.clear()

    def in_order(self, first: int = 0) -> Iterator[Mentioned]:
        """The rows of the parts from `first` on, then those of earlier parts. Each is freed when it has been taken."""
        self.rows.sort(key=lambda row: (row["part"] < first, *order_of(row)), reverse=True)
        for row in emptied(self.rows):
            yield Mentioned.of(row)
            self.held -= size_of(row)


class LineFault(NamedTuple):
    """A line that fails the run: its split, its place in it, and the cause."""

    split: Key
    place: int
    cause: str

    @classmethod
    def of(cls, row: Row) -> "LineFault":
        return cls(split_of(row), row["place"], row["cause"])


def split_of(row: Row) -> Key:
    return row["part"], row["file"], row["block"]


def order_of(row: Row) -> Key:
    part, file, block = split_of(row)
    return part, unquote(file), block, row["place"]


def size_of(row: Row) -> int:
    """The bytes that a row takes."""
    return ROW + sum(len(row[name]) for name in ("names", "sizes", "figures", "numbers"))
