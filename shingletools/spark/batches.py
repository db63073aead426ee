"""Work on the rows of a DataFrame, partition by partition, in batches of Arrow.

Lines travel packed: a row holds many of them in one value, so that Spark's cost of a row is paid once for thousands.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial, reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from shingletools.kernel.types import Index

Batches = Iterator[pa.RecordBatch]
# Whole lines, each ended by a line feed; `numbers` has the offset of each from the first number, int64, or is empty if
# they are consecutive
PACKED = pa.schema([("number", pa.int64()), ("numbers", pa.binary()), ("lines", pa.binary())])


class Packed(NamedTuple):
    """Lines, and their numbers, int64, ascending."""

    numbers: Index
    lines: bytes


def through(frame: DataFrame, work: Callable[[Batches], Batches], schema: pa.Schema | StructType) -> DataFrame:
    """The DataFrame that `work` makes of another one, partition by partition."""
    named: Any = work.func if isinstance(work, partial) else work
    task = partial(in_task, work)
    vars(task)["__name__"] = getattr(named, "__name__", type(named).__name__)  # by which Spark's own pages call it
    return frame.mapInArrow(task, from_arrow_schema(schema) if isinstance(schema, pa.Schema) else schema)


def in_task(work: Callable[[Batches], Batches], batches: Batches) -> Batches:
    freeze_once()
    return work(batches)


@cache
def freeze_once() -> None:
    """Leaves what a worker has loaded to the end out of collections of garbage, of which Spark makes one a task."""
    gc.freeze()


def union(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows of at least one DataFrame with the same columns."""
    return reduce(DataFrame.unionAll, frames)


def packed(batches: Batches) -> Iterator[Packed]:
    """Rows of PACKED."""
    for batch in batches:
        for number, numbers, lines in zip(*(batch.column(name) for name in PACKED.names), strict=True):
            data = lines.as_py()
            found = np.frombuffer(numbers.as_py(), np.int64)
            yield Packed(number.as_py() + (found if len(found) else np.arange(data.count(b"\n"))), data)


def joined(lines: pa.Array) -> bytes:
    """Lines, each ended by a line feed.

    >>> joined(pa.array([b"one", b"", b"two"])), joined(pa.array([], pa.binary()))
    (b'one\\n\\ntwo\\n', b'')
    """
    if not len(lines):
        return b""
    together = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return bytes(pc.binary_join(together, pa.scalar(b"\n", lines.type))[0].as_py()) + b"\n"


def bytes_of(values: pa.Array) -> tuple[NDArray[np.uint8], Index]:
    """A column's binary values, one after the other, uint8, and the bytes of each.

    >>> bytes_of(pa.array([b"one", b"", b"two"])[1:])
    (array([116, 119, 111], dtype=uint8), array([0, 3]))
    """
    _, ends, data = values.buffers()
    places = np.frombuffer(ends, np.int32)[values.offset : values.offset + len(values) + 1].astype(np.int64)
    held = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return held[places[0] : places[-1]], np.diff(places)


def total(column: str) -> Column:
    """The total bytes of a column's values."""
    return F.sum(F.octet_length(column)).alias(column)


def counted(frame: DataFrame, *figures: Column) -> list[int]:
    """Aggregates of all rows; 0 if there are no rows."""
    return [value or 0 for value in frame.agg(*figures).collect()[0]]


def of_rows(schema: pa.Schema, rows: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    return batch_of(schema, list(zip(*rows, strict=True)) or [[]] * len(schema))


def batch_of(schema: pa.Schema, columns: Sequence[Any]) -> pa.RecordBatch:
    arrays = [column if isinstance(column, pa.Array) else pa.array(column, field.type)
              for column, field in zip(columns, schema, strict=True)]  # fmt: skip
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
