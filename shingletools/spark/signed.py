"""The ids and signatures that simjoin takes on a cluster: checked as in the shell, and packed as arrays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.digit_groups import Data
from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.signed_records import Needed, Signed, SignedRecords
from shingletools.commands.simjoin.spec import shapes_differ
from shingletools.kernel.ids import split
from shingletools.kernel.types import Flags, Index
from shingletools.record import wire
from shingletools.record.record_batch import read_batch
from shingletools.spark.batches import Batches, of_rows
from shingletools.spark.filtered_lines import BAD, PLACES, REJECTED, SIZE, Filtered, LineNumbers
from shingletools.spark.number_sets import Chosen
from shingletools.spark.tally import Key, SplitStats, StatsCollector
from shingletools.system.errors import Failed

IDS = "ids"  # a figure: bytes of ids
MARKS = 16  # most marks of a split: if there are so many, documents differ, and the run fails
COLUMNS = ["ids", "id_sizes", "payload", "sizes", "second", "second_sizes"]
# Documents, many in a row: offsets from the first place, int64; ids as JSON, one after the other, and the bytes of
# each, int64; the same for one payload or two, which are empty for documents that are in no pair; `mark`, uint16, is
# the number of each document's mark in `marks`. Rejected records, one in a row
SIGNED = pa.schema([*PLACES, *REJECTED, ("numbers", pa.binary()), ("marks", pa.binary()), ("mark", pa.binary()),
                    *((name, pa.binary()) for name in COLUMNS)])  # fmt: skip


class Mark(NamedTuple):
    """The properties of documents that all must share."""

    via: str
    kind: int  # of the signature, one of SIGNATURES
    size: int  # of the signature in bytes, 0 if it is empty; 1 for sets
    good: bool  # whether the record was not rejected

    def shape(self) -> str:
        return SIGNATURES[self.kind].shape(self.size) if self.size else ""


class Marked(NamedTuple):
    """A mark, and the numbers of the first and the last document with it in a split."""

    first: int
    last: int
    mark: Mark


class Taker:
    """Takes documents from lines, of which the kernel reads those that are like the last one with a signature."""

    def __init__(self, id_field: str, once: Sequence[str], verify: bool) -> None:
        self.records = SignedRecords(Needed(id_field, once, verify), lambda _: None, lines=True)
        self.schema = self.records.schema  # so that a batch has the same mark everywhere: of the kernel, or one row
        self.mark: Mark | None = None

    def take(self, lines: bytes, places: Index) -> tuple["TakenDocuments", list[tuple[int, str, bytes]]]:
        """The documents; and the place, cause and line of those that are rejected."""
        taken, bad = TakenDocuments(1 + self.records.needed.verify), []
        at = number = 0
        while at < len(lines):
            self.records.last = None
            batch = read_batch(lines, at, self.schema)
            mark = self.mark if self.records.last is None else mark_of(self.records.last)
            here = places[number : number + batch.rows]
            if mark is not None:
                taken.add(here, mark, *(part for data, sizes, _ in batch.columns for part in (data, sizes)))
            at, number = batch.next, number + batch.rows
            if batch.bad is not None:
                error, line = batch.bad
                here, number = places[number : number + 1], number + 1
                bad.append((int(here[0]), str(error), line))
                if self.records.last is not None:  # only its shingles are bad
                    taken.see(here, mark_of(self.records.last)._replace(good=False))
            elif self.records.last is not None and self.records.last.data:
                _, via, signature, data = self.records.last
                self.mark, self.schema = mark, self.records.schema_of(via, signature, len(data))._replace(max_rows=1)
        return taken, bad


def mark_of(signed: Signed) -> Mark:
    size = (signed.signature.fixed(len(signed.data)) or 1) if signed.data else 0
    return Mark(signed.via, SIGNATURES.index(signed.signature), size, True)


class TakenDocuments:
    """The documents of a portion."""

    def __init__(self, payloads: int) -> None:
        self.places: list[Index] = [np.empty(0, np.int64)]
        self.mark: list[Index] = [np.empty(0, np.uint16)]
        self.data: list[list[bytes]] = [[] for _ in range(2 + 2 * payloads)]
        self.marks: dict[Mark, int] = {}
        self.seen: dict[Mark, list[int]] = {}  # the first and the last place of each mark

    def see(self, places: Index, mark: Mark) -> None:
        first, last = int(places[0]), int(places[-1])
        if mark in self.seen or len(self.seen) < MARKS:
            self.seen.setdefault(mark, [first, last])[1] = last

    def add(self, places: Index, mark: Mark, *data: bytes) -> None:
        if not len(places):
            return
        self.see(places, mark)
        self.places.append(places)
        if mark not in self.marks and len(self.marks) < MARKS:
            self.marks[mark] = len(self.marks)
        self.mark.append(np.full(len(places), self.marks.get(mark, 0), np.uint16))
        for column, some in zip(self.data, data, strict=True):
            column.append(some)

    def columns(self) -> list[bytes]:
        """The columns of SIGNED."""
        data = [b"".join(column) for column in self.data]
        places, mark = np.concatenate(self.places), np.concatenate(self.mark)
        return [places.tobytes(), orjson.dumps([list(each) for each in self.marks]), mark.tobytes(), *data,
                *[b""] * (len(COLUMNS) - len(data))]  # fmt: skip


@dataclass(frozen=True)
class Signing:
    """Filtered lines to SIGNED. Tells the marks of each split."""

    filtered: Filtered
    id_field: str
    once: Sequence[str]
    verify: bool
    step: int

    def __call__(self, batches: Batches) -> Batches:
        runs, taker = StatsCollector(self.filtered.tally), Taker(self.id_field, self.once, self.verify)
        for done in self.filtered(batches, runs):
            source, place = done.portion.source, done.place
            taken, bad = taker.take(done.lines, done.places())
            for mark, (first, last) in taken.seen.items():
                if tuple(mark) in runs.marks or len(runs.marks) < MARKS:
                    runs.marks.setdefault(tuple(mark), [place + first, 0])[1] = place + last
            nothing = [None] * (len(SIGNED) - len(PLACES) - len(REJECTED))
            rows = [(*row, *nothing) for row in done.rejected()]
            rows += [(*source, place + each[0], self.step, *each[1:], *nothing) for each in bad]
            if bad:
                runs.figures[BAD] = 1
            if taken.marks:
                runs.figures[IDS] = runs.figures.get(IDS, 0) + sum(map(len, taken.data[0]))
                runs.figures[SIZE] = runs.figures.get(SIZE, 0) + sum(map(len, chain.from_iterable(taken.data[2::2])))
                rows.append((*source, place, 0, None, None, *taken.columns()))
            yield of_rows(SIGNED, rows)


class ByteColumn(NamedTuple):
    """Ids or payloads: uint8, one after the other, and the bytes of each, int64; empty if not needed."""

    data: Data
    sizes: Index

    def each(self) -> Iterator[bytes]:
        return split(self.data.tobytes(), self.sizes)

    def at(self, some: Flags) -> "ByteColumn":
        """Those whose flags are set."""
        data: Data = self.data[np.repeat(some, self.sizes)] if len(self.data) else self.data
        return ByteColumn(data, self.sizes[some] if len(self.sizes) else self.sizes)


class SignedDocuments(NamedTuple):
    """The documents of a row of SIGNED. Columns that are not needed are empty."""

    numbers: Index
    ids: ByteColumn
    payloads: list[ByteColumn]  # one or two
    marks: list[Mark]
    mark: NDArray[np.uint16]

    def signed(self) -> "SignedDocuments":
        """The documents that have a signature."""
        return self.at(self.payloads[0].sizes > 0)

    def at(self, some: Flags) -> "SignedDocuments":
        """Those whose flags are set."""
        if some.all():
            return self
        payloads = [each.at(some) for each in self.payloads]
        mark = self.mark[some] if len(self.mark) else self.mark
        return SignedDocuments(self.numbers[some], self.ids.at(some), payloads, self.marks, mark)


class Reading(NamedTuple):
    """Rows of SIGNED, perhaps with some columns only, to their documents. There must be no rejected rows."""

    starts: Mapping[Key, int]
    payloads: int  # one or two
    without: Chosen  # documents to leave out

    def __call__(self, batches: Batches) -> Iterator[SignedDocuments]:
        for batch in batches:
            for row in batch.to_pylist():
                number = self.starts[tuple(row[name] for name, _ in PLACES[:3])] + row["place"]
                numbers = number + np.frombuffer(row["numbers"], np.int64)
                ids, *payloads = (
                    ByteColumn(
                        np.frombuffer(row.get(data, b""), np.uint8), np.frombuffer(row.get(sizes, b""), np.int64)
                    )
                    for data, sizes in zip(COLUMNS[::2], COLUMNS[1::2], strict=True)
                )
                marks = [Mark(*each) for each in orjson.loads(row.get("marks", b"[]"))]
                mark = np.frombuffer(row.get("mark", b""), np.uint16)
                found = SignedDocuments(numbers, ids, payloads[: self.payloads], marks, mark)
                yield found.at(~self.without.has(numbers)) if self.without.size else found


def check(
    stats: Sequence[SplitStats], numbers: LineNumbers, comparable: Comparable, shaped: tuple[int, Mark] | None
) -> None:
    """Checks all documents as simjoin does, and takes `shaped`, the first one with a signature. Raises Failed.

    All documents are compared with the first one that is not rejected. Others are not compared with a rejected
    document, but it can fail the run like any other.
    """
    marks = marks_of(stats, numbers)
    first = min((each for each in marks if each.mark.good), default=None)
    wrong: list[tuple[int, str]] = []
    if first is not None:
        for each in marks:
            if each.mark.via != first.mark.via and each.last > first.first:
                number = each.first if each.first > first.first else each.last
                wrong.append((number, wire.recipes_differ(each.mark.via, first.mark.via)))
            elif (
                shaped is not None
                and each.mark.size
                and each.mark.shape() != shaped[1].shape()
                and each.last > shaped[0]
            ):
                number = each.first if each.first > shaped[0] else each.last
                wrong.append((number, shapes_differ(each.mark.shape(), shaped[1].shape())))
    # Each document up to the first that is not rejected is checked against the options
    early = [each for each in marks if each.mark.size and (shaped is None or each.first <= shaped[0])]
    for each in early:
        try:
            comparable.check(SIGNATURES[each.mark.kind], each.mark.size, each.mark.via)
        except Failed as error:
            wrong.append((each.first, str(error)))
    if wrong:
        number, cause = min(wrong, key=lambda each: each[0])  # for one document, the recipe comes first
        raise Failed(f"{numbers.where(number)}: {cause}")
    if shaped is not None:
        comparable.accept(SIGNATURES[shaped[1].kind], shaped[1].size, shaped[1].via)


def marks_of(stats: Sequence[SplitStats], numbers: LineNumbers) -> list[Marked]:
    """The marks of all splits."""
    return [
        Marked(numbers.starts[split.key] + first, numbers.starts[split.key] + last, Mark(*mark))
        for split in stats
        for mark, (first, last) in split.marks.items()
    ]
