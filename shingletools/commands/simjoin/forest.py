"""Finds just enough pairs to connect what all pairs connect."""

from array import array
from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from shingletools.commands.simjoin.buckets import Alive, Portion, bands, by_size, copies, mixed
from shingletools.commands.simjoin.label_filter import LabelFilter
from shingletools.commands.simjoin.limits import DEFAULT, Limits, Resources
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.split_buckets import split_portion
from shingletools.commands.simjoin.table import Candidates, Documents
from shingletools.kernel.types import I32, Index
from shingletools.numbers.ranges import spread, stretches
from shingletools.numbers.union_find import UnionFind
from shingletools.record.events import Progress
from shingletools.system.memory_limit import Memory


class Apart(NamedTuple):
    """Rows (hubs), and for each the ranges of rows of other groups (targets) that it is compared with.

    ranges: starts and ends in `targets`, int64, shape (hubs,) each.
    """

    hubs: Portion
    targets: Portion
    ranges: list[tuple[Index, Index]]

    def counts(self) -> Index:
        """Returns how many rows each hub is compared with: int64, shape (hubs,)."""
        counts: Index = np.sum([end - start for start, end in self.ranges], axis=0)
        return counts


class Connected(UnionFind):
    """A union-find of rows that takes many at a time."""

    def roots(self, rows: Index) -> I32:
        """Returns the first row that each row is connected with. Shape (rows,) in and out."""
        parent = np.frombuffer(self.parent, np.int32)
        root = parent[rows]
        while not np.array_equal(above := parent[root], root):
            root = above
        return root


class Forest:
    """Finds pairs of a Join that connect documents as all of its pairs do: fewer pairs than documents.

    Copies are joined to their original. In a bucket the first row is compared with the others; if all are like it, that
    is enough. Then rows that are not connected yet are compared, until all are connected or all were compared. Which of
    the possible pairs come out depends only on the documents and their order.

    Memory: 5 bytes a document and about 75 a pair, and the limit. If memory is None, the table and 64 bytes for each
    entry of a bucket instead of the limit.
    """

    def __init__(
        self,
        documents: Documents,
        cross: int | None = None,
        memory: Memory | None = None,
        limits: Limits = DEFAULT,
        scope: LabelFilter | None = None,
    ) -> None:
        self.table = documents
        self.scope = scope
        self.copies_pair = cross is None and (scope is None or not scope.across)
        self.cross = cross
        self.memory = memory
        self.limits = limits
        self.bands, self.recall = documents.bands, documents.recall
        self.candidates = 0
        self.connected = Connected(len(documents))
        self.found = array("q"), array("q"), array("q")  # pairs: two rows, and agreeing components

    def search(self, jobs: int = 1) -> Generator[Progress, None, Iterator[Pairs]]:
        """Yields how far it is, and returns the pairs, in blocks. `candidates` counts the comparisons."""
        original = np.ones(len(self.table), np.bool_)
        copied = array("q"), array("q")
        resources = Resources(self.memory, self.limits, jobs)
        for first, copy in copies(self.table, self.cross, self.scope, resources):
            original[copy] = False
            if self.copies_pair:
                self._add(Pairs(first, copy, self.table.whole(first)))
            else:
                copied[0].frombytes(first.tobytes())
                copied[1].frombytes(copy.tobytes())
        alive = Alive(original, self.scope)
        every = bands(self.table, alive, resources) if np.count_nonzero(original) > 1 else ()
        for number, band in enumerate(every):
            for portion in band:
                # Without places, since the order of rows by size that bounds need would choose other pairs
                self.connect(by_size(self.table, portion._replace(place=None)))
                yield Progress(number / self.bands, self.candidates)
        if not self.copies_pair:
            self._add(self._beside(np.array(copied[0]), np.array(copied[1])))
        yield Progress(1, self.candidates)
        return self._pairs()

    def _pairs(self) -> Iterator[Pairs]:
        """Yields the pairs that were found in blocks, all in order."""
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
        """Connects candidates that are pairs, in their order. Skips candidates that are connected already.

        Shapes: (candidates,), (candidates,), int64.
        """
        for start in range(0, len(left), self.limits.candidates):
            part = slice(start, start + self.limits.candidates)
            one, two = left[part], right[part]
            apart = self.connected.roots(one) != self.connected.roots(two)
            if self.cross is not None:
                apart &= (one < self.cross) != (two < self.cross)
            if self.scope is not None:
                apart &= self.scope.has(one, two)
            one, two = one[apart], two[apart]
            self.candidates += len(one)
            agreeing = self.table.compare(Candidates(one, two)).agreeing
            pairs = Pairs(one, two, agreeing).at(agreeing > 0)
            new = self.connected.join(pairs.a, pairs.b)
            self._add(pairs.at(new))

    def connect(self, portion: Portion) -> None:
        """Connects the pairs in each bucket."""
        others = self._without_hubs(mixed(portion, self.scope))
        for part, _ in split_portion(self.table, others, self._weigh, self.limits):
            self._connect(part)

    def _without_hubs(self, portion: Portion) -> Portion:
        """Compares the first row of each bucket with the others, and returns the others."""
        bucket, row = portion[:2]
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
                left = apart.hubs.at(np.delete(np.arange(len(counts)), some))  # these hubs have met all targets
                apart = self._apart(left, targets)

    def _roles(self, portion: Portion) -> Iterator[tuple[Portion, Portion | None]]:
        """Yields rows, and the rows that they are compared with; None: with each other."""
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
            return Apart(ordered, others, [behind])  # each pair of rows once
        before = np.searchsorted(others.bucket, ordered.bucket), np.searchsorted(groups, group)
        return Apart(ordered, others, [before, behind])

    def _grouped(self, portion: Portion) -> tuple[Portion, Index]:
        """Sorts the rows of each bucket by group; also gives the number of each row's group.

        The numbers are int64, shape (rows,), ascending, and different in each bucket.
        """
        root = self.connected.roots(portion.row)
        order = np.lexsort((portion.row, root, portion.bucket))
        return portion.at(order), portion.bucket[order] * len(self.table) + root[order]

    def _beside(self, original: Index, copy: Index) -> Pairs:
        """Yields pairs of copies: each copy with a partner of its original.

        Shapes: (copies,), (copies,) in, int64. The pairs are in the same order, without copies whose original has none.
        """
        one, two, agreeing = map(np.array, self.found)
        row, place = np.unique(np.append(one, two), return_index=True)
        found = np.searchsorted(row, original)
        paired = np.append(row, -1)[found] == original
        place = place[found[paired]]
        return Pairs(copy[paired], np.append(two, one)[place], np.append(agreeing, agreeing)[place])
