"""Where the characters of a text come from, once a rule has made it of another one."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence

Place = tuple[int, int]  # code points of a text, half open
COPY = -1  # is no place


class Origin:
    """The pieces of a text, in order, and where each stands in the text that it was made of.

    A piece is a copy, each of whose characters has a place of its own; or all of it stands for one place, which may be
    empty, where nothing was there before.

    >>> origin = Origin()  # "5 EUR." with EUR replaced by euro
    >>> origin.copy(2, 0)
    >>> origin.stand_for(4, 2, 5)
    >>> origin.copy(1, 5)
    >>> origin.place(0, 1), origin.place(3, 4), origin.place(0, 7)
    ((0, 1), (2, 5), (0, 6))
    """

    def __init__(self) -> None:
        # Arrays: a page has a piece for each few characters, and lists would take four times as much
        self.begins = array("q")
        self.firsts = array("q")
        self.lasts = array("q")  # COPY for a copy
        self.size = 0

    def copy(self, size: int, first: int) -> None:
        """So many characters stand there, too."""
        self._add(size, first, COPY)

    def stand_for(self, size: int, first: int, last: int) -> None:
        """So many characters stand for what is there."""
        self._add(size, first, last)

    def _add(self, size: int, first: int, last: int) -> None:
        assert size >= 0
        if size:
            self.begins.append(self.size)
            self.firsts.append(first)
            self.lasts.append(last)
            self.size += size

    def place(self, start: int, end: int) -> Place:
        """The least place that has all the places of some characters; there must be one at least."""
        number = bisect_right(self.begins, start) - 1
        first, last = self._part(number, start, end)
        while number + 1 < len(self.begins) and self.begins[number + 1] < end:
            number += 1
            one, other = self._part(number, start, end)
            first, last = min(first, one), max(last, other)
        return first, last

    def _part(self, number: int, start: int, end: int) -> Place:
        """The place of those characters that are in a piece."""
        begin, first, last = self.begins[number], self.firsts[number], self.lasts[number]
        if last != COPY:
            return first, last
        stop = self.begins[number + 1] if number + 1 < len(self.begins) else self.size
        return first + max(start, begin) - begin, first + min(end, stop) - begin


def traced(origins: Sequence[Origin], start: int, end: int) -> Place:
    """The place of some characters in the first text, before rules of which each made a text of the one before.

    An empty place, where a rule put in what nothing had been, is an empty place before that, too.
    """
    for origin in reversed(origins):
        if start < end:
            start, end = origin.place(start, end)
        elif start < origin.size:
            start = end = origin.place(start, start + 1)[0]
        elif start:
            start = end = origin.place(start - 1, start)[1]
    return start, end
