"""The origin of each character of a text that a rule has made from another text."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

Place = tuple[int, int]  # code points of a text, half open


class Origin:
    """The edits that made a text from another one: the place of each in both texts.

    A character that an edit wrote comes from the whole place that it replaced, which is empty where it inserted text.

    >>> origin = Origin(6, [(2, 5, 4)])  # "5 EUR." with EUR replaced by euro
    >>> origin.place(0, 1), origin.place(3, 4), origin.place(0, 7)
    ((0, 1), (2, 5), (0, 6))
    """

    def __init__(self, size: int, edits: Iterable[tuple[int, int, int]]) -> None:
        """size: characters of the other text. edits: where each begins and ends there, ascending, and its new size."""
        self.starts, self.ends = array("q"), array("q")  # in the other text
        self.new_starts, self.new_ends = array("q"), array("q")
        moved = 0
        for start, end, new in edits:
            self.starts.append(start)
            self.ends.append(end)
            self.new_starts.append(start + moved)
            self.new_ends.append(start + moved + new)
            moved += new - (end - start)
        self.size = size + moved  # of the text that was made

    def place(self, start: int, end: int) -> Place:
        """Returns the place of the characters start to end, one or more."""
        return self.place_of(start)[0], self.place_of(end - 1)[1]

    def place_of(self, character: int) -> Place:
        edit = bisect_right(self.new_starts, character) - 1
        if edit >= 0 and character < self.new_ends[edit]:
            return self.starts[edit], self.ends[edit]
        before = character if edit < 0 else character - self.new_ends[edit] + self.ends[edit]
        return before, before + 1


def original_place(origins: Sequence[Origin], start: int, end: int) -> Place:
    """Returns the place of characters start to end in the original text, by the origins of all rules.

    An empty place, where a rule inserted text, is empty in the earlier texts, too.
    """
    for origin in reversed(origins):
        if start < end:
            start, end = origin.place(start, end)
        elif start < origin.size:
            start = end = origin.place_of(start)[0]
        elif start:
            start = end = origin.place_of(start - 1)[1]
    return start, end
