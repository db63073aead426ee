"""Rows of files of columns, Parquet and Arrow, as records; and such files with fewer rows, by pyarrow's writers."""

import os
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from typing import Any, BinaryIO, NamedTuple, Protocol

from shingletools import kernel
from shingletools.reading import compression_detection
from shingletools.reading.compression_detection import HEAD_BYTES
from shingletools.reading.formats.arrow_lines import Fields, LineColumn, line_columns, lines_of
from shingletools.reading.formats.arrow_values import ID_ERRORS, id_array, is_bytes, is_number_or_text, is_time, pa
from shingletools.record.document_format import (
    Decision,
    Decisions,
    Document,
    DuplicateInfo,
    FilePortion,
    Format,
    KeptAndRemoved,
)
from shingletools.record.error_hints import file_start_hint
from shingletools.record.wire import Name, is_utf8
from shingletools.system.errors import Failed, printable, shown
from shingletools.system.interruptible_reads import READ_BYTES, gathered

MAX_EXPANSION = 1000  # bytes or rows for each byte of a file; gzip reaches as many
GROUP_BYTES = 1 << 25  # bytes of rows, in memory, that are written together, as a row group of Parquet
# What reading damaged metadata raises, where fields are missing or have other types, or names are not UTF-8
METADATA_ERRORS = AttributeError, LookupError, RecursionError, TypeError, ValueError


class Batch(NamedTuple):
    """Some rows of a file."""

    group: int  # a number; rows with another one have other dictionaries
    rows: Any
    taken: int  # bytes of the file that are read by now


class OpenTable(Protocol):
    """An open file of columns."""

    schema: Any

    def batches(self, places: Sequence[int] | None = None, /) -> Iterator[Batch]:
        """Yields the rows with the columns of these places, or with all."""

    def writer(self, sink: BytesIO, schema: Any, /) -> Any:
        """Returns pyarrow's writer of such a file, with the columns of a schema. Raises Failed."""


