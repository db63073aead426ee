"""The output in parts: rows of many lines each, in the order of (part, number)."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from shingletools.spark.batches import Batches, batch_of, of_rows
from shingletools.spark.filtered_lines import LINES, WRITTEN
from shingletools.spark.tally import Tally, Telling

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


@dataclass(frozen=True)
class WritingParts:
    """PARTS to WRITTEN. Each part becomes a file."""

    tally: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        telling = Telling(self.tally)
        for batch in batches:
            for part, lines in zip(batch.column("part").to_pylist(), batch.column("lines"), strict=True):
                telling.begin((0, "", part))
                if data := lines.as_py():
                    telling.figures[LINES] = telling.figures.get(LINES, 0) + data.count(b"\n")
                    yield of_rows(WRITTEN, [(LINES, telling.run, data[:-1])])
        telling.end()
