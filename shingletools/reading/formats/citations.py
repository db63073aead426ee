"""Reads citations as programs for references and PubMed export them: RIS, and NBIB (MEDLINE).

A record begins with its tag TY or PMID, and ends where the next one begins, so that its bytes can be written again.
(rispy reads RIS alone, and all of it at once, and does not say which bytes a record had.)
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import NamedTuple

from shingletools.reading import streams
from shingletools.reading.formats.numbered_records import with_numbers
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FileDocuments, KeptAndRemoved, ReadyDocuments
from shingletools.record.error_hints import file_start_hint
from shingletools.system.errors import Failed, Rejected, printable, shown_place
from shingletools.system.lazy_imports import lazy

MAX_RECORD_BYTES = 1 << 24  # bytes of a record; a file that is no RIS would be taken for one
HINT_BYTES = 1024  # bytes of a file without a record, for a hint at what it is
START = lazy(lambda: re.compile(rb"^(?:\xef\xbb\xbf)?(?:TY  |PMID)-", re.MULTILINE))
# A tag takes four columns, with blanks; long values go on in lines without a tag
TAG = lazy(lambda: re.compile(r"([A-Z][A-Z0-9](?:  |[A-Z0-9][A-Z0-9 ]))- ?(.*)"))
# The tags of a field, of which the first that is there counts, and what is between its values
FIELDS = {
    "title": (("TI", "T1"), " "),
    "author": (("AU", "A1"), "; "),
    "abstract": (("AB", "N2"), " "),
    "journal": (("JO", "T2", "JF", "JT", "JA", "TA"), " "),
    "year": (("PY", "Y1", "DP", "DA"), " "),
    "doi": (("DO", "LID"), " "),
}
OF_TEXT = ("title", "author", "abstract")


class Citations(NamedTuple):
    """Files of citations. numbered: the field that gets the number of a record as its id; "" if it has an id."""

    numbered: str
    option: str = "--ris"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        number = 1
        for name in files:
            for size, some in records(name):
                made = [document(line, raw) for line, raw in some if is_record(raw)]
                yield with_numbers(ReadyDocuments(name, number, size, made), self.numbered, ())
                number += len(made)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes the bytes of records; what is before the first one stays in the file."""
        last = [b"\n", b"\n"]  # what was written last
        for name in files:
            for _, some in records(name):
                sides: tuple[list[bytes], list[bytes]] = [], []
                for _, raw in some:
                    kept = decisions.take(1)[0].kept if is_record(raw) else True
                    if kept is not None and raw:
                        side = not kept
                        sides[side].extend((b"" if last[side].endswith(b"\n") else b"\n", raw))
                        last[side] = raw
                yield b"".join(sides[0]), b"".join(sides[1])


def records(name: str) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
    """Yields for each portion of a file the bytes read, and the records that end in them, with their first lines.

    What is before the first record is one, too. Raises Failed for a file without records.
    """
    rest, line, found = b"", 1, False
    with closing(streams.read_chunks([name])) as chunks:
        for chunk in chunks:
            data = rest + chunk.data
            starts = [each.start() for each in START.finditer(data)]
            found |= bool(starts)
            cuts = sorted({0, *starts})
            made = []
            for begin, end in pairwise(cuts):
                made.append((line, data[begin:end]))
                line += data.count(b"\n", begin, end)
            rest = data[cuts[-1] :]
            if len(rest) > MAX_RECORD_BYTES:
                raise Failed(f"{shown_place(name, line)}: a record of more than {MAX_RECORD_BYTES} bytes")
            yield chunk.size, made
    if rest and not found:
        hint = file_start_hint(rest[:HINT_BYTES], "--ris")
        raise Failed(f"{printable(name)}: no record begins with TY or PMID{hint}")
    yield 0, [(line, rest)]


def is_record(raw: bytes) -> bool:
    """Returns whether these are the bytes of a record, not what is before the first one."""
    return START.match(raw) is not None


def document(line: int, raw: bytes) -> Document:
    """Makes a document of a record.

    >>> made = document(1, b"TY  - JOUR\\nTI  - Cats\\nAU  - Ode, N.\\nAU  - Lib, E.\\nPY  - 2020\\nER  - \\n")
    >>> sorted(wire.parse_json(made.record).items())[::2]
    [('abstract', ''), ('doi', ''), ('text', 'Cats\\nOde, N.; Lib, E.'), ('year', '2020')]
    """
    raw = raw.rstrip(b"\r\n")
    try:
        values = tagged(wire.decode(raw.removeprefix(wire.BOM)))
    except Rejected as error:
        return Document(raw, line, cause=str(error))
    made = {
        field: between.join(next((values[tag] for tag in tags if tag in values), ()))
        for field, (tags, between) in FIELDS.items()
    }
    made["text"] = "\n".join(filter(None, (made[field] for field in OF_TEXT)))
    return Document(raw, line, wire.json_of(made))


def tagged(text: str) -> dict[str, list[str]]:
    """Returns the values of each tag; a line without one goes on with the value before it. RIS has tags of two letters.

    >>> tagged("PMID- 7\\nTI  - On\\n      cats\\nLR  - 20200101")
    {'PMID': ['7'], 'TI': ['On cats'], 'LR': ['20200101']}
    """
    found: dict[str, list[str]] = {}
    values, ris = [""], text.startswith("TY")
    for each in text.replace("\r\n", "\n").split("\n"):
        if (match := TAG.fullmatch(each)) and (match[1][2:].isspace() or not ris):
            values = found.setdefault(match[1].rstrip(), [])
            values.append(match[2].strip())
        elif more := each.strip():
            values[-1] = f"{values[-1]} {more}".lstrip()
    return found