@dataclass(frozen=True)
class ColumnFiles(Format):
    """Files of columns. Bytes are text in the fields `texts`, of which the first is the id."""

    texts: Sequence[str]
    needed: Sequence[str]  # fields that must be there
    every: bool  # whether records have all columns, or only those of the texts
    numbered: str = ""  # the column of ids; without it, rows get their numbers. Empty if it must be there

    @abstractmethod
    def opened(self, name: str, /) -> AbstractContextManager[OpenTable]:
        """Opens a file. Raises Failed if that fails, or if reading the file inside does."""

    def portions(self, name: str, /) -> Generator[FilePortion]:
        fields = Fields(self.needed, self.texts, None if self.every else self.texts)
        with self.opened(name) as table:
            columns, row, before = line_columns(table.schema, fields, name), 1, 0
            id_field = "" if self.numbered in table.schema.names else self.numbered
            for _, rows, taken in table.batches([*columns]):
                for made in gathered(documents([*columns.values()], rows, row), lambda each: len(each.raw), READ_BYTES):
                    yield FilePortion(taken - before, made, id_field)
                    row, before = row + len(made), taken

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes the rows of some files to one; their schemas must be equal. Raises Failed."""
        sides: list[KeptRows] = []
        schema: Any = None
        for name in files:
            with self.opened(name) as table:
                if schema is None:
                    schema = table.schema
                    if any(decisions.wants_info) and (there := {*DuplicateInfo._fields}.intersection(schema.names)):
                        raise Failed(f"{printable(name)}: it has a column {shown(min(there))} already")
                    wanted = decisions.wants_info if decisions.removing else decisions.wants_info[:1]
                    sides = [KeptRows(table, self.texts[0], with_info) for with_info in wanted]
                elif schema != table.schema:
                    raise Failed(f"{printable(name)}: its schema is not that of {printable(files[0])}")
                for _, group in groupby(table.batches(), key=lambda batch: batch.group):
                    for _, rows, _ in group:
                        some = decisions.take(len(rows))
                        yield of_sides([side.add(name, rows, some, not place) for place, side in enumerate(sides)])
                    # Indices may be too short for the dictionaries of two groups together
                    yield of_sides([side.flush() for side in sides])
        yield of_sides([side.close() for side in sides])


def of_sides(written: Sequence[bytes]) -> KeptAndRemoved:
    return b"".join(written[:1]), b"".join(written[1:])


def documents(columns: Sequence[LineColumn], rows: Any, row: int) -> Iterator[Document]:
    """Yields the documents of some rows; `row` is the number of the first."""
    for lines in lines_of(columns, rows):
        for line in kernel.split_lines(lines):
            cause = "" if is_utf8(line) else "not UTF-8"
            yield Document(line, row, b"" if cause else line, cause)
            row += 1


class Sink(BytesIO):
    """A file that is taken away as it is written."""

    def taken(self) -> bytes:
        data = self.getvalue()
        self.seek(0)
        self.truncate()
        return data


class KeptRows:
    """Writes rows of files that have the schema of one, with the columns of DuplicateInfo if these are wanted.

    Memory: GROUP_BYTES, and some rows.
    """

    def __init__(self, table: OpenTable, id_field: str, with_info: bool) -> None:
        self.schema = table.schema
        self.with_info = with_info
        if with_info:
            kind = self.schema.field(id_field).type if id_field in self.schema.names else pa.int64()
            value = kind.value_type if pa.types.is_dictionary(kind) else kind
            if not (is_number_or_text(value) or is_bytes(value) or is_time(value) or isinstance(value, pa.UuidType)):
                kind = pa.string()
            self.types = [kind, pa.string(), pa.float64()]
            for name, each in zip(DuplicateInfo._fields, self.types, strict=True):
                self.schema = self.schema.append(pa.field(name, each))
        self.sink = Sink()
        self.writer = table.writer(self.sink, self.schema)
        self.held: list[Any] = []
        self.size = 0

    def add(self, name: str, rows: Any, decisions: Sequence[Decision], kept: bool) -> bytes:
        """Takes the kept rows of some, or the removed ones; returns the bytes that are ready. Raises Failed.

        The rows are of the file of this name.
        """
        parts, at = [], 0
        for wanted, same in groupby(decisions, lambda decision: decision.kept is kept):
            count = len([*same])
            if wanted:
                parts.append(rows.slice(at, count))
            at += count
        if not parts:
            return b""
        some = pa.concat_batches(parts)
        if self.with_info:
            infos = [decision.duplicate_info for decision in decisions if decision.kept is kept]
            ids = ids_of(name, [info and info.duplicate_of for info in infos], self.types[0])
            rules = pa.array([info and info.duplicate_by for info in infos], self.types[1])
            similarities = pa.array([info and info.duplicate_similarity for info in infos], self.types[2])
            some = pa.RecordBatch.from_arrays([*some.columns, ids, rules, similarities], schema=self.schema)
        self.held.append(some)
        self.size += some.get_total_buffer_size()  # before pyarrow 24, nbytes takes no views
        return self.flush() if self.size >= GROUP_BYTES else b""

    def flush(self) -> bytes:
        """Writes the rows that are held."""
        if self.held:
            together = pa.Table.from_batches(self.held, self.schema)
            self.writer.write_table(together, len(together))
        self.held, self.size = [], 0
        return self.sink.taken()

    def close(self) -> bytes:
        self.writer.close()
        return self.sink.taken()


def ids_of(name: str, ids: Sequence[Name | None], kind: Any) -> Any:
    """Makes a column of ids; raises Failed for an id, such as one of an archive, that its type cannot hold."""
    try:
        return id_array(ids, kind)
    except ID_ERRORS:
        if len(ids) > 1:
            return pa.concat_arrays([ids_of(name, [value], kind) for value in ids])
        unfit = [shown(value) for value in ids if value is not None]
        message = f"{DuplicateInfo._fields[0]} has the type of the ids, {kind}, which cannot hold {unfit[0]}"
        raise Failed(f"{printable(name)}: {message}") from None


@contextmanager
def seekable_file(name: str, kind: str) -> Iterator[tuple[BinaryIO, bytes, int]]:
    """Opens a file of this kind: with its first bytes, and its size. Raises Failed, also if reading it inside fails."""
    try:
        with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
            if not file.seekable():
                raise Failed(f"{printable(name)}: {kind} is read from its end, which a pipe does not allow")
            start = file.read(HEAD_BYTES)
            if codec := compression_detection.recognised(start):
                raise Failed(f"{printable(name)}: {codec.name} data, not {kind}: decompress it first")
            file.seek(0)
            with damage_named(name, kind, start):
                yield file, start, os.fstat(file.fileno()).st_size
    except OSError as error:
        raise Failed(f"{printable(name)}: {error.strerror or error}") from None


@contextmanager
def damage_named(name: str, kind: str, start: bytes) -> Iterator[None]:
    """Turns errors of pyarrow and of metadata into a Failed that names the file, with a hint by its first bytes."""
    try:
        yield
    except pa.ArrowMemoryError:
        raise MemoryError from None
    except (pa.ArrowException, OSError, *METADATA_ERRORS) as error:
        message = printable(" ".join(str(error).split())[:200])  # some end with line feeds
        unknown = isinstance(error, pa.ArrowNotImplementedError)
        cause = "pyarrow cannot read it" if unknown else f"not {kind}, or damaged"
        hint = file_start_hint(start, f"--{kind.lower()}")
        raise Failed(f"{printable(name)}: {cause}: {message}{hint}") from None


def check_rows(name: str, rows: int, size: int) -> None:
    """Raises Failed for too many rows for the bytes of a file."""
    if rows > MAX_EXPANSION * size:
        raise Failed(f"{printable(name)}: more than {MAX_EXPANSION} rows for each of its {size} bytes")
