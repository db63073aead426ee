"""Reads citations as programs for references and PubMed export them: RIS, NBIB (MEDLINE), and BibTeX.

A record begins with its tag TY or PMID, or with @ and a kind, and ends where the next one begins, so that its bytes can
be written again. (rispy reads RIS alone, and all of it at once, and does not say which bytes a record had; bibtexparser
reads a whole file, and its versions differ in what LaTeX becomes.)
"""

import re
import unicodedata
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
START = lazy(
    lambda: re.compile(rb"(?:^|(?<=[\r}]))(?:\xef\xbb\xbf)?(?:(?:TY  |PMID)-|[ \t]*@[A-Za-z]+\s*[{(])", re.MULTILINE)
)
NO_ENTRY = lazy(lambda: re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*@(?:comment|preamble|string)\b", re.IGNORECASE))
LINE_END = lazy(lambda: re.compile(r"\r\n?|\n"))
# Of BibTeX: how an entry begins, what values consist of, and LaTeX's accents, letters and other commands
ENTRY = lazy(lambda: re.compile(r"\s*@[A-Za-z]+\s*[{(]"))
TOKEN = lazy(lambda: re.compile(r'\\.|[{}",=]|[^\\{}",=]+', re.DOTALL))
ACCENT = lazy(lambda: re.compile(r"""\\([`'^"~=.]|[cvuHkdbr](?![A-Za-z]))\s*\{?\s*\\?([A-Za-z])"""))
LETTER = lazy(lambda: re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L)(?![A-Za-z])\s*"))
OTHER = lazy(lambda: re.compile(r"\\[A-Za-z]+\s*|\\|[{}$]"))
MARKS = bytes.fromhex("000102080304 07270c060b28 2331 0a")  # of these accents, from U+0300
COMBINING = {accent: chr(0x300 + mark) for accent, mark in zip("`'^\"~=.cvuHkdbr", MARKS, strict=True)}
LETTERS = dict(zip("ss ae AE oe OE aa AA o O l L".split(), "ßæÆœŒåÅøØłŁ", strict=True))
# A tag takes four columns, with blanks; long values go on in lines without a tag
TAG = lazy(lambda: re.compile(r"([A-Z][A-Z0-9](?:  |[A-Z0-9][A-Z0-9 ]))- ?(.*)"))
# The tags of a field, of which the first that is there counts, and what is between its values
FIELDS = {
    "title": (("TI", "T1", "title"), " "),
    "author": (("AU", "A1", "author"), "; "),
    "abstract": (("AB", "N2", "abstract"), " "),
    "journal": (("JO", "T2", "JF", "JT", "JA", "TA", "journal", "journaltitle", "booktitle"), " "),
    "year": (("PY", "Y1", "DP", "DA", "year", "date"), " "),
    "doi": (("DO", "LID", "AID", "doi"), " "),
}
DOI = "[doi]"  # after the value of LID or AID that is one
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
                        sides[side].extend((b"" if last[side].endswith((b"\n", b"\r")) else b"\n", raw))
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
                line += data.count(b"\n", begin, end) or data.count(b"\r", begin, end)
            rest = data[cuts[-1] :]
            if len(rest) > MAX_RECORD_BYTES:
                raise Failed(f"{shown_place(name, line)}: a record of more than {MAX_RECORD_BYTES} bytes")
            yield chunk.size, made
    if rest and not found:
        hint = file_start_hint(rest[:HINT_BYTES], "--ris")
        raise Failed(f"{printable(name)}: no record begins with TY, PMID or @{hint}")
    yield 0, [(line, rest)]


def is_record(raw: bytes) -> bool:
    """Returns whether these are the bytes of a record, not what is before the first one."""
    return START.match(raw) is not None and NO_ENTRY.match(raw) is None


def document(line: int, raw: bytes) -> Document:
    """Makes a document of a record.

    >>> made = document(1, b"TY  - JOUR\\nTI  - Cats\\nAU  - Ode, N.\\nAU  - Lib, E.\\nPY  - 2020\\nER  - \\n")
    >>> sorted(wire.parse_json(made.record).items())[::2]
    [('abstract', ''), ('doi', ''), ('text', 'Cats\\nOde, N.; Lib, E.'), ('year', '2020')]
    """
    raw = raw.rstrip(b"\r\n")
    try:
        text = wire.decode(raw.removeprefix(wire.BOM))
        values = entry(text) if ENTRY.match(text) else tagged(text)
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
    for each in LINE_END.split(text):
        if (match := TAG.fullmatch(each)) and (match[1][2:].isspace() or not ris):
            values = found.setdefault(match[1].rstrip(), [])
            values.append(match[2].strip())
        elif more := each.strip():
            values[-1] = f"{values[-1]} {more}".lstrip()
    for tag in found.keys() & {"LID", "AID"}:
        found[tag] = [value.removesuffix(DOI).rstrip() for value in found[tag] if value.endswith(DOI)]
    return found


def entry(text: str) -> dict[str, list[str]]:
    """Returns the values of the fields of an entry of BibTeX, without LaTeX's commands. Raises Rejected.

    >>> entry('@book{k, title = {On {C}ats}, Author="Ode, N. and M{\\\\o}r, E.", year=2020}')
    {'title': ['On Cats'], 'author': ['Ode, N.', 'Mør, E.'], 'year': ['2020']}
    """
    found: dict[str, list[str]] = {}
    name, value, depth, quoted = "", "", 1, False
    for each in TOKEN.findall(ENTRY.sub("", text, 1)):
        depth += (each == "{") - (each == "}")
        outer = depth <= 1 and not quoted
        if depth == 0 or (outer and each == ","):
            found |= {name: without_latex(value).split(" and " if name == "author" else "\n")} if name else {}
            name = value = ""
        elif outer and each == "=":
            name, value = value.strip().lower(), ""
        elif each == '"' and depth == 1:
            quoted = not quoted
        else:
            value += each.replace("#", "") if outer else each  # it joins strings
        if depth == 0:
            return found
    raise Rejected("not BibTeX (an entry does not end with a brace)")


def without_latex(value: str) -> str:
    value = ACCENT.sub(lambda found: found[2] + COMBINING[found[1]], value)
    value = LETTER.sub(lambda found: LETTERS[found[1]], value).replace("~", " ")
    return unicodedata.normalize("NFC", " ".join(OTHER.sub("", value).split()))
