"""Rows of CSV (RFC 4180) and TSV, with a header or without."""

import csv
import io
import re
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import count
from typing import NamedTuple

from shingletools.reading import streams
from shingletools.reading.streams import Blocks
from shingletools.record import wire
from shingletools.record.framing import Document, Framed, Made
from shingletools.record.hints import of_encoding, of_start
from shingletools.system import errors
from shingletools.system.deferred import orjson
from shingletools.system.errors import Failed, Rejected, shown

LONGEST = 1 << 26  # bytes of a row: a quote that is never closed makes one of all that follows
TAB = "\t"
# What else may stand between values, and the option that reads it
DELIMITERS = {",": "--csv", TAB: "--tsv", ";": "--csv --delimiter ';'", "|": "--csv --delimiter '|'"}
MARKS = {",": "commas", TAB: "tabs", ";": "semicolons", "|": "bars"}
SEP = re.compile(rb'"?sep=([\t!-~])"?\r?', re.IGNORECASE)
NAMED = 20  # columns in a message


def of_excel(raw: bytes) -> str:
    """What to do with the line by which Excel is told what parts columns, such as sep=; the end of a message.

    >>> of_excel(b"sep=;")
    "; sep=; is a line for Excel, and the header comes behind it: tail -n +2 FILE | canon --csv --delimiter ';'"
    """
    found = SEP.fullmatch(raw)
    if found is None:
        return ""
    option = DELIMITERS.get(found[1].decode(), "--csv --delimiter CHAR")
    line = "sep= and a tab" if found[1] == b"\t" else f"sep={found[1].decode()}"
    return f"; {line} is a line for Excel, and the header comes behind it: tail -n +2 FILE | canon {option}"


