"""Sections: what a heading begins, up to the next one."""

import re
from collections.abc import Iterator

from shingletools.deferred import later
from shingletools.parts.places import Place, lines

# CommonMark 0.31: headings that begin with # (section 4.2), those that a line of = or - stands under (4.3; here of
# three or more, under one line), and fences of code, in which nothing is a heading (4.5)
HASHES = later(lambda: re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)"))
UNDERLINE = later(lambda: re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*+\Z"))
FENCE = later(lambda: re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})(.*)", re.DOTALL))
# Plain text numbers its headings: 2.3 or A.1.2. wherever it stands, 2 or A. only in a line between blank ones. A title
# is short, and does not end as a sentence does.
TITLE = r"[ \t\u00a0]++(?=\S).{1,100}(?<![.,;:!?])\Z"
NUMBERS = later(lambda: re.compile(rf"(?:[0-9]{{1,3}}|[A-Z])(?:\.[0-9]{{1,3}})++\.?{TITLE}"))
NUMBER = later(lambda: re.compile(rf"(?:[0-9]{{1,3}}\.?|[A-Z]\.){TITLE}"))


def sections(text: str) -> Iterator[Place]:
    r"""From a heading to the line before the next one that is not blank; and what stands before the first heading.

    >>> text = "Before.\n\n# One\nA\n\nTwo\n---\nB\n2.1 Three\nC\n"
    >>> [text[start:end] for start, end in sections(text)]
    ['Before.', '# One\nA', 'Two\n---\nB', '2.1 Three\nC']
    """
    every = list(lines(text))
    begin = 0
    for place in headings(text, every):
        if place > begin:
            yield every[begin][0], every[place - 1][1]
            begin = place
    if every:
        yield every[begin][0], every[-1][1]


def headings(text: str, every: list[Place]) -> Iterator[int]:
    """Which of the lines that are not blank are headings, or the first line of one."""

    def alone(place: int) -> bool:
        """Whether there is a blank line, or none, before that one."""
        if not 0 < place < len(every):
            return True
        return text[every[place - 1][1] : every[place][0]] != "\r\n" and every[place][0] - every[place - 1][1] > 1

    def is_underline(place: int) -> bool:
        return UNDERLINE.match(text[slice(*every[place])]) is not None

    fence = ""
    for place, (start, end) in enumerate(every):
        line = text[start:end]
        found = FENCE.match(line)
        underlined = alone(place) and not alone(place + 1) and is_underline(place + 1) and not is_underline(place)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found:
            fence = found[1]
        elif (
            underlined
            or HASHES.match(line)
            or NUMBERS.match(line)
            or (alone(place) and alone(place + 1) and NUMBER.match(line))
        ):
            yield place
