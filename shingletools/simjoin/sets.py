"""What the join compares: sets of shingles, exactly (AllPairs: Bayardo, Ma, Srikant 2007; PPJoin: Xiao et al. 2008)."""

from collections.abc import Callable, Iterator

import numpy as np

from shingletools import kernel
from shingletools.kernel import U64, Index
from shingletools.simjoin.join import spread
from shingletools.simjoin.measures import Measure
from shingletools.simjoin.table import Flags, Table

ROUND = 16  # tokens looked up before it is asked whether the rest can still suffice


def exactly(values: Index, function: Callable[[int], int]) -> Index:
    """A function in Python's integers and fractions of each value; called once for each distinct one."""
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([function(value) for value in distinct.tolist()], np.int64)[place]


class Sets:
    """Sets of tokens. `tokens` holds one set after the other, each token once, `sizes` of them, none empty.

    Memory: 16 bytes a token, three times that while the sets are put in order.
    """

    def __init__(self, tokens: U64, sizes: Index, measure: Measure) -> None:
        self.measure = measure
        distinct, token, counts = np.unique(tokens, return_inverse=True, return_counts=True)
        self.universe = len(distinct)
        rank = np.empty(self.universe, np.int64)
        rank[np.argsort(counts, kind="stable")] = np.arange(self.universe)
        # One ascending array: set * universe + rank of the token, the rarest being 0
        self.entries = np.repeat(np.arange(len(sizes)) * self.universe, sizes) + rank[token]
        self.entries.sort()
        self._measure_out(sizes)

    def _measure_out(self, sizes: Index) -> None:
        self.sizes = sizes
        self.starts = np.cumsum(sizes) - sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def keys(self) -> U64:
        tokens = (self.entries % self.universe).astype(np.uint64)
        sums: U64 = np.add.reduceat(kernel.fmix64(tokens + np.uint64(1)), self.starts)
        return sums

    def equal(self, left: Index, right: Index) -> Flags:
        same: Flags = self.sizes[left] == self.sizes[right]
        some = np.flatnonzero(same)
        place, pair = spread(self.starts[left[some]], self.sizes[left[some]])
        other = place + (self.starts[right[some]] - self.starts[left[some]])[pair]
        differs = self.entries[place] % self.universe != self.entries[other] % self.universe
        same[some[pair[differs]]] = False
        return same

    def keep(self, rows: Index) -> None:
        place, row = spread(self.starts[rows], self.sizes[rows])
        self.entries = row * self.universe + self.entries[place] % self.universe
        self._measure_out(self.sizes[rows])

    def buckets(self) -> Iterator[tuple[U64, Index]]:
        prefix = self.sizes - exactly(self.sizes, self.measure.least) + 1
        place, row = spread(self.starts, prefix)
        yield (self.entries[place] % self.universe).astype(np.uint64), row

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        """Looks the smaller set's tokens up in the larger; gives up on a pair as soon as the rest cannot suffice."""
        swap = self.sizes[left] > self.sizes[right]
        small, large = np.where(swap, right, left), np.where(swap, left, right)
        sizes = self.measure.combined(self.sizes[small], self.sizes[large])
        need = exactly(sizes, self.measure.overlap)
        common = np.zeros(len(left), np.int64)
        alive = np.flatnonzero(need <= self.sizes[small])
        seen = 0
        while len(alive):
            one = small[alive]
            place, pair = spread(self.starts[one] + seen, np.minimum(self.sizes[one] - seen, ROUND))
            wanted = large[alive][pair] * self.universe + self.entries[place] % self.universe
            found = np.searchsorted(self.entries, wanted)
            hit = self.entries[np.minimum(found, len(self.entries) - 1)] == wanted
            common[alive] += np.bincount(pair, hit, len(alive)).astype(np.int64)
            seen += ROUND
            left_over = self.sizes[small[alive]] - seen
            alive = alive[(left_over > 0) & (common[alive] + left_over >= need[alive])]
        return common >= need, common

    def whole(self, rows: Index) -> Index:
        return self.sizes[rows]


class Verified:
    """Documents with sketches and sets: sketches that agree enough propose a pair, the sets decide."""

    def __init__(self, sketches: Table, sets: Table) -> None:
        self.sketches = sketches
        self.sets = sets

    def __len__(self) -> int:
        return len(self.sets)

    def keys(self) -> U64:
        return self.sets.keys()

    def equal(self, left: Index, right: Index) -> Flags:
        return self.sets.equal(left, right)

    def keep(self, rows: Index) -> None:
        self.sketches.keep(rows)
        self.sets.keep(rows)

    def buckets(self) -> Iterator[tuple[U64, Index]]:
        return self.sketches.buckets()

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        pair, common = self.sketches.compare(left, right)
        proposed = np.flatnonzero(pair)
        pair[proposed], common[proposed] = self.sets.compare(left[proposed], right[proposed])
        return pair, common

    def whole(self, rows: Index) -> Index:
        return self.sets.whole(rows)
