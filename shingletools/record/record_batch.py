"""Record batches, which flow through a run: some lines, their places in the input, and their fields as columns."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from struct import pack
from typing import Any, NamedTuple

from shingletools import kernel
from shingletools.kernel.line_columns import ColumnData, Field, Kind, ReadColumns
from shingletools.kernel.line_columns import read_columns as no_columns
from shingletools.record import wire
from shingletools.record.events import Reject
from shingletools.record.json_members import escaped, line_at, parse
from shingletools.system.errors import EnvironmentFailure, Failed, IdRepeated, JudgedDifferent, RecordFailed, Rejected
from shingletools.system.lazy_imports import orjson

Place = tuple[str, int | None]  # a file, and a line of it
# Fields of the lines that filters would make, which they give as columns in place of lines
Signatures = tuple[Field, ...]
MAX_PIECES = 1024  # pieces of a batch: a row of the definition, or rows of the kernel
UNKNOWN = -1  # instead of a place, in a row that the definition has read


class Schema(NamedTuple):
    """The fields that a batch has of each line, and the function that reads any line."""

    # The definition: takes a line and where it starts, and returns the value of each field that has a column, as
    # `row_of` takes them. It reads the lines that are not ordinary. Raises Rejected, Failed or JudgedDifferent
    parse_line: Callable[[bytes, int], Sequence[Any]]
    fields: tuple[Field, ...] = ()
    max_rows: int = sys.maxsize  # of a batch that the kernel does not read
    provisional: bool = False  # whether the first record says what the fields are: until then a batch has one row
    ordinary: bool = True  # whether the kernel may read lines
    objects: bool = False  # whether `parse_line` returns one object instead of values
    lines: bool = True  # whether the lines are needed; if not, filters may give columns instead

    @property
    def by_kernel(self) -> bool:
        """Returns whether the kernel is to read ordinary lines."""
        names = [field.name for field in self.fields]
        return self.ordinary and bool(names) and not any(b"\\" in name or wire.EACH.encode() in name for name in names)

    def signatures(self) -> Signatures | None:
        """Returns the columns that filters may give in place of lines, if these are known."""
        return self.fields if self.by_kernel else None


def id_schema(id_field: str) -> Schema:
    """Returns the schema of documents of which only the ids are needed.

    >>> read_batch(b'{"id":7}\\n{"id":"a"}', 0, id_schema("id")).columns[0].data
    b'7"a"'
    """
    return Schema(partial(parse_id, id_field), (Field(escaped(id_field), Kind.ID),))


def parse_id(id_field: str, line: bytes, _start: int) -> list[bytes]:
    """Returns the id on a line, as JSON. Raises Rejected."""
    return [orjson.dumps(wire.take_id(parse(line, [id_field]), id_field))]


class BadLine(NamedTuple):
    """A line that becomes no row: it is rejected or left out, or the run fails at it."""

    error: Rejected | Failed | JudgedDifferent
    line: bytes


class Document(NamedTuple):
    """A document as it was found, with its record, or with the reason why it has none."""

    raw: bytes  # as it came: what --rejects keeps
    line: int | None  # the line, row or record of its file at which it begins, from 1; None if it is the file
    record: bytes = b""  # JSON, without a line feed
    cause: str = ""


class Rejection(NamedTuple):
    """A record that filters, or a format, have rejected."""

    place: int  # among the records that were read
    step: int  # of the filter, from 1
    cause: str
    record: bytes  # as it was read
    line: int | None  # which it is behind the first one of its batch; None if it is the file


class StepCounts(NamedTuple):
    """What one of adjacent filters was given, and what it counted."""

    given: int  # records
    made: int = 0  # lines, if it makes several of one
    counted: Mapping[str, int] = {}  # by description


class SourceRecords:
    """The input of which filters made a batch. It is read again, if need be, for records that turn out to be bad."""

    def __init__(self, read: "Callable[[], RecordBatch]") -> None:
        self.read = read

    @cached_property
    def batch(self) -> "RecordBatch":
        return self.read()

    @cached_property
    def records(self) -> Sequence[bytes]:
        """Returns the records as they were read, without line feeds."""
        documents = self.batch.documents
        return [each.raw for each in documents] if documents else kernel.split_lines(self.batch.lines)


class RecordBatch(NamedTuple):
    """Records on consecutive lines: all that a reader read at once, or the rows that a collector takes together.

    A reader makes it of a part of a file, filters make others of it, and `read_batch` adds the columns that a collector
    wants. A bad line ends the rows of a collector.
    """

    lines: bytes = b""
    file: str = "-"
    first: int = 1  # number of the first line in its file
    size: int = 0  # bytes of the file that it stands for
    documents: Sequence[Document] = ()  # in another format than JSON lines: those that were read, also the bad ones
    rejected: Sequence[Rejection] = ()
    places: Sequence[int] | None = None  # the place of each line among the records that were read; None if all are here
    alone: bool = False  # whether the file is one document
    plain: bool = False  # whether the documents are plain text, in a format that also has HTML
    messages: Sequence[str] = ()  # of the format
    counts: Sequence[StepCounts] = ()  # for each filter; before the first, the format's
    origin: SourceRecords | None = None  # of lines that filters made

    rows: int = 0
    before: int = 0  # lines before the first row
    end: int = 0  # of the last row in the lines
    next: int = 0  # where the next batch begins
    starts: bytes = b""  # of each row in the lines, int64
    lasts: bytes = b""  # the end of each row's last value, int64, or UNKNOWN
    columns: tuple[ColumnData, ...] = ()
    objects: Sequence[tuple[Any, bytes]] = ()  # instead of columns: the object of each row, and its line
    bad: BadLine | None = None
    prefetched: tuple[tuple[Field, ...], ReadColumns] | None = None  # these fields, as the kernel read them

    def batch(self, _strict: bool = False) -> "RecordBatch":
        """Returns itself: batches are read as other pieces of the input are."""
        return self

    def cut_at_rejected(self) -> "Iterator[RecordBatch]":
        """Yields the batch cut behind each document that the format has rejected."""
        start = 0
        for bad in self.rejected:
            documents = self.documents[start : bad.place + 1]
            yield batch_of_documents(documents)._replace(file=self.file, alone=self.alone)
            start = bad.place + 1
        if start:
            rest = batch_of_documents(self.documents[start:])
            yield self._replace(lines=rest.lines, documents=rest.documents, rejected=(), places=None)
        else:
            yield self

    def line(self, row: int) -> bytes:
        """Returns the line of a row, without its line feed."""
        return self.objects[row][1] if self.objects else line_at(self.lines, memoryview(self.starts).cast("q")[row])[0]

    def number(self, row: int) -> int:
        """Returns the number of a row, from 0, among the records that were read."""
        row += self.before
        return row if self.places is None else self.places[row]

    def place(self, row: int) -> Place:
        """Returns the place of a row in the input."""
        number, documents = self.number(row), self.documents
        if not documents and self.origin is not None:
            documents = self.origin.batch.documents
        return self.file, documents[number].line if documents else self.first + number

    def line_numbers(self, start: int, stop: int) -> Sequence[int]:
        """Returns the lines of rows in their file; 0 for records that are files."""
        if self.places is None and not self.documents and self.origin is None:
            return range(self.first + self.before + start, self.first + self.before + stop)
        return [self.place(row)[1] or 0 for row in range(start, stop)]

    def record(self, row: int) -> bytes:
        """Returns the record of a row as it was read."""
        if self.documents:
            return self.documents[self.number(row)].raw
        if self.origin is not None:
            return self.origin.records[self.number(row)]
        return self.bad.line if self.bad is not None and row == self.rows else self.line(row)

    def reject(self, row: int, error: Rejected) -> Reject:
        """Returns the event for a bad row."""
        again, made = isinstance(error, IdRepeated), self.origin is not None
        return Reject(*self.place(row), str(error), self.record(row), False, again, 0, self.alone, made)

    def failure(self, row: int, error: Failed) -> Failed:
        """Returns the error of a row with which the run fails."""
        return error if isinstance(error, EnvironmentFailure) else RecordFailed(str(error), *self.place(row))

    def __reduce_ex__(self, _protocol: object) -> tuple[object, ...]:
        """Sends lines and columns outside the pickle, as views of what a worker lends; see worker_loop.Messages.

        What only the process needs that reads the records is not sent.
        """
        from pickle import PickleBuffer  # it is loaded already, by the caller

        lent = map(PickleBuffer, chain((self.lines, self.starts, self.lasts), *self.columns))
        plain = self._replace(
            lines=b"", starts=b"", lasts=b"", columns=(), documents=(), origin=None, bad=None, prefetched=None
        )
        return received_batch, (tuple(plain), *lent)


def batch_of_documents(documents: Sequence[Document]) -> RecordBatch:
    """Returns the records of documents, and those that have none as rejected."""
    bad = [Rejection(place, 1, each.cause, each.raw, each.line) for place, each in enumerate(documents) if each.cause]
    places = [place for place, each in enumerate(documents) if not each.cause] if bad else None
    lines = b"".join(each.record + b"\n" for each in documents if not each.cause)
    return RecordBatch(lines, first=0, documents=documents, rejected=bad, places=places)


def received_batch(plain: tuple[Any, ...], lines: bytes, starts: bytes, lasts: bytes, *data: bytes) -> RecordBatch:
    """Returns the batch that another process has sent."""
    columns = tuple(ColumnData(*data[at : at + 3]) for at in range(0, len(data), 3))
    return RecordBatch(*plain)._replace(lines=lines, starts=starts, lasts=lasts, columns=columns)


def read_batch(lines: bytes, at: int, schema: Schema, prefetched: ReadColumns | None = None) -> RecordBatch:
    """Reads lines from a place on, up to the first bad one: ordinary lines by the kernel, others by the schema.

    prefetched: columns that the kernel has already read from this place.
    """
    pieces: list[ReadColumns] = []
    objects: list[tuple[Any, bytes]] = []
    bad, end, rows, by_kernel = None, at, 0, schema.by_kernel
    while at < len(lines) and rows < schema.max_rows and len(pieces) < MAX_PIECES:
        if by_kernel:
            read, prefetched = prefetched or kernel.read_columns(lines, at, schema.fields), None
            if read.rows:
                pieces.append(read)
                rows, at = rows + read.rows, read.next
                end = at
                continue
        line, after = line_at(lines, at)
        try:
            values = schema.parse_line(line, at)
        except (Rejected, Failed, JudgedDifferent) as error:
            bad, at = BadLine(error, line), after
            break
        if schema.objects:
            objects.append((values, line))
        else:
            pieces.append(row_of(schema.fields, values, at))
        rows, at = rows + 1, after
        end = at
    starts, lasts, columns = join_pieces(pieces, schema.fields)
    return RecordBatch(
        lines, rows=rows, end=end, next=at, starts=starts, lasts=lasts, columns=columns, objects=objects, bad=bad
    )


def row_of(fields: Sequence[Field], values: Sequence[Any], start: int) -> ReadColumns:
    """Returns a row with these values, one for each field that has a column.

    A value is bytes for ID, LABEL and GROUPS; a list of such for IDS; a start and an end for SPAN; a number for LENGTH,
    UNITS and DOUBLE; a byte for FLAG.

    >>> row_of([Field(b"a", Kind.ID), Field(b"b", Kind.ID, shared=0)], [b"1", b'"x"'], 0).columns[0].data
    b'1"x"'
    """
    columns: list[list[bytes]] = []
    of_field: list[int] = []
    left = iter(values)
    for field in fields:
        if field.kind >= Kind.AT_MOST_ONCE:
            of_field.append(UNKNOWN)
            continue
        if field.shared < 0:
            columns.append([b"", b"", b""])
        of_field.append(len(columns) - 1 if field.shared < 0 else of_field[field.shared])
        column, added = columns[of_field[-1]], encoded(field.kind, next(left))
        column[:] = map(bytes.__add__, column, added)
    return ReadColumns(1, start, pack("q", start), pack("q", UNKNOWN), tuple(ColumnData(*column) for column in columns))


def encoded(kind: Kind, value: Any) -> tuple[bytes, bytes, bytes]:
    """Returns a value as the data, sizes and starts of a column."""
    match kind:
        case Kind.ID | Kind.LABEL | Kind.GROUPS:
            return copied(value), pack("q", len(value)), pack("q", UNKNOWN)
        case Kind.IDS:
            return copied(b"".join(value)), pack(f"{len(value)}q", *map(len, value)), pack("q", len(value))
        case Kind.SPAN:
            return pack("2q", *value), b"", b""
        case Kind.FLAG:
            return bytes([value]), b"", b""
        case _:
            return pack("d" if kind == Kind.DOUBLE else "q", value), b"", b""


def copied(value: bytes) -> bytes:
    """Returns a copy, since bytes that orjson made keep a kilobyte or more."""
    return bytes(memoryview(value))


def join_pieces(pieces: Sequence[ReadColumns], fields: Sequence[Field]) -> tuple[bytes, bytes, tuple[ColumnData, ...]]:
    """Returns the starts, the ends of last values and the columns of all rows."""
    pieces = pieces or [no_columns(b"", 0, tuple(fields))]
    if len(pieces) == 1:
        return pieces[0].starts, pieces[0].lasts, pieces[0].columns
    columns = zip(*(piece.columns for piece in pieces), strict=True)
    starts, lasts = b"".join(piece.starts for piece in pieces), b"".join(piece.lasts for piece in pieces)
    return starts, lasts, tuple(ColumnData(*map(b"".join, zip(*column, strict=True))) for column in columns)
