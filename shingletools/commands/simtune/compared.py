"""Which pairs of a sample's sets are compared, what they have in common, and how similar that makes them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.shingled import Shingled
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import F64, Flags, Index, Postings, TokenSets, TokenWeights
from shingletools.numbers.ranges import stretches
from shingletools.numbers.rarity import counted_square

BLOCK = 1 << 20  # steps at once
BINS = 100
JACCARD, CONTAINMENT, SHARED = "jaccard", "containment", "shared"  # measures; the last counts shingles in common
COSINE = "cosine"  # of shingles that weigh by how rare they are
MEASURES = JACCARD, CONTAINMENT, SHARED
LOWEST = Fraction(1, 5)  # pairs of a lesser cosine are not looked for
DIGITS = 12  # of cosines that are compared with each other: of nearer ones the first is the best
CLOSE = 1e-6  # to a whole number: floating point does not tell on which side


class RowPairs(NamedTuple):
    """Pairs of two sets: their rows, and what they have in common: shingles, or their squares. Shape (pairs,) each."""

    left: Index
    right: Index
    common: Index


class Meetings(NamedTuple):
    """Sets, the entries of them by which pairs meet, and what each set has in all."""

    of: Shingled
    by: Shingled
    wholes: Index  # (sets,): shingles, or the sum of their squares
    rests: Index  # (sets,): of these, what entries have by which pairs do not meet
    squares: Index | None = None  # (shingles,): of what `simjoin --weights counted` lets each weigh, or None
    weighed: TokenWeights | None = None  # the sets, as the kernel weighs what they have in common
    least: Fraction = LOWEST  # pairs of a lesser cosine may be left out

    def within(self, most: int, beyond: bool = False) -> int:
        """How many of the first sets can be compared in so many steps: with each other, or with those beyond, too."""
        of = self.by
        entries = np.bincount(of.numbers, minlength=len(of.frequencies))
        met = np.arange(len(of.order)) - np.repeat(np.cumsum(entries) - entries, entries)  # sets before with it
        if beyond:
            met = np.repeat(entries, entries) - 1 - met
        steps = np.bincount(of.owners[of.order], met, minlength=len(of.sizes)).astype(np.int64)
        return int(np.searchsorted(np.cumsum(steps), most, "right"))

    def pairs(self, first: int, beyond: bool = False) -> Iterator[RowPairs]:
        """All pairs that meet of the first sets, or of one of these and any set, the one that comes first on the left.

        By merge counting (Sarawagi and Kirpal 2004).
        """
        of = self.by
        rows = len(of.sizes) if beyond else first
        mine = of.numbers[: int(of.sizes[:rows].sum())]
        owners = np.repeat(np.arange(rows), of.sizes[:rows])
        order = of.order[of.order < len(mine)]
        entries = np.bincount(mine, minlength=len(of.frequencies))
        asks = entries[mine] > 1
        sizes = np.bincount(owners[asks], minlength=rows)
        postings = Postings(mine[asks], sizes, owners[order], np.append(0, np.cumsum(entries)), self.squares)
        steps = np.bincount(owners[asks], entries[mine[asks]], minlength=rows).astype(np.int64)
        rooms = np.minimum(steps, rows)[:first]
        for part in stretches(rooms, BLOCK):
            room = int(rooms[part].sum())
            pairs = RowPairs(*kernel.shared_counts(postings, range(part.start, part.stop), 0, 1, room)[1:])
            yield pairs if self.weighed is None else self.weighing(pairs, self.weighed)

    def weighing(self, pairs: RowPairs, weighed: TokenWeights) -> RowPairs:
        """Pairs whose cosine may be the least or more, and what they have in common; given is what they have of the
        entries by which they meet.
        """
        left, right = pairs.left, pairs.right
        least = np.floor(float(self.least) * mean_of(self.wholes[left], self.wholes[right]) - 1).astype(np.int64)
        # What they have beside these is not among those of the one whose entries end first in the order of all
        pairs = some(pairs, pairs.common + np.maximum(self.rests[left], self.rests[right]) >= least)
        return pairs._replace(common=kernel.common_weights(weighed, pairs.left, pairs.right, pairs.common))

    def cosines(self, pairs: RowPairs) -> F64:
        """To DIGITS, so that equal ones are equal. Shape (pairs,)."""
        return np.round(pairs.common / mean_of(self.wholes[pairs.left], self.wholes[pairs.right]), DIGITS)

    def itself(self, rows: Index) -> RowPairs:
        """Pairs of two documents of one set, by the rows of such sets."""
        return RowPairs(rows, rows, self.wholes[rows])


def meetings(of: Shingled, measure: str, least: Fraction = LOWEST) -> Meetings:
    """By all entries; by the heaviest ones of each set, without which its cosine with any other is below the least.

    If o / sqrt(a b) is t or more, o is at least t^2 a and t^2 b, since it is not above either: so two sets share an
    entry that has, in the order of both, as much as that with those after it.
    """
    if measure != COSINE:
        return Meetings(of, of, of.sizes, np.zeros_like(of.sizes))
    counts, place = np.unique(of.frequencies, return_inverse=True)
    squares = np.array([counted_square(of.filled, count) for count in counts.tolist()], np.int64)[place]
    weights = squares[of.numbers]
    wholes = np.add.reduceat(weights, np.cumsum(of.sizes) - of.sizes) if len(weights) else weights
    order = np.lexsort((of.numbers, -weights, of.owners))
    before = np.cumsum(weights[order]) - weights[order]
    starts = np.cumsum(of.sizes) - of.sizes
    left = wholes[of.owners] - before + np.repeat(before[starts], of.sizes)
    kept = np.zeros(len(weights), np.bool_)
    kept[order] = left >= ceilings(least**2, wholes)[of.owners]
    rests = np.bincount(of.owners[~kept], weights[~kept], len(of.sizes)).astype(np.int64)
    weighed = TokenWeights(TokenSets(of.numbers.astype(np.uint64), of.sizes), weights, wholes)
    return Meetings(of, of.kept(kept, of.documents, of.rows), wholes, rests, squares, weighed)


def mean_of(left: Index, right: Index) -> F64:
    """The geometric means of two numbers, as floating point has them. Shape (pairs,)."""
    means: F64 = np.sqrt(left.astype(np.float64) * right)
    return means


def smoothed(values: Sequence[int], reach: int = 2) -> list[int]:
    """The mean of each value and of so many on either side, rounded down: the greatest one alone is often chance."""
    around = [values[max(at - reach, 0) : at + reach + 1] for at in range(len(values))]
    return [sum(some) // len(some) for some in around]


def some(pairs: RowPairs, flags: Flags) -> RowPairs:
    """The pairs whose flags are set. flags: shape (pairs,)."""
    return RowPairs(*(column[flags] for column in pairs))


def bins_of(wholes: Index, pairs: RowPairs, measure: str, threshold: Fraction | None) -> Index:
    """The numbers of the bins of pairs by a measure, exactly. Shape (pairs,)."""
    if measure == SHARED:
        return np.minimum(pairs.common, BINS)
    left, right = wholes[pairs.left], wholes[pairs.right]
    between = threshold if threshold is not None and (threshold * BINS).denominator > 1 else None  # begins a bin, too
    if measure == COSINE:
        nearest = np.round(BINS * pairs.common / mean_of(left, right)).astype(np.int64)
        place = nearest - ~reached(pairs.common, left, right, nearest, BINS)
        if between is not None:
            place += reached(pairs.common, left, right, between.numerator, between.denominator)
        return place
    whole = left + right - pairs.common if measure == JACCARD else np.minimum(left, right)
    place = BINS * pairs.common // whole
    if between is not None:
        place += pairs.common >= ceilings(between, whole)
    return place


def ceilings(share: Fraction, wholes: Index) -> Index:
    """The least whole numbers that are not less than a share of some."""
    distinct, where = np.unique(wholes, return_inverse=True)
    return np.array([ceil(share * each) for each in distinct.tolist()], np.int64)[where]


def reached(common: Index, left: Index, right: Index, part: Index | int, whole: int) -> Flags:
    """Whether common / sqrt(left * right) is part / whole or more. Shape (pairs,)."""
    beyond = whole * (common / mean_of(left, right)) - part
    flags: Flags = beyond >= 0
    parts = np.broadcast_to(part, common.shape)
    for at in np.flatnonzero(np.abs(beyond) < CLOSE * whole).tolist():
        o, a, b, p = (int(column[at]) for column in (common, left, right, parts))
        flags[at] = (whole * o) ** 2 >= p**2 * a * b
    return flags
