"""Similarities of a sample's sets to all others, by merge counting (Sarawagi and Kirpal 2004)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.forms import CONTAINMENT, COSINE
from shingletools.commands.simtune.shingle_sets import NUMBER_BITS, DistinctSets
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import F64, Flags, Index, Postings
from shingletools.numbers.inverse_document_frequency import counted_square
from shingletools.numbers.ranges import spread, stretches

STEPS = 1 << 29  # common shingles of pairs that are counted for one form
CELLS = 1 << 24  # pairs of sets that are looked at for one form
BATCH_CELLS = 1 << 20  # at once
BINS = 100
CLOSE = 1e-9  # hundredths: a similarity as near below an edge reaches it, since floating point cannot tell


class QueryMatches(NamedTuple):
    """Pairs of a query and a target that have something in common. Shapes (pairs,)."""

    row: Index  # the place of the query among those of a block
    column: Index  # the place of the target in SetComparison.targets
    similarity: F64


class SetComparison(NamedTuple):
    """Sets that are compared, the queries, with all that they are compared with, the targets."""

    queries: Index  # as many sets as the bounds on the work allow
    targets: Index  # sets
    all_queries: int  # how many queries there would be without bounds
    targets_each: int  # targets of each query
    totals: Index  # (sets,): number of shingles, or sum of their squared weights
    postings: Postings  # of the queries, then the targets
    measure: str

    def blocks(self) -> Iterator[tuple[Index, QueryMatches]]:
        """Yields some queries at a time, with all their pairs."""
        queries, targets = len(self.queries), len(self.targets)
        owners = np.repeat(np.arange(queries), self.postings.sizes[:queries])
        steps = np.bincount(owners, np.diff(self.postings.bounds)[self.postings.numbers], queries).astype(np.int64)
        for part in stretches(np.full(queries, targets), BATCH_CELLS):
            room = int(np.minimum(steps, targets)[part].sum())
            block = range(part.start, part.stop)
            _, left, right, common = kernel.shared_counts(self.postings, block, queries, 1, room)
            unequal = self.queries[left] != self.targets[right - queries]
            left, right, common = left[unequal], right[unequal] - queries, common[unequal]
            a, b = self.totals[self.queries[left]].astype(np.float64), self.totals[self.targets[right]]
            whole = np.minimum(a, b) if self.measure == CONTAINMENT else a + b - common
            similarity = common / (np.sqrt(a * b) if self.measure == COSINE else whole)
            yield self.queries[part], QueryMatches(left - part.start, right, similarity)


def edges_with(threshold: Fraction | None) -> tuple[Fraction, ...]:
    """Returns the edges of bins: each hundredth, and the threshold."""
    return tuple(sorted({*(Fraction(i, BINS) for i in range(BINS + 1)), *([threshold] if threshold else [])}))


def bins_of(similarity: F64, edges: tuple[Fraction, ...]) -> Index:
    """Returns the number of the edge that each similarity reaches. Shape as that of the similarities."""
    hundredths = BINS * similarity + CLOSE
    bins = np.floor(hundredths).astype(np.int64)
    for edge in edges:
        if (BINS * edge).denominator > 1:
            bins += hundredths >= float(BINS * edge)
    return bins


def compare_sets(sets: DistinctSets, measure: str, against: Flags | None) -> SetComparison:
    """Prepares the comparison of a sample's sets with all others.

    against: whether each document of the sample is one of --against: then only these are targets, and only others are
    queries.
    """
    squares = squared_weights(sets) if measure == COSINE else None
    totals = sets.sizes if squares is None else sums_of_sets(squares[sets.numbers], sets)
    is_against = np.zeros(len(sets.sizes), np.bool_) if against is None else against[sets.first]
    targets = np.arange(len(is_against)) if against is None else np.flatnonzero(is_against)
    starts = np.cumsum(sets.sizes) - sets.sizes
    place, row = spread(starts[targets], sets.sizes[targets])
    entries = np.bincount(sets.numbers[place], minlength=len(sets.frequencies))
    queries = np.flatnonzero(~is_against)
    steps = np.cumsum(sums_of_sets(entries[sets.numbers], sets)[queries])
    affordable = min(int(np.searchsorted(steps, STEPS, "right")), CELLS // max(len(targets), 1))
    bounded = queries[: max(affordable, 1)]
    query_entries, _ = spread(starts[bounded], sets.sizes[bounded])
    rows = np.sort(sets.numbers[place] << NUMBER_BITS | row) & (1 << NUMBER_BITS) - 1
    sizes = np.append(sets.sizes[bounded], np.zeros(len(targets), np.int64))
    bounds = np.append(0, np.cumsum(entries))
    postings = Postings(sets.numbers[query_entries], sizes, rows + len(bounded), bounds, squares)
    targets_each = len(targets) - (against is None)
    return SetComparison(bounded, targets, len(queries), targets_each, totals, postings, measure)


def squared_weights(sets: DistinctSets) -> Index:
    """Returns the squared weights of shingles by `simjoin --weights counted`. Shape (shingles,)."""
    counts, place = np.unique(sets.frequencies, return_inverse=True)
    filled = int(sets.documents.sum())
    return np.array([counted_square(filled, count) for count in counts.tolist()], np.int64)[place]


def sums_of_sets(values: Index, sets: DistinctSets) -> Index:
    """Returns the sum of the values of each set's entries. Shapes: (entries,) in, (sets,) out."""
    ends = np.append(0, np.cumsum(values))[np.append(0, np.cumsum(sets.sizes))]
    of_sets: Index = np.diff(ends)
    return of_sets
