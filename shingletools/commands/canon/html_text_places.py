"""Finds the places of the text of HTML in its source, by a copy of the page with numbers instead of its text.

HTML parsers drop, move and insert text, and do not say where it came from. But they treat all characters alike that are
not white space. So a page is parsed twice: as it is, and with each piece of its text replaced by a number. The first
result is the text, the second shows the place of each piece. (Only a page of frames may keep white space where it drops
text.)

`html_text_tokens.pieces` finds the text in the source. If it is wrong, there is other text between the numbers, or the
two texts differ. So a wrong place is never taken for a right one.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shingletools.commands.canon.character_origins import Origin
from shingletools.commands.canon.character_references import BLANK, SourcePiece
from shingletools.commands.canon.html_text_tokens import pieces

NUMBERS, BASE = 0xF0000, 1 << 15  # digits of the numbers are characters for private use
DIGITS = re.compile(f"[{chr(NUMBERS)}-{chr(NUMBERS + BASE - 1)}]+")
# White space, paragraph separators, and what parsers make of NUL: each ends a word
BETWEEN = re.compile(f"[{BLANK}\u2029\0\ufffd]*+")


class NumberedPage(NamedTuple):
    """A page with a number in place of each piece of its text; all numbers have the same number of digits."""

    markup: str
    pieces: list[SourcePiece]
    digits: int

    def trace(self, text: str, numbers: str) -> Origin | None:
        """Returns the origin of the page's text, by the text of this copy, `numbers`; None if they do not match."""
        origin, rebuilt = Origin(), []
        at = last = 0

        def between(end: int) -> None:
            if at < end:
                rebuilt.append(numbers[at:end])
                origin.stand_for(end - at, last, last)

        for found in DIGITS.finditer(numbers):
            if len(found[0]) % self.digits or not BETWEEN.fullmatch(numbers, at, found.start()):
                return None
            between(found.start())
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
        if not BETWEEN.fullmatch(numbers, at):
            return None
        between(len(numbers))
        return origin if "".join(rebuilt) == text else None

    def numbers_in(self, digits: str) -> Iterator[int]:
        for place in range(0, len(digits), self.digits):
            number = 0
            for digit in digits[place : place + self.digits]:
                number = number * BASE + ord(digit) - NUMBERS
            yield number


def numbered(markup: str) -> NumberedPage:
    """Returns a copy of a page with numbers instead of its text."""
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
    return NumberedPage("".join(parts), every, digits)
