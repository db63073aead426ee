"""Reads the elements of JSON arrays, each a record, in bounded memory. Their bytes stay as they are.

(ijson rewrites numbers and escapes, stops at a bad element, and does not say where it was.)
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from shingletools import kernel
from shingletools.reading import streams
from shingletools.reading.encodings import Encoding
from shingletools.reading.streams import Blocks
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FilePortion, Format, KeptAndRemoved
from shingletools.record.error_hints import file_start_hint
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected

MAX_DEPTH = 10_000  # nested brackets in an element; the parser of records allows fewer
TOO_DEEP = -2  # what the kernel returns if there are more
HINT_BYTES = 1024  # bytes of a file that is no array, for a hint at what it is
# States: before the first array, after an array, before its first element, after a comma
BEFORE, AFTER, FIRST, NEXT = range(4)
INSIDE = (FIRST, NEXT)
MAX_ELEMENT_BYTES = 1 << 26  # bytes of an element; one without a closing quote would take the rest of the file
NOT_BLANK = re.compile(rb"[^ \t\r\n]")


@dataclass(frozen=True)
class Array(Format):
    """Files of JSON arrays, each with one or several."""

    encoding: Encoding | None = None
    option = "--array"

    def portions(self, name: str, /) -> Generator[FilePortion]:
        with closing(streams.read_blocks(name, "nothing", self.encoding)) as blocks:
            yield from Elements(name, blocks).portions()

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes one array, with each element on a line of its own."""
        starts = [b"[\n", b"[\n"]
        for portion in self.read(files):
            sides: tuple[list[bytes], list[bytes]] = [], []
            made = list(portion.documents())
            for element, decision in zip(made, decisions.take(len(made)), strict=True):
                if decision.kept is not None:
                    sides[not decision.kept].extend((starts[not decision.kept], element.raw))
                    starts[not decision.kept] = b",\n"
            yield b"".join(sides[0]), b"".join(sides[1])
        ends = [b"\n]\n" if start[:1] == b"," else b"[]\n" for start in starts]
        yield ends[0], ends[1]


class Elements:
    """The elements of a file's arrays."""

    def __init__(self, name: str, blocks: Blocks) -> None:
        self.name, self.blocks = name, blocks
        self.data = b""  # what was read and is still needed
        self.at = 0  # the data before this place were used
        self.line = 1  # the line of `at`
        self.state = BEFORE

    def portions(self) -> Iterator[FilePortion]:
        """Yields the documents that end in each block. Raises Failed."""
        held: list[bytes] = []
        enough, marked = len(wire.BOM), True  # a byte order mark may come first
        for block in self.blocks:
            held.append(block)
            if sum(map(len, held)) >= enough:
                self.data = b"".join([self.data[self.at :], *held])
                if marked:
                    self.data, marked = self.data.removeprefix(wire.BOM), False
                held, self.at = [], 0
                made = list(self.complete())
                yield FilePortion(self.blocks.taken(), made)
                # An element without an end is not searched again before its size has doubled
                enough = 0 if made else len(self.data) - self.at
                if len(self.data) - self.at > MAX_ELEMENT_BYTES:
                    raise Failed(
                        f"{self.where()}: an element of more than {MAX_ELEMENT_BYTES} bytes (a string without an end?)"
                    )
        self.data, self.at = b"".join([self.data[self.at :], *held]), 0
        made = list(self.complete())
        if self.state in INSIDE:
            made.append(Document(self.data[self.at :], self.line, cause="the array has no end"))
        yield FilePortion(self.blocks.taken(), made)

    def where(self) -> str:
        return errors.shown_place(self.name, self.line)

    def complete(self) -> Iterator[Document]:
        """Yields the elements that end in the data. Raises Failed for what is no array."""
        while found := NOT_BLANK.search(self.data, self.at):
            self.go_to(found.start())
            if self.state not in INSIDE:
                self.begin_array()
                continue
            end = kernel.element_end(self.data, self.at, MAX_DEPTH)
            if end == TOO_DEEP:
                raise Failed(f"{self.where()}: an element with more than {MAX_DEPTH} nested brackets")
            if end < 0:
                return
            comma = self.data[end : end + 1] == b","
            is_empty_array = end == self.at and not comma and self.state == FIRST  # otherwise, an element is missing
            if not is_empty_array:
                yield element(self.data[self.at : end].rstrip(b" \t\r\n"), self.line)
            self.state = NEXT if comma else AFTER
            self.go_to(end)
            self.at += 1

    def begin_array(self) -> None:
        """Reads the opening bracket. Raises Failed if there is none."""
        utf16 = self.data[self.at + 1 : self.at + 2] == b"\0"
        if self.data[self.at : self.at + 1] != b"[" or utf16:
            if self.state == AFTER:
                raise Failed(f"{self.where()}: text after an array")
            hint = file_start_hint(self.data[self.at : self.at + HINT_BYTES], "--array")
            raise Failed(f"{self.where()}: not a JSON array{hint}")
        self.state = FIRST
        self.at += 1

    def go_to(self, place: int) -> None:
        self.line += self.data.count(b"\n", self.at, place)
        self.at = place


def element(raw: bytes, line: int) -> Document:
    """Makes a document of an element. Its line feeds, which JSON allows only between tokens, become blanks."""
    if not raw:
        return Document(raw, line, cause="an element is missing")
    if b"\n" not in raw:
        return Document(raw, line, raw)
    try:
        wire.parse_json(raw)
    except Rejected as error:
        return Document(raw, line, cause=str(error))
    return Document(raw, line, raw.replace(b"\n", b" "))
