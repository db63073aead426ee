"""simgroup on a cluster, for so few pairs that one task groups them as the shell does."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame

from shingletools.commands.simgroup.grouping import Groups
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.spark.batches import Batches, of_rows, through
from shingletools.spark.filtered_lines import BAD, LINES, WRITTEN, about
from shingletools.spark.gathered import COLUMNS, FAULTS, TOO_MUCH, Arriving, in_one_task, order_of
from shingletools.spark.mentions import FAULT
from shingletools.spark.packed_names import Row, numbers_of
from shingletools.spark.parts import PART_BYTES
from shingletools.spark.tally import Tally, Telling, Told

GROUP_FIGURES = "groups", "documents in them", "in the largest", "without a pair with their first"
ID, PAIR = 90, 16  # bytes for each id, besides its own, and with --star for each pair


@dataclass(frozen=True)
class GroupingAtOnce:
    """All of GATHERED to WRITTEN: groups, and rejected lines. Memory: `room`; if that is too little, it gives up.

    If lines fail the run, only the first of them is written, with FAULT as its step, and no groups.
    """

    spec: GroupSpec
    others: int  # parts from this one on are documents, which become groups of one
    room: int
    splits: Tally
    parts: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        arriving = Arriving(self.room, self.splits)
        fault: Row | None = None
        for row in arriving(batches):
            if row["step"] != FAULT:
                yield bad(row)
            elif fault is None or order_of(row) < order_of(fault):
                fault = row
        telling = Telling(self.parts)
        telling.begin((0,))
        if fault is None:
            yield from self.grouped(arriving, telling)
        else:
            telling.figures[FAULTS] = 1
            yield bad(fault)
        telling.end()

    def grouped(self, arriving: Arriving, telling: Telling) -> Iterator[pa.RecordBatch]:
        collector = Groups(self.spec)
        pairs = 0
        for some in arriving.in_order():
            single = some.split[0] >= self.others
            pairs += 0 if single else len(some.sizes) // 16
            collector.take_ids(some.names, numbers_of(some.sizes), int(single))
            arriving.check(memory(collector, pairs))
        if arriving.too_much:
            telling.figures[TOO_MUCH] = 1
        else:
            yield from self.written(collector, telling)

    def written(self, collector: Groups, telling: Telling) -> Iterator[pa.RecordBatch]:
        """The lines of groups; each part of them is a run of the task."""
        size = 0
        for written in collector.finish():
            if written.output:
                telling.begin((size // PART_BYTES,))
                telling.figures[LINES] = telling.figures.get(LINES, 0) + written.output.count(b"\n")
                yield of_rows(WRITTEN, [(LINES, telling.run, written.output[:-1])])
                size += len(written.output)
        telling.figures |= figures(collector)


def bad(row: Row) -> pa.RecordBatch:
    """A rejected row of GATHERED as WRITTEN."""
    *told, line = (row[name] for name in COLUMNS)
    return of_rows(WRITTEN, [(BAD, 0, about(*told) + b"\t" + line.hex().encode())])


def figures(collector: Groups) -> dict[str | int, int]:
    return dict(
        zip(GROUP_FIGURES, (collector.groups, collector.grouped, collector.largest, collector.chained), strict=True)
    )


def memory(collector: Groups, pairs: int) -> int:
    """The bytes that a collector takes now, and will need."""
    ids = collector.ids
    return len(ids.data) + ID * len(ids) + (PAIR * pairs if collector.spec.star else 0)


class GroupsAtOnce(NamedTuple):
    """A folder with WRITTEN: what splits and parts told, and figures of -v."""

    splits: Sequence[Told]
    parts: Sequence[Told]
    figures: Sequence[str]
    fails: bool = False  # the folder has a line with FAULT as its step, and no groups


def grouped_at_once(
    frames: Sequence[DataFrame], grouping: GroupingAtOnce, write: Callable[[DataFrame], None]
) -> GroupsAtOnce | None:
    """Groups of GATHERED, passed to `write` as WRITTEN; None if that is too much for one task."""
    write(through(in_one_task(frames), grouping, WRITTEN))
    told = grouping.parts.all()
    said = {name: value for each in told for name, value in each.figures.items()}
    if TOO_MUCH in said:
        return None
    if FAULTS in said:
        return GroupsAtOnce(grouping.splits.all(), [], [], fails=True)
    return GroupsAtOnce(grouping.splits.all(), told, [f"{said[name]} {name}" for name in GROUP_FIGURES])
