"""Enough pairs to connect what all pairs would connect, and no more."""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Index
from shingletools.ranges import spread, stretches
from shingletools.simjoin.buckets import Portion, bands, copies
from shingletools.simjoin.finer import finer
from shingletools.simjoin.limits import DEFAULT, Limits
from shingletools.simjoin.memory import Memory
from shingletools.simjoin.pairs import Pairs
from shingletools.simjoin.table import Documents
from shingletools.unionfind import UnionFind


class Apart(NamedTuple):
    """Rows, and for each from where to where other rows are to be compared with it: those of other groups.

    ranges: starts and ends in `targets`, int64, one of each for each hub.
    """

    hubs: Portion
    targets: Portion
    ranges: list[tuple[Index, Index]]

    def counts(self) -> Index:
        """How many rows are to be compared with each: int64, shape (hubs,)."""
        counts: Index = np.sum([end - start for start, end in self.ranges], axis=0)
        return counts


class Connected(UnionFind):
    """Rows that are connected, many at a time."""

    def roots(self, rows: Index) -> Index:
        """For each of some rows (int64) the first of those that it is connected with, of the same length."""
        parent = np.frombuffer(self.parent, np.int64)
        root = parent[rows]
        while not np.array_equal(above := parent[root], root):
            root = above
        return root

    def together(self, rows: Index) -> None:
        """Takes rows for connected that are so by pairs found elsewhere, and not yet with any other."""
        if len(rows):
            np.frombuffer(self.parent, np.int64)[rows] = rows.min()


