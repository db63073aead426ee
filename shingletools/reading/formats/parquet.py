"""Rows of Parquet as records of their columns, some rows at a time."""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from shingletools.reading.formats.arrow import JsonColumn, check_columns
from shingletools.reading.formats.numbered import with_numbers
from shingletools.reading.formats.parquet_files import batches, parquet_file
from shingletools.record.framing import Both, Document, Fates, Framed, Made
from shingletools.system.waiting import BLOCK, gathered


class Parquet(NamedTuple):
    """Files of Parquet. Bytes are text in the fields `texts`."""

    texts: Sequence[str]
    needed: Sequence[str]  # fields without which a file cannot be read
    numbered: str = ""  # the column of ids, if rows of a file without it get their numbers as ids

    @property
    def option(self) -> str:
        return "--parquet"

    def read(self, files: Sequence[str], /) -> Generator[Framed]:
        number = 1
        for name in files:
            with parquet_file(name) as (parquet, whole):
                columns = [JsonColumn.of(name, field, self.texts) for field in parquet.schema_arrow]
                names = [column.name for column in columns]
                check_columns(name, names, self.needed)
                row, size = 1, whole
                for batch in batches(parquet):
                    for made in gathered(documents(columns, batch, row), lambda document: len(document.raw), BLOCK):
                        # The size of the file, once
                        yield with_numbers(Made(name, number, size, made), self.numbered, names)
                        row, number, size = row + len(made), number + len(made), 0

    def write(self, files: Sequence[str], fates: Fates, /) -> Iterator[Both]:
        from shingletools.reading.formats.kept_columns import kept_columns  # which canon does not need

        return kept_columns(files, fates, self.texts[0])


def documents(columns: Sequence[JsonColumn], batch: Any, row: int) -> Iterator[Document]:
    """Those of some rows, the first of which has this number."""
    try:
        values = [column.values(array) for column, array in zip(columns, batch.columns, strict=True)]
    except (ValueError, OverflowError) as error:
        if len(batch) == 1:
            cause = "not UTF-8" if isinstance(error, UnicodeDecodeError) else "a value that cannot be written as JSON"
            yield Document(without_value(columns, batch), row, cause=cause)
            return
        for place in range(len(batch)):
            yield from documents(columns, batch.slice(place, 1), row + place)
        return
    for line, each in enumerate(zip(*values, strict=True), row):
        record = record_of(columns, each)
        yield Document(record, line, record)


def record_of(columns: Sequence[JsonColumn], values: Sequence[Any]) -> bytes:
    members = (column.head + orjson.dumps(value) for column, value in zip(columns, values, strict=True))
    return b"{" + b",".join(members) + b"}"


def without_value(columns: Sequence[JsonColumn], batch: Any) -> bytes:
    """A row with a value that cannot be written, as --rejects keeps it: null stands for it."""
    values: list[Any] = []
    for column, array in zip(columns, batch.columns, strict=True):
        try:
            values += column.values(array)
        except (ValueError, OverflowError):
            values.append(None)
    return record_of(columns, values)
