"""Where the text of HTML stands in its source: found by a copy of the page that has numbers in place of its text.

Parsers of HTML leave out text, move it and put things between, and do not tell where they have it from. But they treat
all characters alike that are no white space, and what stands behind them. So a page is parsed twice: as it is, and with
each piece of its text replaced by a number. What comes of the first is the text, what comes of the other says where
each piece of it was. (Only in a page of frames white space may stay where text does not.)

Which parts of a page are text is decided by the tokenizer of the HTML Standard (section 13.2.5) for the most part, of
which `pieces` is a short form. What elements do to it depends on the tree, of which it keeps only what is in foreign
content. Where it is wrong, the two texts differ, and nobody takes a wrong place for a right one.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple

from shingletools.canon.origins import Origin

NUMBERS, BASE = 0xF0000, 1 << 15  # a plane of characters for private use: digits of the numbers that stand for text
DIGITS = re.compile(f"[{chr(NUMBERS)}-{chr(NUMBERS + BASE - 1)}]+")

BLANK = "\t\n\f\r "
# An attribute's value may be missing; one whose quote never ends takes the rest of the page
VALUE = rf"""[{BLANK}]*+=[{BLANK}]*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^{BLANK}>"'][^{BLANK}>]*+)?+"""
ATTRIBUTE = rf"(?:=[^{BLANK}/>=]*+|[^{BLANK}/>=]++)(?:{VALUE})?+"
TAG = re.compile(rf"<(/?)([A-Za-z][^{BLANK}/>]*+)(?:[{BLANK}/]++|{ATTRIBUTE})*+>")
COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
BOGUS = re.compile(r"<(?:[!?]|/(?=[^A-Za-z]))[^>]*+(?:>|\Z)")
CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
OPENING = re.compile(r"<[A-Za-z!?]|</.", re.DOTALL)  # what is no text, as the standard's tag open state has it
REFERENCE = re.compile(r"&(?:#(?:[0-9]++|[xX][0-9a-fA-F]++);?|[0-9A-Za-z]++;?)")
# White space behind other text is treated as that is; before it, it may be left out. CR and LF become one character
TEXT = re.compile(rf"&|[^&\0{BLANK}][^&\0\r]*+")
SCRIPT = re.compile(rf"(<!--)|(-->)|<(/?)script(?=[{BLANK}/>])", re.IGNORECASE)

