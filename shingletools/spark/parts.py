"""The output in parts: rows of many lines each, in the order of (part, number)."""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame

from shingletools.spark.batches import Batches, batch_of, of_rows
from shingletools.spark.filtered_lines import LINES, WRITTEN
from shingletools.spark.tally import StatsCollector, Tally

PARTS = pa.schema([("part", pa.int64()), ("number", pa.int64()), ("lines", pa.binary())])
PART_BYTES = 64 << 20  # about how many bytes of lines are in a part


class StepOutput(NamedTuple):
    """What a step makes in many tasks: lines as PARTS, figures of -v, bad records, and the other output of dedup."""

    lines: DataFrame
    figures: Sequence[str]
    rejects: Sequence[DataFrame] = ()
    removed: DataFrame | None = None  # as PARTS
    again: int = 0  # bad records that are good but for their ids
    remarks: Sequence[str] = ()


def to_parts(lines: int, batches: Batches) -> Batches:
    """PACKED to PARTS of so many lines, by the numbers of lines."""
    for batch in batches:
        part = pa.array(batch.column("number").to_numpy() // lines)
        yield batch_of(PARTS, [part, batch.column("number"), batch.column("lines")])


def to_files(tally: Tally, batches: Batches) -> Batches:
    """PARTS to WRITTEN. Each part becomes a file."""
    telling = StatsCollector(tally)
    for batch in batches:
        for part, lines in zip(batch.column("part").to_pylist(), batch.column("lines"), strict=True):
            telling.begin((0, "", part))
            if data := lines.as_py():
                telling.figures[LINES] = telling.figures.get(LINES, 0) + data.count(b"\n")
                yield of_rows(WRITTEN, [(LINES, telling.run, data[:-1])])
    telling.end()
