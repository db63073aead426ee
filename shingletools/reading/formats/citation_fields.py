"""The fields of a citation, of the tags of RIS and NBIB and the fields of BibTeX."""

import re
from collections.abc import Mapping, Sequence

Values = Mapping[str, Sequence[str]]  # of each tag
# The tags of a field, of which the first that has a value counts, and what is between its values
FIELDS = {
    "title": (("TI", "T1", "title"), " "),
    "author": (("AU", "A1", "author"), "; "),
    "abstract": (("AB", "N2", "abstract"), " "),
    "journal": (("JO", "T2", "JF", "JT", "JA", "TA", "journal", "journaltitle", "booktitle"), " "),
    "year": (("PY", "Y1", "DP", "DA", "year", "date"), " "),
    "doi": (("DO", "LID", "AID", "doi"), " "),
    "pmid": (("PMID", "pmid"), " "),
    "isbn": (("ISBN", "SN", "isbn"), "; "),
    "volume": (("VL", "VI", "volume"), " "),
    "number": (("IP", "IS", "M1", "number", "issue"), " "),
    "pages": (("PG", "SP", "pages"), " "),
    "edition": (("ET", "edition"), " "),
    "language": (("LA", "language"), " "),
    "date": (("DA", "date"), " "),
    "type": (("TY",), " "),
    "database": (("DB",), " "),
    "accession": (("AN",), " "),
    "key": (("ID", "key"), " "),
}
# Fields that only records with a value have
OPTIONAL = (
    *("key", "pmid", "isbn", "volume", "number", "pages"),
    *("edition", "language", "date", "type", "database", "accession"),
)
NOTES = ("UR", "LK", "L2", "M3", "N1", "url", "note")  # tags in which a DOI and a PMID are looked for, too
NAMES = frozenset(name for tags, _ in FIELDS.values() for name in tags).union(NOTES)
OF_TEXT = ("title", "author", "abstract")
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
DOI_PREFIX = re.compile(r"(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi\b:?\s*+)++")
DOI = re.compile(
    r"(?:\bdoi\.org/|\bdoi:? ?|\A)(10\.\d{4,9}/(?:\([^\s\"<>()]*+\)|[^\s\"<>()])*(?<![.,;]))", re.IGNORECASE
)
PMID = re.compile(r"(?:\bPMID:? ?|\bncbi\.nlm\.nih\.gov/(?:pubmed/)?)(\d{1,8})\b", re.IGNORECASE)
ISBN = re.compile(r"(?<![\dX-])(?:97[89][- ]?)?(?:\d[- ]?){9}[\dX](?![\dX-])", re.IGNORECASE)
ESCAPE = re.compile("%([2-7][0-9a-f])")
DASHES = re.compile(r"\s*+[-\u2010-\u2015\u2212]++\s*+")


def fields_of(values: Values) -> dict[str, str]:
    """Returns the fields of a record and its text.

    >>> made = fields_of({"TI": ["Cats"], "PY": ["2020/05"], "DO": ["doi:10.1/X"], "SP": ["1"], "EP": ["9"]})
    >>> {name: value for name, value in made.items() if value}
    {'title': 'Cats', 'year': '2020', 'doi': '10.1/x', 'pages': '1-9', 'text': 'Cats'}
    """
    made = {}
    for field, (tags, between) in FIELDS.items():
        made[field] = ""
        for tag in tags:
            if tag in values and (value := between.join(filter(None, values[tag]))):
                made[field] = value
                break
    if year := YEAR.search(made["year"]):
        made["year"] = year[0]
    made["doi"] = doi(made["doi"] or in_notes(DOI, values))
    made["pmid"] = made["pmid"] or accession(values) or in_notes(PMID, values)
    made["isbn"] = isbn(made["isbn"])
    made["type"] = made["type"].replace("JOUR", "")  # most are papers of journals
    made["pages"] = pages(made["pages"], next(iter(values.get("EP", ())), ""))
    for field in OPTIONAL:
        if not made[field]:
            del made[field]
    made["text"] = "\n".join(filter(None, [made[field] for field in OF_TEXT]))
    return made


def in_notes(pattern: re.Pattern[str], values: Values) -> str:
    """Returns what a pattern finds in the notes and addresses of a record, or nothing."""
    for tag in NOTES:
        for note in values.get(tag, ()):
            if found := pattern.search(note):
                return found[1]
    return ""


def accession(values: Values) -> str:
    """Returns the PMID that RIS from PubMed or MEDLINE has as the number of the record, or nothing."""
    number = next(iter(values.get("AN", ())), "")
    database = " ".join((*values.get("DB", ()), *values.get("DP", ()))).lower() if number.isdecimal() else ""
    return number if "medline" in database or "pubmed" in database else ""


def isbn(value: str) -> str:
    """Returns the numbers of books, without hyphens, of a value that may have ISSNs, too.

    >>> isbn("978-0-306-40615-7 (print); 1234-5678")
    '9780306406157'
    """
    found = (number.replace("-", "").replace(" ", "").upper() for number in ISBN.findall(value))
    return "; ".join(dict.fromkeys(found))


def pages(value: str, last: str) -> str:
    """Returns the first page and the last one, of which the value may have both.

    >>> pages("11--19", ""), pages("11", "19"), pages("11", "11")
    ('11-19', '11-19', '11')
    """
    value = DASHES.sub("-", value)
    return value if not value or last in ("", value) or "-" in value else f"{value}-{last}"


def doi(value: str) -> str:
    """Returns a DOI in lower case, without its address.

    >>> doi("doi: https://doi.org/10.1002/(SICI)1097%2D0142")
    '10.1002/(sici)1097-0142'
    """
    value = value.lower()
    if prefix := DOI_PREFIX.match(value):
        value = value[prefix.end() :]
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)), value) if "%" in value else value
