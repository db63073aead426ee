"""Text as a terminal may show it: nothing in it is obeyed, lines are as wide as they look, colours say what is what."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from shingletools import deferred

if TYPE_CHECKING:
    import wcwidth
else:
    wcwidth = deferred.module("wcwidth")  # which only people need

Span = tuple[str, str]  # a text and its style
Line = list[Span]

PLAIN, HEAD, CONTEXT, ONLY_A, ONLY_B, TEMPLATE = "", "1", "2", "31", "32", "2;3"  # as terminals know styles
EMOJI = "\ufe0f"
TOKEN = re.compile(r"\s+|\S+")


class Safe(dict[int, str]):
    """For str.translate: white space as a space, and what no terminal prints, or some obey, as its number."""

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
    r"""A text of others, for a terminal: controls, marks of direction and other invisible characters are escaped.

    >>> print(safe("a\x1b[2J\n\u202eb"))
    a\x1b[2J \u202eb
    """
    return text.translate(SAFE)


class Columns(dict[str, int]):
    """How many columns a character takes, wherever it stands, at most: a spacing mark one, so a sign for emoji."""

    def __missing__(self, character: str) -> int:
        spacing = unicodedata.category(character) == "Mc" or character == EMOJI
        self[character] = width = max(wcwidth.wcwidth(character), int(spacing))
        return width


COLUMNS = Columns()


def columns(text: str) -> int:
    """How many columns of a terminal a safe text takes; where its characters become one, it may be fewer."""
    return len(text) if text.isascii() else sum(map(COLUMNS.__getitem__, text))


def flow(spans: Iterable[Span], width: int) -> list[Line]:
    """Spans in lines of so many columns at most, broken at white space, or anywhere in what is longer than a line.

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
    """Puts a span at a line's end, into the last one if that has the same style."""
    if line and line[-1][1] == span[1]:
        line[-1] = line[-1][0] + span[0], span[1]
    else:
        line.append(span)


def words(spans: Iterable[Span]) -> Iterator[Line]:
    """What stands between white space, in its spans."""
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


def shown(line: Line, colour: bool) -> str:
    """A line as the terminal gets it."""
    return "".join(f"\x1b[{style}m{text}\x1b[0m" if colour and style and text else text for text, style in line)
