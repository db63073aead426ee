"""dedup on a cluster, of so few documents that one task chooses among them: it is sent their names, never their lines.

What is decided goes back to all tasks, each of which reads its documents again, and lets them pass or not.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.dedup.spec import NONE, DedupSpec, in_two_groups
from shingletools.errors import seen_before
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches, Packed, of_rows, through
from shingletools.spark.decided import NO_GROUP, Cut, Decisions, chosen, met, ranks_of
from shingletools.spark.files import Kept
from shingletools.spark.gathered import (
    COLUMNS,
    FAULTS,
    TOO_MUCH,
    Arriving,
    LineFault,
    Mentioned,
    order_of,
    split_of,
    together,
)
from shingletools.spark.lines import BAD, LINES, PLACES, REJECTED, WRITTEN, Filtered, about
from shingletools.spark.mentions import FAULT
from shingletools.spark.names import Named, Row, numbers_of, rows_of
from shingletools.spark.tally import Key, Tally, Telling, Told

# Rejected lines; of a split what was decided; and the first line, with FAULT as its step, that is no group
CHOSEN = pa.schema([*PLACES, *REJECTED, *((name, pa.binary()) for name in Decisions._fields)])
DOCUMENTS, AGAIN, GO = "documents", "again", "go"
DOCUMENT = 160  # bytes for each document or member of a group, beside its id


class MentionedLines:
    """Lines of documents or groups: the split and the place of each, and what they have."""

    def __init__(self) -> None:
        self.splits: list[Key] = []
        self.first: list[int] = []  # lines before each of these splits
        self.count = 0
        self.columns: tuple[list[Index], ...] = [], [], []

    def add(self, some: Mentioned, names: Index) -> None:
        if not self.splits or self.splits[-1] != some.split:
            self.splits.append(some.split)
            self.first.append(self.count)
        self.count += len(some.places)
        for column, each in zip(self.columns, (some.places, names, some.figures), strict=True):
            column.append(each)

    def all(self) -> Iterator[Index]:
        """The places of all, the numbers of names, and figures."""
        return (np.concatenate([np.empty(0, np.int64), *column]) for column in self.columns)

    def split(self, line: int) -> Key:
        return self.splits[bisect_right(self.first, line) - 1]


@dataclass(frozen=True)
class ChoosingAtOnce:
    """All of GATHERED to CHOSEN. Memory: `room`, or it gives up."""

    spec: DedupSpec
    inputs: int  # parts from this one on are groups
    step: int
    room: int
    splits: Tally
    tally: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        arriving = Arriving(self.room, self.splits)
        faults: list[Row] = []
        bad: dict[Key, list[int]] = {}  # places
        for row in arriving(batches):
            if row["part"] >= self.inputs:
                faults.append(row)
                continue
            if row["step"] == self.step:
                bad.setdefault(split_of(row), []).append(row["place"])
            yield rows_of(CHOSEN, [{name: row[name] for name in COLUMNS}])
        telling = Telling(self.tally)
        telling.begin((telling.task,))
        ids, documents, groups = kernel.new_ids(), MentionedLines(), MentionedLines()
        for some in arriving.in_order():
            side = documents if some.split[0] < self.inputs else groups
            side.add(some, numbers_of(ids.number(some.names, some.sizes)))
            arriving.check(len(ids.data) + DOCUMENT * (documents.count + len(ids)))
        if arriving.too_much:
            telling.figures[TOO_MUCH] = 1
        else:
            named = Named(bytes(ids.data), np.diff(numbers_of(bytes(ids.ends)), prepend=0))
            yield rows_of(CHOSEN, list(self.choose(named, documents, groups, (faults, bad), telling.figures)))
        telling.end()

    def choose(
        self, named: Named, documents: MentionedLines, groups: MentionedLines,
        bad: tuple[list[Row], Mapping[Key, list[int]]], figures: dict[str | int, int],
    ) -> Iterator[Row]:  # fmt: skip
        """The first line that is no group, or what was decided."""
        faults, out = bad
        lines, members, counts = groups.all()
        group = np.repeat(np.arange(groups.count), counts)
        places, name, rank = documents.all()
        number = np.arange(documents.count)
        found = met(
            len(named.sizes), (members, group, ranks_of(members, counts, self.spec.larger_than)), (name, number)
        )
        if len(found.twice):
            wrong = int(group[found.twice[0]])
            cause = in_two_groups(orjson.loads(named.at(members[found.twice]).names))
            place = dict(zip(COLUMNS, (*groups.split(wrong), int(lines[wrong])), strict=False))
            faults.append({**place, "cause": cause})
        if faults:
            figures[FAULTS] = 1
            first = min(faults, key=order_of)
            yield {name: first[name] for name in COLUMNS[:4]} | {"step": FAULT, "cause": first["cause"]}
            return
        again = np.flatnonzero(found.again)
        some = np.flatnonzero((found.group != NO_GROUP) & ~found.again)
        goes, stays = (some[each] for each in chosen(some, rank[some], found.group[some], self.spec.keep == NONE))
        figures |= {DOCUMENTS: documents.count, AGAIN: len(again), GO: len(goes)}
        keep = named.at(name[stays]) if self.spec.annotate else Named(b"", goes[:0])
        bounds = np.append(0, np.cumsum(keep.sizes))
        spans = pairwise([*documents.first, documents.count])
        lines_of = dict(zip(documents.splits, spans, strict=True))
        for split in {**lines_of, **out}:
            span = lines_of.get(split, (0, 0))
            here, seen = (slice(*np.searchsorted(each, span).tolist()) for each in (goes, again))
            left_out = np.sort(np.append(places[again[seen]], np.array(out.get(split, []), np.int64)))
            names = keep.names[int(bounds[here.start]) : int(bounds[here.stop])] if len(keep.sizes) else b""
            columns = places[goes[here]], keep.sizes[here], left_out, places[again[seen]]
            went, sizes, left, before = (each.tobytes() for each in columns)
            decided = Decisions(went, names, sizes, left, before)
            if any(decided):
                yield dict(zip(COLUMNS[:3], split, strict=True)) | decided._asdict()


@dataclass(frozen=True)
class Cutting:
    """Filtered lines, as they were gathered, to WRITTEN: those that stay or go, and those that were seen before."""

    filtered: Filtered
    cut: Cut
    decided: Mapping[Key, Decisions]
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        telling = Telling(self.filtered.tally)
        for done in self.filtered(batches, telling):
            if not done.lines:
                continue
            split = done.portion.source
            block = self.decided.get(split, Decisions()).of(Packed(done.place + done.places(), done.lines))
            if lines := self.cut(block).lines:
                telling.figures[LINES] = telling.figures.get(LINES, 0) + lines.count(b"\n")
                yield of_rows(WRITTEN, [(LINES, telling.run, lines[:-1])])
            if len(block.again) and not self.cut.gone:
                telling.figures[AGAIN] = 1
                yield of_rows(WRITTEN, [(BAD, 0, value) for value in self.bad(split, block.seen_before())])

    def bad(self, split: Key, some: Packed) -> Iterator[bytes]:
        for place, line in zip(some.numbers.tolist(), some.lines.split(b"\n")[:-1], strict=True):
            cause = seen_before(wire.take_id(wire.parse_json(line), self.cut.spec.id_field))
            yield about(*split, place, self.step, cause) + b"\t" + line.hex().encode()


class ChosenAtOnce(NamedTuple):
    """What was rejected (PLACES, REJECTED) and decided; what the splits told; the first fault, or what is said."""

    rejected: DataFrame
    decided: Mapping[Key, Decisions]
    splits: Sequence[Told]
    fault: LineFault | None
    figures: Sequence[str]


def chosen_at_once(frames: Sequence[DataFrame], choosing: ChoosingAtOnce, kept: Kept) -> ChosenAtOnce | None:
    """Of GATHERED; None if that is too much."""
    found = kept(through(together(frames), choosing, CHOSEN))
    (told,) = choosing.tally.all()
    figures = told.figures
    if TOO_MUCH in figures:
        return None
    every = choosing.splits.all()
    rejected = found.where("step > 0").select(*COLUMNS)
    if FAULTS in figures:
        (row,) = found.where(F.col("step") == FAULT).collect()
        return ChosenAtOnce(rejected, {}, every, LineFault.of(row.asDict()), [])
    rows = found.where("step is null").collect()
    decided = {split_of(row.asDict()): Decisions(*(bytes(row[name]) for name in Decisions._fields)) for row in rows}
    stay = figures[DOCUMENTS] - figures[AGAIN] - figures[GO]
    return ChosenAtOnce(rejected, decided, every, None, choosing.spec.figures(stay, figures[GO], 0))
