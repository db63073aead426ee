"""Finds the pairs of a sample's sets to compare, and computes their similarity."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.shingled import Shingled
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import F64, Flags, Index, Postings, TokenSets, TokenWeights
from shingletools.numbers.inverse_document_frequency import counted_square
from shingletools.numbers.ranges import stretches

BATCH_STEPS = 1 << 20  # steps at once
BINS = 100
JACCARD, CONTAINMENT, SHARED = "jaccard", "containment", "shared"  # measures; the last counts shingles in common
COSINE = "cosine"  # of shingles that weigh by how rare they are
MEASURES = JACCARD, CONTAINMENT, SHARED
LOWEST = Fraction(1, 5)  # pairs of a lower cosine are ignored
DIGITS = 12  # cosines are rounded to these decimals before they are compared with each other
CLOSE = 1e-6  # nearer to a whole number than this, floating point cannot decide


class RowPairs(NamedTuple):
    """Pairs of sets: their rows, and the number of common shingles or the sum of their squared weights.

    Shapes (pairs,).
    """

    left: Index
    right: Index
    common: Index


class Meetings(NamedTuple):
    """The sets, the entries that are indexed to find pairs, and the total weight of each set."""

    sets: Shingled
    by: Shingled
    wholes: Index  # (sets,): number of shingles, or sum of their squared weights
    rests: Index  # (sets,): the part of `wholes` that is not indexed
    squares: Index | None = None  # (shingles,): squared weights of `simjoin --weights counted`, or None
    weighed: TokenWeights | None = None  # the weighted sets, for the kernel
    least: Fraction = LOWEST  # pairs of a lower cosine may be left out

    def within(self, most: int, beyond: bool = False) -> int:
        """Returns how many of the first sets can be compared in `most` steps.

        beyond: they are compared with all sets, not only with each other.
        """
        sets = self.by
        entries = np.bincount(sets.numbers, minlength=len(sets.frequencies))
        met = np.arange(len(sets.order)) - np.repeat(np.cumsum(entries) - entries, entries)  # sets before with it
        if beyond:
            met = np.repeat(entries, entries) - 1 - met
        steps = np.bincount(sets.owners[sets.order], met, minlength=len(sets.sizes)).astype(np.int64)
        return int(np.searchsorted(np.cumsum(steps), most, "right"))

    def pairs(self, first: int, beyond: bool = False) -> Iterator[RowPairs]:
        """Yields the pairs of the first sets that share an indexed entry; the earlier set is on the left.

        beyond: pairs of one of the first sets with any set. Merge counting: Sarawagi and Kirpal 2004.
        """
        sets = self.by
        rows = len(sets.sizes) if beyond else first
        mine = sets.numbers[: int(sets.sizes[:rows].sum())]
        owners = np.repeat(np.arange(rows), sets.sizes[:rows])
        order = sets.order[sets.order < len(mine)]
        entries = np.bincount(mine, minlength=len(sets.frequencies))
        asks = entries[mine] > 1
        sizes = np.bincount(owners[asks], minlength=rows)
        postings = Postings(mine[asks], sizes, owners[order], np.append(0, np.cumsum(entries)), self.squares)
        steps = np.bincount(owners[asks], entries[mine[asks]], minlength=rows).astype(np.int64)
        rooms = np.minimum(steps, rows)[:first]
        for part in stretches(rooms, BATCH_STEPS):
            room = int(rooms[part].sum())
            pairs = RowPairs(*kernel.shared_counts(postings, range(part.start, part.stop), 0, 1, room)[1:])
            yield pairs if self.weighed is None else self.weighing(pairs, self.weighed)

    def weighing(self, pairs: RowPairs, weighed: TokenWeights) -> RowPairs:
        """Keeps the pairs whose cosine may reach the least, and computes the full weight that they have in common.

        The pairs come with the weight of the indexed entries that they have in common.
        """
        left, right = pairs.left, pairs.right
        means = geometric_means(self.wholes[left], self.wholes[right])
        least = np.floor(float(self.least) * means - 1).astype(np.int64)
        # All else in common is in the rest of one of them: of that whose indexed entries end first in the common order
        pairs = selected(pairs, pairs.common + np.maximum(self.rests[left], self.rests[right]) >= least)
        return pairs._replace(common=kernel.common_weights(weighed, pairs.left, pairs.right, pairs.common))

    def cosines(self, pairs: RowPairs) -> F64:
        """Returns the cosines of pairs, rounded to DIGITS so that equal ones compare equal. Shape (pairs,)."""
        return np.round(pairs.common / geometric_means(self.wholes[pairs.left], self.wholes[pairs.right]), DIGITS)

    def itself(self, rows: Index) -> RowPairs:
        """Returns the pairs of equal documents: each row with itself."""
        return RowPairs(rows, rows, self.wholes[rows])


def meetings(sets: Shingled, measure: str, least: Fraction = LOWEST) -> Meetings:
    """Indexes all entries of the sets; for the cosine, only a prefix of the heaviest entries of each set.

    If o / sqrt(a b) is t or more, o is at least t^2 a and t^2 b, since it is not above either. So two such sets share
    an entry after which, with it, each still has that much weight in the common order.
    """
    if measure != COSINE:
        return Meetings(sets, sets, sets.sizes, np.zeros_like(sets.sizes))
    counts, place = np.unique(sets.frequencies, return_inverse=True)
    squares = np.array([counted_square(sets.filled, count) for count in counts.tolist()], np.int64)[place]
    weights = squares[sets.numbers]
    wholes = np.add.reduceat(weights, np.cumsum(sets.sizes) - sets.sizes) if len(weights) else weights
    order = np.lexsort((sets.numbers, -weights, sets.owners))
    before = np.cumsum(weights[order]) - weights[order]
    starts = np.cumsum(sets.sizes) - sets.sizes
    left = wholes[sets.owners] - before + np.repeat(before[starts], sets.sizes)
    kept = np.zeros(len(weights), np.bool_)
    kept[order] = left >= ceilings(least**2, wholes)[sets.owners]
    rests = np.bincount(sets.owners[~kept], weights[~kept], len(sets.sizes)).astype(np.int64)
    weighed = TokenWeights(TokenSets(sets.numbers.astype(np.uint64), sets.sizes), weights, wholes)
    return Meetings(sets, sets.kept(kept, sets.documents, sets.rows), wholes, rests, squares, weighed)


def geometric_means(left: Index, right: Index) -> F64:
    """Returns the geometric means of pairs of numbers, in floating point. Shape (pairs,)."""
    means: F64 = np.sqrt(left.astype(np.float64) * right)
    return means


def smoothed(values: Sequence[int], reach: int = 2) -> list[int]:
    """Returns moving averages over `reach` values on either side, rounded down: a single peak is often chance."""
    around = [values[max(at - reach, 0) : at + reach + 1] for at in range(len(values))]
    return [sum(some) // len(some) for some in around]


def selected(pairs: RowPairs, flags: Flags) -> RowPairs:
    """Returns the pairs whose flags are set. flags: shape (pairs,)."""
    return RowPairs(*(column[flags] for column in pairs))


def bins_of(wholes: Index, pairs: RowPairs, measure: str, threshold: Fraction | None) -> Index:
    """Returns the exact bins of pairs by a measure. Shape (pairs,)."""
    if measure == SHARED:
        return np.minimum(pairs.common, BINS)
    left, right = wholes[pairs.left], wholes[pairs.right]
    between = threshold if threshold is not None and (threshold * BINS).denominator > 1 else None  # begins a bin, too
    if measure == COSINE:
        nearest = np.round(BINS * pairs.common / geometric_means(left, right)).astype(np.int64)
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
    """Returns the ceilings of share * wholes, exactly."""
    distinct, where = np.unique(wholes, return_inverse=True)
    return np.array([ceil(share * each) for each in distinct.tolist()], np.int64)[where]


def reached(common: Index, left: Index, right: Index, part: Index | int, whole: int) -> Flags:
    """Returns whether common / sqrt(left * right) >= part / whole, exactly. Shape (pairs,)."""
    beyond = whole * (common / geometric_means(left, right)) - part
    flags: Flags = beyond >= 0
    parts = np.broadcast_to(part, common.shape)
    for at in np.flatnonzero(np.abs(beyond) < CLOSE * whole).tolist():
        o, a, b, p = (int(column[at]) for column in (common, left, right, parts))
        flags[at] = (whole * o) ** 2 >= p**2 * a * b
    return flags