def apart(names: Sequence[str]) -> list[str]:
    """Names of columns, each of which occurs once: to most programs a record with two fields of one name is none.

    A name that an earlier column has gets the first number from 2 with which no column has it.

    >>> apart(["a", "b", "a", "", "a_2", ""])
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


class Separated(NamedTuple):
    """Files of rows; their values are strings.

    With a header each file begins with the names of its columns. Without, columns are named 1, 2, 3 and so on. A row
    that has more or fewer columns than the first is bad.
    """

    delimiter: str
    quotes: bool  # whether quotes are marks, as in CSV, or text
    header: bool
    needed: Sequence[str]  # columns without which a file cannot be read: that of the id, if there must be one, and text

    @property
    def option(self) -> str:
        return "--csv" if self.quotes else "--tsv"

    def read(self, files: Sequence[str], /) -> Generator[Framed]:
        csv.field_size_limit(LONGEST)
        number = 1
        for name in files:
            with closing(streams.read_blocks(name)) as blocks:
                for size, made in RowsOfFile(self, name, blocks).documents():
                    yield Made(name, number, size, made)
                    number += len(made)


class RowsOfFile:
    """The rows of a file, by Python's own parser of CSV. It asks for a line only where a row begins, or within one."""

    def __init__(self, format_: Separated, name: str, blocks: Blocks) -> None:
        self.format, self.name, self.blocks = format_, name, blocks
        self.held: list[bytes] = []  # the beginning of a line
        self.waiting: deque[str] = deque()  # lines
        self.line = 0  # of those that the parser has
        self.row: list[str] = []  # those of the row that it is at
        self.length = 0  # their bytes
        self.ended = False  # whether the file did, within a row
        self.heads: list[bytes] = []  # what stands before the value of each column

    def documents(self) -> Iterator[tuple[int, list[Document]]]:
        """The documents of one block, together, so that they flow on as they come; and how many bytes were read.

        Raises Failed.
        """
        parsed = csv.reader(
            self.lines(), delimiter=self.format.delimiter, strict=True,
            quoting=csv.QUOTE_MINIMAL if self.format.quotes else csv.QUOTE_NONE,
        )  # fmt: skip
        while self.fill():
            made = []
            while self.waiting:
                row, cause = [], ""
                try:
                    row = next(parsed)
                except csv.Error:
                    cause = self.fault()
                raw = "".join(self.row).removesuffix("\n").encode(errors="surrogateescape")
                first = self.first()
                self.row, self.length = [], 0
                if not self.heads and self.settle_columns(first, raw, row, cause):
                    continue
                made.append(self.document(first, raw, row, cause))
            yield self.blocks.taken(), made

    def lines(self) -> Iterator[str]:
        """Lines with their ends; raises Failed."""
        while self.fill():
            line = self.waiting.popleft()
            self.line += 1
            self.row.append(line)
            self.length += len(line) if line.isascii() else len(line.encode(errors="surrogateescape"))
            if self.length > LONGEST:
                raise self.too_long()
            yield line
        self.ended = True

    def fill(self) -> bool:
        """Whether there is another line, which it reads if none waits; raises Failed."""
        while not self.waiting:
            block = next(self.blocks, b"")
            cut = block.rfind(b"\n") + 1 if block else None
            if block and not cut:
                self.held.append(block)
                if sum(map(len, self.held)) > LONGEST:
                    raise self.too_long()
                continue
            lines = b"".join([*self.held, block[:cut]])
            if not lines:
                return False
            self.held = [block[cut:]] if block[cut:] and block else []
            text = (lines if self.line else lines.removeprefix(wire.BOM)).decode(errors="surrogateescape")
            self.waiting.extend(io.StringIO(text, newline="\n"))
        return True

    def first(self) -> int:
        """The line with which the row begins."""
        return self.line + 1 - len(self.row)

    def too_long(self) -> Failed:
        where = errors.shown_place(self.name, self.first())
        return Failed(f"{where}: a row of more than {LONGEST} bytes{' (a quote without an end?)' if self.row else ''}")

    def fault(self) -> str:
        """Why the parser rejected the row."""
        if self.ended:
            return "a quoted value has no end"
        if self.format.quotes:
            return "not CSV (text behind a closing quote, or a carriage return without quotes)"
        return "not TSV (a carriage return within a line)"

    def settle_columns(self, line: int, raw: bytes, row: list[str], cause: str) -> bool:
        """Settles the names of columns by the first row, and says whether this is a header; raises Failed."""
        where = errors.shown_place(self.name, line)
        header = self.format.header
        if header and cause:
            raise Failed(f"{where}: {cause}{of_start(raw, self.format.option) or self.parted(raw, [])}")
        if cause:
            return False
        names = row if header else [str(column) for column in range(1, len(row) + 1)]
        try:
            wire.decode(raw if header else b"")
        except Rejected as error:
            raise Failed(f"{where}: {error}; {of_encoding(raw)}") from None
        for name in self.format.needed:
            if name not in names:
                there = ", ".join(map(shown, names[:NAMED])) + (", ..." if len(names) > NAMED else "")
                hint = of_start(raw, self.format.option) or of_excel(raw)
                hint = hint or self.parted(raw, names) or self.naming(name)
                raise Failed(f"{where}: no column {shown(name)} among {there or 'none'}{hint}")
            if names.count(name) > 1:
                raise Failed(f"{where}: two columns {shown(name)}")
        self.heads = [
            b"%b%b:" % (b"," if place else b"{", orjson.dumps(name)) for place, name in enumerate(apart(names))
        ]
        return header

    def parted(self, raw: bytes, names: Sequence[str]) -> str:
        """The option that parts a header of these names into those that are needed, or at all: the end of a message."""
        text = raw.decode(errors="replace").rstrip("\r")
        for delimiter, option in DELIMITERS.items():
            columns = [column.strip('"') for column in text.split(delimiter)]
            better = not {*self.format.needed} - {*columns} or len(columns) > len(names) == 1
            if delimiter != self.format.delimiter and better:
                return f"; {option} splits columns at {MARKS[delimiter]}"
        return ""

    def naming(self, name: str) -> str:
        """The options that may be meant where no column has this name: the end of a message."""
        if not self.format.header:
            return ""
        if name == self.format.needed[-1]:
            return "; --text NAME says which is meant"
        return "; --id NAME says which is meant, and --number numbers the rows"

    def document(self, line: int, raw: bytes, row: list[str], cause: str) -> Document:
        """A row as a document."""
        row = row or [""]  # an empty line is a row whose one value is empty
        if not cause and len(row) != len(self.heads):
            first = "header" if self.format.header else "first row"
            cause = f"{len(row)} column{'s' * (len(row) > 1)}, but the {first} has {len(self.heads)}"
        if cause:
            return Document(raw, line, cause=cause)
        try:
            values = map(orjson.dumps, row)
            return Document(raw, line, b"".join(map(b"".join, zip(self.heads, values, strict=True))) + b"}")
        except orjson.JSONEncodeError:
            try:
                wire.decode(raw)
            except Rejected as error:
                return Document(raw, line, cause=str(error))
            raise  # a fault of ours
