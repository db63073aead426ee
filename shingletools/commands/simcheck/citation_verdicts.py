"""Which side of a pair of citations the other covers: field by field, not by the words of all.

Two citations are copies if nothing that tells is different, and what agrees is enough: an identifier with the title,
or the place (volume and pages) with the title, or a long title with authors, journal and year.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shingletools.commands.simcheck.citations import (
    ALIKE,
    COMPARED,
    EQUAL,
    OTHER,
    UNKNOWN,
    Citation,
    details,
    identifiers,
)
from shingletools.commands.simcheck.spec import ABSTRACT
from shingletools.commands.simcheck.verdicts import COPY, DIFFERENT, DOUBTFUL

PAPER = 3  # pages after the first one: letters on fewer may have one title and other authors


class CitationVerdict(NamedTuple):
    """What each side has of its own, as names of fields and their values, and what follows from it."""

    a: Sequence[str]
    b: Sequence[str]
    covers: str  # the side that the other one covers: a, b, both or none
    answer: str


SAME = CitationVerdict((), (), "both", COPY)


def citation_verdict(a: Citation, b: Citation) -> CitationVerdict:
    """Compares two citations; of copies, the one of which fewer fields have a value is covered.

    >>> one, other = (Citation(b'["10.1/%b"%b]' % (n, b",null" * 16)) for n in (b"1", b"2"))
    >>> citation_verdict(one, other)[2:], citation_verdict(one, one).covers
    (('none', 'different'), 'both')
    """
    # Two pages of the web may both be called Home, and nothing else is known of them
    if a.values == b.values and (a.long or identifiers(a, b) == EQUAL or (a["volume"] and a["pages"])):
        return SAME
    found = {name: compare(a, b) for name, compare in COMPARED.items()}
    ids = identifiers(a, b)
    own = own_fields(a, b, found), own_fields(b, a, found)
    if ids != OTHER and are_copies(a, b, found, ids):
        more = len(a.values) - len(b.values)
        return CitationVerdict(*own, "b" if more > 0 else "a" if more < 0 else "both", COPY)
    other_journal = found["journal"] == OTHER
    alike = found["title"] == EQUAL and (not other_journal or (a.long and b.long))
    one_place = found["volume"] == found["pages"] == EQUAL and not other_journal
    doubtful = ids > UNKNOWN or (found["author"] != OTHER and (alike or one_place))
    return CitationVerdict(*own, "none", DOUBTFUL if doubtful else DIFFERENT)


def are_copies(a: Citation, b: Citation, found: Mapping[str, int], ids: int) -> bool:
    """Returns whether what agrees is enough for one paper, if identifiers are not OTHER."""
    title, names, year, journal, volume, page = (found[name] for name in COMPARED)
    place = volume == page == EQUAL
    if title <= UNKNOWN:  # a title may be translated
        translated = bool(a.title and b.title) and a.telling == b.telling
        return translated and place and ids == names == EQUAL and year != OTHER
    telling = title == EQUAL and a.long and b.long
    if names == OTHER and not (telling and (ids == EQUAL or (place and a.extent == b.extent >= PAPER))):
        return False
    no_details_differ = details(a, b) != OTHER
    where = no_details_differ and OTHER not in (volume, page)
    # Talks of a meeting may have one DOI, chapters one ISBN
    if ids == EQUAL or (ids == ALIKE and title == EQUAL and where):
        return telling or page == EQUAL or (OTHER not in (volume, page) and EQUAL in (title, names))
    if place and title == EQUAL:  # columns may begin each issue
        return year != OTHER and (no_details_differ or len(a.pages[0]) > 1)
    venue = journal != OTHER or (page == EQUAL and volume == UNKNOWN and len(a.pages[0]) > 1)
    when = year == EQUAL or (year == ALIKE and volume == EQUAL and page == UNKNOWN)
    return telling and venue and where and when


def own_fields(a: Citation, b: Citation, found: Mapping[str, int]) -> list[str]:
    """Returns the fields of a that b lacks or has another value of."""
    return [
        name if name == ABSTRACT else f"{name} {value}"
        for name, value in a.values.items()
        if not b[name] or (found[name] != EQUAL if name in found else value != b[name])
    ]
