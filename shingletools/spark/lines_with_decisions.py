"""Brings back to rows of many lines what was decided about single lines."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.spark.arrow_batches import Batches, from_rows, through
from shingletools.spark.line_rows import LINES, LineRow, NumberedLines, numbered_lines

Decision = Mapping[str, Any]
Decide = Callable[[NumberedLines, list[Decision]], list[LineRow]]


def with_decisions(lines: DataFrame, decisions: DataFrame, decide: Decide, partitions: int) -> DataFrame:
    """Returns what `decide` makes of each row of LINES and the decisions about its lines.

    A decision has the line's number, that of its file split (first), and other columns. Rows and decisions are brought
    together by file split, and sorted by number, so that the decisions about a row's lines follow it.
    """
    about = [field for field in decisions.schema if field.name not in ("first", "number")]
    rows = lines.select(*LINES.names, *(F.lit(None).cast(field.dataType).alias(field.name) for field in about))
    every = rows.unionByName(decisions, allowMissingColumns=True)
    together = every.repartition(partitions, "first").sortWithinPartitions("first", "number", F.desc_nulls_last("step"))
    return through(together, partial(decide_rows, decide, [field.name for field in about]), LINES)


def decide_rows(decide: Decide, about: list[str], batches: Batches) -> Batches:
    """Takes rows of LINES, each before the decisions about its lines, to what `decide` makes of them."""
    row: pa.RecordBatch | None = None
    held: list[Decision] = []
    for batch in batches:
        for place, each in enumerate(batch.select(["step", "number", *about]).to_pylist()):
            if each["step"] is None:
                held.append(each)
                continue
            yield from decided_rows(decide, row, held)
            row, held = batch.slice(place, 1), []
    yield from decided_rows(decide, row, held)


def decided_rows(decide: Decide, row: pa.RecordBatch | None, held: list[Decision]) -> Iterator[pa.RecordBatch]:
    """Yields what `decide` makes of a row, if there is one, and the decisions about its lines."""
    for some in numbered_lines(iter([] if row is None else [row])):
        yield from_rows(LINES, decide(some, held))
