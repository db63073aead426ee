"""Similarities of a sample's sets to all others, by merge counting (Sarawagi and Kirpal 2004)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.forms import CONTAINMENT, COSINE
from shingletools.commands.simtune.shingled import NUMBER_BITS, Shingled
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import F64, Flags, Index, Postings
from shingletools.numbers.inverse_document_frequency import counted_square
from shingletools.numbers.ranges import spread, stretches

STEPS = 1 << 29  # common shingles of pairs that are counted for one form
CELLS = 1 << 24  # pairs of sets that are looked at for one form
BATCH_CELLS = 1 << 20  # at once
BINS = 100
CLOSE = 1e-9  # hundredths: a similarity as near below an edge reaches it, since floating point cannot tell


class Similar(NamedTuple):
    """Pairs of a set that asks and another one that it meets, with something in common. Shapes (pairs,)."""

    row: Index  # the place of the set that asks among those that ask at once
    column: Index  # the place of the other one in Meetings.met
    similarity: F64


class Meetings(NamedTuple):
    """Sets that ask, the sets that they meet, and what tells how similar these are."""

    asking: Index  # the sets that ask, as many as the bounds on the work allow
    met: Index  # the sets that they meet
    every: int  # how many sets would ask without bounds
    others: int  # how many sets each one meets
    wholes: Index  # (sets,): number of shingles, or sum of their squared weights
    postings: Postings  # of the sets that ask, then those that are met
    measure: str

    def blocks(self) -> Iterator[tuple[Index, Similar]]:
        """Yields the sets that ask, some at a time, with all pairs of these."""
        asked, met = len(self.asking), len(self.met)
        owners = np.repeat(np.arange(asked), self.postings.sizes[:asked])
        steps = np.bincount(owners, np.diff(self.postings.bounds)[self.postings.numbers], asked).astype(np.int64)
        for part in stretches(np.full(asked, met), BATCH_CELLS):
            room = int(np.minimum(steps, met)[part].sum())
            block = range(part.start, part.stop)
            _, left, right, common = kernel.shared_counts(self.postings, block, asked, 1, room)
            apart = self.asking[left] != self.met[right - asked]
            left, right, common = left[apart], right[apart] - asked, common[apart]
            a, b = self.wholes[self.asking[left]].astype(np.float64), self.wholes[self.met[right]]
            wholes = np.sqrt(a * b) if self.measure == COSINE else a + b - common
            similarity = common / (np.minimum(a, b) if self.measure == CONTAINMENT else wholes)
            yield self.asking[part], Similar(left - part.start, right, similarity)


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


def meetings(sets: Shingled, measure: str, others: Flags | None) -> Meetings:
    """Prepares the comparison of a sample's sets with all others.

    others: whether each document of the sample is one of --against: then those of the input meet only these.
    """
    squares = squares_of(sets) if measure == COSINE else None
    wholes = sets.sizes if squares is None else sums(squares[sets.numbers], sets)
    theirs = np.zeros(len(sets.sizes), np.bool_) if others is None else others[sets.first]
    met = np.arange(len(theirs)) if others is None else np.flatnonzero(theirs)
    starts = np.cumsum(sets.sizes) - sets.sizes
    place, row = spread(starts[met], sets.sizes[met])
    entries = np.bincount(sets.numbers[place], minlength=len(sets.frequencies))
    asking = np.flatnonzero(~theirs)
    steps = np.cumsum(sums(entries[sets.numbers], sets)[asking])
    most = min(int(np.searchsorted(steps, STEPS, "right")), CELLS // max(len(met), 1))
    asked = asking[: max(most, 1)]
    mine, _ = spread(starts[asked], sets.sizes[asked])
    rows = np.sort(sets.numbers[place] << NUMBER_BITS | row) & (1 << NUMBER_BITS) - 1
    sizes = np.append(sets.sizes[asked], np.zeros(len(met), np.int64))
    postings = Postings(sets.numbers[mine], sizes, rows + len(asked), np.append(0, np.cumsum(entries)), squares)
    return Meetings(asked, met, len(asking), len(met) - (others is None), wholes, postings, measure)


def squares_of(sets: Shingled) -> Index:
    """Returns the squared weights of shingles by `simjoin --weights counted`. Shape (shingles,)."""
    counts, place = np.unique(sets.frequencies, return_inverse=True)
    return np.array([counted_square(sets.filled, count) for count in counts.tolist()], np.int64)[place]


def sums(values: Index, sets: Shingled) -> Index:
    """Returns the sum of the values of each set's entries. Shapes: (entries,) in, (sets,) out."""
    ends = np.append(0, np.cumsum(values))[np.append(0, np.cumsum(sets.sizes))]
    of_sets: Index = np.diff(ends)
    return of_sets
