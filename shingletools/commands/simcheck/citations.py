"""Citations, and what two values of a field are: equal, alike, other, or unknown because one is missing."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import orjson
from rapidfuzz import fuzz

from shingletools.commands.simcheck.spec import CITATION_FIELDS, DETAILS
from shingletools.commands.simcheck.spellings import are_spelled_alike
from shingletools.text.signs import ARROWS, CURRENCIES, MATHEMATICAL, PICTURES

EQUAL, ALIKE, UNKNOWN, OTHER = 2, 1, 0, -1  # what two values of a field are
NEAR = 75  # percent of the letters of titles, in order: the same title as two databases have it
LONG = 4  # words of a title that few papers have, without these: Letter to the editor is no such title
FUNCTION_WORDS = frozenset(("an", "and", "of", "the"))  # prepositions and pronouns may tell
KINDS = frozenset(
    "abstract abstracts addendum comment commentary comments corrected correction corrections corrigenda corrigendum "
    "discussion edition editor editorial errata erratum letter part preface protocol replies reply retracted "
    "retraction second third update updated volume withdrawal withdrawn".split()
)
ROMAN = {each: str(n) for n, each in enumerate("i ii iii iv v vi vii viii ix x xi xii".split(), 1)}
NO_NAMES = frozenset(("al", "anonymous", "et", "jr", "others"))
NO_VALUES = frozenset(("", "na", "n/a", "nan", "none", "null"))
# What databases write behind a title, and marks for raised digits
NOTE = re.compile(
    r"(?<=\S)\s*(?:\[(?:comment|erratum|published|retraction in|review|see|\d+ refs|(?:\w+ )?abstract\b)[^]]*\]?"
    r"|\((?:\w+ )?abstract\))|<[^<>]{1,9}>"
)
MORE = re.compile(r"(?:\. Conference)?[(\[:=]")  # behind the name of a journal: its town, another name, a meeting
WORD = re.compile(r"[^\W_]+")
# Of titles, signs are words, too; a hyphen is a minus before a number, and behind a short word or a digit: Na-, CD4-
WORD_OR_SIGN = re.compile(
    r"[^\W_]+|(?<![\w\u2013-])[-\u2013](?=\d)|(?:(?<=\b\w)|(?<=\b\w\w)|(?<=\b\w\w\w)|(?<=\d))-(?![\w\u2013-])"
    rf"|[−+%‰#<>={CURRENCIES}{MATHEMATICAL}{ARROWS}{PICTURES}]"
)
APART = re.compile(r"(?<!\d) | (?!\d)")  # blanks that may be written or not: 1 5 is not 15
NUMBER = re.compile(r"\d{1,18}")
SUPPLEMENT = re.compile(r"\bsuppl\D{0,20}?0*([1-9]\d{0,17})", re.IGNORECASE)


class Citation:
    """The fields of a citation that have a value, and what is compared of them."""

    def __init__(self, fields: bytes) -> None:
        """fields: a JSON array of the values of CITATION_FIELDS."""
        texts = ("" if value is None else str(value).strip() for value in orjson.loads(fields))
        self.values = {
            name: text
            for name, text in zip(CITATION_FIELDS, texts, strict=True)
            if text.casefold() not in NO_VALUES or (text and name == "author")  # Na is a name
        }

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def doi(self) -> str:
        return self["doi"] if self["doi"].startswith("10.") else ""

    @cached_property
    def title(self) -> Sequence[str]:
        return [ROMAN.get(word, word) for word in words(NOTE.sub(" ", self["title"].casefold()), WORD_OR_SIGN)]

    @cached_property
    def telling(self) -> Sequence[str]:
        """Returns words of the title that say which kind of paper it is, and all digits, which say which part."""
        return *sorted(KINDS.intersection(self.title)), "".join(NUMBER.findall(" ".join(self.title)))

    @cached_property
    def long(self) -> bool:
        return sum(word not in KINDS and word not in FUNCTION_WORDS for word in self.title) >= LONG

    @cached_property
    def names(self) -> frozenset[str]:
        """Returns names without initials: which of them are given names is not known."""
        return frozenset(word for word in words(self["author"]) if len(word) > 1) - NO_NAMES

    @cached_property
    def journal(self) -> Sequence[str]:
        return [word for word in words(MORE.split(self["journal"], 1)[0]) if word not in FUNCTION_WORDS]

    @cached_property
    def pages(self) -> tuple[str, str]:
        """Returns the number of the first page, and that of the last."""
        first, _, last = self["pages"].partition("-")
        return number(first), number(last)

    @cached_property
    def extent(self) -> int:
        """Returns the number of pages after the first one: 4 of 217-221 and of 217-21."""
        first, last = self.pages
        return int(first[: max(0, len(first) - len(last))] + last) - int(first or 0) if last else 0


def words(text: str, pattern: re.Pattern[str] = WORD) -> list[str]:
    """Returns words without case and accents.

    >>> words("Müller-Lüdenscheidt, K.")
    ['muller', 'ludenscheidt', 'k']
    """
    folded = text.casefold()
    if not folded.isascii():
        folded = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    return pattern.findall(folded)


def number(value: str) -> str:
    found = NUMBER.search(value)
    return found[0].lstrip("0") if found else ""


def equality(one: str, other: str) -> int:
    return UNKNOWN if not one or not other else EQUAL if one == other else OTHER


def titles(a: Citation, b: Citation) -> int:
    """Compares titles: EQUAL but for spellings; ALIKE if databases may have made the difference, or cut a subtitle."""
    one, other = sorted((a.title, b.title), key=lambda title: (len(title), title))
    if not one:
        return OTHER if other else UNKNOWN
    if one == other or APART.sub("", " ".join(one)) == APART.sub("", " ".join(other)):
        return EQUAL
    if a.telling != b.telling:
        return OTHER
    if not fuzz.ratio(" ".join(one), " ".join(other), score_cutoff=NEAR):
        return ALIKE if len(one) >= LONG and other[: len(one)] == one else OTHER
    one, other = ([word for word in title if word not in FUNCTION_WORDS] for title in (one, other))
    return EQUAL if are_spelled_alike(one, other) else ALIKE


def authors(a: Citation, b: Citation) -> int:
    """Compares authors: EQUAL if one has half of the names of the other, and maybe more."""
    least = min(len(a.names), len(b.names))
    return UNKNOWN if not least else EQUAL if 2 * len(a.names & b.names) >= least else OTHER


def years(a: Citation, b: Citation) -> int:
    """Compares years: ALIKE if one is the next, because papers are online before they are printed."""
    one, other = number(a["year"]), number(b["year"])
    return ALIKE if one and other and abs(int(one) - int(other)) == 1 else equality(one, other)


def journals(a: Citation, b: Citation) -> int:
    """Compares journals: EQUAL if each word of one abbreviates a word of the other, in order, or all of them."""
    short, long = sorted((a.journal, b.journal), key=len)
    if not short:
        return UNKNOWN
    rest = iter(long)
    within = all(any(abbreviates(*sorted((word, full), key=len)) for full in rest) for word in short)
    together = "".join(short)
    return EQUAL if within or together in ("".join(long), "".join(word[0] for word in long)) else OTHER


def abbreviates(short: str, long: str) -> bool:
    """Returns whether a word has the letters of another one, in order, from the first on.

    >>> abbreviates("natl", "national"), abbreviates("surg", "surgery"), abbreviates("diabetes", "diabetologia")
    (True, True, False)
    """
    rest = iter(long)
    return short[0] == long[0] and all(letter in rest for letter in short)


def volumes(a: Citation, b: Citation) -> int:
    """Compares volumes: UNKNOWN if one is the number of the other's supplement, as in exports: 1 and 63 (SUPPL. 1)."""
    supplements = [SUPPLEMENT.search(each["number"]) for each in (a, b)]
    one, other = number(a["volume"]), number(b["volume"])
    mistaken = any(found and found[1] == volume for found, volume in zip(supplements, (other, one), strict=True))
    return UNKNOWN if mistaken and one != other else equality(one, other)


