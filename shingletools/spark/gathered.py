"""What simgroup and dedup take of lines, brought to one task, if it is not too much for that."""

from collections.abc import Callable, Iterator, Sequence
from ctypes import CDLL
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches, through
from shingletools.spark.lines import BAD, PLACES, REJECTED, Filtered
from shingletools.spark.mentions import Mentions
from shingletools.spark.names import Row, numbers_of, rows_of
from shingletools.spark.tally import Aside, Key, Tally, Telling, Told

# Names and figures of many lines, and the place of each behind the first, int64, or nothing if they follow each other;
# rejected lines one in a row; what splits tell
GATHERED = pa.schema([*PLACES, *REJECTED, ("names", pa.binary()), ("sizes", pa.binary()), ("figures", pa.binary()),
                      ("lines", pa.int64()), ("numbers", pa.binary()), ("told", pa.string())])  # fmt: skip
BASE = 100 << 20  # bytes of Python
COLUMNS = [name for name, _ in (*PLACES, *REJECTED)]
TOO_MUCH, FAULTS = "too much", "faults"  # told by a task that gave up, or met a line that fails the run
ROW = 256  # bytes of a row, beside what it has
ROWS = 32  # some 30 MB, behind which memory is given back
TIMES = 8  # input that is so many times as large as the memory that may be taken is not tried


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


def together(frames: Sequence[DataFrame]) -> DataFrame:
    """Of GATHERED, in one task."""
    every = frames[0]
    for frame in frames[1:]:
        every = every.unionAll(frame)
    return every.repartition(1)  # those before it are many


def gathered(rows: DataFrame, gathering: Gathering) -> DataFrame:
    return through(rows, gathering, GATHERED)


class Mentioned(NamedTuple):
    """What some lines have, in their order."""

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
    """All of GATHERED that comes to a task, up to so many bytes; of what is more nothing is left."""

    room: int
    splits: Tally  # told what the splits told
    rows: list[Row] = field(default_factory=list)
    held: int = 0  # bytes
    too_much: bool = False

    def __call__(self, batches: Batches) -> Iterator[Row]:
        """Gives rows that are rejected, as they come."""
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
        """Gives up if so many bytes more are too much."""
        if self.held + more > self.room:
            self.too_much = True
            self.rows.clear()

    def in_order(self) -> Iterator[Mentioned]:
        """Each goes as soon as it is taken."""
        trim = getattr(CDLL(None), "malloc_trim", None)  # glibc keeps what was freed in between
        self.rows.sort(key=order_of, reverse=True)
        while self.rows:
            if trim is not None and not len(self.rows) % ROWS:
                trim(0)
            row = self.rows.pop()
            yield Mentioned.of(row)
            self.held -= size_of(row)


class LineFault(NamedTuple):
    """A line that fails the run: its split, its place there, and why."""

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
    """Bytes that it takes."""
    return ROW + sum(len(row[name]) for name in ("names", "sizes", "figures", "numbers"))
