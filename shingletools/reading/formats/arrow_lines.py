"""Rows of Arrow as lines of JSON: the kernel writes text and integers, orjson all other values."""

from array import array as numbers
from collections.abc import Collection, Generator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import orjson

from shingletools import kernel
from shingletools.kernel.lines import ColumnValues
from shingletools.reading.formats.arrow import JsonColumn, check_columns, is_bytes, is_text, pa, paths_below, types
from shingletools.system.errors import Failed, shown
from shingletools.system.waiting import BLOCK

NAMED = "documents"  # in messages
ROWS = 1 << 12  # that are copied together where text must be copied


class Fields(NamedTuple):
    """What is asked of the columns."""

    needed: Sequence[str]  # that must be there
    texts: Sequence[str]  # in which bytes are text
    read: Collection[str] | None  # of which lines are made; None for all


class LineColumn:
    """A column that becomes a member of each line."""

    def __init__(self, field: Any, first: bool, texts: Sequence[str]) -> None:
        """Raises Failed for a type that JSON has no value for."""
        self.json = JsonColumn.of(NAMED, field, texts)
        self.head = (b"{" if first else b",") + self.json.head
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        self.text = is_text(kind) or (is_bytes(kind) and "" in paths_below(field.name, texts))
        self.whole = self.text or types.is_integer(kind)
        self.wide = pa.large_binary() if is_bytes(kind) else pa.large_string()

    def read(self, array: Any) -> Any:
        """Values as the kernel writes them, if it does so."""
        return array.cast(self.wide) if self.whole and not array.null_count else array

    def values(self, array: Any) -> ColumnValues:
        """Of what was read. Raises Failed for a value that JSON has not."""
        if self.whole and not array.null_count and array.type == self.wide:
            _, starts, data = array.buffers()
            places = memoryview(starts).cast("B")[8 * array.offset : 8 * (array.offset + len(array) + 1)]
            return ColumnValues(self.head, b"" if data is None else memoryview(data), places, self.text)
        try:
            spelled = [orjson.dumps(value) for value in self.json.values(array)]
        except (ValueError, OverflowError):
            name = shown(self.json.name)
            raise Failed(f"{NAMED}: column {name}: a value that cannot be written as JSON") from None
        places = memoryview(numbers("q", accumulate(map(len, spelled), initial=0))).cast("B")
        return ColumnValues(self.head, b"".join(spelled), places, False)


def lines_in(source: Any, fields: Fields) -> Generator[bytes]:
    """The rows of what gives a stream of Arrow (__arrow_c_stream__), as whole lines, some together. Raises Failed."""
    with pa.RecordBatchReader.from_stream(source) as reader:
        schema = reader.schema
        check_columns(NAMED, schema.names, fields.needed)
        read = [place for place, name in enumerate(schema.names)
                if fields.read is None or paths_below(name, [*fields.read])] or range(len(schema.names))  # fmt: skip
        columns = [LineColumn(schema.field(place), not number, fields.texts) for number, place in enumerate(read)]
        for batch in reader:
            for start in range(0, len(batch), ROWS):
                part = batch.slice(start, ROWS)
                arrays = [column.read(part.column(place)) for column, place in zip(columns, read, strict=True)]
                size = sum(
                    array.nbytes for column, array in zip(columns, arrays, strict=True) if array.type == column.wide
                )
                rows = max(1, len(part) * BLOCK // max(size, 1))
                for first in range(0, len(part), rows):
                    some = [array.slice(first, rows) for array in arrays]
                    values = tuple(column.values(array) for column, array in zip(columns, some, strict=True))
                    yield kernel.record_lines(values, min(rows, len(part) - first))
