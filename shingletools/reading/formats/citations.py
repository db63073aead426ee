"""Reads citations as programs and databases export them: RIS, NBIB (MEDLINE), EndNote, Web of Science and BibTeX.

A file is cut into pieces, so that its bytes can be written again: records, with the blank lines behind them; what is no
record, and so is rejected; and free text, which belongs to none. (rispy reads RIS alone, and all of it at once, and
does not say which bytes a record had; bibtexparser reads a whole file, and its versions differ in what LaTeX becomes.)
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from shingletools.reading import streams
from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.bibtex import ENTRY, KEY, NO_END, EntryEnds, bibtex_values
from shingletools.reading.formats.citation_fields import NAMES, fields_of
from shingletools.reading.formats.tagged_references import BLANK, BOM, TAGGED, tagged_end, tagged_values
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FilePortion, Format, KeptAndRemoved
from shingletools.record.error_hints import file_start_hint
from shingletools.system.errors import Failed, Rejected, printable, shown_place

MAX_RECORD_BYTES = 1 << 24  # bytes of a record; a file that is no RIS would be taken for one
PORTION_PIECES = 1 << 12  # pieces that become documents at once
HINT_BYTES = 1024  # bytes of a file without a record, for a hint at what it is
BEGINNINGS = "TY, PMID, %0, PT or @"
NO_RECORD = f"not a citation (it does not begin with {BEGINNINGS})"
BEGIN = BOM + BLANK + rb"*+(?:" + ENTRY + b"|" + TAGGED + b")"
RECORD, START = re.compile(BEGIN), re.compile(rb"[\r\n](?=" + BEGIN + b")")
ENTRY_KEY = re.compile(rb"\s*+(" + KEY + b")")
BLANKS = re.compile(rb"(?:[\s\x1a]|\xc2\xa0)*+")  # \x1a ends a file of MS-DOS
PARAGRAPH = re.compile(rb"(?:[ \t]*+[^\s\x1a][^\r\n]*+(?:\r\n?+|\n|\Z))++[\s\x1a]*+")
# Lines that programs write before records
HEAD = re.compile(
    BOM + rb"\s*+(?:(?:Provider|Database|Content|EXPORT DATE|Record #|FN|VR)\b.*+|EF|Scopus|<?\d++[.>]?)?+\s*+\Z"
)
# In free text of BibTeX, lines of records: tags, fields, kinds, JSON, XML
LOST = re.compile(
    rb"(?<![^\r\n])" + BOM + BLANK + rb"*+(?:[A-Z][A-Z0-9]" + BLANK + rb"{1,3}+-|%0 |PT [A-Z]|<[?!a-z]|\{\""
    rb"|@(?!(?i:comment)\b)[ \t]*+[A-Za-z]|[,} \t]*+[A-Za-z][\w-]*+\s*+(?:=\s*+[{\"\d]|\{" + KEY + rb"\s*+,))"
)


class FilePiece(NamedTuple):
    """Some bytes of a file: a record, or free text, or what is rejected."""

    line: int
    raw: bytes
    free: bool = False
    cause: str = ""  # why it is rejected


@dataclass(frozen=True)
class Citations(Format):
    """Files of citations. numbered: the field that gets the number of a record as its id; "" if it has an id."""

    numbered: str
    encoding: Encoding | None = None
    option = "--ris"

    def portions(self, name: str, /) -> Generator[FilePortion]:
        for size, found in pieces(name, self.encoding):
            yield FilePortion(size, [document(each) for each in found if not each.free], self.numbered)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes the bytes of records; free text stays in the file."""
        for_sides = [b"\n", b"\n"]  # what was written last
        for name in files:
            before = b""  # the piece before
            for _, found in pieces(name, self.encoding):
                sides: tuple[list[bytes], list[bytes]] = [], []
                for piece in found:
                    kept = True if piece.free else decisions.take(1)[0].kept
                    if kept is not None:
                        side = not kept
                        if not for_sides[side].endswith((b"\n", b"\r")) and for_sides[side] is not before:
                            sides[side].append(b"\n")
                        sides[side].append(piece.raw)
                        for_sides[side] = piece.raw
                    before = piece.raw
                yield b"".join(sides[0]), b"".join(sides[1])


