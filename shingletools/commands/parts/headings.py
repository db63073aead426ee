"""Finds sections, each from a heading to the next one."""

import re
from collections.abc import Iterator

from shingletools.commands.parts.part_places import Place, lines
from shingletools.system.lazy_imports import lazy

# CommonMark 0.31: headings that begin with # (section 4.2), headings above a line of = or - (4.3; here one line above
# three or more), and fences of code, which hold no headings (4.5)
HASHES = lazy(lambda: re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)"))
UNDERLINE = lazy(lambda: re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*+\Z"))
FENCE = lazy(lambda: re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})(.*)", re.DOTALL))
# Plain text numbers its headings: 2.3 or A.1.2. in any line, 2 or A. only in a line between blank ones. A title is
# short, and does not end like a sentence
TITLE = r"[ \t\u00a0]++(?=\S).{1,100}(?<![.,;:!?])\Z"
NUMBERS = lazy(lambda: re.compile(rf"(?:[0-9]{{1,3}}|[A-Z])(?:\.[0-9][0-9]?+[0-9]?+)++\.?{TITLE}"))
NUMBER = lazy(lambda: re.compile(rf"(?:[0-9]{{1,3}}\.?|[A-Z]\.){TITLE}"))


def sections(text: str) -> Iterator[Place]:
    r"""Yields the places of sections: from a heading to the last line before the next that is not blank.

    Text before the first heading is a section, too.

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
    """Yields which of the lines in `every`, none of them blank, are headings, or the first line of one."""

    def alone(place: int) -> bool:
        """Returns whether there is no line, or a blank one, before this line."""
        if not 0 < place < len(every):
            return True
        return text[every[place - 1][1] : every[place][0]] != "\r\n" and every[place][0] - every[place - 1][1] > 1

    def is_underline(place: int) -> bool:
        return UNDERLINE.match(text[slice(*every[place])]) is not None

    fence = ""
    for place, (start, end) in enumerate(every):
        line = text[start:end]
        match = FENCE.match(line)
        underlined = alone(place) and not alone(place + 1) and is_underline(place + 1) and not is_underline(place)
        if fence:
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match:
            fence = match[1]
        elif (
            underlined
            or HASHES.match(line)
            or NUMBERS.match(line)
            or (alone(place) and alone(place + 1) and NUMBER.match(line))
        ):
            yield place