WITH_REFERENCES = frozenset(("title", "textarea"))
RAW = frozenset("iframe noembed noframes noscript style xmp".split())  # with scripting, as browsers have it
# Foreign content, and what holds HTML in it; what ends it (sections 13.2.6.1 and 13.2.6.5)
FOREIGN = {
    "svg": frozenset("desc foreignobject title".split()),
    "math": frozenset("annotation-xml mi mn mo ms mtext".split()),
}
ENDS_FOREIGN = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
# The first 32 characters of windows-1252 in place of controls (numeric character reference end state)
WINDOWS = {
    code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
SURROGATES, REPLACEMENT = range(0xD800, 0xE000), 0xFFFD


class SourcePiece(NamedTuple):
    """Text that begins with no white space, and where it stands."""

    start: int
    end: int
    text: str


class Page(NamedTuple):
    """A page with a number in place of each piece of its text; all numbers have as many digits."""

    markup: str
    pieces: list[SourcePiece]
    digits: int

    def trace(self, text: str, numbers: str) -> Origin | None:
        """Where the text of the page comes from, of which `numbers` is the text of this one; None if that is not so."""
        origin, rebuilt = Origin(), []
        at = last = 0

        def between(end: int) -> None:
            if at < end:  # white space, and what parts blocks
                rebuilt.append(numbers[at:end])
                origin.stand_for(end - at, last, last)

        for found in DIGITS.finditer(numbers):
            between(found.start())
            if len(found[0]) % self.digits:
                return None
            for number in self.numbers_in(found[0]):
                if number >= len(self.pieces):
                    return None
                start, last, made = self.pieces[number]
                rebuilt.append(made)
                if len(made) == last - start:
                    origin.copy(len(made), start)
                else:
                    origin.stand_for(len(made), start, last)
            at = found.end()
        between(len(numbers))
        return origin if "".join(rebuilt) == text else None

    def numbers_in(self, digits: str) -> Iterator[int]:
        for place in range(0, len(digits), self.digits):
            number = 0
            for digit in digits[place : place + self.digits]:
                number = number * BASE + ord(digit) - NUMBERS
            yield number


def numbered(markup: str) -> Page:
    """A page with numbers in place of text."""
    every = [piece for piece in pieces(markup) if piece.text]
    digits = 1
    while BASE**digits < len(every):
        digits += 1
    parts, at = [], 0
    for number, piece in enumerate(every):
        parts.append(markup[at : piece.start])
        parts += [chr(NUMBERS + number // BASE**place % BASE) for place in reversed(range(digits))]
        at = piece.end
    parts.append(markup[at:])
    return Page("".join(parts), every, digits)


def pieces(markup: str) -> Iterator[SourcePiece]:
    """The text of a page without white space before it, in its order, also what is for no one to read.

    >>> [piece.text for piece in pieces("<p title='a>b'> a&lt;b <!-- no --><b>c d</b>")]
    ['a', '<', 'b ', 'c d']
    """
    at = begin = 0
    foreign = Foreign()
    while opening := OPENING.search(markup, at):
        start = opening.start()
        yield from text_pieces(markup, begin, start)
        is_foreign = foreign.is_innermost()
        if is_foreign and (section := CDATA.match(markup, start)):
            yield from text_pieces(markup, *section.span(1), references=False)
        other = section if is_foreign and section else COMMENT.match(markup, start) or BOGUS.match(markup, start)
        if other:
            at = begin = other.end()
            continue
        tag = TAG.match(markup, start)
        if tag is None:
            return  # it never ends
        at = begin = tag.end()
        name = lowered(tag[2])
        if foreign.inside or name in FOREIGN:
            foreign.note(name, bool(tag[1]), tag[0].endswith("/>"))
        if tag[1] or (is_foreign and foreign.inside):
            continue
        if name == "plaintext":
            yield from text_pieces(markup, at, len(markup), references=False)
            return
        if name == "script":
            at = begin = end_of_script(markup, at)
        elif name in WITH_REFERENCES or name in RAW:
            end = end_of_raw(markup, name, at)
            yield from text_pieces(markup, at, end, references=name in WITH_REFERENCES)
            at = begin = end
    yield from text_pieces(markup, begin, len(markup))


class Open(NamedTuple):
    """An element that is open in foreign content."""

    name: str
    root: str  # svg or math
    holds_html: bool


class Foreign:
    """The elements that are open in foreign content, the innermost last, and how many of them have each name."""

    def __init__(self) -> None:
        self.inside: list[Open] = []
        self.names: Counter[str] = Counter()  # to look through all at each end tag would cost the square of a page

    def is_innermost(self) -> bool:
        return bool(self.inside) and not self.inside[-1].holds_html

    def note(self, name: str, is_end: bool, is_closed: bool) -> None:
        """What a tag does to them."""
        is_foreign = self.is_innermost()
        if is_end and self.names[name]:
            while self.pop() != name:
                pass
        elif is_foreign and name in (("br", "p") if is_end else ENDS_FOREIGN):
            while self.is_innermost():
                self.pop()
        elif (is_foreign or name in FOREIGN) and not is_end and not is_closed:
            root = self.inside[-1].root if is_foreign else name
            self.inside.append(Open(name, root, name in FOREIGN[root]))
            self.names[name] += 1

    def pop(self) -> str:
        """Closes the innermost, and tells its name."""
        name = self.inside.pop().name
        self.names[name] -= 1
        return name


def lowered(name: str) -> str:
    """Of ASCII only, as tags have it."""
    if name.isascii():
        return name.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def end_of_raw(markup: str, name: str, at: int) -> int:
    found = re.compile(rf"</{name}(?=[{BLANK}/>])", re.IGNORECASE | re.ASCII).search(markup, at)
    return found.start() if found else len(markup)


def end_of_script(markup: str, at: int) -> int:
    """Where the end tag of a script begins, which may be in a comment, but not of a script within (13.2.5.15 ff.)."""
    escaped = double = False
    while found := SCRIPT.search(markup, at):
        at = found.end()
        if found[1]:
            if not escaped:
                escaped, at = True, found.start() + 2  # <!--> is both
        elif found[2]:
            escaped = double = False
        elif found[3] and not double:
            return found.start()
        elif escaped:
            double = not found[3]
    return len(markup)


def text_pieces(markup: str, start: int, end: int, references: bool = True) -> Iterator[SourcePiece]:
    """The pieces of a stretch that has no markup; a character reference is one alone."""
    at = start
    while found := TEXT.search(markup, at, end):
        first, at = found.span()
        text = found[0]
        if text == "&" and references and (reference := REFERENCE.match(markup, first, end)):
            text, at = referred(reference[0])
            at += first
        if text not in BLANK and text != "\0":
            yield SourcePiece(first, at, text)


def referred(reference: str) -> tuple[str, int]:
    """What a character reference in text stands for, and how much of it that is (13.2.5.72 ff.).

    >>> referred("&lt;"), referred("&notit;"), referred("&#x80;"), referred("&nonesuch;")
    (('<', 4), ('¬', 4), ('€', 6), ('&', 1))
    """
    if reference[1] == "#":
        is_hex = reference[2] in "xX"
        digits = reference[3 if is_hex else 2 :].rstrip(";").lstrip("0")
        code = int(digits[:9] or "0", 16 if is_hex else 10)  # with more digits it is too large, too
        if code in SURROGATES or not 0 < code <= sys.maxunicode:
            code = REPLACEMENT
        return WINDOWS.get(code, chr(code)), len(reference)
    for size in range(min(len(reference), LONGEST_NAME + 1), 1, -1):
        made = html5.get(reference[1:size])
        if made is not None:
            return made, size
    return "&", 1


LONGEST_NAME = max(map(len, html5))
