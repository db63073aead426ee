"""The shell's filters on rows of many lines; and its collectors, which one task gives all lines."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pyspark import Accumulator

from shingletools.record.collector import CollectorContext
from shingletools.record.events import Event, Lines, Reject, RemovedLines
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch
from shingletools.record.stage import Filter, Stage
from shingletools.running.step_events import take_batch
from shingletools.spark.arrow_batches import Batches, from_rows
from shingletools.spark.lines import GOOD, LINES, REMOVED, LineRow, NumberedLines, bad_row, numbered_lines
from shingletools.spark.read import numbered_batches
from shingletools.system.errors import Failed, RecordFailed


class Counts(NamedTuple):
    """Counts lines in all tasks: those that are read, and those that pass all filters.

    What a failed attempt of a task counts does not count. If a machine is lost, a task that had ended may be done
    again, and then counts twice.
    """

    read: Accumulator[int]
    good: Accumulator[int]


@dataclass(frozen=True)
class Filtering:
    """Takes rows of a LineReader through filters to LINES."""

    chain: Chain
    texts: Collection[str]  # fields of Parquet in which bytes are text
    counts: Counts
    whole: bool = True  # whether lines of Parquet have all fields, else only these
    anew: bool = False  # whether lines that go on are numbered from 0 in each split; else as they were read

    def __call__(self, batches: Batches) -> Batches:
        made: Counter[int] = Counter()  # of the lines of a split that went on
        for some in numbered_batches(self.texts, self.whole, batches):
            (good,) = self.chain(RecordBatch(some.lines))
            lines, rejected = good.lines, good.rejected
            numbers = np.delete(some.numbers, [each.place for each in rejected])
            if self.anew:
                numbers = made[some.first] + np.arange(lines.count(b"\n"))
                made[some.first] += len(numbers)
            rows = [NumberedLines(some.first, numbers, lines).row()] if lines else []
            rows += [
                bad_row(some.first, int(some.numbers[each.place]), each.step, each.cause, each.record)
                for each in rejected
            ]
            yield from_rows(LINES, rows)
            self.counts.read.add(len(some.numbers))
            self.counts.good.add(len(numbers))


def splits_lines(filters: Sequence[tuple[Filter, str]]) -> bool:
    """Returns whether one of the filters makes several lines of one."""
    return any(stage.lines is not None for stage, _ in filters)


LATE = 1 << 62  # number of the split of bad records of archives
FILE_BYTES = 64 << 20  # bytes of output lines in a file


def collect_in_task(stage: Stage, step: int, sides: Sequence[int | None], batches: Batches) -> Batches:
    """Takes LINES, sorted by `order`, the number of their input; gives LINES: the output, lines removed, and bad ones.

    sides: for each input the side of the join that it is, from 0, or None for the file of an option, which the
    collector reads before the others. Raises Failed.
    """
    inputs, output = OrderedInputs(batches), NumberedOutput()
    first = iter([order for order, side in enumerate(sides) if side is None])
    collector = stage.collector(
        CollectorContext(read=lambda _, path: ((path, some.lines) for some in inputs.of(next(first))))
    )
    try:
        for order, side in enumerate(sides):
            for some in () if side is None else inputs.of(order):
                events = take_batch(collector, side or 0, RecordBatch(some.lines, ""))
                yield from_rows(LINES, [row for event in events for row in event_rows(event, step, output, some)])
        for event in collector.finish():
            yield from_rows(LINES, event_rows(event, step, output, None))
    except RecordFailed as failed:
        raise Failed(failed.cause) from None
    finally:
        collector.close()


def event_rows(event: Event, step: int, output: "NumberedOutput", some: NumberedLines | None) -> list[LineRow]:
    """Returns rows of LINES of an event about some lines, or about what was found after all lines."""
    if isinstance(event, Reject):
        first, number = (LATE, 0) if some is None else (some.first, int(some.numbers[(event.line or 1) - 1]))
        return [bad_row(first, number, step, event.cause, event.record)]
    if isinstance(event, Lines | RemovedLines):
        return output.rows(GOOD if isinstance(event, Lines) else REMOVED, event.data)
    return []


class OrderedInputs:
    """Reads the inputs one after the other."""

    def __init__(self, batches: Batches) -> None:
        rows = (batch.slice(row, 1) for batch in batches for row in range(len(batch)))
        self.rows, self.next = rows, next(rows, None)

    def of(self, order: int) -> Iterator[NumberedLines]:
        """Yields the lines of an input, which is the next one if it has any."""
        while self.next is not None and self.next.column("order")[0].as_py() == order:
            yield from numbered_lines(iter([self.next]))
            self.next = next(self.rows, None)


class NumberedOutput:
    """Numbers the lines of the output, and those that were removed."""

    def __init__(self) -> None:
        self.bytes, self.count = 0, Counter[int]()  # of the lines in a file

    def rows(self, step: int, lines: bytes) -> list[LineRow]:
        """Returns rows of LINES."""
        first = self.bytes // FILE_BYTES
        number = self.count[first]
        self.count[first] += lines.count(b"\n")
        self.bytes += len(lines)
        return [(step, first, number, b"", None, lines)]
