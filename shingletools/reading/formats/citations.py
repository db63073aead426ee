"""Reads citations as programs for references and PubMed export them: RIS, NBIB (MEDLINE), and BibTeX.

A record begins with its tag TY or PMID, or with @ and a kind, as the first of its file does, and ends where the next
one begins, so that its bytes can be written again. (rispy reads RIS alone, and all of it at once, and does not say
which bytes a record had; bibtexparser reads a whole file, and its versions differ in what LaTeX becomes.)
"""

import re
import unicodedata
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain, pairwise
from typing import NamedTuple

from shingletools.reading import streams
from shingletools.reading.formats.numbered_records import with_numbers
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FileDocuments, KeptAndRemoved, ReadyDocuments
from shingletools.record.error_hints import BIBTEX_ENTRY, RIS_TAG, file_start_hint
from shingletools.system.errors import Failed, Rejected, printable, shown_place
from shingletools.system.lazy_imports import lazy

MAX_RECORD_BYTES = 1 << 24  # bytes of a record; a file that is no RIS would be taken for one
HINT_BYTES = 1024  # bytes of a file without a record, for a hint at what it is
LINE_START, BOM, INDENT = rb"(?<![^\r\n])", rb"(?:\xef\xbb\xbf)?+", rb"[ \t]*+"
FIRST = lazy(lambda: re.compile(LINE_START + BOM + b"(?:" + RIS_TAG + b"|" + INDENT + BIBTEX_ENTRY + b")"))
TAGGED = lazy(lambda: re.compile(LINE_START + BOM + RIS_TAG))
# Of BibTeX: where an entry may begin, and braces; where one begins although the one before it does not end
MARK = lazy(lambda: re.compile(rb"(?<![^\r\n}])" + BOM + INDENT + b"(?=(" + BIBTEX_ENTRY + rb"))|\\.|[{}]", re.DOTALL))
ANEW = lazy(lambda: re.compile(LINE_START + BOM + INDENT + BIBTEX_ENTRY + rb"\s*+[^\s\"#%(),={}]*+\s*+[,=]"))
NO_ENTRY = lazy(lambda: re.compile(BOM + INDENT + rb"@(?:comment|preamble|string)\b", re.IGNORECASE))
LINE_END = lazy(lambda: re.compile(r"\r\n?|\n"))
# Of BibTeX: how an entry begins, what values consist of, and LaTeX's accents, letters and other commands
ENTRY = lazy(lambda: re.compile(r"\s*" + BIBTEX_ENTRY.decode()))
TOKEN = lazy(lambda: re.compile(r'\\.|[{}",=]|[^\\{}",=]+', re.DOTALL))
ACCENT = lazy(lambda: re.compile(r"""\\([`'^"~=.]|[cvuHkdbr](?![A-Za-z])) ?\{? ?\\?([A-Za-z])"""))
LETTER = lazy(lambda: re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L)(?![A-Za-z]) ?"))
OTHER = lazy(lambda: re.compile(r"\\([$%&#_{}])|\\[A-Za-z]+ ?|\\|[{}$]"))
MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0328\u0331"
COMBINING = dict(zip("`'^~=u.\"rHvdckb", MARKS, strict=True))  # the characters of these accents
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
    rest, line, searched = b"", 1, 0
    first: re.Match[bytes] | None = None
    with closing(streams.read_blocks(name)) as blocks:
        for block in chain(blocks, (b"",)):  # which is the end
            rest += block
            made: list[tuple[int, bytes]] = []
            # A rest without an end is searched again when it has doubled, so that the time is linear
            if not block or len(rest) >= min(2 * searched, MAX_RECORD_BYTES):
                first = first or FIRST.search(rest)
                if first and b"@" in first[0]:
                    starts = entry_starts(rest, not block)
                else:
                    starts = [each.start() for each in TAGGED.finditer(rest)]
                cuts = sorted({0, *starts})
                for begin, end in pairwise(cuts):
                    made.append((line, rest[begin:end]))
                    line += rest.count(b"\n", begin, end) or rest.count(b"\r", begin, end)
                rest = rest[cuts[-1] :]
                searched = len(rest)
                if searched > MAX_RECORD_BYTES:
                    raise Failed(f"{shown_place(name, line)}: a record of more than {MAX_RECORD_BYTES} bytes")
            yield blocks.taken(), made
    if rest and not first:
        hint = file_start_hint(rest[:HINT_BYTES], "--ris")
        raise Failed(f"{printable(name)}: no record begins with TY, PMID or @{hint}")
    yield 0, [(line, rest)]


