"""Work on DataFrames in batches of Arrow. Lines travel packed: a row of Spark holds many of them."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial, reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from shingletools.kernel.ids import Ids
from shingletools.kernel.types import Index

Batches = Iterator[pa.RecordBatch]
Work = Callable[[Batches], Batches]
INT, LONG, BYTES, TEXT = pa.int32(), pa.int64(), pa.binary(), pa.string()  # types of columns
GOOD, REMOVED = 0, -1  # steps of lines that go on, and of lines that dedup removed
# Lines, many in a row, each ended by a line feed. `number` orders them among all input, `first` is the number of the
# first line of their file split, `offsets` (int64, empty if consecutive) is added to `number` for each line. A bad line
# has a row of its own, without its line feed, with the number of the step that rejected it, from 1, and the cause
LINES = pa.schema({"step": INT, "first": LONG, "number": LONG, "offsets": BYTES, "cause": TEXT, "lines": BYTES})


class NumberedLines(NamedTuple):
    """Lines, each ended by a line feed, and their numbers, int64, ascending."""

    first: int
    numbers: Index
    lines: bytes

    def row(self) -> tuple[object, ...]:
        """Returns the row of LINES. There must be a line."""
        number = int(self.numbers[0])
        consecutive = self.numbers[-1] - number == len(self.numbers) - 1
        offsets = b"" if consecutive else (self.numbers - number).tobytes()
        return GOOD, self.first, number, offsets, None, self.lines


def numbered_lines(batches: Batches, only: int | None = GOOD) -> Iterator[NumberedLines]:
    """Yields the rows of LINES, those of one step, if it is given; a bad line lacks its line feed."""
    for batch in batches:
        columns = [batch.column(name) for name in ("first", "number", "step", "offsets", "lines")]
        for first, number, step, offsets, lines in zip(*columns, strict=True):
            if only is None or step.as_py() == only:
                data = lines.as_py()
                found = np.frombuffer(offsets.as_py(), np.int64)
                numbers = number.as_py() + (found if len(found) else np.arange(data.count(b"\n")))
                yield NumberedLines(first.as_py(), numbers, data)


def bad_row(first: int, number: int, step: int, cause: str, line: bytes) -> tuple[object, ...]:
    """Returns the row of LINES of a bad line."""
    return step, first, number, b"", cause, line


def through(frame: DataFrame, work: Work, schema: pa.Schema | StructType) -> DataFrame:
    """Returns the DataFrame that `work` makes of another one, partition by partition."""
    named: Any = work.func if isinstance(work, partial) else work
    task = partial(in_task, work)
    vars(task)["__name__"] = getattr(named, "__name__", type(named).__name__)  # by which Spark's own pages call it
    return frame.mapInArrow(task, from_arrow_schema(schema) if isinstance(schema, pa.Schema) else schema)


def in_task(work: Work, batches: Batches) -> Batches:
    freeze_once()
    return work(batches)


@cache
def freeze_once() -> None:
    """Leaves what a worker has loaded to the end out of collections of garbage, of which Spark makes one a task."""
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
    ends = np.append(0, np.frombuffer(bytes(ids.ends), np.int64)).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(bytes(ids.data))]
    every = pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)
    return every if numbers is None else every.take(pa.array(numbers))


def from_rows(schema: pa.Schema, rows: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    return from_columns(schema, list(zip(*rows, strict=True)) or [[]] * len(schema))


def from_columns(schema: pa.Schema, columns: Sequence[Any]) -> pa.RecordBatch:
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
