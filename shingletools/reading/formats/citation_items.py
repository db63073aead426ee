"""Citations as items of CSL-JSON, and as records of XML, as PubMed and EndNote write them."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from shingletools.reading.formats.citation_fields import Values, fields_of
from shingletools.reading.formats.json_array import Array
from shingletools.reading.formats.suffixes import READ_ONLY
from shingletools.reading.streams import read_blocks
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FilePortion, Format, KeptAndRemoved
from shingletools.system.errors import Failed, Rejected, shown_place

MAX_RECORD_BYTES = 1 << 24  # bytes that are read while a record of XML does not end
# The names of CSL, and the paths in a record of XML, by the tags of RIS
CSL = dict(
    zip(
        "TI AB JO DO PMID ISBN VL IS M1 PG UR N1 ET LA".split(),
        "title abstract container-title DOI PMID ISBN volume issue number page URL note edition language".split(),
        strict=True,
    )
)
ARTICLE, ISSUE = "MedlineCitation/Article/", "MedlineCitation/Article/Journal/JournalIssue/"
PATHS = {
    "PubmedArticle": {
        "TI": f"{ARTICLE}ArticleTitle",
        "AB": f"{ARTICLE}Abstract/AbstractText",
        "JO": f"{ARTICLE}Journal/Title",
        "PY": f"{ISSUE}PubDate/*",
        "VL": f"{ISSUE}Volume",
        "IS": f"{ISSUE}Issue",
        "PMID": "MedlineCitation/PMID",
        "PG": f"{ARTICLE}Pagination/MedlinePgn",
        "DO": "PubmedData/ArticleIdList/ArticleId[@IdType='doi']",
        "AU": f"{ARTICLE}AuthorList/Author",
    },
    "record": {
        "TI": "titles/title",
        "AB": "abstract",
        "JO": "titles/secondary-title",
        "PY": "dates/year",
        "VL": "volume",
        "IS": "number",
        "PG": "pages",
        "DO": "electronic-resource-num",
        "SN": "isbn",
        "AU": "contributors/authors/author",
    },
}


@dataclass(frozen=True)
class CslItems(Format):
    """Files of CSL-JSON: arrays, which are written again. numbered: as in Citations."""

    numbered: str
    option = "--csl"

    def portions(self, name: str, /) -> Generator[FilePortion]:
        for size, made, _ in Array().portions(name):
            yield FilePortion(size, [document_of(each, self.numbered) for each in made], self.numbered)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        return Array().write(files, decisions)


def document_of(item: Document, id_field: str) -> Document:
    """Makes a document of an item, with its id if the field has a name."""
    if item.cause:
        return item
    try:
        found = wire.parse_json(item.record)
    except Rejected as error:
        return item._replace(cause=str(error))
    own = found.get("id")
    ids = {id_field: own} if id_field and type(own) in (str, int) else {}
    return item._replace(record=wire.json_of(ids | fields_of(values_of(found))))


def values_of(item: Mapping[str, Any]) -> Values:
    """Returns the values of an item by the tags of RIS.

    >>> values_of({"title": "On", "author": [{"family": "Ode", "given": "N."}], "issued": {"date-parts": [[2020]]}})
    {'TI': ['On'], 'AU': ['Ode, N.'], 'PY': ['2020']}
    """
    made = {tag: [str(item[name])] for tag, name in CSL.items() if type(item.get(name)) in (str, int)}
    people, issued = item.get("author"), item.get("issued")
    people = [each for each in people if isinstance(each, dict)] if isinstance(people, list) else []
    names = [", ".join(str(each[part]) for part in ("literal", "family", "given") if each.get(part)) for each in people]
    dates = issued.get("date-parts") or [[issued.get("raw", "")]] if isinstance(issued, dict) else []
    dates = dates[0] if isinstance(dates, list) and dates and isinstance(dates[0], list) else []
    return made | ({"AU": names} if names else {}) | ({"PY": [" ".join(map(str, dates))]} if dates else {})


@dataclass(frozen=True)
class XmlRecords(Format):
    """Files of XML, which are only read. numbered: as in Citations."""

    numbered: str
    option = "--xml"

    def portions(self, name: str, /) -> Generator[FilePortion]:
        with closing(read_blocks(name)) as blocks:
            count = 0
            for found in records(name, blocks):
                lines = [wire.json_of(fields_of(values)) for values in found]
                made = [Document(line, number, line) for number, line in enumerate(lines, count + 1)]
                yield FilePortion(blocks.taken(), made, self.numbered)
                count += len(made)

    def write(self, _files: Sequence[str], _decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        raise Failed(READ_ONLY)


def records(name: str, blocks: Iterator[bytes]) -> Iterator[list[Values]]:
    """Yields the values of the records that end in each block. Raises Failed, after those before the fault."""
    parser: Any = XMLPullParser(["start", "end"])
    opened, held, count = list[Element](), 0, 0
    for block in chain(blocks, (b"",)):  # which is the end
        made, held, fault = list[Values](), held + len(block), ""
        try:
            parser.feed(block) if block else parser.close()
            for event, element in parser.read_events():
                if event == "start":
                    opened.append(element)
                elif opened.pop().tag in PATHS:
                    made.append(values_in(element))
                    opened[-1].clear() if opened else None  # else a file would be held
                    held = 0
        except ParseError as error:
            fault = f"not XML, or damaged: {error}"
        yield made
        count += len(made)
        fault = fault or (f"a record of more than {MAX_RECORD_BYTES} bytes" if held > MAX_RECORD_BYTES else "")
        if fault or not (block or count):
            raise Failed(f"{shown_place(name, count + 1)}: {fault or 'no record of PubMed or EndNote'}")


def values_in(record: Element) -> Values:
    """Returns the values of a record by the tags of RIS."""
    return {tag: [text_in(each) for each in record.findall(path)] for tag, path in PATHS[record.tag].items()}


def text_in(element: Element) -> str:
    """Returns the text of an element; of an author of PubMed, the name."""
    name = " ".join(filter(None, map(element.findtext, ("LastName", "Initials", "CollectiveName"))))
    return name or " ".join("".join(element.itertext()).split())
