"""The exact join of documents that are not in memory: bucket by bucket, and what it finds is sorted at the end."""

from collections.abc import Iterator

import numpy as np

from shingletools.kernel import Index
from shingletools.simjoin.arrays import CANDIDATES, Pairs, spread, stretches
from shingletools.simjoin.buckets import Portion, bands, copies
from shingletools.simjoin.scratch import Column, Memory, Sorter
from shingletools.simjoin.table import Documents
from shingletools.workers import in_threads


class External:
    """All pairs of documents, those of a Join.

    Identical rows of one side are collapsed: the first of them, the *original*, stands for its copies. Then the
    originals in each bucket are compared; two that meet in several bands are compared in each, and written once.

    Memory: what is allowed, and two bytes for each document. On disk: 16 bytes for each band of a document, and for
    each band in which a pair meets.
    """

    def __init__(self, documents: Documents, cross: int | None, memory: Memory) -> None:
        self.table = documents
        self.documents = len(documents)
        self.cross = cross
        self.memory = memory
        self.bands, self.recall = documents.bands, documents.recall
        self.candidates = 0
        self.copies = Column(memory)  # original * documents + copy, ascending
        self.found = Sorter(memory, 4)  # a * documents + b, and in how many columns they agree

    def pairs(self, jobs: int = 1) -> Iterator[Pairs]:
        """The pairs in blocks, sorted throughout; `candidates` counts the comparisons made for them."""
        original, copied = np.ones((2, self.documents), np.bool_)
        copied[:] = False
        sorter = Sorter(self.memory, 4)
        for first, copy in copies(self.table, self.cross, self.memory):
            original[copy] = False
            copied[first] = True
            sorter.add((first * self.documents + copy).astype(np.uint64), copy)
        for key, _ in sorter.sorted():
            self.copies.append(key.tobytes())

        for start in range(0, self.documents if self.cross is None else 0, CANDIDATES):
            alike = start + np.flatnonzero(copied[start : start + CANDIDATES])
            self._add(Pairs(alike, alike, self.table.whole(alike)))
        for band in bands(self.table, original, self.memory) if np.count_nonzero(original) > 1 else ():
            for compared, pairs in in_threads(self._compare, self._candidates(band), jobs):
                self.candidates += compared
                self._add(pairs)
        yield from self._sorted()

    def _candidates(self, band: Iterator[Portion]) -> Iterator[tuple[Index, Index]]:
        """Rows a and b that share a bucket, a < b."""
        for bucket, row in band:
            start = 1 + np.arange(len(row))
            end = np.searchsorted(bucket, bucket, "right")
            if self.cross is not None:
                first_side = np.bincount(bucket, row < self.cross).astype(np.int64)
                start = np.where(row < self.cross, np.searchsorted(bucket, bucket) + first_side[bucket], end)
            counts = end - start
            for part in stretches(counts, CANDIDATES):
                place, owner = spread(start[part], counts[part])
                yield row[part][owner], row[place]

    def _compare(self, candidates: tuple[Index, Index]) -> tuple[int, Pairs]:
        left, right = candidates
        pair, agreeing = self.table.compare(left, right)
        return len(left), Pairs(left[pair], right[pair], agreeing[pair])

    def _add(self, pairs: Pairs) -> None:
        """Pairs of originals, as pairs of the documents that they stand for; an original with itself for its copies."""
        one, two, agreeing = pairs
        for part in stretches(self._numbers(one), CANDIDATES):
            left, owner = self._documents(one[part])
            right, counts = two[part][owner], self._numbers(two[part][owner])
            same, alike = (one == two)[part][owner], agreeing[part][owner]
            for some in stretches(counts, CANDIDATES):
                b, owner = self._documents(right[some])
                a = left[some][owner]
                first, last = np.minimum(a, b), np.maximum(a, b)
                wanted = ~same[some][owner] | (a < b)
                if self.cross is not None:
                    wanted &= (first < self.cross) & (self.cross <= last)
                key = (first * self.documents + last)[wanted].astype(np.uint64)
                self.found.add(key, alike[some][owner][wanted])

    def _numbers(self, originals: Index) -> Index:
        """How many documents each stands for."""
        start, end = self._copies(originals)
        return 1 + end - start

    def _documents(self, originals: Index) -> tuple[Index, Index]:
        """The documents that they stand for, in no order, and beside each the place of its original."""
        start, end = self._copies(originals)
        place, owner = spread(start, end - start)
        copy = self.copies.view(np.int64)[place] % self.documents
        return np.append(originals, copy), np.append(np.arange(len(originals)), owner)

    def _copies(self, originals: Index) -> tuple[Index, Index]:
        """Where they start and end."""
        copies = self.copies.view(np.int64)
        limits = np.append(originals, originals + 1) * self.documents
        start, end = np.searchsorted(copies, limits).reshape(2, -1)
        self.copies.forget()
        return start, end

    def _sorted(self) -> Iterator[Pairs]:
        last = np.empty(0, np.uint64)
        for keys, values in self.found.sorted():
            new = np.append(last, keys)[-len(keys) - 1 :]
            fresh = np.ones(len(keys), np.bool_)
            fresh[len(keys) + 1 - len(new) :] = new[1:] != new[:-1]
            pair, agreeing = keys[fresh].astype(np.int64), values[fresh]
            last = keys[-1:] if len(keys) else last
            for start in range(0, len(pair), CANDIDATES):
                part = slice(start, start + CANDIDATES)
                yield Pairs(pair[part] // self.documents, pair[part] % self.documents, agreeing[part])
