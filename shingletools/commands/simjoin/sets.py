"""Tables of sets of shingles, joined exactly, by prefixes or by counting.

AllPairs: Bayardo, Ma, Srikant 2007; PPJoin: Xiao et al. 2008.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial

import numpy as np

from shingletools.commands.simjoin.measures import Ceiling, Measure, root_ceiling
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.table import Bucketed, Candidates, Compared, Components, Counted, Table
from shingletools.kernel import arrays as kernel
from shingletools.kernel.overlap_bound import PRODUCT, SMALLER, SUM
from shingletools.kernel.reference_arrays import COUNTER_BITS, counters_of
from shingletools.kernel.types import ENTRY, U32, U64, BoundedSets, Entries, Flags, Index, Postings, Prefixes, TokenSets
from shingletools.numbers.ranges import spread, stretches
from shingletools.system.workers import in_threads


def exactly(values: Index, function: Callable[[int], int]) -> Index:
    """Returns a function of each value from 0 on, computed exactly in Python, once for each distinct value.

    Ceilings are computed at once, if 64 bits are enough. Shapes: (n,) in, (n,) out, int64, in the same order.
    """
    if isinstance(function, Ceiling):
        above, below = function.share.as_integer_ratio()
        if max(int(values.max(initial=0)) * above, below) < 1 << 63:
            return -(-values * above // below)
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([function(value) for value in distinct.tolist()], np.int64)[place]


def least_common(measure: Measure, a: Index, b: Index) -> Index:
    """Returns the least overlap of sets of sizes a[i] <= b[i] that are a pair. Shapes: (n,), (n,) in; (n,) out.

    Products of sizes may need more than 64 bits. So roots are computed in floating point, and once more in Python's
    integers where a root is too near a whole number: the relative error of floating point is below 2^-50.
    """
    if measure.kind != PRODUCT:
        total = a + b if measure.kind == SUM else a if measure.kind == SMALLER else np.ones_like(a)
        return exactly(total, Ceiling(measure.share))
    root = float(measure.share) * np.sqrt(a.astype(np.float64) * b.astype(np.float64))
    low, high = (np.floor(root * (1 + sign * 2**-50)).astype(np.int64) for sign in (-1, 1))
    least = high + 1
    unsure = np.flatnonzero(low != high)
    both = zip(a[unsure].tolist(), b[unsure].tolist(), strict=True)
    least[unsure] = [root_ceiling(measure.share, one * two) for one, two in both]
    return least


def count_tokens(parts: Iterable[U64]) -> U32:
    """Counts tokens by counters, 2^22 uint32, which tokens share by their hash. parts: sets, one after the other.

    The counter of a token is an upper bound of its number of sets. The join is right for any order of tokens, and fast
    if rare tokens come first.
    """
    counters = np.zeros(1 << COUNTER_BITS, np.uint32)
    for tokens in parts:
        kernel.count_tokens(tokens, counters)
    return counters


def entries_of(
    size: Index, rest: Index, bits: U64 | int = 0, start: Index | int = -1, place: Index | int = 0
) -> Entries:
    """Returns sets in buckets. Shapes: (sets,), (sets,), (sets, 2), (sets,), (sets,) in; (sets,) out."""
    entries = np.empty(len(size), ENTRY)
    for name, values in zip(ENTRY.names or (), (size, rest, bits, start, place), strict=True):
        entries[name] = values
    return entries


class SetTable(Table):
    """Sets of tokens: `tokens`, uint64, has one set after the other, each ascending; `sizes`, int64, their sizes.

    No set is empty. `counters` are of the tokens of all sets; tokens are ordered by them, the rarest first.
    """

    bands, recall = 1, 1.0

    def __init__(self, tokens: U64, sizes: Index, measure: Measure, counters: U32) -> None:
        self.measure = measure
        self.sets = TokenSets.of(tokens, sizes)
        self.sizes = self.wholes = sizes
        self.counters = counters

    def __len__(self) -> int:
        return len(self.sizes)

    def keys(self, some: slice) -> U64:
        return kernel.set_keys(self.sets._replace(sizes=self.sets.sizes[some], starts=self.sets.starts[some]))

    def equal(self, left: Index, right: Index) -> Flags:
        size, whole = self.sizes[left], self.wholes[left]
        same: Flags = (size == self.sizes[right]) & (whole == self.wholes[right]) & (whole > 0)
        same &= whole >= exactly(whole, self.measure.least)
        some = np.flatnonzero(same)
        same[some] = kernel.overlaps(self.sets, left[some], right[some], self.sizes[left[some]]) > 0
        return same

    @cached_property
    def prefixes(self) -> Prefixes:
        """Returns the rarest tokens of each set: a pair shares one, with enough tokens from there on."""
        sizes = np.maximum(self.sizes - exactly(self.sizes, self.measure.least) + 1, 0)
        place, row = spread(np.zeros(len(sizes), np.int64), sizes)
        return self.prefixes_at(kernel.rarest(self.sets, sizes, self.counters), sizes, self.sizes[row] - place)

    def prefixes_at(self, place: Index, sizes: Index, rest: Index) -> Prefixes:
        tokens = self.sets.tokens[place]
        return Prefixes.of(tokens, self.counters[counters_of(tokens)], sizes, rest)

    def buckets(self, _bands: range, alive: Flags) -> Iterator[Bucketed]:
        place, row = spread(np.zeros(len(self), np.int64), self.prefixes.sizes)
        asks = self.prefixes.rest >= exactly(self.wholes, self.measure.least_in_larger)[row]
        bucketed = Bucketed(kernel.fmix64(self.prefixes.tokens), row, asks, place)
        yield bucketed if alive.all() else bucketed.at(alive[row])

    def bounds(self, row: Index, place: Index, /) -> BoundedSets:
        start = self.prefixes.starts[row]
        entries = entries_of(self.wholes[row], self.prefixes.rest[start + place], self.parities[row], start, place)
        return BoundedSets(self.measure.bound, entries, entries, self.prefixes)

    @cached_property
    def parities(self) -> U64:
        """Returns bits that differ in no more places than sets do in tokens. Shape (sets, 2)."""
        return kernel.parities(self.sets)

    def compare(self, some: Candidates, _band: int = 0) -> Compared:
        left, right = some
        small = np.minimum(self.wholes[left], self.wholes[right])
        large = np.maximum(self.wholes[left], self.wholes[right])
        return Compared(self.common(left, right, least_common(self.measure, small, large)), len(left))

    def common(self, left: Index, right: Index, least: Index) -> Index:
        """Returns the overlap of sets left[i] and right[i]; 0 if it is below least[i]. Shapes: (pairs,) all."""
        return kernel.overlaps(self.sets, left, right, least)

    def whole(self, rows: Index) -> Index:
        return self.wholes[rows]

    def counted(self, alive: Flags, /) -> Counted | None:
        least = self.measure.absolute
        return None if least is None else CountedSets(self.sets, alive, least, self.counters)


class Verified(Table):
    """Documents with sketches and sets: sketches that agree enough propose a pair, and the sets decide."""

    def __init__(self, sketches: Table, sets: Table) -> None:
        self.sketches = sketches
        self.sets = sets
        self.bands, self.recall = sketches.bands, sketches.recall

    def __len__(self) -> int:
        return len(self.sets)

    def keys(self, some: slice) -> U64:
        return self.sets.keys(some)

    def equal(self, left: Index, right: Index) -> Flags:
        same: Flags = self.sets.equal(left, right) & self.sketches.equal(left, right)
        return same

    def buckets(self, bands: range, alive: Flags) -> Iterator[Bucketed]:
        return self.sketches.buckets(bands, alive)

    def compare(self, some: Candidates, band: int = 0) -> Compared:
        common, number = self.sketches.compare(some, band)
        proposed = np.flatnonzero(common)
        common[proposed] = self.sets.compare(some.at(proposed)).agreeing
        return Compared(common, number)

    def whole(self, rows: Index) -> Index:
        return self.sets.whole(rows)

    @property
    def components(self) -> Components | None:
        return self.sketches.components


class CountedSets:
    """Finds pairs of sets with at least `least` tokens in common, by merge counting (Sarawagi and Kirpal 2004).

    A set meets all others that share one of its tokens, except its least - 1 most frequent ones: two sets that share
    enough also share another token. For the sets that it has met, the frequent tokens are counted, too. So a token in
    many sets costs no comparisons of sets, only as many steps as there are such sets.

    Memory: 40 bytes for each token while the index is made; then 16, and 8 for each distinct one.
    """

    def __init__(self, sets: TokenSets, alive: Flags, least: int, counters: U32) -> None:
        """Makes postings of the sets that may be in pairs. alive: shape (sets,)."""
        self.least = least
        sizes = np.where(alive & (sets.sizes >= least), sets.sizes, 0)
        token = sets.tokens[kernel.rarest(sets, sizes, counters)]
        order = np.argsort(token, kind="stable")
        token = token[order]
        new = np.append(True, token[1:] != token[:-1])[: len(token)]
        del token
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.cumsum(new) - 1
        rows = np.repeat(np.arange(len(sizes)), sizes)[order]
        self.postings = Postings(numbers, sizes, rows, np.append(np.flatnonzero(new), len(rows)))

    def pairs(self, cross: int | None, most: int, jobs: int) -> Iterator[tuple[int, Pairs]]:
        """Yields blocks: how many rows met, and the pairs among them, unsorted. A block has `most` steps, or one row.

        With `cross`, the two rows are on different sides.
        """
        steps = self._steps()[:cross]
        most_others = len(self.postings.sizes) - 1 - np.arange(len(steps))
        rooms = np.minimum(steps, most_others)
        parts = [part for part in stretches(steps, most) if rooms[part].any()]
        yield from in_threads(partial(self._block, rooms, cross or 0), parts, jobs)

    def _steps(self) -> Index:
        """Returns a lower bound of the meetings that each set counts. Shape (sets,)."""
        sizes, bounds = self.postings.sizes, self.postings.bounds
        sums = np.append(0, np.cumsum(np.diff(bounds)[self.postings.numbers]))
        start = self.postings.starts
        steps: Index = sums[start + np.maximum(sizes - self.least + 1, 0)] - sums[start]
        return steps

    def _block(self, rooms: Index, after: int, part: slice) -> tuple[int, Pairs]:
        asking, room = range(part.start, part.stop), int(rooms[part].sum())
        met, *columns = kernel.shared_counts(self.postings, asking, after, self.least, room)
        return met, Pairs(*columns)
