"""The rows of CSV (RFC 4180) and TSV, with a header or without."""

import csv
import importlib.util
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, count
from types import ModuleType
from typing import NamedTuple

from shingletools.reading.streams import Blocks
from shingletools.record import wire
from shingletools.record.document_format import Document
from shingletools.record.error_hints import encoding_hint, file_start_hint
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected, shown
from shingletools.system.lazy_imports import orjson

LONG_ROW_BYTES = 1 << 20  # bytes of a row after which the parser's memory is given back
MAX_ROW_BYTES = 1 << 26  # bytes of a row: a quote that is never closed makes one of all that follows
TAB = "\t"
# Characters between values, and the options for them
DELIMITERS = {",": "--csv", TAB: "--tsv", ";": "--csv --delimiter ';'", "|": "--csv --delimiter '|'"}
MARKS = {",": "commas", TAB: "tabs", ";": "semicolons", "|": "bars"}
SEP = re.compile(rb'"?sep=([\t!-~])"?\r?', re.IGNORECASE)
MAX_NAMED = 20  # columns in a message


@cache
def own_parser() -> ModuleType:
    """Loads Python's parser of CSV once more, with its own limit: the module csv has one for the whole program."""
    spec = importlib.util.find_spec("_csv")
    assert spec is not None
    assert spec.loader is not None
    parser = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(parser)
    parser.field_size_limit(MAX_ROW_BYTES)
    return parser


def excel_hint(raw: bytes) -> str:
    """Returns a hint if a line says the delimiter to Excel, such as sep=;

    >>> excel_hint(b"sep=;")
    "; sep=; is a line for Excel, and the header comes after it: tail -n +2 FILE | canon --csv --delimiter ';'"
    """
    found = SEP.fullmatch(raw)
    if found is None:
        return ""
    option = DELIMITERS.get(found[1].decode(), "--csv --delimiter CHAR")
    line = "sep= and a tab" if found[1] == b"\t" else f"sep={found[1].decode()}"
    return f"; {line} is a line for Excel, and the header comes after it: tail -n +2 FILE | canon {option}"


def distinct_names(names: Sequence[str]) -> list[str]:
    """Returns distinct names for columns: most programs do not accept a record with two fields of one name.

    A repeated name gets the first number from 2 that makes it unique.

    >>> distinct_names(["a", "b", "a", "", "a_2", ""])
    ['a', 'b', 'a_3', '', 'a_2', '_2']
    """
    taken = {*names}
    numbers: dict[str, Iterator[int]] = {}  # for each name, those that were not tried yet
    made = []
    for name in names:
        if name in numbers:
            made.append(next(other for number in numbers[name] if (other := f"{name}_{number}") not in taken))
        else:
            numbers[name] = count(2)
            made.append(name)
    return made


def in_utf8(value: str) -> str:
    """Returns the text of which each byte in UTF-8 is a character here; raises UnicodeDecodeError.

    >>> in_utf8("caf\xc3\xa9")
    'café'
    """
    return value.encode("latin-1").decode()


class Dialect(NamedTuple):
    """The syntax of a table, and its columns. Without a header, columns are named 1, 2, 3 and so on."""

    delimiter: str
    quotes: bool  # whether quotes are marks, as in CSV, or text
    header: bool
    needed: Sequence[str]  # columns that must be there
    numbered: str = ""  # the column of ids; without it, rows get their numbers. Empty if it must be there
    others: bool = True  # whether the command takes --delimiter, for other delimiters

    @property
    def option(self) -> str:
        return "--csv" if self.quotes else "--tsv"


class Row(NamedTuple):
    """A row of a table."""

    line: int  # at which it begins
    raw: bytes  # its bytes, with the line feed at the end if there is one
    values: Sequence[str]  # each byte a character, as the parser has them
    cause: str  # why it is bad; empty for a good one


