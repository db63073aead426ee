"""dedup on a cluster, for so few documents that one task can choose among them. It gets their names, not their lines.

Its decisions go back to all tasks. Each task reads its documents again, and lets them pass or not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.commands.dedup.beside import Wrong
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.record import wire
from shingletools.spark.batches import Batches, Packed, of_rows, through
from shingletools.spark.decided import Cut, Decisions
from shingletools.spark.deciding import Deciding
from shingletools.spark.filtered_lines import BAD, LINES, PLACES, REJECTED, WRITTEN, Filtered, about
from shingletools.spark.gathered import (
    COLUMNS,
    FAULTS,
    TOO_MUCH,
    Arriving,
    LineFault,
    in_one_task,
    order_of,
    split_of,
)
from shingletools.spark.mentions import FAULT
from shingletools.spark.packed_names import Row, rows_of
from shingletools.spark.spark_files import Kept
from shingletools.spark.tally import Key, Tally, Telling, Told
from shingletools.system.errors import seen_before

# Rejected lines; the decisions on a split; and, with FAULT as its step, the first line that is no group
CHOSEN = pa.schema([*PLACES, *REJECTED, *((name, pa.binary()) for name in Decisions._fields)])
STAY, GO, KNOWN, AGAIN, UNLIKE = "stay", "go", "known", "again", "unlike"  # names of figures


@dataclass(frozen=True)
class ChoosingAtOnce:
    """All of GATHERED to CHOSEN. Memory: `room`; if that is too little, it gives up."""

    spec: DedupSpec
    inputs: int  # parts from this one on are not documents
    step: int
    room: int
    splits: Tally
    tally: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        arriving = Arriving(self.room, self.splits)
        faults: list[Row] = []
        bad: dict[Key, list[int]] = {}  # places of rejected lines, by split
        for row in arriving(batches):
            if row["part"] >= self.inputs:
                faults.append(row)
                continue
            if row["step"] == self.step:
                bad.setdefault(split_of(row), []).append(row["place"])
            yield rows_of(CHOSEN, [{name: row[name] for name in COLUMNS}])
        telling = Telling(self.tally)
        telling.begin((telling.task,))
        deciding = Deciding(self.spec, self.inputs)
        for some in arriving.in_order(self.inputs):
            try:
                deciding.take(some)
            except Wrong as error:
                place = dict(zip(COLUMNS, (*some.split, int(some.places[error.before])), strict=False))
                faults.append({**place, "cause": str(error)})
                break
            arriving.check(deciding.memory())
        if arriving.too_much:
            telling.figures[TOO_MUCH] = 1
        elif faults:
            telling.figures[FAULTS] = 1
            first = min(faults, key=order_of)
            place = {name: first[name] for name in COLUMNS[:4]}
            yield rows_of(CHOSEN, [place | {"step": FAULT, "cause": first["cause"]}])
        else:
            for row in deciding.decided(bad):
                yield rows_of(CHOSEN, [row])
            choice = deciding.choice
            unlike = int(choice.preference.unlike)
            said = choice.kept, choice.removed, choice.repeated, deciding.repeated, unlike
            telling.figures |= dict(zip((STAY, GO, KNOWN, AGAIN, UNLIKE), said, strict=True))
        telling.end()


@dataclass(frozen=True)
class Cutting:
    """Filtered lines, in the gathered order, to WRITTEN: lines that stay or go, and those with ids used before."""

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
    """Rejected rows (PLACES, REJECTED); the decisions; what the splits told; the first fault, or figures of -v."""

    rejected: DataFrame
    decided: Mapping[Key, Decisions]
    splits: Sequence[Told]
    fault: LineFault | None
    figures: Sequence[str]
    again: int = 0  # documents whose ids were used before
    unlike: bool = False  # whether it is in doubt how values are to be compared


def chosen_at_once(frames: Sequence[DataFrame], choosing: ChoosingAtOnce, kept: Kept) -> ChosenAtOnce | None:
    """The choice by GATHERED; None if that is too much for one task."""
    found = kept(through(in_one_task(frames), choosing, CHOSEN))
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
    columns = Decisions._fields
    decided = {split_of(row.asDict()): Decisions(*(bytes(row[name] or b"") for name in columns)) for row in rows}
    said = choosing.spec.figures(figures[STAY], figures[GO], figures[KNOWN])
    return ChosenAtOnce(rejected, decided, every, None, said, figures[AGAIN], bool(figures[UNLIKE]))
