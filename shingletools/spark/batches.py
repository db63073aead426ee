"""Work on the records of a frame, each part of it where it is, in batches of Arrow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

Batches = Iterator[pa.RecordBatch]


def through(frame: DataFrame, work: Callable[[Batches], Batches], schema: pa.Schema) -> DataFrame:
    """What `work` makes of a frame, each part of it where it is."""
    return frame.mapInArrow(work, from_arrow_schema(schema))


def by_line(batches: Batches, row: Callable[[int, bytes], Sequence[Any]], schema: pa.Schema) -> Batches:
    """What `row` makes of each number and line."""
    for batch in batches:
        rows = map(row, batch.column("number").to_pylist(), batch.column("line").to_pylist())
        yield of_rows(schema, rows)


def counted(frame: DataFrame, *figures: Column) -> list[int]:
    """Aggregates of all rows; 0 where there is none."""
    return [value or 0 for value in frame.agg(*figures).collect()[0]]


def of_rows(schema: pa.Schema, rows: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    return batch_of(schema, list(zip(*rows, strict=True)) or [[]] * len(schema))


def batch_of(schema: pa.Schema, columns: Sequence[Any]) -> pa.RecordBatch:
    arrays = [column if isinstance(column, pa.Array) else pa.array(column, field.type)
              for column, field in zip(columns, schema, strict=True)]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
