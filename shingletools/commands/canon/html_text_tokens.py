"""Finds the text in the source of an HTML page: a short form of the tokenizer of the HTML Standard (section 13.2.5).

Some of its states depend on which elements are open. Of these, only SVG and MathML are known (`ForeignContent`).
"""

import re
from collections.abc import Iterator

from shingletools.commands.canon.character_references import BLANK, SourcePiece, text_pieces
from shingletools.commands.canon.foreign_elements import ForeignContent

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
