"""Text for terminals: without characters that a terminal obeys, in lines of known width, in colours."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from shingletools.system.lazy_imports import wcwidth

Span = tuple[str, str]  # a text and its style
Line = list[Span]

PLAIN, HEAD, CONTEXT, ONLY_A, ONLY_B, TEMPLATE = "", "1", "2", "31", "32", "2;3"  # parameters of SGR sequences
INDENT, MIN_COLUMNS = "    ", 20
EMOJI = "\ufe0f"
TOKEN = re.compile(r"\s+|\S+")


class Safe(dict[int, str]):
    """A table for str.translate: white space becomes a space, characters that terminals obey or hide, their numbers."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isspace():
            value = " "
        elif character.isprintable():
            value = character
        else:
            value = character.encode("unicode_escape").decode()
        self[code] = value
        return value


SAFE = Safe()


def safe(text: str) -> str:
    r"""Returns a foreign text for a terminal: control, direction and other invisible characters are escaped.

    >>> print(safe("a\x1b[2J\n\u202eb"))
    a\x1b[2J \u202eb
    """
    return text.translate(SAFE)


class Columns(dict[str, int]):
    """The most columns that a character can take: for spacing marks, and variation selectors of emoji, one."""

    def __missing__(self, character: str) -> int:
        spacing = unicodedata.category(character) == "Mc" or character == EMOJI
        self[character] = width = max(wcwidth.wcwidth(character), int(spacing))
        return width


COLUMNS = Columns()


def columns(text: str) -> int:
    """Returns the most columns that a safe text takes; fewer if a terminal combines its characters."""
    return len(text) if text.isascii() else sum(map(COLUMNS.__getitem__, text))


def flow(spans: Iterable[Span], width: int) -> list[Line]:
    """Returns spans in lines of at most `width` columns, broken at white space; longer words are broken anywhere.

    >>> flow([("one two", ""), (" three", "31")], 8)
    [[('one two', '')], [('three', '31')]]
    """
    lines: list[Line] = [[]]
    used = 0
    for word in words(spans):
        size = sum(columns(text) for text, _ in word)
        gap = bool(used)
        if used + gap + size > width and used:
            lines.append([])
            used, gap = 0, False
        if gap:
            style = word[0][1] if lines[-1][-1][1] == word[0][1] else PLAIN
            add(lines[-1], (" ", style))
            used += 1
        for text, style in word if size <= width else characters(word):
            if used + columns(text) > width and used:
                lines.append([])
                used = 0
            add(lines[-1], (text, style))
            used += columns(text)
    return [line for line in lines if line]


def characters(word: Line) -> Line:
    return [(character, style) for text, style in word for character in text]


def add(line: Line, span: Span) -> None:
    """Appends a span to a line; it joins the last span if both have one style."""
    if line and line[-1][1] == span[1]:
        line[-1] = line[-1][0] + span[0], span[1]
    else:
        line.append(span)


def words(spans: Iterable[Span]) -> Iterator[Line]:
    """Yields the words between white space, each as its spans."""
    word: Line = []
    for text, style in spans:
        for token in TOKEN.findall(safe(text)):
            if not token.isspace():
                word.append((token, style))
            elif word:
                yield word
                word = []
    if word:
        yield word


def indented(spans: Iterable[Span], width: int) -> Iterator[Line]:
    """Yields spans in lines of a passage."""
    for line in flow(spans, max(width - len(INDENT), MIN_COLUMNS)):
        yield [(INDENT, PLAIN), *line]


def in_bytes(lines: Iterable[Line], colour: bool) -> bytes:
    """Returns lines as they are sent to the terminal."""
    return "".join(f"{''.join(coloured(*span, colour) for span in line)}\n" for line in lines).encode()


def coloured(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colour and style and text else text
