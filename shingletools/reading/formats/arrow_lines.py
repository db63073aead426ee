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
from shingletools.system.errors import Failed, float_ids
from shingletools.system.interruptible_reads import READ_BYTES

NAMED = "documents"  # in messages
NOT_ARROW = pa.ArrowInvalid, pa.ArrowTypeError
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
        self.as_json = as_json  # whether its texts are JSON already
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
            yield from (b"null" if value is None else value.encode() for value in array.to_pylist())
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

    mixed: the columns whose texts are JSON.
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


def mixed_columns(source: Any) -> dict[str, Any]:
    """Returns the columns of a pandas data frame that have values of several types, as JSON."""
    found = {}
    for name, column in source.items() if hasattr(source, "assign") else ():
        try:
            pa.array(column, from_pandas=True)
        except NOT_ARROW:
            with suppress(orjson.JSONEncodeError):
                found[str(name)] = column.map(as_json, na_action="ignore")
    return found


def as_json(value: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def lines_in(source: Any, fields: Fields, id_field: str = "") -> Generator[bytes]:
    """Yields the rows of a source with __arrow_c_stream__ as whole lines, some together. Raises Failed."""
    mixed = dict[str, Any]()
    try:
        try:
            reader = pa.RecordBatchReader.from_stream(source)
        except NOT_ARROW:
            mixed = mixed_columns(source)
            reader = pa.RecordBatchReader.from_stream(source.assign(**mixed) if mixed else source)
    except NOT_ARROW as error:  # a column alone, or an integer that is too large
        raise Failed(f"{NAMED}: not a table of Arrow: {'; '.join(map(str, error.args))}") from None
    with reader:
        columns = line_columns(reader.schema, fields, NAMED, mixed)
        place = reader.schema.get_field_index(id_field)
        if place >= 0 and types.is_floating(reader.schema.field(place).type):
            raise Failed(f"{NAMED}: {float_ids(id_field)}")
        for batch in reader:
            yield from lines_of([*columns.values()], batch.select([*columns]))