class RowsOfFile:
    """Reads the rows of a file with Python's parser of CSV, which asks only for the lines of one row at a time.

    The parser gets UTF-8 as Latin-1, since what it looks for is ASCII. So a row takes a byte for each byte, and four
    in the parser, where one character beyond U+FFFF would make each take four everywhere.
    """

    def __init__(self, dialect: Dialect, name: str, blocks: Blocks) -> None:
        self.dialect, self.name, self.blocks = dialect, name, blocks
        self.held = io.BytesIO()  # the beginning of a line
        self.waiting: deque[bytes] = deque()  # lines
        self.line = 0  # number of the last line that the parser has
        self.row = io.BytesIO()  # lines of the row, in less memory than a list of short lines
        self.first = 1  # line at which the row begins
        self.ended = False  # whether the file ended within a row
        self.heads: list[bytes] = []  # the JSON before the value of each column
        self.names: Sequence[str] = ()  # of columns
        self.header = b""  # the bytes of the first row
        self.marked = False  # whether a byte order mark is before it

    def documents(self) -> Iterator[tuple[int, list[Document]]]:
        """Yields for each block the number of bytes read and the documents. Raises Failed."""
        for rows in self.rows():
            made = [self.document(row.line, row.raw.removesuffix(b"\n"), row.values, row.cause) for row in rows]
            rows.clear()  # so that no value is held while its document is worked on
            yield self.blocks.taken(), made

    def rows(self) -> Iterator[list[Row]]:
        """Yields the rows of each block, without the header. Raises Failed."""
        parsed = self.parsed()
        while self.fill():
            rows = []
            while self.waiting:
                values, cause = [], ""
                try:
                    values = next(parsed)
                except own_parser().Error:
                    cause = self.fault()
                if self.row.tell() > LONG_ROW_BYTES:
                    parsed = self.parsed()  # the one before has four bytes for each
                row = Row(self.first, self.row.getvalue(), values, cause)
                self.row, self.first = io.BytesIO(), self.line + 1
                if not values and not cause and (self.dialect.quotes or len(self.names) != 1):
                    continue  # a blank line, which is no row; but of TSV with one column, it is an empty value
                if not self.heads and self.settle_columns(row):
                    self.header = row.raw
                    continue
                rows.append(row)
            yield rows

    def parsed(self) -> Iterator[list[str]]:
        """Yields the rows that follow."""
        quoting = csv.QUOTE_MINIMAL if self.dialect.quotes else csv.QUOTE_NONE
        reader = own_parser().reader
        rows: Iterator[list[str]] = reader(self.lines(), delimiter=self.dialect.delimiter, strict=True, quoting=quoting)
        return rows

    def lines(self) -> Iterator[str]:
        """Yields lines with their ends, for the parser; raises Failed."""
        while self.fill():
            self.line += 1
            self.row.write(self.waiting[0])
            if self.row.tell() > MAX_ROW_BYTES:
                raise self.too_long()
            yield self.waiting.popleft().decode("latin-1")
        self.ended = True

    def fill(self) -> bool:
        """Reads lines if none wait; returns whether there are any. Raises Failed."""
        while not self.waiting:
            block = next(self.blocks, b"")
            cut = block.rfind(b"\n") + 1
            self.held.write(block[:cut] if cut else block)
            if block and not cut:
                if self.held.tell() > MAX_ROW_BYTES:
                    raise self.too_long()
                continue
            lines, self.held = self.held.getvalue(), io.BytesIO()
            if not lines:
                return False
            self.held.write(block[cut:])
            self.marked |= not self.line and lines.startswith(wire.BOM)
            self.waiting.extend(io.BytesIO(lines if self.line else lines.removeprefix(wire.BOM)))
        return True

    def too_long(self) -> Failed:
        where = errors.shown_place(self.name, self.first)
        quoted = " (a quote without an end?)" if self.row.tell() else ""
        start = (self.row.getvalue() or self.held.getvalue())[:LONG_ROW_BYTES] if self.first == 1 else b""
        return Failed(
            f"{where}: a row of more than {MAX_ROW_BYTES} bytes{file_start_hint(start, self.dialect.option) or quoted}"
        )

    def fault(self) -> str:
        """Returns why the parser rejected the row."""
        if self.ended:
            return "a quoted value has no end"
        if self.dialect.quotes:
            return "not CSV (text after a closing quote, or a carriage return without quotes)"
        return "not TSV (a carriage return within a line)"

    def settle_columns(self, row: Row) -> bool:
        """Takes the names of columns from the first row; returns whether this is a header. Raises Failed."""
        line, raw, values, cause = row.line, row.raw.removesuffix(b"\n"), row.values, row.cause
        where = errors.shown_place(self.name, line)
        header = self.dialect.header
        if header and cause:
            raise Failed(f"{where}: {cause}{file_start_hint(raw, self.dialect.option) or self.delimiter_hint(raw, [])}")
        if cause:
            return False
        try:
            wire.decode(raw if header else b"")
        except Rejected as error:
            raise Failed(f"{where}: {error}; {encoding_hint(raw)}") from None
        names = [*map(in_utf8, values)] if header else [str(column) for column in range(1, len(values) + 1)]
        for name in dict.fromkeys((*self.dialect.needed, *filter(None, [self.dialect.numbered]))):
            if name not in names and name in self.dialect.needed:
                there = ", ".join(map(shown, names[:MAX_NAMED])) + (", ..." if len(names) > MAX_NAMED else "")
                hint = file_start_hint(raw, self.dialect.option) or (excel_hint(raw) if self.dialect.others else "")
                hint = hint or self.delimiter_hint(raw, names) or self.name_hint("; ", names) * (name == "text")
                raise Failed(f"{where}: no column {shown(name)} among {there or 'none'}{hint}")
            if names.count(name) > 1:
                raise Failed(f"{where}: two columns {shown(name)}")
        self.names = names
        self.heads = [
            b"%b%b:" % (b"," if place else b"{", orjson.dumps(name)) for place, name in enumerate(distinct_names(names))
        ]
        return header

    def delimiter_hint(self, raw: bytes, names: Sequence[str]) -> str:
        """Returns a hint if another delimiter splits a header into the columns that are needed, or at all."""
        text = raw.decode(errors="replace").rstrip("\r")
        for delimiter, option in DELIMITERS.items():
            columns = [column.strip('"') for column in text.split(delimiter)]
            better = not {*self.dialect.needed} - {*columns} or len(columns) > len(names) == 1
            known = self.dialect.others or "--delimiter" not in option
            if delimiter != self.dialect.delimiter and better and known:
                return f"; {option} splits columns at {MARKS[delimiter]}{self.name_hint(', and ', columns)}"
        return ""

    def name_hint(self, before: str, columns: Sequence[str]) -> str:
        """Returns a hint for a missing column of texts."""
        missing = self.dialect.header and "text" in self.dialect.needed and "text" not in columns
        return f"{before}--text NAME says which is meant" if missing else ""

    def document(self, line: int, raw: bytes, row: Sequence[str], cause: str) -> Document:
        """Makes a document of a row."""
        row = row or [""]
        if not cause and len(row) != len(self.heads):
            first = "header" if self.dialect.header else "first row"
            cause = f"{len(row)} column{'s' * (len(row) > 1)}, but the {first} has {len(self.heads)}"
        if cause:
            return Document(raw, line, cause=cause)
        try:
            values = map(orjson.dumps, row if raw.isascii() else map(in_utf8, row))
            return Document(raw, line, b"".join([*chain.from_iterable(zip(self.heads, values, strict=True)), b"}"]))
        except UnicodeDecodeError:
            try:
                wire.decode(raw)
            except Rejected as error:
                return Document(raw, line, cause=str(error))
            raise  # a fault of ours
