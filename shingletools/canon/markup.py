"""Where the text of HTML stands in its source: found by a copy of the page that has numbers in place of its text.

Parsers of HTML leave out text, move it and put things between, and do not tell where they have it from. But they treat
all characters alike that are no white space, and what stands behind them. So a page is parsed twice: as it is, and with
each piece of its text replaced by a number. What comes of the first is the text, what comes of the other says where
each piece of it was. (Only in a page of frames white space may stay where text does not.)

Which parts of a page are text, `tokens` tells. Where it is wrong, there is other text between the numbers, or the two
texts differ, and nobody takes a wrong place for a right one.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shingletools.canon.origins import Origin
from shingletools.canon.references import BLANK, SourcePiece
from shingletools.canon.tokens import pieces

NUMBERS, BASE = 0xF0000, 1 << 15  # a plane of characters for private use: digits of the numbers that stand for text
DIGITS = re.compile(f"[{chr(NUMBERS)}-{chr(NUMBERS + BASE - 1)}]+")
# White space, what parts blocks, and what parsers make of NUL; each of them parts words
BETWEEN = re.compile(f"[{BLANK}\u2029\0\ufffd]*+")


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