def pieces(name: str, encoding: Encoding | None) -> Iterator[tuple[int, list[FilePiece]]]:
    """Yields for each portion of a file the bytes read, and the pieces that end in them.

    Raises Failed for a file without records.
    """
    rest, line, searched, kind = b"", 1, 0, b""
    with closing(streams.read_blocks(name, "nothing", encoding)) as blocks:
        for block in chain(blocks, (b"",)):  # which is the end
            rest += block
            made: list[FilePiece] = []
            # A rest without an end is searched again when it has doubled, so that the time is linear
            if not block or len(rest) >= min(2 * searched, MAX_RECORD_BYTES):
                end = max(rest.rfind(b"\n"), rest.rfind(b"\r")) + 1 if block else len(rest)
                made, begin, kind = cut(rest[:end], line, not block, kind)
                line = made[-1].line + lines_in(made[-1].raw) if made else line
                rest = rest[begin:]
                searched = len(rest)
                if searched > MAX_RECORD_BYTES:
                    raise Failed(f"{shown_place(name, line)}: a record of more than {MAX_RECORD_BYTES} bytes")
            if rest and not block:
                hint = file_start_hint(rest[:HINT_BYTES], "--ris")
                raise Failed(f"{printable(name)}: no record begins with {BEGINNINGS}{hint}")
            for start in range(0, max(len(made), 1), PORTION_PIECES):
                yield blocks.taken(), made[start : start + PORTION_PIECES]


def cut(data: bytes, line: int, final: bool, kind: bytes) -> tuple[list[FilePiece], int, bytes]:
    """Returns the pieces of whole lines before the last record, where this begins, and the kind of the one before.

    final: whether the file ends here; then the last record is a piece, too. kind: the tag of the record before the
    data, or @; empty if there is none.

    >>> [piece.raw for piece in cut(b"@a{b,\\n@c {d}}@e{f,\\n@g{h,}", 1, True, b"")[0]]
    [b'@a{b,\\n@c {d}}', b'@e{f,\\n', b'@g{h,}']
    """
    made: list[FilePiece] = []
    begin, end, free, cause = 0, 0, True, ""  # of a record; none is before the first one
    entries = EntryEnds(data, final)
    while True:
        found = RECORD.match(data, end)
        if not found and (before := START.search(data, end)):
            found = RECORD.match(data, before.end())
        if not found and not (final and kind):
            return made, begin, kind
        kind = kind or (found[3] or b"@" if found else b"")
        stop = found.start() if found else len(data)
        blank = BLANKS.match(data, end, stop)
        assert blank
        pieces = [(data[begin : blank.end()], free, cause)]
        for text in PARAGRAPH.finditer(data, blank.end(), stop) if blank.end() < stop else ():
            known = is_free(text[0], kind == b"@")
            pieces.append((text[0], known, "" if known else NO_RECORD))
        for piece in pieces:
            if piece[0]:
                made.append(FilePiece(line, *piece))
                line += lines_in(piece[0])
        if not found:
            return made, len(data), kind
        begin, kind = stop, found[3] or b"@"
        if kind == b"@":
            end, closed = entries.end(found, found[1] is not None)
            cause = "" if closed or found[1] else NO_END
            free = not cause and (found[1] or found[2]) is not None
        else:
            end, free, cause = tagged_end(data, found, final), False, ""
        if end < 0:
            return made, begin, kind


def is_free(text: bytes, bibtex: bool) -> bool:
    """Returns whether text between records is no other record. BibTeX has comments there, and may have any text."""
    return not LOST.search(text) if bibtex else all(map(HEAD.match, text.splitlines()))


def lines_in(raw: bytes) -> int:
    return raw.count(b"\n") or raw.count(b"\r")


def document(piece: FilePiece) -> Document:
    """Makes a document of a record.

    >>> made = document(FilePiece(1, b"TY  - A\\nTI  - Cats\\nAU  - Ode, N.\\nAU  - Lib, E.\\nER  - \\n"))
    >>> wire.parse_json(made.record)["text"]
    'Cats\\nOde, N.; Lib, E.'
    """
    raw = piece.raw.rstrip(b"\r\n")
    if piece.cause:
        return Document(raw, piece.line, cause=piece.cause)
    try:
        text = wire.decode(raw.removeprefix(wire.BOM))
    except Rejected as error:
        return Document(raw, piece.line, cause=str(error))
    begin = RECORD.match(raw)
    assert begin  # as in cut
    if begin[3]:
        values = tagged_values(text, begin[3])
    else:
        key = ENTRY_KEY.findall(raw, begin.end())[0].decode()
        values = bibtex_values(raw, begin.end(), NAMES) | {"key": [key]}
    return Document(raw, piece.line, wire.json_of(fields_of(values)))
