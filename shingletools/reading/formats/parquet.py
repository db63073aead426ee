"""Rows of Parquet as records of their columns, some rows at a time."""

import contextlib
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import orjson

from shingletools.reading import compressed
from shingletools.reading.compressed import HEAD
from shingletools.reading.formats.arrow import JsonColumn
from shingletools.record.framing import Document, Framed, Made
from shingletools.record.hints import of_start
from shingletools.system.deferred import needs
from shingletools.system.errors import Failed, printable, shown
from shingletools.system.waiting import BLOCK

pa = needs("--parquet", "pyarrow", "parquet")
pq = needs("--parquet", "pyarrow.parquet", "parquet")

ROWS = 64  # read together: of one long text that many rows have, a page holds one copy
BUFFER = 1 << 16  # bytes of a column read together; else all of it that a row group has is


class Parquet(NamedTuple):
    """Files of Parquet. Bytes are text in the fields `texts`."""

    texts: Sequence[str]
    needed: Sequence[str]  # fields without which a file cannot be read

    @property
    def option(self) -> str:
        return "--parquet"

    def read(self, files: Sequence[str], /) -> Generator[Framed]:
        number = 1
        for name in files:
            with opened(name) as file, explained(name, start_of(name, file)):
                size = os.fstat(file.fileno()).st_size
                parquet = pq.ParquetFile(file, pre_buffer=False, buffer_size=BUFFER)
                columns = [JsonColumn.of(name, field, self.texts) for field in parquet.schema_arrow]
                self.check(name, [column.name for column in columns])
                row = 1
                for batch in parquet.iter_batches(ROWS, use_threads=False):
                    for made in some_together(documents(columns, batch, row)):
                        yield Made(name, number, size, made)  # the size of the file, once
                        row, number, size = row + len(made), number + len(made), 0

    def check(self, name: str, columns: Sequence[str]) -> None:
        """Raises Failed if a field cannot be there."""
        for field in self.needed:
            if columns.count(field) > 1:
                raise Failed(f"{printable(name)}: two columns {shown(field)}")
            if field not in columns and field.partition(".")[0] not in columns:
                raise Failed(
                    f"{printable(name)}: no column {shown(field)} among {', '.join(map(shown, columns)) or 'none'}"
                )


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file that can be searched; raises Failed."""
    try:
        with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
            if not file.seekable():
                raise Failed(f"{printable(name)}: Parquet is read from its end, which a pipe does not allow")
            yield file
    except OSError as error:
        raise Failed(f"{printable(name)}: {error.strerror or error}") from None


def start_of(name: str, file: BinaryIO) -> bytes:
    """The first bytes of a file; raises Failed if it is compressed as a whole."""
    start = file.read(HEAD)
    if codec := compressed.recognised(start):
        raise Failed(f"{printable(name)}: {codec.name} data, not Parquet: decompress it first")
    return start


@contextlib.contextmanager
def explained(name: str, start: bytes) -> Iterator[None]:
    """What pyarrow raises becomes a Failed that names the file, and says what it looks like by its first bytes."""
    try:
        yield
    except pa.ArrowMemoryError:
        raise MemoryError from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        said = printable(" ".join(str(error).split())[:200])  # some end with line feeds
        raise Failed(f"{printable(name)}: not Parquet, or damaged: {said}{of_start(start, '--parquet')}") from None


def some_together(documents: Iterable[Document]) -> Iterator[list[Document]]:
    made, size = [], 0
    for document in documents:
        made.append(document)
        size += len(document.raw)
        if size >= BLOCK:
            yield made
            made, size = [], 0
    if made:
        yield made


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
