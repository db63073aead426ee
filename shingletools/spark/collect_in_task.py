"""All of a collector's input in one task, which gives it to the shell's own collector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shingletools.reading.streams import Chunk
from shingletools.record.collector import CollectorContext, Written
from shingletools.record.stage import Stage
from shingletools.running.collecting import collect_chunk
from shingletools.spark.arrow_batches import (
    GOOD,
    LINES,
    REMOVED,
    Batches,
    NumberedLines,
    bad_row,
    from_rows,
    numbered_lines,
)
from shingletools.spark.tally import Tally
from shingletools.system.errors import Failed, shown_place

PART_BYTES = 64 << 20  # of output lines in a file


class InTask(NamedTuple):
    """What the task tells at its end."""

    figures: Sequence[str] = ()  # of -v
    remarks: Sequence[str] = ()
    good: int = 0  # records of the input that are good, but perhaps for their ids


@dataclass(frozen=True)
class CollectingInTask:
    """Takes LINES in order, with the `order` of their inputs; gives LINES: the output, lines removed, and bad records.

    sides: of each input the side that it is of, or None if the collector reads it before the others, as the file of an
    option. Raises Failed.
    """

    stage: Stage
    step: int
    sides: Sequence[int | None]
    tally: Tally  # of InTask

    def __call__(self, batches: Batches) -> Batches:
        inputs = OrderedInputs(batches)
        first = iter([order for order, side in enumerate(self.sides) if side is None])
        collector = self.stage.collector(
            CollectorContext(read=lambda _, path: ((path, some.lines) for some in inputs.of(next(first))))
        )
        output, good = NumberedOutput(), 0
        try:
            for order, side in enumerate(self.sides):
                for some in () if side is None else inputs.of(order):
                    outcome, failed = collect_chunk(collector, False, side or 0, Chunk("", 1, 1, some.lines))
                    if failed is not None:
                        raise Failed(str(failed).removeprefix(f"{shown_place(*collector.place)}: "))
                    good += 0 if side else outcome.records + outcome.repeated_ids
                    bad = [
                        bad_row(some.first, int(some.numbers[(line or 1) - 1]), self.step, cause, record)
                        for _, line, cause, record in outcome.rejects
                    ]
                    yield from_rows(LINES, [*output.rows(outcome.written), *bad])
            for rest in collector.finish():
                late = [bad_row(0, 0, self.step, each.cause, each.document) for each in collector.deferred_rejects()]
                yield from_rows(LINES, [*output.rows(rest), *late])
            self.tally.add(InTask(collector.summary(), collector.remarks(), good))
        finally:
            collector.close()


class OrderedInputs:
    """The inputs, one after the other."""

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
        self.first, self.count, self.bytes = 0, 0, 0

    def rows(self, written: Written) -> list[tuple[Any, ...]]:
        """Returns rows of LINES."""
        rows = []
        for step, lines in ((GOOD, bytes(written.output)), (REMOVED, bytes(written.removed))):
            if lines:
                if (first := self.bytes // PART_BYTES) != self.first:
                    self.first, self.count = first, 0
                rows.append((step, first, self.count, b"", None, lines))
                self.count += lines.count(b"\n")
                self.bytes += len(lines)
        return rows
