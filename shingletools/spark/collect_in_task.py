"""Gives all lines to the shell's own collector, in one task."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyspark import Accumulator

from shingletools.reading.streams import Chunk
from shingletools.record.collector import CollectorContext, Written
from shingletools.record.stage import Stage
from shingletools.running.collecting import collect_chunk
from shingletools.spark.arrow_batches import Batches, from_rows
from shingletools.spark.line_rows import GOOD, LINES, REMOVED, LineRow, NumberedLines, bad_row, numbered_lines
from shingletools.system.errors import Failed, shown_place

FILE_BYTES = 64 << 20  # bytes of output lines in a file


@dataclass(frozen=True)
class CollectingInTask:
    """Takes LINES, sorted by `order`, the number of their input; gives LINES: the output, lines removed, and bad ones.

    sides: for each input the side of the join that it is, from 0, or None for the file of an option, which the
    collector reads before the others. Raises Failed.
    """

    stage: Stage
    step: int
    sides: Sequence[int | None]
    good: Accumulator[int]  # counts the good records of the input

    def __call__(self, batches: Batches) -> Batches:
        inputs = OrderedInputs(batches)
        first = iter([order for order, side in enumerate(self.sides) if side is None])
        collector = self.stage.collector(
            CollectorContext(read=lambda _, path: ((path, some.lines) for some in inputs.of(next(first))))
        )
        output = NumberedOutput()
        try:
            for order, side in enumerate(self.sides):
                for some in () if side is None else inputs.of(order):
                    outcome, failed = collect_chunk(collector, False, side or 0, Chunk("", 1, 1, some.lines))
                    if failed is not None:
                        raise Failed(str(failed).removeprefix(f"{shown_place(*collector.place)}: "))
                    self.good.add(0 if side else outcome.records + outcome.repeated_ids)
                    bad = [
                        bad_row(some.first, int(some.numbers[(line or 1) - 1]), self.step, cause, record)
                        for _, line, cause, record in outcome.rejects
                    ]
                    yield from_rows(LINES, [*output.rows(outcome.written), *bad])
            for rest in collector.finish():
                late = [bad_row(0, 0, self.step, each.cause, each.document) for each in collector.deferred_rejects()]
                yield from_rows(LINES, [*output.rows(rest), *late])
        finally:
            collector.close()


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
        self.first, self.count, self.bytes = 0, 0, 0

    def rows(self, written: Written) -> list[LineRow]:
        """Returns rows of LINES."""
        rows = []
        for step, lines in ((GOOD, bytes(written.output)), (REMOVED, bytes(written.removed))):
            if lines:
                if (first := self.bytes // FILE_BYTES) != self.first:
                    self.first, self.count = first, 0
                rows.append((step, first, self.count, b"", None, lines))
                self.count += lines.count(b"\n")
                self.bytes += len(lines)
        return rows
