"""Entries of a key and a row, in the order of keys, in a segment: which rows some keys have.

Few keys are searched for. Many are sorted, and the entries gone through once, in order. What comes out is the same.
Keys are hashes, spread evenly, so that a first guess is mostly right (interpolation search; Perl, Itai and Avni 1978);
where they are not, for many rows have one key, bisection bounds the steps.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.blocks import BLOCK, Damaged
from shingletools.archive.segment import Segment
from shingletools.kernel.types import U64, Index
from shingletools.ranges import spread

ENTRY = 12  # bytes
KEYS = BLOCK // 2 // ENTRY  # that are read together by a search
ENTRIES = 1 << 17  # that are read together by going through all, and given together at most
COST = 4  # times as much it costs to read some by a search, and not in their order


class Sorted:
    """The entries of one table of a segment."""

    def __init__(self, segment: Segment, name: str) -> None:
        self.segment, self.name = segment, name
        self.length = segment.length(name)

    def entries(self, start: int, stop: int) -> tuple[U64, Index]:
        """Some keys, and the row of each."""
        entries: NDArray[Any] = self.segment.column(self.name, start, stop)
        keys, rows = entries["f0"].astype(np.uint64), entries["f1"].astype(np.int64)
        if len(rows) and rows.max() >= self.segment.rows:
            raise Damaged(f"{self.segment.file.name}: damaged (a row that is not there)")
        return keys, rows

    def meetings(self, keys: U64) -> Iterator[tuple[Index, Index]]:
        """Which keys are there, and in which rows: blocks of places in `keys`, and of rows; as many of each.

        keys: ascending, without repeats. Rows of a key ascend, from block to block, too; at most ENTRIES in a block.
        """
        if not self.length or not len(keys):
            return
        if len(keys) * COST * KEYS >= self.length:
            yield from self._all(keys)
            return
        for place, key in enumerate(keys):
            start, more = self._first(int(key)), True
            while more and start < self.length:
                stop = min(start + KEYS, self.length)
                there, rows = self.entries(start, stop)
                count = int(np.searchsorted(there, key, "right"))
                yield np.full(count, place), rows[:count]
                start, more = stop, count == len(there)

    def _all(self, keys: U64) -> Iterator[tuple[Index, Index]]:
        for first in range(0, self.length, ENTRIES):
            there, rows = self.entries(first, min(first + ENTRIES, self.length))
            part = slice(int(np.searchsorted(keys, there[0])), int(np.searchsorted(keys, there[-1], "right")))
            starts = np.searchsorted(there, keys[part])
            counts = np.searchsorted(there, keys[part], "right") - starts
            if counts.any():
                places, owner = spread(starts, counts)
                yield part.start + owner, rows[places]

    def _first(self, key: int) -> int:
        """The first entry whose key is no less."""
        low, high, least, most, guess = 0, self.length, 0, 2**64, True
        while low < high:
            share = (max(key - least, 0), max(most - least, 1)) if guess else (1, 2)
            middle = low + (high - low) * share[0] // share[1]
            guess = not guess
            begin = max(low, min(middle - KEYS // 2, high - KEYS))
            block, _ = self.entries(begin, min(begin + KEYS, high))
            place = int(np.searchsorted(block, np.uint64(key)))
            if 0 < place < len(block) or (not place and begin == low):
                return begin + place
            if place:
                low, least = begin + len(block), int(block[-1])
            else:
                high, most = begin, int(block[0])
        return low
