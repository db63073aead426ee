"""References whose lines have tags: RIS, NBIB (MEDLINE), EndNote, Web of Science. Where they end, and their values."""

import re

from shingletools.reading.formats.bibtex import NEW_ENTRY

BOM, BLANK, LINE_END = rb"(?:\xef\xbb\xbf)?+", rb"(?:[ \t]|\xc2\xa0)", rb"(?:\n|\r(?!\n))"
AT_END = BLANK + rb"*+(?:[\r\n]|\Z)"
ENDNOTE, WEB_OF_SCIENCE = rb"%0(?= [A-Z][A-Za-z/, -]*+" + AT_END + b")", rb"PT(?= [A-Z]" + AT_END + b")"
# How records begin, after any blanks: their kind is in a group
TAGGED = rb"(TY(?=" + BLANK + rb"++-)|PMID(?=" + BLANK + rb"*+-)|" + ENDNOTE + b"|" + WEB_OF_SCIENCE + b")"
# The same within another record, which may have lines that look like it
NEXT = (
    rb"(?:" + BOM + rb"(?:TY  |PMID)-"
    rb"|" + BOM + BLANK + rb"*+(?:TY" + BLANK + rb"++-" + BLANK + rb"*+[A-Z]{3,7}+|PMID" + BLANK + rb"++-"
    rb"" + BLANK + rb"*+\d++)" + AT_END + b")"
)
# Of other formats: BibTeX, EndNote, Web of Science, XML
FOREIGN = rb"(?:" + NEW_ENTRY + rb"|" + ENDNOTE + b"|" + WEB_OF_SCIENCE + rb"|FN [A-Z]|<\?xml)"
OTHER = re.compile(rb"[\r\n](?=" + FOREIGN + b")")
RIS_END = re.compile(
    rb"[\r\n](?:(?=" + NEXT + b")"
    rb"|" + BLANK + rb"*+(ER(?:  -|" + BLANK + rb"++-(?=" + AT_END + b"|TY))" + BLANK + b"*+))"
)
# A blank line ends a record of NBIB, unless a tag or an indented line follows
NBIB_END = re.compile(
    LINE_END + b"(?:(?=" + NEXT + b"|" + FOREIGN + b")"
    rb"|[ \t]*+" + rb"\r?+" + LINE_END + rb"(?=\S)(?![A-Z][A-Z0-9]{1,3}+" + BLANK + rb"*+-))"
)
ENDNOTE_END = re.compile(LINE_END + b"(?=" + NEXT + b"|" + FOREIGN + b")")
WEB_END = re.compile(LINE_END + rb"(?:ER" + BLANK + rb"*+(?=[\r\n]|\Z)|(?=" + NEXT + b"|" + FOREIGN + b"))")
GLUED = re.compile(rb"PMID(?<=\SPMID)(?=- \d++" + AT_END + b")")  # where a file lacks its last line feed
LINES = re.compile(r"\r\n?|\n")
# A tag takes four columns, with blanks; long values go on in lines without a tag
TAG = re.compile(r"([A-Z][A-Z0-9](?:[ \xa0]{2}|[A-Z0-9][A-Z0-9 ]))- ?(.*)")
LOOSE_TAG = re.compile(r"[ \t\xa0]*+([A-Z][A-Z0-9](?:[ \t\xa0]++|[A-Z0-9]{1,2}[ \t\xa0]*+))-[ \t\xa0]?(.*)")


def by_tag(tags: str, of_ris: str) -> dict[str, str]:
    return dict(zip(tags.split(), of_ris.split(), strict=True))


# The tags of EndNote and Web of Science, and what they are in RIS; all others are left out
OTHERS = {
    b"%0": (
        re.compile(r"(%\S) ?(.*)"),
        by_tag(
            "%T %A %J %B %D %8 %V %N %P %X %R %@ %M %~ %U %Z %7 %G",
            "TI AU JO T2 PY DA VL IS SP AB DO SN AN DB UR N1 ET LA",
        ),
    ),
    b"PT": (
        re.compile(r"([A-Z][A-Z0-9])(?: (.*))?"),
        by_tag("TI AU SO PY VL IS BP EP AB DI BN PM", "TI AU JO PY VL IS SP EP AB DO SN PMID"),
    ),
}
DOI = "[doi]"  # after the value of LID or AID that is one


def tagged_end(data: bytes, begin: "re.Match[bytes]", final: bool) -> int:
    """Returns where the record ends that begins so; -1 if it may go on. final: whether the data end the file.

    A record of RIS without ER ends where one of another format must begin.
    """
    at, ris = begin.end(), begin[3] == b"TY"
    ends = {b"TY": RIS_END, b"%0": ENDNOTE_END, b"PT": WEB_END}.get(begin[3], NBIB_END)
    end = ends.search(data, at)
    if not end and not final:
        return -1
    last = end.end() if end else len(data)
    if not ris:
        glued = GLUED.search(data, at, last)
        return glued.start() if glued else last
    other = None if end and end[1] else OTHER.search(data, at, last)
    return other.end() if other else last


def tagged_values(text: str, kind: bytes) -> dict[str, list[str]]:
    """Returns the values of each tag of a record that begins with the tag `kind`, by the names of RIS or NBIB.

    A line without a tag goes on with the value before it; in Web of Science, each is a value of AU.

    >>> tagged_values("PMID- 7\\nTI  - On\\n      cats\\nLR  - 20200101", b"PMID")
    {'PMID': ['7'], 'TI': ['On cats'], 'LR': ['20200101']}
    >>> tagged_values("PT J\\nAU Ode, N\\n   Lib, E\\nBP 7\\nPG 12", b"PT")
    {'AU': ['Ode, N', 'Lib, E'], 'SP': ['7']}
    """
    found: dict[str, list[list[str]]] = {}  # the lines of each value
    lines, ris = [""], kind == b"TY"
    tag, names = OTHERS.get(kind, (TAG if text.startswith(("TY  -", "PMID-")) else LOOSE_TAG, {}))
    for each in LINES.split(text):
        if (match := tag.fullmatch(each)) and (not ris or match[1][2:].isspace()):
            lines = [(match[2] or "").strip()]
            found.setdefault(match[1].rstrip(), []).append(lines)
        else:
            lines.append(each.strip())
    if kind == b"PT":
        found["AU"] = [[line] for lines in found.get("AU", ()) for line in lines]
    values = {name: [" ".join(filter(None, lines)) for lines in some] for name, some in found.items()}
    for name in values.keys() & {"LID", "AID"}:
        values[name] = [value.removesuffix(DOI).rstrip() for value in values[name] if value.endswith(DOI)]
    if kind == b"PMID":
        values.pop("IS", None)  # the ISSN, where RIS has the issue
    return {names[name]: value for name, value in values.items() if name in names} if names else values
