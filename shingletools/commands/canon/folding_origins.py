"""Folding with places: the characters of the text from which each folded character is made."""

import unicodedata
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from shingletools.commands.canon.folding import JOINER, SINGLE_CHARACTERS, fold
from shingletools.commands.canon.word_splitting import joins
from shingletools.kernel.memo import Memo


class Folded(NamedTuple):
    """Folded text, and the place from which each of its characters comes: from start to end, half open."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


MAX_LETTER_CHARS = 32  # characters, with its marks; real ones are shorter, and cutting takes the square of the size


def letter_origins(folding: Callable[[str], str], letter: str) -> bytes:
    """Returns the origin of each character of a folded letter: its first place, then its last one.

    The letter is cut wherever both sides, folded alone, give the same as together.

    >>> list(letter_origins(fold, "e\\u0301")), list(letter_origins(fold, "中\u0345"))
    ([0, 1], [0, 1, 0, 1])
    """
    whole = folding(letter)
    firsts, lasts = bytearray(), bytearray()
    at = 0
    for size in range(1, len(letter) + 1):
        before = folding(letter[:size])
        if len(before) >= len(firsts) and before + folding(letter[size:]) == whole:
            number = len(before) - len(firsts)
            firsts += bytes([at]) * number
            lasts += bytes([size - 1]) * number
            at = size
    return bytes(firsts + lasts)


def fold_places(text: str, folded: Memo[str], origins: Memo[bytes]) -> Folded:
    """Folds a text letter by letter; a letter includes the marks that may combine with it.

    folded: a memo of fold. origins: a memo of letter_origins. A letter of more than MAX_LETTER_CHARS characters has one
    place for all of them. So has a text that folds differently as a whole than letter by letter, if there is any.

    >>> fold_places("ÉE\\u00ad\\u0301½", Memo(fold), Memo(lambda letter: letter_origins(fold, letter)))
    Folded(text='éé 1⁄2', starts=array('q', [0, 1, 4, 4, 4, 4]), ends=array('q', [1, 4, 5, 5, 5, 5]))
    """
    whole = folded.function(text)
    if text.isascii():
        return Folded(whole, range(len(text)), range(1, len(text) + 1))
    starts, ends = array("q"), array("q")
    parts = []
    for letter, places in letters(text):
        part = folded[letter]
        parts.append(part)
        size = len(part)
        if 1 < len(letter) <= MAX_LETTER_CHARS and size > 1:
            which = origins[letter]
            starts.extend([places[place] for place in which[:size]])
            ends.extend([places[place] + 1 for place in which[size:]])
        else:
            starts.extend([places[0]] * size)
            ends.extend([places[-1] + 1] * size)
    if "".join(parts) != whole:
        return Folded(whole, [0] * len(whole), [len(text)] * len(whole))
    return Folded(whole, starts, ends)


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
