"""Record batches: several lines as columns, and the reader that makes them."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from struct import pack
from typing import Any, NamedTuple

from shingletools import kernel
from shingletools.kernel.line_columns import ColumnData, Field, Kind, ReadColumns
from shingletools.kernel.line_columns import read_columns as no_columns
from shingletools.record import wire
from shingletools.record.json_members import escaped, line_at, parse
from shingletools.system.errors import Failed, JudgedDifferent, Rejected
from shingletools.system.lazy_imports import orjson

Place = tuple[str, int | None]  # a file, and a line of it
# Fields of the lines that filters would make, which they give as columns in place of lines
Signatures = tuple[Field, ...]
MAX_PARTS = 1024  # parts of a batch: a row of the definition, or rows of the kernel
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


class RecordBatch(NamedTuple):
    """The records on consecutive lines, a row each. A bad line ends a batch."""

    lines: bytes
    rows: int
    end: int  # of the last row in the lines
    next: int  # where the next batch begins
    starts: bytes = b""  # of each row in the lines, int64
    lasts: bytes = b""  # the end of each row's last value, int64, or UNKNOWN
    columns: tuple[ColumnData, ...] = ()
    objects: Sequence[tuple[Any, bytes]] = ()  # instead of columns: the object of each row, and its line
    bad: BadLine | None = None
    place: Callable[[int], Place] = lambda _row: ("", None)  # of a row

    def line(self, row: int) -> bytes:
        """Returns the line of a row, without its line feed."""
        return self.objects[row][1] if self.objects else line_at(self.lines, memoryview(self.starts).cast("q")[row])[0]

    def __reduce_ex__(self, _protocol: object) -> tuple[object, ...]:
        """Sends the columns outside the pickle, as views of what a worker lends; see collector.Written.

        Objects and places are not sent, since nobody needs them there.
        """
        from pickle import PickleBuffer  # as in collector.Written

        lent = map(PickleBuffer, chain((self.lines, self.starts, self.lasts), *self.columns))
        return received_batch, (self.rows, self.end, *lent)


def received_batch(rows: int, end: int, lines: bytes, starts: bytes, lasts: bytes, *parts: bytes) -> RecordBatch:
    """Returns the batch that a worker has sent."""
    columns = tuple(ColumnData(*parts[at : at + 3]) for at in range(0, len(parts), 3))
    return RecordBatch(lines, rows, end, end, starts, lasts, columns)


def read_batch(lines: bytes, at: int, schema: Schema, prefetched: ReadColumns | None = None) -> RecordBatch:
    """Reads lines from a place on, up to the first bad one: ordinary lines by the kernel, others by the schema.

    prefetched: columns that the kernel has already read from this place.
    """
    parts: list[ReadColumns] = []
    objects: list[tuple[Any, bytes]] = []
    bad, end, rows, by_kernel = None, at, 0, schema.by_kernel
    while at < len(lines) and rows < schema.max_rows and len(parts) < MAX_PARTS:
        if by_kernel:
            some, prefetched = prefetched or kernel.read_columns(lines, at, schema.fields), None
            if some.rows:
                parts.append(some)
                rows, at = rows + some.rows, some.next
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
            parts.append(row_of(schema.fields, values, at))
        rows, at = rows + 1, after
        end = at
    return RecordBatch(lines, rows, end, at, *join_parts(parts, schema.fields), objects, bad)


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


def join_parts(parts: Sequence[ReadColumns], fields: Sequence[Field]) -> tuple[bytes, bytes, tuple[ColumnData, ...]]:
    """Returns the starts, the ends of last values and the columns of all rows."""
    parts = parts or [no_columns(b"", 0, tuple(fields))]
    if len(parts) == 1:
        return parts[0].starts, parts[0].lasts, parts[0].columns
    columns = zip(*(part.columns for part in parts), strict=True)
    starts, lasts = b"".join(part.starts for part in parts), b"".join(part.lasts for part in parts)
    return starts, lasts, tuple(ColumnData(*map(b"".join, zip(*column, strict=True))) for column in columns)
