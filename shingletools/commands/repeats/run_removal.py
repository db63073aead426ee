"""Removes runs from a text."""

from collections.abc import Sequence

from shingletools.commands.repeats.run_spans import Span, gaps
from shingletools.record.word_offsets import Places


def cut_words(text: str, runs: Sequence[Span]) -> str:
    """Returns the words outside the runs.

    >>> cut_words("a b c d e", [(1, 3)])
    'a d e'
    """
    words = text.split(" ")
    return " ".join(word for first, last in gaps(runs, len(words)) for word in words[first:last])


def cut_source(source: str, places: Sequence[Span]) -> str:
    """Returns a source without some places, which ascend.

    The white space on both sides of a place becomes one piece, that with more line feeds; a blank if there is none.

    >>> cut_source("One two.\\n\\nThree four.\\n\\nFive", [(10, 21)])
    'One two.\\n\\nFive'
    >>> cut_source("one-two three", [(3, 4)]), cut_source("one two ", [(4, 7)])
    ('one two three', 'one')
    """
    made: list[str] = []
    blanks, start = "", 0
    for first, last in [*places, (len(source), len(source))]:
        piece = source[start:first]
        text = piece.strip()
        before = piece[: len(piece) - len(piece.lstrip())]
        blanks = stronger(blanks, before)
        if text:
            made.append(blanks or " " if made else before if not start else "")
            made.append(text)
            blanks = piece[len(piece.rstrip()) :]
        start = last
    return "".join(made) + (blanks if source[-1:].isspace() and made and not ends_in(places, source) else "")


def ends_in(places: Sequence[Span], source: str) -> bool:
    """Returns whether the last place has the last word of the source."""
    return bool(places) and not source[places[-1][1] :].strip()


def stronger(one: str, other: str) -> str:
    """Returns the piece of white space with more line feeds, or the longer one."""
    return max(one, other, key=lambda blanks: (blanks.count("\n"), len(blanks)))


def places_of(runs: Sequence[Span], places: Places, source: str) -> list[Span]:
    """Returns the places of runs in their source, each with the punctuation that follows it."""
    found = []
    for first, last in runs:
        start, end = int(places.starts[first:last].min()), int(places.ends[first:last].max())
        most = int(places.starts[last]) if last < len(places.starts) else len(source)
        while end < most and not source[end].isspace():
            end += 1
        found.append((start, end))
    return found
