"""What was decided of single lines goes back to rows of many lines."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.spark.arrow_batches import LINES, Batches, NumberedLines, from_rows, numbered_lines, through

Decision = Mapping[str, Any]
Decide = Callable[[NumberedLines, list[Decision]], list[tuple[Any, ...]]]  # gives rows of LINES


def decided(lines: DataFrame, decisions: DataFrame, decide: Decide, partitions: int) -> DataFrame:
    """Returns the lines after `decide` has had each row of LINES with the decisions (first, number, ...) of its lines.

    Rows and decisions are brought together by file split, and sorted by number, so that those of a row follow it.
    """
    more = [name for name in decisions.columns if name not in ("first", "number")]
    rows = lines.select(*LINES.names, *(F.lit(None).cast(decisions.schema[name].dataType).alias(name) for name in more))
    marks = [F.col(name) if name in ("first", "number") else F.lit(None) for name in LINES.names]
    marks = [mark.cast(lines.schema[name].dataType).alias(name) for mark, name in zip(marks, LINES.names, strict=True)]
    every = rows.unionAll(decisions.select(*marks, *more))
    together = every.repartition(partitions, "first").sortWithinPartitions("first", "number", F.desc_nulls_last("step"))
    return through(together, partial(merge, decide, more), LINES)


def merge(decide: Decide, more: list[str], batches: Batches) -> Batches:
    """Takes rows of LINES, each with the decisions of its lines behind it."""
    row: pa.RecordBatch | None = None
    held: list[Decision] = []
    for batch in batches:
        for place, each in enumerate(batch.select(["step", "number", *more]).to_pylist()):
            if each["step"] is None:
                held.append(each)
                continue
            yield from decided_rows(decide, row, held)
            row, held = batch.slice(place, 1), []
    yield from decided_rows(decide, row, held)


def decided_rows(decide: Decide, row: pa.RecordBatch | None, held: list[Decision]) -> Iterator[pa.RecordBatch]:
    for some in numbered_lines(iter([] if row is None else [row])):
        yield from_rows(LINES, decide(some, held))
