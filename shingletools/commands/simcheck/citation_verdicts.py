"""Which side of a pair of citations the other covers: field by field, not by the words of all.

Two citations are copies if nothing that tells is different, and what agrees is enough: an identifier with the title,
or the place (volume and pages) with the title, or a long title with authors, journal and year.
"""

from collections.abc import Mapping

from shingletools.commands.simcheck.citations import ALIKE, COMPARED, EQUAL, OTHER, UNKNOWN, Citation, identifiers
from shingletools.commands.simcheck.own_words import OwnWords
from shingletools.commands.simcheck.spec import ABSTRACT
from shingletools.commands.simcheck.verdicts import BOTH, COPY, DIFFERENT, DOUBTFUL, NONE, SAME, A, B, Verdict


def citation_verdict(a: Citation, b: Citation) -> Verdict:
    """Compares two citations; of copies, the one of which fewer fields have a value is covered.

    >>> one, other = (Citation(b'["10.1/%b"%b]' % (n, b",null" * 10)) for n in (b"1", b"2"))
    >>> citation_verdict(one, other)[2:], citation_verdict(one, one).covers
    (('none', 'different'), 'both')
    """
    if a.values == b.values:
        return SAME
    found = {name: compare(a, b) for name, compare in COMPARED.items()}
    ids = identifiers(a, b)
    own = own_fields(a, b, found), own_fields(b, a, found)
    if found["title"] > UNKNOWN and ids != OTHER and are_copies(a, b, found, ids):
        more = len(a.values) - len(b.values)
        return Verdict(*own, B if more > 0 else A if more < 0 else BOTH, COPY)
    other_journal = found["journal"] == OTHER
    alike = found["title"] == EQUAL and (not other_journal or (a.long and b.long))
    one_place = found["volume"] == found["pages"] == EQUAL and not other_journal
    doubtful = ids == EQUAL or (found["author"] != OTHER and (alike or one_place))
    return Verdict(*own, NONE, DOUBTFUL if doubtful else DIFFERENT)


def are_copies(a: Citation, b: Citation, found: Mapping[str, int], ids: int) -> bool:
    """Returns whether what agrees is enough for one paper, if neither titles nor identifiers are OTHER."""
    title, names, year, journal, volume, page = (found[name] for name in COMPARED)
    telling = title == EQUAL and a.long and b.long
    if names == OTHER and not telling:
        return False
    if ids == EQUAL:  # chapters of a book, and what was said at a conference, may have one identifier
        return telling or page == EQUAL or OTHER not in (volume, page)
    if volume == page == EQUAL:
        return year != OTHER
    place = journal == EQUAL if EQUAL in (volume, page) else journal != OTHER and volume == page == UNKNOWN
    time = year == EQUAL or (year == ALIKE and volume == EQUAL and page == UNKNOWN)
    return telling and place and time and names != OTHER


def own_fields(a: Citation, b: Citation, found: Mapping[str, int]) -> OwnWords:
    """Returns the fields of a that b lacks or has another value of."""
    own = [
        name if name == ABSTRACT else f"{name} {value}"
        for name, value in a.values.items()
        if not b[name] or (found[name] != EQUAL if name in found else value != b[name])
    ]
    return OwnWords((), own)
