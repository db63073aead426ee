"""Finds the text in the source of an HTML page: a short form of the tokenizer of the HTML Standard (section 13.2.5).

Some of its states depend on which elements are open. Of these, only SVG and MathML are known (`ForeignContent`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from shingletools.commands.canon.character_references import BLANK, SourcePiece, text_pieces

# A value without its closing quote takes the rest of the page
ATTRIBUTE_VALUE = rf"""=[{BLANK}]*+(?:"[^"]*+"?+|'[^']*+'?+|[^{BLANK}>"'][^{BLANK}>]*+)?+"""
ATTRIBUTE = rf"(?:=[^{BLANK}/>=]*+|[^{BLANK}/>=]++)[{BLANK}]*+(?:{ATTRIBUTE_VALUE})?+"
TAG = re.compile(rf"<(/?)([A-Za-z][^{BLANK}/>]*+)(?:[{BLANK}/]++|{ATTRIBUTE})*+>")
COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
BOGUS_COMMENT = re.compile(r"<(?:[!?]|/(?=[^A-Za-z]))[^>]*+(?:>|\Z)")
CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
MARKUP_START = re.compile(r"<[A-Za-z!?]|</.", re.DOTALL)  # the standard's tag open state
SCRIPT = re.compile(rf"(<!--)|(-->)|<(/?)script(?=[{BLANK}/>])", re.IGNORECASE)

WITH_REFERENCES = frozenset(("title", "textarea"))
RAW_TEXT = frozenset("iframe noembed noframes noscript style xmp".split())  # as in browsers, with scripting
# Foreign content and its elements that may hold HTML; tags that end it (sections 13.2.6.1 and 13.2.6.5)
FOREIGN = {
    "svg": frozenset("desc foreignobject title".split()),
    "math": frozenset("annotation-xml mi mn mo ms mtext".split()),
}
ENDS_FOREIGN = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
# HTML tags that leave no element open, or one that no end tag closes
LEAVES = frozenset(
    "area base basefont bgsound body br col embed frame head hr html image img input keygen link meta param source "
    "track wbr".split()
)


def pieces(markup: str) -> Iterator[SourcePiece]:
    """Yields a page's text in pieces, in order, without leading white space, and text that no reader sees as well.

    >>> [piece.text for piece in pieces("<p title='a>b'> a&lt;b <!-- no --><b>c d</b>")]
    ['a', '<', 'b ', 'c d']
    """
    at = begin = 0
    foreign = ForeignContent()
    while opening := MARKUP_START.search(markup, at):
        start = opening.start()
        yield from text_pieces(markup, begin, start)
        section = CDATA.match(markup, start) if foreign.inside and foreign.has_sections() else None
        if section:
            yield from text_pieces(markup, *section.span(1), references=False)
        if other := section or COMMENT.match(markup, start) or BOGUS_COMMENT.match(markup, start):
            at = begin = other.end()
            continue
        tag = TAG.match(markup, start)
        if tag is None:
            return  # the rest of the page
        at = begin = tag.end()
        name = lowered(tag[2])
        is_foreign = foreign.is_innermost() if foreign.inside else False
        foreign.note(name, tag[1] == "/", tag[0].endswith("/>"))
        if tag[1] or (is_foreign and foreign.inside):
            continue
        if name == "plaintext":
            yield from text_pieces(markup, at, len(markup), references=False)
            return
        if name == "script":
            at = begin = end_of_script(markup, at)
        elif name in WITH_REFERENCES or name in RAW_TEXT:
            end = end_of_element(markup, name, at)
            yield from text_pieces(markup, at, end, references=name in WITH_REFERENCES)
            at = begin = end
    yield from text_pieces(markup, begin, len(markup))


def lowered(name: str) -> str:
    """Returns a tag's name in lower case; only ASCII letters change."""
    if name.isascii():
        return name.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def end_of_element(markup: str, name: str, at: int) -> int:
    found = re.compile(rf"</{name}(?=[{BLANK}/>])", re.IGNORECASE | re.ASCII).search(markup, at)
    return found.start() if found else len(markup)


def end_of_script(markup: str, at: int) -> int:
    """Returns where a script's end tag begins: perhaps in a comment, but not in a script in a comment (13.2.5.15)."""
    escaped = double_escaped = False
    while found := SCRIPT.search(markup, at):
        at = found.end()
        if found[1]:
            if not escaped:
                escaped, at = True, found.start() + 2  # <!--> begins and ends a comment
        elif found[2]:
            escaped = double_escaped = False
        elif found[3] and not double_escaped:
            return found.start()
        elif escaped:
            double_escaped = not found[3]
    return len(markup)


class OpenElement(NamedTuple):
    """An open element in or around foreign content."""

    name: str
    root: str  # svg or math; "" for HTML
    holds_html: bool
    run: int  # the first of the foreign elements that lead to this one without HTML between
    holder: int  # the innermost element that may hold HTML, perhaps this one; -1 for none


class ForeignContent:
    """The open elements from the first foreign one on, the innermost last, as far as tags show.

    An HTML element that ends without a tag stays open here, because only the parsed tree shows its end.
    """

    def __init__(self) -> None:
        self.inside: list[OpenElement] = []
        # By name: a search through all open elements at each end tag would take quadratic time
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        self.outside: Counter[str] = Counter()  # elements around the first foreign one

    def is_innermost(self) -> bool:
        """Returns whether the innermost open element is foreign and holds no HTML."""
        return bool(self.inside) and not self.inside[-1].holds_html

    def has_sections(self) -> bool:
        """Returns whether CDATA is text here: directly inside a foreign element, even one that may hold HTML."""
        return bool(self.inside) and bool(self.inside[-1].root)

    def note(self, name: str, is_end: bool, is_closed: bool) -> None:
        """Takes a tag: opens or closes elements."""
        if not self.inside and name not in FOREIGN:
            self._count(name, is_end)
            return
        if self.is_innermost() and name in (("br", "p") if is_end else ENDS_FOREIGN):
            while self.is_innermost():
                self._pop()
        if is_end:
            self._end(name)
        elif self.is_innermost() or name in FOREIGN:
            if not is_closed:
                root = self.inside[-1].root if self.is_innermost() else name
                self._push(name, root, name in FOREIGN[root])
        elif not self.inside:
            self._count(name, is_end)
        elif name not in LEAVES:
            self._push(name, "", True)

    def _count(self, name: str, is_end: bool) -> None:
        """Takes a tag outside of foreign content."""
        if not is_end:
            self.outside[name] += 1
        elif self.outside[name]:
            self.outside[name] -= 1

    def _push(self, name: str, root: str, holds_html: bool) -> None:
        place = len(self.inside)
        above = self.inside[-1] if self.inside else None
        run = above.run if above and above.root and root else place
        holder = place if root and holds_html else above.holder if above else -1
        self.inside.append(OpenElement(name, root, holds_html, run, holder))
        self.places[name].append(place)

    def _pop(self) -> None:
        self.places[self.inside.pop().name].pop()

    def _end(self, name: str) -> None:
        """Closes the innermost element of a name, unless an element that holds HTML is open inside it.

        A foreign element also closes from within other foreign ones.
        """
        if not self.inside:
            self._count(name, is_end=True)
            return
        innermost = self.inside[-1]
        place = self.places[name][-1] if self.places[name] else -1
        if place > innermost.holder or (innermost.root and place >= innermost.run):
            while len(self.inside) > place:
                self._pop()
        elif innermost.holder < 0 and self.outside[name] and name not in LEAVES:
            self.outside[name] -= 1
            while self.inside:
                self._pop()
