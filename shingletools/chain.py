"""Filters one after the other, on the same lines: what they make of them, and which filter rejects a line."""

from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

from shingletools.records import Reject, filter_lines
from shingletools.stage import Filter


class Rejection(NamedTuple):
    """A line that is left out."""

    place: int  # among the lines that the chain was given
    step: int  # of the filter that rejects it, from 1
    cause: str
    line: bytes  # as that filter got it, without its line feed


class Chain:
    """Filters, each with the field of its ids; it is pickled for worker processes."""

    def __init__(self, filters: Sequence[tuple[Filter, str]]) -> None:
        self.filters = tuple(filters)

    def work(self, lines: bytes) -> tuple[bytes, list[Rejection]]:
        """The lines that the last filter makes, each ended by a line feed, and those that are left out, by place.

        Without filters the lines are what they were.
        """
        rejections: list[Rejection] = []
        for step, (stage, id_field) in enumerate(self.filters, 1):
            gone, made, place = [each.place for each in rejections], [], 0
            for count, result in filter_lines(stage, id_field, lines):
                if isinstance(result, Reject):
                    insort(rejections, Rejection(place_among_all(place, gone), step, *result))
                else:
                    made.append(result)
                place += count
            lines = b"".join(made)
        return lines, rejections


def place_among_all(place: int, gone: Sequence[int]) -> int:
    """Where what stands at a place stood before others went from these places, in ascending order.

    >>> [place_among_all(place, [0, 2]) for place in range(3)]
    [1, 3, 4]
    """
    for each in gone:
        if each > place:
            break
        place += 1
    return place
