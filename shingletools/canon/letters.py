"""Folding with places: letters with their marks, and which characters each one of the folded text is made of."""

import unicodedata
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from shingletools.canon.folding import fold
from shingletools.canon.words import joins
from shingletools.kernel.memo import Known


class Folded(NamedTuple):
    """Folded text, and for each of its characters where what it was made of begins and ends."""

    text: str
    firsts: Sequence[int]
    lasts: Sequence[int]


LONGEST_LETTER = 32  # with its marks; texts have shorter ones, and to cut a letter takes the square of its size


def made_of(folding: Callable[[str], str], letter: str) -> bytes:
    """Of which character each one of a folded letter is made, at first, and then at last.

    The letter is cut wherever both sides fold alone to what they fold to together.

    >>> list(made_of(fold, "e\\u0301")), list(made_of(fold, "中\u0345"))
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


def fold_places(text: str, known: Known[str], origins: Known[bytes]) -> Folded:
    """Folds as the function of a memo does, letter by letter, each with all that may become one with it.

    A letter that is longer than any in a text stands for all of its characters, and so do those of a text that folds
    otherwise than its letters do; none such is known. `origins` is a memo of made_of.

    >>> fold_places("ÉE\\u00ad\\u0301½", Known(fold), Known(lambda letter: made_of(fold, letter)))
    Folded(text='éé1⁄2', firsts=array('q', [0, 1, 4, 4, 4]), lasts=array('q', [1, 4, 5, 5, 5]))
    """
    whole = known.function(text)
    if text.isascii():
        return Folded(whole, range(len(text)), range(1, len(text) + 1))
    firsts, lasts = array("q"), array("q")
    parts = []
    for letter, places in letters(text):
        part = known[letter]
        parts.append(part)
        size = len(part)
        if 1 < len(letter) <= LONGEST_LETTER and size > 1:
            which = origins[letter]
            firsts.extend([places[place] for place in which[:size]])
            lasts.extend([places[place] + 1 for place in which[size:]])
        else:
            firsts.extend([places[0]] * size)
            lasts.extend([places[-1] + 1] * size)
    if "".join(parts) != whole:
        return Folded(whole, [0] * len(whole), [len(text)] * len(whole))
    return Folded(whole, firsts, lasts)


def letters(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Each character with those behind it that may become one with it, without invisible ones, and where they are."""
    letter, places = "", list[int]()
    for place, character in enumerate(text):
        kind = KINDS[character]
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


KINDS = Known(_kind)
