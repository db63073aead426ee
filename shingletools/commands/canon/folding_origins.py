"""Folding with places: the characters of the text from which each folded character is made."""

import unicodedata
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from shingletools.commands.canon.folding import JOINER, SINGLE_CHARACTERS, fold
from shingletools.commands.canon.word_splitting import joins
from shingletools.kernel.memo import Memo


class Folded(NamedTuple):
    """Folded text, and the place from which each of its characters comes: from start to end, half open."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


CACHED_LETTERS = 1 << 14  # letters that are remembered
MAX_LETTER_CHARS = 32  # characters, with its marks; real ones are shorter, and cutting takes the square of the size


class PlacedFolding:
    """Folds texts letter by letter; a letter includes the marks that may combine with it.

    A text that folds differently as a whole, if there is any, has one place for all of its characters.

    >>> PlacedFolding(fold)("ÉE\\u00ad\\u0301½")
    Folded(text='éé 1⁄2', starts=array('q', [0, 1, 4, 4, 4, 4]), ends=array('q', [1, 4, 5, 5, 5, 5]))
    """

    def __init__(self, folding: Callable[[str], str]) -> None:
        self.folding = folding
        self.known = lru_cache(CACHED_LETTERS)(self.letter)

    def __call__(self, text: str) -> Folded:
        whole = self.folding(text)
        if text.isascii():
            return Folded(whole, range(len(text)), range(1, len(text) + 1))
        parts, starts, ends = list[str](), array("q"), array("q")
        for letter, places in letters(text):
            part, firsts, lasts = (self.known if len(letter) <= MAX_LETTER_CHARS else self.letter)(letter)
            parts.append(part)
            starts.extend([places[first] for first in firsts])
            ends.extend([places[last] + 1 for last in lasts])
        if "".join(parts) != whole:
            return Folded(whole, [0] * len(whole), [len(text)] * len(whole))
        return Folded(whole, starts, ends)

    def letter(self, letter: str) -> tuple[str, Sequence[int], Sequence[int]]:
        """Returns a letter folded, and the places of the first and of the last character that makes each of these.

        The letter is cut wherever both sides, folded alone, give the same as together.

        >>> PlacedFolding(fold).letter("e\\u0301"), PlacedFolding(fold).letter("中\u0345")
        (('é', [0], [1]), ('中ι', [0, 1], [0, 1]))
        """
        whole = self.folding(letter)
        if len(letter) > MAX_LETTER_CHARS:
            return whole, [0] * len(whole), [-1] * len(whole)
        firsts, lasts, at = list[int](), list[int](), 0
        for size in range(1, len(letter) + 1):
            before = self.folding(letter[:size])
            number = len(before) - len(firsts)
            if number >= 0 and before + self.folding(letter[size:]) == whole:
                firsts += [at] * number
                lasts += [size - 1] * number
                at = size
        return whole, firsts, lasts


def letters(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Yields each character with the following ones that may combine with it, and their places.

    Invisible characters are left out, except a joiner that is part of a letter.
    """
    letter, places = "", list[int]()
    for place, character in enumerate(text):
        kind = KINDS[character]
        if character == JOINER and letter[-2:] in SINGLE_CHARACTERS and places[-2:] == [place - 2, place - 1]:
            kind = JOINS
        if kind == INVISIBLE:
            continue
        if kind == JOINS and letter:
            letter += character
            places.append(place)
        else:
            if letter:
                yield letter, places
            letter, places = character, [place]
    if letter:
        yield letter, places


INVISIBLE, JOINS, BEGINS = "invisible", "joins", "begins"


def _kind(character: str) -> str:
    folded = fold(character)
    if not folded:
        return INVISIBLE
    return JOINS if joins(character) or joins(unicodedata.normalize("NFKD", folded)) else BEGINS


KINDS = Memo(_kind)
