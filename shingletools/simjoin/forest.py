"""Enough pairs to connect what all pairs would connect, and no more."""

from array import array
from collections.abc import Iterator

import numpy as np

from shingletools.kernel.types import Index
from shingletools.simjoin.arrays import CANDIDATES, Pairs, spread, stretches
from shingletools.simjoin.buckets import Portion, bands, copies
from shingletools.simjoin.finer import finer
from shingletools.simjoin.scratch import Memory
from shingletools.simjoin.table import Documents

COMPARED = 1 << 20  # candidates chosen by what is connected so far


class Forest:
    """Pairs of a Join that connect its documents as all of them do: fewer than there are documents.

    Copies are joined to the first of them. In a bucket the first row is compared with the others, which is all if it
    is like them; then rows that are not connected are compared, until all are, or none is left. Which of many possible
    pairs come out depends on the documents and their order only.

    Memory: 9 bytes a document and some 75 a pair; beside what is allowed or, if memory is None, the table and 64 bytes
    for each entry of a bucket.
    """

    def __init__(self, documents: Documents, cross: int | None = None, memory: Memory | None = None) -> None:
        self.table = documents
        self.cross = cross
        self.memory = memory
        self.bands, self.recall = documents.bands, documents.recall
        self.candidates = 0
        self.parent = array("q", range(len(documents)))
        self.found = array("q"), array("q"), array("q")  # rows, and in how many columns they agree

    def pairs(self, _jobs: int = 1) -> Iterator[Pairs]:
        """The pairs in blocks, sorted throughout; `candidates` counts the comparisons made for them."""
        original = np.ones(len(self.table), np.bool_)
        copied = array("q"), array("q")
        for first, copy in copies(self.table, self.cross, self.memory):
            original[copy] = False
            if self.cross is None:
                self._add(Pairs(first, copy, self.table.whole(first)))
            else:
                copied[0].frombytes(first.tobytes())
                copied[1].frombytes(copy.tobytes())
        for band in bands(self.table, original, self.memory) if np.count_nonzero(original) > 1 else ():
            for portion in band:
                self.connect(portion)
        if self.cross is not None:
            self._add(self._beside(np.array(copied[0]), np.array(copied[1])))
        one, two, agreeing = map(np.array, self.found)
        a, b = np.minimum(one, two), np.maximum(one, two)
        order = np.lexsort((b, a))
        for start in range(0, len(order), CANDIDATES):
            part = order[start : start + CANDIDATES]
            yield Pairs(a[part], b[part], agreeing[part])

    def _add(self, pairs: Pairs) -> None:
        for values, column in zip(pairs, self.found, strict=True):
            column.frombytes(values.astype(np.int64).tobytes())

    def _roots(self, rows: Index) -> Index:
        """One row for all that are connected: the first of them."""
        parent = np.frombuffer(self.parent, np.int64)
        root = parent[rows]
        while not np.array_equal(above := parent[root], root):
            root = above
        return root

    def _root(self, row: int) -> int:
        parent = self.parent
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    def together(self, rows: Index) -> None:
        """Takes rows for connected that are so by pairs found elsewhere."""
        if len(rows):
            np.frombuffer(self.parent, np.int64)[rows] = rows.min()

    def compare(self, left: Index, right: Index) -> None:
        """Connects those of the candidates that are pairs, leaving out what is connected."""
        for start in range(0, len(left), CANDIDATES):
            part = slice(start, start + CANDIDATES)
            one, two = left[part], right[part]
            apart = self._roots(one) != self._roots(two)
            if self.cross is not None:
                apart &= (one < self.cross) != (two < self.cross)
            one, two = one[apart], two[apart]
            self.candidates += len(one)
            pair, agreeing = self.table.compare(one, two)
            for a, b, columns in zip(one[pair].tolist(), two[pair].tolist(), agreeing[pair].tolist(), strict=True):
                first, second = self._root(a), self._root(b)
                if first != second:
                    self.parent[max(first, second)] = min(first, second)
                    for column, value in zip(self.found, (a, b, columns), strict=True):
                        column.append(value)

    def connect(self, portion: Portion) -> None:
        """Connects what is alike in each bucket."""
        for part in finer(self.table, self._without_hubs(portion), self._weigh):
            self._connect(part)

    def _without_hubs(self, portion: Portion) -> Portion:
        """The others, after they have been compared with the first row of their bucket."""
        bucket, row = portion
        hub = np.searchsorted(bucket, bucket)
        others = np.flatnonzero(hub != np.arange(len(row)))
        self.compare(row[hub[others]], row[others])
        return Portion(bucket[others], row[others])

    def _weigh(self, portion: Portion) -> Index:
        (bucket, _), hubs, _, ranges = self._apart(portion)
        return np.bincount(bucket[hubs], np.sum([end - start for start, end in ranges], axis=0)).astype(np.int64)

    def _connect(self, portion: Portion) -> None:
        counts = np.ones(1, np.int64)
        while counts.any():
            (bucket, row), hubs, targets, ranges = self._apart(portion)
            counts = np.sum([end - start for start, end in ranges], axis=0)
            some = next(stretches(counts, COMPARED), slice(0))
            for start, end in ranges:
                place, owner = spread(start[some], (end - start)[some])
                self.compare(row[hubs[some]][owner], row[targets[place]])
            left = np.delete(np.arange(len(row)), hubs[some])  # hubs have been compared with all that is left
            portion = Portion(bucket[left], row[left])

    def _apart(self, portion: Portion) -> tuple[Portion, Index, Index, list[tuple[Index, Index]]]:
        """The portion, those of one group beside each other in each bucket; where there are rows, where other rows, and
        for each of the former from where to where the latter are to be compared with it: those of other groups.
        """
        root = self._roots(portion.row)
        order = np.lexsort((portion.row, root, portion.bucket))
        bucket, row = portion.bucket[order], portion.row[order]
        group = bucket * len(self.table) + root[order]
        if self.cross is None:
            hubs = targets = np.arange(len(row))
        else:
            hubs, targets = np.flatnonzero(row < self.cross), np.flatnonzero(row >= self.cross)
        behind = (
            np.searchsorted(group[targets], group[hubs], "right"),
            np.searchsorted(bucket[targets], bucket[hubs], "right"),
        )
        if self.cross is None:
            return Portion(bucket, row), hubs, targets, [behind]  # a pair counts once
        before = np.searchsorted(bucket[targets], bucket[hubs]), np.searchsorted(group[targets], group[hubs])
        return Portion(bucket, row), hubs, targets, [before, behind]

    def _beside(self, original: Index, copy: Index) -> Pairs:
        """Copies of rows that are in a pair, each with the other row of a first such pair."""
        one, two, agreeing = map(np.array, self.found)
        row, place = np.unique(np.append(one, two), return_index=True)
        found = np.searchsorted(row, original)
        paired = np.append(row, -1)[found] == original
        place = place[found[paired]]
        return Pairs(copy[paired], np.append(two, one)[place], np.append(agreeing, agreeing)[place])