class Forest:
    """Pairs of a Join that connect its documents as all of them do: fewer than there are documents.

    Copies are joined to the first of them. In a bucket the first row is compared with the others, which is all if it
    is like them; then rows that are not connected are compared, until all are, or none is left. Which of many possible
    pairs come out depends on the documents and their order only.

    Memory: 9 bytes a document and some 75 a pair; beside what is allowed or, if memory is None, the table and 64 bytes
    for each entry of a bucket.
    """

    def __init__(
        self, documents: Documents, cross: int | None = None, memory: Memory | None = None, limits: Limits = DEFAULT
    ) -> None:
        self.table = documents
        self.cross = cross
        self.memory = memory
        self.limits = limits
        self.bands, self.recall = documents.bands, documents.recall
        self.candidates = 0
        self.connected = Connected(len(documents))
        self.found = array("q"), array("q"), array("q")  # rows, and in how many components they agree

    def pairs(self, jobs: int = 1) -> Iterator[Pairs]:
        """The pairs in blocks, sorted throughout; `candidates` counts the comparisons made for them."""
        original = np.ones(len(self.table), np.bool_)
        copied = array("q"), array("q")
        for first, copy in copies(self.table, self.cross, self.memory, self.limits):
            original[copy] = False
            if self.cross is None:
                self._add(Pairs(first, copy, self.table.whole(first)))
            else:
                copied[0].frombytes(first.tobytes())
                copied[1].frombytes(copy.tobytes())
        alive = np.count_nonzero(original) > 1
        for band in bands(self.table, original, self.memory, self.limits, jobs) if alive else ():
            for portion in band:
                self.connect(portion)
        if self.cross is not None:
            self._add(self._beside(np.array(copied[0]), np.array(copied[1])))
        one, two, agreeing = map(np.array, self.found)
        a, b = np.minimum(one, two), np.maximum(one, two)
        order = np.lexsort((b, a))
        for start in range(0, len(order), self.limits.candidates):
            part = order[start : start + self.limits.candidates]
            yield Pairs(a[part], b[part], agreeing[part])

    def _add(self, pairs: Pairs) -> None:
        for values, column in zip(pairs, self.found, strict=True):
            column.frombytes(values.astype(np.int64).tobytes())

    def compare(self, left: Index, right: Index) -> None:
        """Connects those of the candidates that are pairs, in their order, leaving out what is connected.

        Shapes: (candidates,), (candidates,), int64.
        """
        for start in range(0, len(left), self.limits.candidates):
            part = slice(start, start + self.limits.candidates)
            one, two = left[part], right[part]
            apart = self.connected.roots(one) != self.connected.roots(two)
            if self.cross is not None:
                apart &= (one < self.cross) != (two < self.cross)
            one, two = one[apart], two[apart]
            self.candidates += len(one)
            pair, agreeing = self.table.compare(one, two)
            pairs = Pairs(one[pair], two[pair], agreeing[pair])
            new = self.connected.join(pairs.a, pairs.b)
            self._add(Pairs(*(column[new] for column in pairs)))

    def connect(self, portion: Portion) -> None:
        """Connects what is alike in each bucket."""
        for part in finer(self.table, self._without_hubs(portion), self._weigh, self.limits):
            self._connect(part)

    def _without_hubs(self, portion: Portion) -> Portion:
        """The others, after they have been compared with the first row of their bucket."""
        bucket, row, _ = portion
        hub = np.searchsorted(bucket, bucket)
        others = np.flatnonzero(hub != np.arange(len(row)))
        self.compare(row[hub[others]], row[others])
        return portion.at(others)

    def _weigh(self, portion: Portion) -> Index:
        counts = np.zeros(portion.bucket[-1] + 1, np.int64)
        for hubs, targets in self._roles(portion):
            apart = self._apart(hubs, targets)
            counts += np.bincount(apart.hubs.bucket, apart.counts(), len(counts)).astype(np.int64)
        return counts

    def _connect(self, portion: Portion) -> None:
        for hubs, targets in self._roles(portion):
            apart = self._apart(hubs, targets)
            while (counts := apart.counts()).any():
                some = next(stretches(counts, self.limits.compared))
                for start, end in apart.ranges:
                    place, owner = spread(start[some], (end - start)[some])
                    self.compare(apart.hubs.row[some][owner], apart.targets.row[place])
                left = apart.hubs.at(np.delete(np.arange(len(counts)), some))  # hubs have met all targets
                apart = self._apart(left, targets)

    def _roles(self, portion: Portion) -> Iterator[tuple[Portion, Portion | None]]:
        """Which rows are to be compared with which others; None: with each other."""
        first = None if self.cross is None else portion.row < self.cross
        asks = portion.asks
        if asks is None:
            yield (portion, None) if first is None else (portion.at(first), portion.at(~first))
        elif first is None:
            yield portion.at(asks), None
            yield portion.at(asks), portion.at(~asks)
        else:
            yield portion.at(first & asks), portion.at(~first)
            yield portion.at(first & ~asks), portion.at(~first & asks)

    def _apart(self, hubs: Portion, targets: Portion | None) -> Apart:
        ordered, group = self._grouped(hubs)
        others, groups = (ordered, group) if targets is None else self._grouped(targets)
        behind = np.searchsorted(groups, group, "right"), np.searchsorted(others.bucket, ordered.bucket, "right")
        if targets is None:
            return Apart(ordered, others, [behind])  # a pair counts once
        before = np.searchsorted(others.bucket, ordered.bucket), np.searchsorted(groups, group)
        return Apart(ordered, others, [before, behind])

    def _grouped(self, portion: Portion) -> tuple[Portion, Index]:
        """Rows with those of one group beside each other in each bucket; and a number for each group of a bucket.

        The numbers are int64, one for each row, ascending.
        """
        root = self.connected.roots(portion.row)
        order = np.lexsort((portion.row, root, portion.bucket))
        return portion.at(order), portion.bucket[order] * len(self.table) + root[order]

    def _beside(self, original: Index, copy: Index) -> Pairs:
        """Copies of rows that are in a pair, each with the other row of a first such pair.

        Shapes: (copies,), (copies,) in, int64; in the same order out, without those that have no such pair.
        """
        one, two, agreeing = map(np.array, self.found)
        row, place = np.unique(np.append(one, two), return_index=True)
        found = np.searchsorted(row, original)
        paired = np.append(row, -1)[found] == original
        place = place[found[paired]]
        return Pairs(copy[paired], np.append(two, one)[place], np.append(agreeing, agreeing)[place])
