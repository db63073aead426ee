"""Texts as the numbers of their words, as the kernel compares them."""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.own_words import NEVER, NUMBER, NumberedTexts, words_of
from shingletools.kernel.types import Index
from shingletools.text.signs import PARTING

BLANK = ord(" ")
PARTING_WORDS = frozenset(f"u{ord(sign):04x}" for sign in PARTING)
ARTICLE = "the"  # it does not count in short texts; and, of, in and not may tell


def is_number(word: str) -> bool:
    """Returns whether a word has a digit, of any script, and is no sign between digits: 404/231 may be 404-231.

    >>> is_number("12a"), is_number("XII"), is_number("٣"), is_number("u002d")
    (True, False, True, False)
    """
    return not word.isalpha() and any(map(str.isnumeric, word)) and word not in PARTING_WORDS


class TextNumbers:
    """Texts that are prepared to be compared. Texts are UTF-8, with blanks between their words."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets all texts."""
        self.ids = kernel.new_ids()  # of words
        self.flags = bytearray()  # of each
        self.words, self.starts, self.sizes = array("i"), array("q"), array("q")
        self.places: dict[int, int] = {}  # of texts, by whatever numbers they have

    def add(self, numbers: Iterable[int], texts: Sequence[bytes]) -> None:
        """Adds texts, which have these numbers."""
        self.places.update(zip(numbers, range(len(self.starts), len(self.starts) + len(texts)), strict=True))
        data = np.frombuffer(b"".join(text + b" " for text in texts), np.uint8)
        ends = np.flatnonzero(data == BLANK)
        sizes = np.diff(ends, prepend=-1) - 1
        ends, sizes = ends[sizes > 0], sizes[sizes > 0]
        known = len(self.ids)
        words = np.frombuffer(self.ids.number(data[data != BLANK].tobytes(), sizes), np.int64)
        bounds = np.searchsorted(ends, np.cumsum([0, *(len(text) + 1 for text in texts)]))
        self.starts.extend((bounds[:-1] + len(self.words)).tolist())
        self.sizes.extend(np.diff(bounds).tolist())
        self.words.frombytes(words.astype(np.int32).tobytes())
        new = map(bytes.decode, self.words_from(known))
        self.flags += bytes(NUMBER * is_number(word) | NEVER * (word == ARTICLE) for word in new)

    def words_from(self, first: int) -> list[bytes]:
        ends = np.frombuffer(bytes(self.ids.ends), np.int64)
        start = int(ends[first - 1]) if first else 0
        return words_of(bytes(self.ids.data[start:]), ends[first:] - start)

    def arrays(self) -> NumberedTexts:
        """Returns all texts. No text can be added while these arrays are there."""
        words, flags = np.frombuffer(self.words, np.int32), np.frombuffer(self.flags, np.uint8)
        starts, sizes = (np.frombuffer(column, np.int64) for column in (self.starts, self.sizes))
        return NumberedTexts(words, starts, sizes, self.ids.data, self.ids.ends, flags)

    def numbers(self, texts: Index) -> Index:
        """Returns the places of texts in the arrays."""
        return np.array([*map(self.places.__getitem__, texts.tolist())], np.int64)
