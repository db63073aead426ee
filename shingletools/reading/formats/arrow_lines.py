"""Rows of Arrow as lines of JSON: the kernel writes text and integers, orjson all other values."""

from array import array as numbers
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any, NamedTuple

import orjson

from shingletools import kernel
from shingletools.kernel.lines import ColumnValues
from shingletools.reading.formats.arrow_values import (
    check_columns,
    is_bytes,
    is_text,
    json_values,
    pa,
    paths_below,
    types,
    without_views,
)
from shingletools.record.python_values import to_json
from shingletools.system.errors import Failed, float_ids
from shingletools.system.interruptible_reads import READ_BYTES

NAMED = "documents"  # in messages
# What is raised for columns that Arrow does not hold: by pyarrow, by pandas, and by Python, also for large integers and
# lone surrogates
NOT_ARROW = pa.ArrowException, TypeError, ValueError, OverflowError
OBJECTS = "Object"  # the type of columns that Polars passes as pointers
COPY_ROWS = 1 << 12  # that are copied together where text must be copied
NOT_UTF8 = b'"\xff"'  # in place of a value of which a part is not


class Fields(NamedTuple):
    """The fields that columns are read for."""

    needed: Sequence[str]  # fields that must be there
    texts: Sequence[str]  # fields in which bytes are text
    read: Collection[str] | None  # fields that lines get; None for all


class LineColumn:
    """A column that becomes a member of each line."""

    def __init__(self, field: Any, first: bool, texts: Sequence[str], as_json: bool) -> None:
        self.as_json = as_json  # whether its bytes are JSON already
        self.texts = paths_below(field.name, texts)
        self.head = (b"{" if first else b",") + orjson.dumps(field.name) + b":"
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        self.text = is_text(kind) or (is_bytes(kind) and "" in self.texts)
        self.whole = not as_json and (self.text or types.is_integer(kind))
        self.wide = pa.large_binary() if is_bytes(kind) else pa.large_string()

    def read(self, array: Any) -> Any:
        """Converts the values to the type that the kernel writes, if it can write them."""
        return array.cast(self.wide) if self.whole and not array.null_count else array

    def values(self, array: Any) -> ColumnValues:
        """Returns the values that `read` returned, for the kernel."""
        if self.whole and not array.null_count and array.type == self.wide:
            _, starts, data = array.buffers()
            places = memoryview(starts).cast("B")[8 * array.offset : 8 * (array.offset + len(array) + 1)]
            return ColumnValues(self.head, b"" if data is None else memoryview(data), places, self.text)
        spelled = list(self.spelled(array))
        places = memoryview(numbers("q", accumulate(map(len, spelled), initial=0))).cast("B")
        return ColumnValues(self.head, b"".join(spelled), places, False)

    def spelled(self, array: Any) -> Iterator[bytes]:
        if self.as_json:
            yield from (b"null" if value is None else value for value in array.to_pylist())
            return
        try:
            yield from map(orjson.dumps, json_values(array, self.texts))
        except UnicodeDecodeError:
            if len(array) == 1:
                yield NOT_UTF8
            else:
                for place in range(len(array)):
                    yield from self.spelled(array.slice(place, 1))


def line_columns(schema: Any, fields: Fields, named: str, mixed: Collection[str] = ()) -> dict[int, LineColumn]:
    """Returns the columns to read, by their places. Raises Failed if one that is needed is missing.

    mixed: the columns whose bytes are JSON.
    """
    names = schema.names
    check_columns(named, names, fields.needed)
    read = fields.read
    places = [place for place, name in enumerate(names) if read is None or paths_below(name, [*read])]
    return {
        place: LineColumn(schema.field(place), not number, fields.texts, names[place] in mixed)
        for number, place in enumerate(places or range(len(names))[:1])
    }


def lines_of(columns: Sequence[LineColumn], batch: Any) -> Iterator[bytes]:
    """Yields the rows of a batch as whole lines, some together."""
    whole = [without_views(array) for array in batch.columns]
    for start in range(0, len(batch), COPY_ROWS):
        count = min(COPY_ROWS, len(batch) - start)
        arrays = [column.read(array.slice(start, count)) for column, array in zip(columns, whole, strict=True)]
        size = sum(array.nbytes for column, array in zip(columns, arrays, strict=True) if array.type == column.wide)
        rows = max(1, count * READ_BYTES // max(size, 1))
        for first in range(0, count, rows):
            some = [array.slice(first, rows) for array in arrays]
            values = tuple(column.values(array) for column, array in zip(columns, some, strict=True))
            yield kernel.record_lines(values, min(rows, count - first))


def reader_of(source: Any, fields: Fields) -> tuple[Any, Collection[str]]:
    """Returns a reader of a source with __arrow_c_stream__, and the names of the columns that it has as JSON.

    Raises NOT_ARROW.
    """
    with suppress(*NOT_ARROW):
        if OBJECTS not in map(str, getattr(source, "dtypes", ())):
            return pa.RecordBatchReader.from_stream(source), ()
    source, mixed = with_json(source, fields)
    return pa.RecordBatchReader.from_stream(source), mixed


def with_json(frame: Any, fields: Fields) -> tuple[Any, Collection[str]]:
    """Returns a data frame of pandas or Polars with JSON for values that Arrow does not hold, and the columns of it.

    Columns that are not read become empty.
    """
    pandas, polars = hasattr(frame, "isetitem"), hasattr(frame, "to_series")
    made, mixed = frame.copy(deep=False) if pandas else frame, []
    for place, name in enumerate(frame.columns if pandas or polars else ()):
        column = frame.iloc[:, place] if pandas else frame.to_series(place)
        with suppress(*NOT_ARROW):
            if str(column.dtype) != OBJECTS:
                pa.RecordBatchReader.from_stream(column.to_frame())
                continue
        wanted = fields.read is None or paths_below(str(name), [*fields.read])
        missing = column.isna() if pandas else column.is_null()
        values = [None if not wanted or none else as_json(value) for value, none in zip(column, missing, strict=True)]
        if pandas:
            made.isetitem(place, values)
        else:
            made = made.with_columns(type(column)(name, values))
        mixed.append(str(name))
    return made, mixed


def as_json(value: object) -> bytes:
    try:
        return to_json(value)
    except TypeError:
        return to_json(value.decode(errors="replace") if isinstance(value, bytes) else str(value))


def lines_in(source: Any, fields: Fields, id_field: str = "") -> Generator[bytes]:
    """Yields the rows of a source with __arrow_c_stream__ as whole lines, some together. Raises Failed."""
    try:
        reader, mixed = reader_of(source, fields)
    except NOT_ARROW as error:  # a column alone
        raise Failed(f"{NAMED}: not a table of Arrow: {'; '.join(map(str, error.args))}") from None
    with reader:
        columns = line_columns(reader.schema, fields, NAMED, mixed)
        place = reader.schema.get_field_index(id_field)
        if place >= 0 and types.is_floating(reader.schema.field(place).type):
            raise Failed(f"{NAMED}: {float_ids(id_field)}")
        for batch in reader:
            yield from lines_of([*columns.values()], batch.select([*columns]))
