"""Work on DataFrames in batches of Arrow, and columns of Arrow from arrays and back."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from shingletools.kernel.ids import Ids, SelectedIds
from shingletools.kernel.types import Index

Batches = Iterator[pa.RecordBatch]
Work = Callable[[Batches], Batches]


def through(frame: DataFrame, work: Work, schema: pa.Schema | StructType) -> DataFrame:
    """Returns the DataFrame that `work` makes of another one, partition by partition. schema: of its rows."""
    named: Any = work.func if isinstance(work, partial) else work
    task = partial(in_task, work)
    vars(task)["__name__"] = getattr(named, "__name__", type(named).__name__)  # by which Spark's own pages call it
    return frame.mapInArrow(task, from_arrow_schema(schema) if isinstance(schema, pa.Schema) else schema)


def in_task(work: Work, batches: Batches) -> Batches:
    """Does the work of a task, in a worker."""
    freeze_once()
    return work(batches)


@cache
def freeze_once() -> None:
    """Leaves what a worker has loaded out of the collections of garbage that Spark makes after each task."""
    gc.freeze()


def union(frames: Sequence[DataFrame]) -> DataFrame:
    """Returns all rows of at least one DataFrame with the same columns."""
    return reduce(DataFrame.unionAll, frames)


def bytes_of(values: pa.Array) -> tuple[NDArray[np.uint8], Index]:
    """Returns a column's binary values, one after the other, uint8, and the bytes of each.

    >>> bytes_of(pa.array([b"one", b"", b"two"])[1:])
    (array([116, 119, 111], dtype=uint8), array([0, 3]))
    """
    _, ends, data = values.buffers()
    places = np.frombuffer(ends, np.int32)[values.offset : values.offset + len(values) + 1].astype(np.int64)
    held = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return held[places[0] : places[-1]], np.diff(places)


def runs(batch: pa.RecordBatch, *columns: str) -> Iterator[pa.RecordBatch]:
    """Yields the parts of a batch in which these columns, int64, do not change."""
    changes = [np.flatnonzero(np.diff(batch.column(name).to_numpy())) + 1 for name in columns]
    ends = [*np.unique(np.concatenate(changes)).tolist(), len(batch)]
    for start, end in zip([0, *ends], ends, strict=False):
        if start < end:
            yield batch.slice(start, end - start)


def binary_array(data: bytes, sizes: Index) -> pa.Array:
    """Returns values that stand one after the other as a column. sizes: the bytes of each, int64.

    >>> binary_array(b"onetwo", np.array([3, 0, 3])).to_pylist()
    [b'one', b'', b'two']
    """
    ends = np.append(0, np.cumsum(sizes)).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), len(sizes), [None, pa.py_buffer(ends), pa.py_buffer(data)])


def ids_array(ids: Ids, numbers: Index | None = None) -> pa.Array:
    """Returns all ids as a column, or those with these numbers."""
    every = binary_array(bytes(ids.data), np.diff(np.append(0, np.frombuffer(bytes(ids.ends), np.int64))))
    return every if numbers is None else every.take(pa.array(numbers))


def selected_ids(names: pa.Array) -> SelectedIds:
    """Returns a column of ids as JSON."""
    data, sizes = bytes_of(names)
    return SelectedIds(data.tobytes(), np.cumsum(sizes), np.arange(len(names)))


def from_rows(schema: pa.Schema, rows: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    """Returns a batch of rows, each a sequence of values in the schema's order."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return from_columns(schema, **dict(zip(schema.names, map(list, columns), strict=True)))


def from_columns(schema: pa.Schema, **columns: Any) -> pa.RecordBatch:
    """Returns a batch of columns: arrays or lists of one length, or single values, which all rows have.

    Columns that are not given are null. If only single values are given, there is one row.

    >>> from_columns(pa.schema({"a": "int64", "b": "string", "c": "int64"}), a=[1, 2], b="x").to_pylist()
    [{'a': 1, 'b': 'x', 'c': None}, {'a': 2, 'b': 'x', 'c': None}]
    """
    lengths = [len(column) for column in columns.values() if isinstance(column, pa.Array | np.ndarray | list)]
    arrays = []
    for field in schema:
        column = columns.get(field.name)
        if not isinstance(column, pa.Array | np.ndarray | list):
            column = pa.repeat(pa.scalar(column, field.type), (lengths or [1])[0])
        arrays.append(column if isinstance(column, pa.Array) else pa.array(column, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
