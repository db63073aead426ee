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

    def values(self, array: Any) -> ColumnValues:
        """Raises Failed for a value that JSON has not."""
        if self.whole and not array.null_count:
            wide = array.cast(self.wide)
            _, starts, data = wide.buffers()
            places = memoryview(starts).cast("B")[8 * wide.offset : 8 * (wide.offset + len(wide) + 1)]
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
                if fields.read is None or paths_below(name, [*fields.read])]  # fmt: skip
        columns = [LineColumn(schema.field(place), not number, fields.texts) for number, place in enumerate(read)]
        for batch in reader:
            rows = max(1, len(batch) * BLOCK // max(batch.nbytes, 1))
            for start in range(0, len(batch), rows):
                part = batch.slice(start, rows)
                values = (column.values(part.column(place)) for column, place in zip(columns, read, strict=True))
                yield kernel.record_lines(tuple(values), len(part))