def pages(a: Citation, b: Citation) -> int:
    """Compares first pages, or if one is missing the last ones, of which one may be cut: S109-S112, Suppl-12."""
    first = equality(a.pages[0], b.pages[0])
    if first != UNKNOWN or not (a.pages[1] and b.pages[1]):
        return first
    return EQUAL if a.pages[1].endswith(b.pages[1]) or b.pages[1].endswith(a.pages[1]) else OTHER


COMPARED: Mapping[str, Callable[[Citation, Citation], int]] = {
    "title": titles,
    "author": authors,
    "year": years,
    "journal": journals,
    "volume": volumes,
    "pages": pages,
}


def identifiers(a: Citation, b: Citation) -> int:
    """Compares identifiers: OTHER if DOI or PMID are, else EQUAL if one is, or ALIKE if only the book is."""
    found = equality(a.doi, b.doi), equality(a["pmid"], b["pmid"])
    isbns = set(a["isbn"].split("; ")) & set(b["isbn"].split("; ")) - {""}
    return OTHER if OTHER in found else max(*found, ALIKE if isbns else UNKNOWN)


def details(a: Citation, b: Citation) -> int:
    """Compares what tells if no place does: OTHER if both have a field and it differs.

    Accession numbers are compared within a database, as another one has its own.
    """
    databases, numbers = (equality(a[name].casefold(), b[name].casefold()) for name in ("database", "accession"))
    isbns = [{isbn[-10:-1] for isbn in each["isbn"].split("; ")} for each in (a, b)]  # those of 10 digits, too
    found = [equality(*("-".join(words(each[name])) for each in (a, b))) for name in DETAILS]
    other_book = a["isbn"] and b["isbn"] and not isbns[0] & isbns[1]
    other = a["type"] != b["type"] or other_book or OTHER in found or (numbers == OTHER != databases)
    return OTHER if other else UNKNOWN
