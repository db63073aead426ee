"""What is written at the end, in parts: rows of many lines each, in the order of (part, number)."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from shingletools.spark.batches import Batches, batch_of, of_rows
from shingletools.spark.lines import KEPT, LINES, WRITTEN
from shingletools.spark.tally import Key, Tally, Telling

PARTS = pa.schema([("part", pa.int64()), ("number", pa.int64()), ("lines", pa.binary())])


def key_of(part: int) -> Key:
    """As a split of the input has it."""
    return 0, "", part


PART_BYTES = 64 << 20  # of lines in a part, about


@dataclass(frozen=True)
class InParts:
    """PACKED to PARTS, by the numbers of the lines."""

    lines: int  # in a part

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            part = pa.array(batch.column("number").to_numpy() // self.lines)
            yield batch_of(PARTS, [part, batch.column("number"), batch.column("lines")])


@dataclass(frozen=True)
class WritingParts:
    """PARTS, those of a part one after the other, to WRITTEN, of which each part becomes a file."""

    tally: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        runs = Telling(self.tally)
        for batch in batches:
            for part, lines in zip(batch.column("part").to_pylist(), batch.column("lines"), strict=True):
                runs.begin(key_of(part))
                if data := lines.as_py():
                    runs.lines += data.count(b"\n")
                    runs.figures[LINES] = runs.lines
                    yield of_rows(WRITTEN, [(LINES, runs.run, data[:-1])])
        runs.end()


@dataclass(frozen=True)
class KeepingParts:
    """PARTS, those of a part one after the other, to KEPT, as if each part were a split of a file."""

    tally: Tally

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        runs = Telling(self.tally)
        for batch in batches:
            for part, lines in zip(batch.column("part").to_pylist(), batch.column("lines"), strict=True):
                runs.begin(key_of(part))
                data = lines.as_py()
                yield of_rows(KEPT, [(*key_of(part), runs.lines, 0, None, None, b"", data)])
                runs.lines += data.count(b"\n")
        runs.end()
