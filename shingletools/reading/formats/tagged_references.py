"""References whose lines have tags, RIS and NBIB (MEDLINE): where they end, and the values of their tags."""

import re

from shingletools.reading.formats.bibtex import NEW_ENTRY
from shingletools.system.lazy_imports import lazy

BOM, BLANK, LINE_END = rb"(?:\xef\xbb\xbf)?+", rb"(?:[ \t]|\xc2\xa0)", rb"(?:\n|\r(?!\n))"
AT_END = BLANK + rb"*+(?:[\r\n]|\Z)"
# How records begin, after any blanks: their kind is in a group
TAGGED = rb"(TY(?=" + BLANK + rb"++-)|PMID(?=" + BLANK + rb"*+-))" + BLANK + rb"*+-"
# The same within another record, which may have lines that look like it
NEXT = (
    rb"(?:" + BOM + rb"(?:TY  |PMID)-"
    rb"|" + BOM + BLANK + rb"*+(?:TY" + BLANK + rb"++-" + BLANK + rb"*+[A-Z]{3,7}+|PMID" + BLANK + rb"++-"
    rb"" + BLANK + rb"*+\d++)" + AT_END + b")"
)
# Of formats that this module does not read: BibTeX, EndNote, Web of Science, XML
FOREIGN = rb"(?:" + NEW_ENTRY + rb"|%0 |PT [A-Z]" + AT_END + rb"|FN [A-Z]|<\?xml)"
OTHER = lazy(lambda: re.compile(rb"[\r\n](?=" + FOREIGN + b")"))
RIS_END = lazy(
    lambda: re.compile(
        rb"[\r\n](?:(?="
        + NEXT
        + b")|"
        + BLANK
        + rb"*+(ER(?:  -|"
        + BLANK
        + rb"++-(?="
        + AT_END
        + b"|TY))"
        + BLANK
        + b"*+))"
    )
)
# A blank line ends a record of NBIB, unless a tag or an indented line follows
NBIB_END = lazy(
    lambda: re.compile(
        LINE_END + b"(?:(?=" + NEXT + b"|" + FOREIGN + b")"
        rb"|[ \t]*+" + rb"\r?+" + LINE_END + rb"(?=\S)(?![A-Z][A-Z0-9]{1,3}+" + BLANK + rb"*+-))"
    )
)
GLUED = lazy(lambda: re.compile(rb"PMID(?<=\SPMID)(?=- \d++" + AT_END + b")"))  # where a file lacks its last line feed
LINES = lazy(lambda: re.compile(r"\r\n?|\n"))
# A tag takes four columns, with blanks; long values go on in lines without a tag
TAG = lazy(lambda: re.compile(r"([A-Z][A-Z0-9](?:[ \xa0]{2}|[A-Z0-9][A-Z0-9 ]))- ?(.*)"))
LOOSE_TAG = lazy(
    lambda: re.compile(r"[ \t\xa0]*+([A-Z][A-Z0-9](?:[ \t\xa0]++|[A-Z0-9]{1,2}[ \t\xa0]*+))-[ \t\xa0]?(.*)")
)
DOI = "[doi]"  # after the value of LID or AID that is one


def tagged_end(data: bytes, begin: "re.Match[bytes]", final: bool) -> int:
    """Returns where the record ends that begins so; -1 if it may go on. final: whether the data end the file.

    A record of RIS without ER ends where one of another format must begin.
    """
    at, ris = begin.end(), begin[3] == b"TY"
    end = (RIS_END if ris else NBIB_END).search(data, at)
    if not end and not final:
        return -1
    last = end.end() if end else len(data)
    if not ris:
        glued = GLUED.search(data, at, last)
        return glued.start() if glued else last
    other = None if end and end[1] else OTHER.search(data, at, last)
    return other.end() if other else last


def tagged_values(text: str) -> dict[str, list[str]]:
    """Returns the values of each tag of RIS, whose tags have two letters, or NBIB.

    A line without a tag goes on with the value before it.

    >>> tagged_values("PMID- 7\\nTI  - On\\n      cats\\nLR  - 20200101")
    {'PMID': ['7'], 'TI': ['On cats'], 'LR': ['20200101']}
    """
    found: dict[str, list[list[str]]] = {}  # the lines of each value
    lines, ris = [""], text.lstrip().startswith("TY")
    tag = TAG if text.startswith(("TY  -", "PMID-")) else LOOSE_TAG
    for each in LINES.split(text):
        if (match := tag.fullmatch(each)) and (not ris or match[1][2:].isspace()):
            lines = [match[2].strip()]
            found.setdefault(match[1].rstrip(), []).append(lines)
        else:
            lines.append(each.strip())
    values = {name: [" ".join(filter(None, lines)) for lines in some] for name, some in found.items()}
    for name in values.keys() & {"LID", "AID"}:
        values[name] = [value.removesuffix(DOI).rstrip() for value in values[name] if value.endswith(DOI)]
    if not ris:
        values.pop("IS", None)  # of NBIB: the ISSN, where RIS has the issue
    return values
