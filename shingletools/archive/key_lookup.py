"""Looks up rows by their keys, in a segment's table of entries in the order of keys.

Few keys are searched for. For many keys, all entries are read once, in order. The results are the same. Keys are
hashes, spread evenly, so the first guess is mostly right (interpolation search: Perl, Itai and Avni 1978). If they are
not, because many rows have one key, bisection bounds the steps.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.checksummed_files import BLOCK_BYTES, Damaged
from shingletools.archive.segment import Segment
from shingletools.kernel.types import U64, Index
from shingletools.numbers.ranges import spread

ENTRY_BYTES = 12  # bytes of an entry
KEYS = BLOCK_BYTES // 2 // ENTRY_BYTES  # entries that a search reads together
READ_ENTRIES = 1 << 17  # entries that a full pass reads together; also the most that are given together
SEEK_COST = 4  # a search takes so many times as long to read an entry as a pass in order


class SortedKeys:
    """One table of a segment."""

    def __init__(self, segment: Segment, name: str) -> None:
        self.segment, self.name = segment, name
        self.length = segment.length(name)

    def entries(self, start: int, stop: int) -> tuple[U64, Index]:
        """Returns the keys and rows of entries from start to stop."""
        entries: NDArray[Any] = self.segment.column(self.name, start, stop)
        keys, rows = entries["f0"].astype(np.uint64), entries["f1"].astype(np.int64)
        if len(rows) and rows.max() >= self.segment.rows:
            raise Damaged(self.segment.file.name, "damaged (a row that does not exist)")
        if np.any(keys[1:] < keys[:-1]):
            raise Damaged(self.segment.file.name, "damaged (keys that do not ascend)")
        return keys, rows

    def meetings(self, keys: U64) -> Iterator[tuple[Index, Index]]:
        """Yields the keys that the table has, with their rows: blocks of places in `keys` and of rows, of one length.

        keys: ascending, without repeats. The rows of a key ascend, even from block to block. A block has at most
        READ_ENTRIES.
        """
        if not self.length or not len(keys):
            return
        if len(keys) * SEEK_COST * KEYS >= self.length:
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
        for first in range(0, self.length, READ_ENTRIES):
            there, rows = self.entries(first, min(first + READ_ENTRIES, self.length))
            part = slice(int(np.searchsorted(keys, there[0])), int(np.searchsorted(keys, there[-1], "right")))
            starts = np.searchsorted(there, keys[part])
            counts = np.searchsorted(there, keys[part], "right") - starts
            if counts.any():
                places, owner = spread(starts, counts)
                yield part.start + owner, rows[places]

    def _first(self, key: int) -> int:
        """Returns the first entry whose key is not less than this one."""
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
