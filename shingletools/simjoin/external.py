"""The exact join of documents that are not in memory: candidates, then pairs, are sorted on disk."""

from collections.abc import Iterator

import numpy as np

from shingletools.kernel.types import Index
from shingletools.simjoin.arrays import CANDIDATES, Pairs, spread, stretches
from shingletools.simjoin.buckets import Portion, bands, copies
from shingletools.simjoin.scratch import Column, Memory, Sorter
from shingletools.simjoin.table import Documents, Flags
from shingletools.workers import in_threads

BATCH = 1 << 26  # candidates sorted together, so that those met in several buckets are compared once: 1 GB on disk


class External:
    """All pairs of documents, those of a Join.

    Identical rows of one side are collapsed: the first of them, the *original*, stands for its copies. Then the
    originals in each bucket are candidates.

    Memory: what is allowed, two bytes for each document, and 100 for each document of the largest bucket and for each
    copy of a single one. On disk: 16 bytes for each entry of a bucket, for each candidate up to BATCH, for each pair.
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
        original = self._collapse()
        for batch in self._batches(original) if np.count_nonzero(original) > 1 else ():
            for compared, pairs in in_threads(self._compare, batch, jobs):
                self.candidates += compared
                self._add(pairs)
        for key, agreeing in self.found.distinct(CANDIDATES):
            yield Pairs(*np.divmod(key.astype(np.int64), self.documents), agreeing)

    def _collapse(self) -> Flags:
        """Whether each row is an original; those that are identical are pairs already."""
        original = np.ones(self.documents, np.bool_)
        copied = np.zeros(self.documents, np.bool_)
        by_original = Sorter(self.memory, 4)
        for first, copy in copies(self.table, self.cross, self.memory):
            original[copy] = False
            copied[first] = True
            by_original.add((first * self.documents + copy).astype(np.uint64), copy)
        for key, _ in by_original.sorted():
            self.copies.append(key.tobytes())
        for start in range(0, self.documents if self.cross is None else 0, CANDIDATES):
            several = start + np.flatnonzero(copied[start : start + CANDIDATES])
            self._add(Pairs(several, several, self.table.whole(several)))
        return original

    def _batches(self, original: Flags) -> Iterator[Iterator[tuple[Index, Index]]]:
        """The candidates of all bands, each batch sorted and without repeats."""
        sorter, held = Sorter(self.memory, 4), 0
        for band in bands(self.table, original, self.memory):
            for left, right in self._candidates(band):
                sorter.add((left * self.documents + right).astype(np.uint64), left)
                held += len(left)
                if held >= BATCH:
                    yield self._distinct(sorter)
                    sorter, held = Sorter(self.memory, 4), 0
        yield self._distinct(sorter)

    def _distinct(self, candidates: Sorter) -> Iterator[tuple[Index, Index]]:
        for key, left in candidates.distinct(CANDIDATES):
            yield left, key.astype(np.int64) % self.documents

    def _candidates(self, band: Iterator[Portion]) -> Iterator[tuple[Index, Index]]:
        """Rows a and b that share a bucket, a < b, and with `cross` a < cross <= b."""
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

    def _add(self, originals: Pairs) -> None:
        """Pairs of originals, as pairs of the documents that they stand for; an original with itself for its copies."""
        for part in stretches(self._numbers(originals.a), CANDIDATES):
            some = Pairs(*(column[part] for column in originals))
            one, owner = self._documents(some.a)
            some = Pairs(*(column[owner] for column in some))  # beside each document of `one`
            for piece in stretches(self._numbers(some.b), CANDIDATES):
                two, place = self._documents(some.b[piece])
                a, b = one[piece][place], two
                wanted = (some.a != some.b)[piece][place] | (a < b)
                key = np.minimum(a, b) * self.documents + np.maximum(a, b)
                self.found.add(key[wanted].astype(np.uint64), some.agreeing[piece][place][wanted])

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
        """Where the copies of each start and end in `copies`."""
        limits = np.append(originals, originals + 1) * self.documents
        start, end = np.searchsorted(self.copies.view(np.int64), limits).reshape(2, -1)
        self.copies.forget()
        return start, end
