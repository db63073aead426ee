"""Ids on disk, which have numbers when all have come.

Ids are first numbered in portions that fit in memory. The ids of all portions are sorted by their hashes, which tells
for each the place where it was first mentioned, and sorted back by their own places.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Buffer, SelectedIds
from shingletools.kernel.types import U64, Index
from shingletools.numbers.payload_store import DEFAULT, DiskLimits, PayloadStore
from shingletools.numbers.ranges import stretches
from shingletools.numbers.sorter import Sorter
from shingletools.system.disk_array import DiskArray
from shingletools.system.errors import Failed
from shingletools.system.memory_limit import Memory

ID_BYTES = 80  # memory for an id of a portion, without its own bytes: its number, and what it takes to hash and sort it
MAX_IDS = 1 << 31  # ids, and ids of a portion
READ_ENTRIES = 1 << 18  # mentions, or pairs, that are read together
ROW_PLACES = 256  # places of ids, of which the number of the first one is known

Hashes = tuple[U64, Index]  # two keyed hashes of each id, of 64 bits


class KeyedHashes:
    """Hashes that distinguish ids.

    Of 10^9 different ids, any two share both hashes with a chance below 10^-20.
    """

    def __init__(self) -> None:
        self.tables = kernel.new_ids(), kernel.new_ids()  # whose random keys hash

    def hash(self, ids: bytes | bytearray, sizes: Buffer) -> Hashes:
        """Returns the hashes of ids, one after the other. sizes: the bytes of each, int64."""
        one, two = (np.frombuffer(table.hashes(ids, sizes), np.uint64) for table in self.tables)
        return one, two.view(np.int64)


class IdsOnDisk:
    """Ids, which are numbered from 0 on in the order of their first mention.

    Memory: the limit; when all have come, a byte for each id of each portion.
    """

    def __init__(self, memory: Memory, limits: DiskLimits = DEFAULT) -> None:
        self.memory, self.limits = memory, limits
        self.hashes = KeyedHashes()
        self.most = memory.share(2, limits.least_share)  # bytes of a portion
        self.portion = kernel.new_ids()
        self.every = PayloadStore(memory, 1, limits)  # the ids of each portion, by their places
        self.by_hash = Sorter(memory, 4, limits, columns=2)
        self.mentions = DiskArray(memory.folder)  # numbers within portions, int32
        self.mentioned = 0
        self.ends = [(0, 0)]  # of portions: of their ids, and of their mentions
        self.ids = PayloadStore(memory, 1, limits)  # by their numbers

    def __len__(self) -> int:
        return self.ids.documents

    def number(self, ids: bytes, sizes: Buffer) -> Index:
        """Returns the number of each id within the portion, which lasts until numbers are mentioned."""
        return np.frombuffer(self.portion.number(ids, sizes), np.int64)

    def mention(self, numbers: Index) -> None:
        """Takes numbers of which those are wanted that ids will have."""
        self.mentions.append(numbers.astype(np.int32).tobytes())
        self.mentioned += len(numbers)
        if len(self.portion.data) + ID_BYTES * len(self.portion) >= self.most or len(self.portion) >= MAX_IDS // 2:
            self._end_portion()

    def _end_portion(self) -> None:
        sizes = np.diff(np.append(0, np.frombuffer(self.portion.ends, np.int64)))
        one, two = self.hashes.hash(self.portion.data, sizes)
        self.by_hash.add(one, np.column_stack([two, np.arange(len(sizes)) + self.every.documents]))
        self.every.extend(self.portion.data, sizes.tobytes())
        self.ends.append((self.every.documents, self.mentioned))
        self.portion = kernel.new_ids()

    def numbers(self) -> Iterator[Index]:
        """Yields the numbers of all mentions, in their order, some at a time. No ids can be added after this."""
        self._end_portion()
        numbers, mentions = self._numbered(), self.mentions.view(np.int32)
        for (start, first), (end, last) in pairwise(self.ends):
            some = numbers.view(np.int32)[start:end].copy()
            numbers.forget()
            for at in range(first, last, READ_ENTRIES):
                yield some[mentions[at : min(at + READ_ENTRIES, last)]].astype(np.int64)
                self.mentions.forget()

    def _numbered(self) -> DiskArray:
        """Returns the number of each place, int32. Writes the distinct ids by their numbers. Raises Failed."""
        numbers = DiskArray(self.memory.folder)
        # How many ids are first mentioned before each row
        rows = np.empty(self.every.documents // ROW_PLACES + 1, np.int64)
        beyond = np.empty(self.every.documents, np.uint8)  # how many between the beginning of its row and each place
        for keys, first in self._by_place().sorted():
            places = keys.view(np.int64)
            new = first == places
            before = np.cumsum(new) - new + len(self)
            heads = places % ROW_PLACES == 0
            rows[places[heads] // ROW_PLACES] = before[heads]
            beyond[places] = before - rows[places // ROW_PLACES]
            numbers.append((rows[first // ROW_PLACES] + beyond[first]).astype(np.int32).tobytes())
            fresh = places[new]
            for part in stretches(self.every.sizes(fresh), self.most):
                data, sizes = self.every.load(fresh[part])
                self.every.forget()
                self.ids.extend(data.data, sizes.tobytes())
            if len(self) > MAX_IDS:
                raise Failed(f"more than {MAX_IDS} ids")
        return numbers

    def _by_place(self) -> Sorter:
        """Yields each place, with the place where its id was first mentioned."""
        by_place = Sorter(self.memory, 4, self.limits)
        for keys, values in self.by_hash.sorted():
            one, (two, place) = keys, values.T
            same = one[1:] == one[:-1]
            if (two[1:] != two[:-1])[same].any():  # ids share the first hash, which is rare
                order = np.lexsort((two, one))
                one, two, place = one[order], two[order], place[order]
                same = (one[1:] == one[:-1]) & (two[1:] == two[:-1])
            starts = np.flatnonzero(np.append(True, ~same)[: len(one)])
            if len(starts):
                first = np.minimum.reduceat(place, starts)
                by_place.add(place.astype(np.uint64), np.repeat(first, np.diff(np.append(starts, len(place)))))
        return by_place

    def names(self, numbers: Index) -> SelectedIds:
        """Returns the ids with these numbers."""
        distinct, places = np.unique(numbers, return_inverse=True)
        data, sizes = self.ids.load(distinct) if len(distinct) else (distinct, distinct)
        self.ids.forget()
        return SelectedIds(data, np.cumsum(sizes), places)
