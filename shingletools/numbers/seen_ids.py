"""The ids that have come, within a limit of memory."""

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Flags, Index
from shingletools.numbers.sorter import Entries, Sorter, SortingLimits, ascending
from shingletools.system.memory_limit import Memory

MERGED_RUNS = 8  # runs of one size, of which one is made
BITS_PER_ID = 4  # bits for each id
READ_IDS = 1 << 16  # ids that are read together

Hashes = tuple[U64, Index]  # two keyed hashes of each id, of 64 bits


class SeenIds:
    """Sets of ids, one for each side. Two ids are one if their keyed hashes are.

    A Bloom filter of 64-bit words (Putze, Sanders and Singler 2009) recognizes most new ids. The others
    are looked up in sorted runs of hashes, of which the last ones are in memory.
    """

    def __init__(self, memory: Memory, limits: SortingLimits) -> None:
        self.memory = memory
        self.limits = limits
        half = memory.share(8, limits.least_share) // 2
        self.tables = kernel.new_ids(), kernel.new_ids()  # whose random keys hash
        bits = (half // 8).bit_length() - 1
        self.shift = np.uint64(64 - bits)
        self.words = np.zeros(1 << bits, np.uint64)
        self.most = max(half // 64, 1)  # hashes in memory: sorting takes four times their size
        self.held: list[Hashes] = []  # in memory; each is sorted, and twice as long as the next one or longer
        self.runs: list[tuple[int, Entries]] = []  # on disk; how often each was merged, descending

    def claim(self, side: int, ids: bytes, sizes: Index) -> Flags:
        """Adds ids, one after the other. Returns which are new. sizes: the bytes of each, shape (ids,)."""
        one, two = self._hashes(side, ids, sizes)
        new = np.zeros(len(one), np.bool_)
        left = np.arange(len(one))
        while len(left):  # ids that may come twice are taken in turn
            left = left[ascending(one[left])]
            first = np.append(True, one[left[1:]] != one[left[:-1]])
            some = left[first]
            new[some] = self._claim((one[some], two[some]))
            left = left[~first]
        return new

    def has(self, side: int, ids: bytes, sizes: Index) -> Flags:
        """Returns which ids were added before."""
        return self._known(self._hashes(side, ids, sizes))

    def close(self) -> None:
        """Frees memory and files. No id is claimed or looked for after this."""
        self.words = np.empty(0, np.uint64)
        self.held, self.runs = [], []

    def _hashes(self, side: int, ids: bytes, sizes: Index) -> Hashes:
        """Returns hashes, both of which two of 10^9 different ids share with a chance below 10^-20."""
        one, two = (np.frombuffer(table.hashes(ids, sizes), np.uint64) for table in self.tables)
        return ~one if side else one, two.view(np.int64)

    def _claim(self, hashes: Hashes) -> Flags:
        """Does as `claim`, by hashes of ids, of which the first ones are distinct and ascend."""
        new = ~self._known(hashes)
        one, two = hashes[0][new], hashes[1][new]
        np.bitwise_or.at(self.words, *self._bits((one, two)))
        self.held.append((one, two))
        while len(self.held) > 1 and len(self.held[-2][0]) < 2 * len(self.held[-1][0]):
            self._merge_held(2)
        if sum(len(one) for one, _ in self.held) >= self.most:
            self._merge_held(len(self.held))
            self._write_run()
        return new

    def _bits(self, hashes: Hashes) -> tuple[U64, U64]:
        """Returns the word of each id, and the bits in it."""
        one, two = hashes[0], hashes[1].view(np.uint64)
        bits = np.zeros(len(two), np.uint64)
        for i in range(BITS_PER_ID):
            bits |= np.uint64(1) << (two >> np.uint64(6 * i) & np.uint64(63))
        return one >> self.shift, bits

    def _known(self, hashes: Hashes) -> Flags:
        words, bits = self._bits(hashes)
        known: Flags = self.words[words] & bits == bits
        maybe = np.flatnonzero(known)
        if len(maybe):
            one, two = hashes[0][maybe], hashes[1][maybe]
            known_by = [*(has(run, one, two) for run in self.held)]
            for _, run in self.runs:
                known_by.append(has((run.keys, run.values), one, two))
                run.forget()
            known[maybe] = np.any(known_by, axis=0)
        return known

    def _merge_held(self, number: int) -> None:
        one, two = (np.concatenate(parts) for parts in zip(*self.held[-number:], strict=True))
        order = ascending(one)
        self.held[-number:] = [(one[order], two[order])]

    def _write_run(self) -> None:
        self.runs.append((0, Entries(self.held, self.memory)))
        self.held = []
        while len(self.runs) >= MERGED_RUNS and self.runs[-MERGED_RUNS][0] == self.runs[-1][0]:
            sorter = Sorter(self.memory, 16, self.limits)
            for _, run in self.runs[-MERGED_RUNS:]:
                for start in range(0, len(run.keys), READ_IDS):
                    sorter.add(run.keys[start : start + READ_IDS].copy(), run.values[start : start + READ_IDS].copy())
                    run.forget()
            self.runs[-MERGED_RUNS:] = [(self.runs[-1][0] + 1, Entries(sorter.sorted(), self.memory))]


def has(sorted_hashes: Hashes, one: U64, two: Index) -> Flags:
    """Returns which hashes are among others, of which the first ones ascend."""
    ones, twos = sorted_hashes
    there = np.zeros(len(one), np.bool_)
    place = np.searchsorted(ones, one)
    while len(ones):
        inside = np.minimum(place, len(ones) - 1)
        same = (ones[inside] == one) & (place < len(ones))
        there |= same & (twos[inside] == two)
        if not np.any(same & ~there):
            break
        place += 1
    return there