def entry_starts(data: bytes, final: bool) -> list[int]:
    """Returns where entries of BibTeX begin: outside the braces of another, or where ANEW matches, except in comments.

    final: whether the file ends here. A comment that does not end is none: BibTeX, too, reads entries in it.

    >>> entry_starts(b"@a{b,\\n@c {d}}@e{f,\\n@g{h,}", True)
    [0, 13, 19]
    """
    starts: list[int] = []
    depth, inside, comment = 0, False, False
    for mark in MARK.finditer(data):
        if mark[1]:
            if not depth or (not comment and ANEW.match(data, mark.start())):
                starts.append(mark.start())
                depth, inside, comment = 0, True, mark[1][:8].lower() == b"@comment"
        elif mark[0] == b"{":
            depth += inside
        elif mark[0] == b"}" and depth:
            depth -= 1
            inside = depth > 0
    if final and comment and depth:
        starts += [each.start() for each in ANEW.finditer(data, starts[-1] + 1)]
    return starts


def is_record(raw: bytes) -> bool:
    """Returns whether these are the bytes of a record, not what is before the first one."""
    return FIRST.match(raw) is not None and NO_ENTRY.match(raw) is None


def document(line: int, raw: bytes) -> Document:
    """Makes a document of a record.

    >>> made = document(1, b"TY  - JOUR\\nTI  - Cats\\nAU  - Ode, N.\\nAU  - Lib, E.\\nPY  - 2020\\nER  - \\n")
    >>> sorted(wire.parse_json(made.record).items())[::2]
    [('abstract', ''), ('doi', ''), ('text', 'Cats\\nOde, N.; Lib, E.'), ('year', '2020')]
    """
    raw = raw.rstrip(b"\r\n")
    try:
        text = wire.decode(raw.removeprefix(wire.BOM))
        values = bibtex_values(text) if ENTRY.match(text) else tagged_values(text)
    except Rejected as error:
        return Document(raw, line, cause=str(error))
    made = {
        field: between.join(next((values[tag] for tag in tags if values.get(tag)), ()))
        for field, (tags, between) in FIELDS.items()
    }
    made["text"] = "\n".join(filter(None, (made[field] for field in OF_TEXT)))
    return Document(raw, line, wire.json_of(made))


def tagged_values(text: str) -> dict[str, list[str]]:
    """Returns the values of each tag of RIS, whose tags have two letters, or NBIB.

    A line without a tag goes on with the value before it.

    >>> tagged_values("PMID- 7\\nTI  - On\\n      cats\\nLR  - 20200101")
    {'PMID': ['7'], 'TI': ['On cats'], 'LR': ['20200101']}
    """
    found: dict[str, list[list[str]]] = {}  # the lines of each value
    lines, ris = [""], text.startswith("TY")
    for each in LINE_END.split(text):
        if (match := TAG.fullmatch(each)) and (match[1][2:].isspace() or not ris):
            lines = [match[2].strip()]
            found.setdefault(match[1].rstrip(), []).append(lines)
        else:
            lines.append(each.strip())
    values = {tag: [" ".join(filter(None, lines)) for lines in some] for tag, some in found.items()}
    for tag in values.keys() & {"LID", "AID"}:
        values[tag] = [value.removesuffix(DOI).rstrip() for value in values[tag] if value.endswith(DOI)]
    return values


def bibtex_values(text: str) -> dict[str, list[str]]:
    """Returns the values of the fields of an entry of BibTeX, without LaTeX's commands. Raises Rejected.

    >>> bibtex_values('@book{k, title = {On {C}ats}, Author="Ode, N. and {A and B}", year=2020}')
    {'title': ['On Cats'], 'author': ['Ode, N.', 'A and B'], 'year': ['2020']}
    """
    found: dict[str, list[str]] = {}
    name, value, depth, quoted = "", "", 1, False
    for each in TOKEN.findall(" ".join(ENTRY.sub("", text, 1).split())):
        depth += (each == "{") - (each == "}")
        outer = depth <= 1 and not quoted
        if depth == 0 or (outer and each == ","):
            if name:
                found[name] = [without_latex(part) for part in value.split("\n")]
            name = value = ""
        elif outer and each == "=":
            name, value = value.strip().lower(), ""
        elif each == '"' and depth == 1:
            quoted = not quoted
        elif outer:
            value += each.replace("#", "")  # it joins strings
        elif name == "author" and depth == 2 - quoted:
            value += each.replace(" and ", "\n")  # but not within braces, as in the name of a firm
        else:
            value += each
        if depth == 0:
            return found
    raise Rejected("not BibTeX (an entry does not end with a brace)")


def without_latex(value: str) -> str:
    """Returns a value as text: the characters that LaTeX's accents and letters mean, no other commands and no braces.

    >>> without_latex(r"{\\emph Se\\~{n}or}~M{\\o}r \\& \\$5")
    'Señor Mør & $5'
    """
    value = ACCENT.sub(lambda found: found[2] + COMBINING[found[1]], value)
    value = LETTER.sub(lambda found: LETTERS[found[1]], value).replace("~", " ")
    return unicodedata.normalize("NFC", " ".join(OTHER.sub(r"\1", value).split()))
