"""The origin of each character of a text that a rule has made from another text."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence

Place = tuple[int, int]  # code points of a text, half open
COPY = -1  # in place of a last character: the piece is a copy


class Origin:
    """The pieces of a text, in order, and the place of each in the text that it was made from.

    A piece is a copy, in which each character has its own place, or all of it stands for one place. The place is empty
    if a rule inserted the piece.

    >>> origin = Origin()  # "5 EUR." with EUR replaced by euro
    >>> origin.copy(2, 0)
    >>> origin.stand_for(4, 2, 5)
    >>> origin.copy(1, 5)
    >>> origin.place(0, 1), origin.place(3, 4), origin.place(0, 7)
    ((0, 1), (2, 5), (0, 6))
    """

    def __init__(self) -> None:
        # A page has a piece for every few characters: lists would take four times the memory of arrays
        self.begins = array("q")
        self.firsts = array("q")
        self.lasts = array("q")  # COPY marks a copy
        self.size = 0

    def copy(self, size: int, first: int) -> None:
        """Adds a copy of `size` characters that stand at `first`."""
        self._add(size, first, COPY)

    def stand_for(self, size: int, first: int, last: int) -> None:
        """Adds `size` characters that stand for the place from `first` to `last`."""
        self._add(size, first, last)

    def _add(self, size: int, first: int, last: int) -> None:
        assert size >= 0
        if size:
            self.begins.append(self.size)
            self.firsts.append(first)
            self.lasts.append(last)
            self.size += size

    def place(self, start: int, end: int) -> Place:
        """Returns the smallest place that covers those of characters start to end; there must be at least one."""
        number = bisect_right(self.begins, start) - 1
        first, last = self._part(number, start, end)
        while number + 1 < len(self.begins) and self.begins[number + 1] < end:
            number += 1
            one, other = self._part(number, start, end)
            first, last = min(first, one), max(last, other)
        return first, last

    def _part(self, number: int, start: int, end: int) -> Place:
        """Returns the place of the characters that are in one piece."""
        begin, first, last = self.begins[number], self.firsts[number], self.lasts[number]
        if last != COPY:
            return first, last
        stop = self.begins[number + 1] if number + 1 < len(self.begins) else self.size
        return first + max(start, begin) - begin, first + min(end, stop) - begin


def original_place(origins: Sequence[Origin], start: int, end: int) -> Place:
    """Returns the place of characters start to end in the original text, by the origins of all rules.

    An empty place, where a rule inserted text, is empty in the earlier texts, too.
    """
    for origin in reversed(origins):
        if start < end:
            start, end = origin.place(start, end)
        elif start < origin.size:
            start = end = origin.place(start, start + 1)[0]
        elif start:
            start = end = origin.place(start - 1, start)[1]
    return start, end
