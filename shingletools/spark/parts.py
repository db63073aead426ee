"""The output in parts: rows of many lines each, in the order of (part, number)."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from shingletools.spark.batches import Batches, batch_of, of_rows
from shingletools.spark.filtered_lines import KEPT, LINES, SIZE, WRITTEN
from shingletools.spark.tally import Key, Tally, Telling

PARTS = pa.schema([("part", pa.int64()), ("number", pa.int64()), ("lines", pa.binary())])


PART_BYTES = 64 << 20  # about how many bytes of lines are in a part


@dataclass(frozen=True)
class InParts:
    """PACKED to PARTS, by the numbers of lines."""

    lines: int  # in a part

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            part = pa.array(batch.column("number").to_numpy() // self.lines)
            yield batch_of(PARTS, [part, batch.column("number"), batch.column("lines")])


def told(batches: Batches, telling: Telling) -> Iterator[tuple[Key, bytes]]:
    """The lines of PARTS, part by part, with the part's key, which is like that of a split of the input.

    It tells their number.
    """
    for batch in batches:
        for part, lines in zip(batch.column("part").to_pylist(), batch.column("lines"), strict=True):
            key, data = (0, "", part), lines.as_py()
            telling.begin(key)
            yield key, data
            telling.lines += data.count(b"\n")
    telling.end()


@dataclass(frozen=True)
class WritingParts:
    """PARTS to WRITTEN. Each part becomes a file."""

    tally: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        telling = Telling(self.tally)
        for _, lines in told(batches, telling):
            if lines:
                telling.figures[LINES] = telling.lines + lines.count(b"\n")
                yield of_rows(WRITTEN, [(LINES, telling.run, lines[:-1])])


@dataclass(frozen=True)
class KeepingParts:
    """PARTS to KEPT, as if each part were a split of a file."""

    tally: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        telling = Telling(self.tally)
        for key, lines in told(batches, telling):
            telling.figures[SIZE] = telling.figures.get(SIZE, 0) + len(lines)
            yield of_rows(KEPT, [(*key, telling.lines, 0, None, None, b"", lines)])
