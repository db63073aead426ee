"""What the join compares: sets of shingles, exactly (AllPairs: Bayardo, Ma, Srikant 2007; PPJoin: Xiao et al. 2008)."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Index, TokenSets
from shingletools.simjoin.measures import Measure
from shingletools.simjoin.pairs import spread
from shingletools.simjoin.table import Bucketed, Components, Flags, Table

COUNTERS = 22  # their number's logarithm


def exactly(values: Index, function: Callable[[int], int]) -> Index:
    """A function in Python's integers and fractions of each value; called once for each distinct one.

    Shapes: (n,) in, (n,) out, int64, in the same order.
    """
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([function(value) for value in distinct.tolist()], np.int64)[place]


def counters(tokens: U64) -> Index:
    """The counter of each token, below 2^22: int64, of the tokens' length."""
    return (kernel.fmix64(tokens) >> np.uint64(64 - COUNTERS)).astype(np.int64)


def count_tokens(parts: Iterable[U64]) -> Index:
    """In how many sets the tokens of each counter are: int64, 2^22 of them. The parts are sets, one after the other.

    So it is known of a token in how many sets it seems to be. Any order of tokens makes a right join, and one that puts
    rare tokens first a fast one.
    """
    counts = np.zeros(1 << COUNTERS, np.int64)
    for tokens in parts:
        counts += np.bincount(counters(tokens), minlength=1 << COUNTERS)
    return counts


class SetTable:
    """Sets of tokens: `tokens` (uint64) holds one set after the other, each token once, `sizes` (int64) of them.

    No set is empty. `counts` are those of all sets' tokens; the rarest come first.

    Memory: 16 bytes a token, three times that while the sets are put in order.
    """

    bands, recall = 1, 1.0

    def __init__(self, tokens: U64, sizes: Index, measure: Measure, counts: Index) -> None:
        self.measure = measure
        distinct, token = np.unique(tokens, return_inverse=True)
        order = np.argsort(counts[counters(distinct)], kind="stable")
        self.universe = len(distinct)
        self.hashes = kernel.fmix64(distinct[order])  # of each token, the rarest being 0
        rank = np.empty(self.universe, np.int64)
        rank[order] = np.arange(self.universe)
        # One ascending array: set * universe + rank of the token, the rarest being 0
        self.entries = np.repeat(np.arange(len(sizes)) * self.universe, sizes) + rank[token]
        self.entries.sort()
        self._measure_out(sizes)

    def _measure_out(self, sizes: Index) -> None:
        self.sizes = sizes
        self.starts = np.cumsum(sizes) - sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def parts(self) -> Iterator[tuple[int, Table]]:
        yield 0, self

    def keys(self) -> U64:
        sums: U64 = np.add.reduceat(self.hashes[self.entries % self.universe], self.starts)
        return kernel.fmix64(sums)

    def equal(self, left: Index, right: Index) -> Flags:
        same: Flags = self.sizes[left] == self.sizes[right]
        some = np.flatnonzero(same)
        place, pair = spread(self.starts[left[some]], self.sizes[left[some]])
        other = place + (self.starts[right[some]] - self.starts[left[some]])[pair]
        differs = self.entries[place] % self.universe != self.entries[other] % self.universe
        same[some[pair[differs]]] = False
        return same

    def buckets(self, _bands: range) -> Iterator[Bucketed]:
        prefix = self.sizes - exactly(self.sizes, self.measure.least) + 1
        asking = self.sizes - exactly(self.sizes, self.measure.least_in_larger) + 1
        place, row = spread(self.starts, prefix)
        asks = place < (self.starts + asking)[row]
        yield Bucketed(self.hashes[self.entries[place] % self.universe], row, asks)

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        small = np.minimum(self.sizes[left], self.sizes[right])
        large = np.maximum(self.sizes[left], self.sizes[right])
        need = exactly(self.measure.combined(small, large), self.measure.overlap)
        common = kernel.overlaps(TokenSets(self.universe, self.entries, self.sizes), left, right, need)
        return common > 0, common

    def whole(self, rows: Index) -> Index:
        return self.sizes[rows]

    @property
    def components(self) -> None:
        return None


class Verified:
    """Documents with sketches and sets: sketches that agree enough propose a pair, the sets decide."""

    def __init__(self, sketches: Table, sets: Table) -> None:
        self.sketches = sketches
        self.sets = sets
        self.bands, self.recall = sketches.bands, sketches.recall

    def __len__(self) -> int:
        return len(self.sets)

    def parts(self) -> Iterator[tuple[int, Table]]:
        yield 0, self

    def keys(self) -> U64:
        return self.sets.keys()

    def equal(self, left: Index, right: Index) -> Flags:
        same: Flags = self.sets.equal(left, right) & self.sketches.equal(left, right)
        return same

    def buckets(self, bands: range) -> Iterator[Bucketed]:
        return self.sketches.buckets(bands)

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        pair, common = self.sketches.compare(left, right)
        proposed = np.flatnonzero(pair)
        pair[proposed], common[proposed] = self.sets.compare(left[proposed], right[proposed])
        return pair, common

    def whole(self, rows: Index) -> Index:
        return self.sets.whole(rows)

    @property
    def components(self) -> Components | None:
        return self.sketches.components
