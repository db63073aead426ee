"""Items of fewer than k words, which are looked for as a whole, by their first words."""

from array import array

import numpy as np

from shingletools.commands.repeats.reference_items import Items
from shingletools.commands.repeats.window_index import Windows
from shingletools.kernel.types import Index


class ShortItems:
    """The distinct texts of the items with at least `least` words, and fewer than k. Memory: these texts."""

    def __init__(self, items: Items, least: int | None, k: int) -> None:
        """Reads all items, unless `least` is None."""
        self.least = k if least is None else min(least, k)
        self.passed_over = 0  # items that have too few words
        rows: dict[bytes, list[int]] = {}  # by text
        for batch in items.all_rows() if least is not None else ():
            for row, text in zip(batch.tolist(), items.texts(batch), strict=True):
                words = size_of(text)
                self.passed_over += words < self.least
                if self.least <= words < k:
                    rows.setdefault(text, []).append(row)
        self.rows = [*rows.values()]
        self.numbers = {text: number for number, text in enumerate(rows)}
        self.lengths = sorted(set(map(size_of, rows)))
        firsts = {b" ".join(text[:-1].split(b" ")[: self.least]) for text in rows}
        self.beginnings = Windows(b"".join(first + b"\n" for first in sorted(firsts)), self.least)

    def find_in(self, text: bytes) -> tuple[Index, Index, Index]:
        """Finds the items in a text with a line feed; returns the first word of each, the word after it, its number."""
        spans = array("q")
        places = self.beginnings.find_in(text)[0]
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) <= ord(" ")) if len(places) else places
        for here, place in zip(np.searchsorted(ends, places).tolist(), places, strict=True):
            for length in self.lengths:
                if here + length <= len(ends):
                    number = self.numbers.get(text[place : ends[here + length - 1]] + b"\n")
                    spans.extend(() if number is None else (here, here + length, number))
        first, last, numbers = np.array(spans, np.int64).reshape(-1, 3).T
        return first, last, numbers


def size_of(text: bytes) -> int:
    """Returns the number of words of a text with a line feed, or of b""."""
    return text.count(b" ") + bool(text)
