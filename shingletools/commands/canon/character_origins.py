"""The origin of each character of a text that a rule has made from another text."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

Place = tuple[int, int]  # code points of a text, half open
COPY = -1  # instead of the end of a place: the piece is a copy


class Origin:
    """The pieces of a text, in order, and the place of each in the text that it was made from.

    Either each character of a piece has its own place (a copy), or the whole piece stands for one place, which is empty
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
        self.piece_starts = array("q")
        self.starts = array("q")
        self.ends = array("q")  # COPY marks a copy
        self.size = 0

    def copy(self, size: int, start: int) -> None:
        """Adds a copy of `size` characters from `start` on."""
        self._add(size, start, COPY)

    def stand_for(self, size: int, start: int, end: int) -> None:
        """Adds `size` characters that stand for the place from `start` to `end`."""
        self._add(size, start, end)

    def _add(self, size: int, start: int, end: int) -> None:
        assert size >= 0
        if size:
            self.piece_starts.append(self.size)
            self.starts.append(start)
            self.ends.append(end)
            self.size += size

    def place(self, start: int, end: int) -> Place:
        """Returns the smallest place that covers those of the characters start to end, one or more."""
        number = bisect_right(self.piece_starts, start) - 1
        first, stop = self._part(number, start, end)
        while number + 1 < len(self.piece_starts) and self.piece_starts[number + 1] < end:
            number += 1
            one, other = self._part(number, start, end)
            first, stop = min(first, one), max(stop, other)
        return first, stop

    def _part(self, number: int, start: int, end: int) -> Place:
        """Returns the place of those of the characters start to end that are in one piece."""
        begin, first, stop = self.piece_starts[number], self.starts[number], self.ends[number]
        if stop != COPY:
            return first, stop
        piece_end = self.piece_starts[number + 1] if number + 1 < len(self.piece_starts) else self.size
        return first + max(start, begin) - begin, first + min(end, piece_end) - begin


def origin_of(size: int, edits: Iterable[tuple[int, int, int]]) -> Origin:
    """Returns the origin of a text of so many characters after edits: the start, the end, and the new size of each."""
    origin, end = Origin(), 0
    for start, stop, new in edits:
        origin.copy(start - end, end)
        origin.stand_for(new, start, stop)
        end = stop
    origin.copy(size - end, end)
    return origin


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
