"""Exact similarities of all pairs of sets of a sample, by bins; a bound on the work leaves some of them out."""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.judged import Judgement
from shingletools.commands.simtune.shingled import NO_ROW, Shingled
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Flags, Index, Postings
from shingletools.numbers.belonging import NONE, key_of
from shingletools.numbers.ranges import stretches
from shingletools.numbers.ratios import choose_two

STEPS = 1 << 27  # meetings of sets that share a shingle, each shingle counted: so many at most for one histogram
BLOCK = 1 << 20  # of these at once
BINS = 100


class Histogram(NamedTuple):
    """Pairs of a sample by their similarity.

    Shapes: (bins,) for edges, pairs and true alike; the last edge is 1, and its bin has the pairs of equal sets.

    `pairs` counts those that share a shingle: each bin from its edge up to the next.
    `true` counts those of them that belong together. Where the bound left pairs out, each pair of two different rows
    that was looked at stands for several, by the same factor.
    """

    edges: tuple[Fraction, ...]  # rising, from 0 to 1
    pairs: tuple[Fraction, ...]
    true: tuple[Fraction, ...]
    all_true: Fraction  # those that share nothing among them
    looked: Fraction  # at which share of all pairs

    def from_edge(self, threshold: Fraction) -> tuple[Fraction, Fraction]:
        """The pairs, and the true ones, from one of the edges on."""
        at = self.edges.index(threshold)
        return sum(self.pairs[at:], Fraction(0)), sum(self.true[at:], Fraction(0))

    def middle(self, number: int) -> Fraction:
        """Of a bin; that of the last is 1."""
        return (self.edges[number] + self.edges[min(number + 1, len(self.edges) - 1)]) / 2


def edges(threshold: Fraction | None) -> tuple[Fraction, ...]:
    """Where bins begin: at each hundredth, and at a threshold."""
    return tuple(sorted({*(Fraction(i, BINS) for i in range(BINS + 1)), *([threshold] if threshold else [])}))


def histogram(of: Shingled, threshold: Fraction | None, judgement: Judgement | None) -> Histogram:
    """The pairs of a sample, by merge counting (Sarawagi and Kirpal 2004) for one row after the other.

    The rows stand in the order of the sample; the first of them are paired with all, as many as STEPS allow.
    """
    bins = edges(threshold)
    rows = len(of.sizes)
    entries = np.bincount(of.numbers, minlength=len(of.frequencies))
    asks = entries[of.numbers] > 1
    owners = of.owners
    sizes = np.bincount(owners[asks], minlength=rows)
    order = np.argsort(of.numbers, kind="stable")
    postings = Postings(of.numbers[asks], sizes, owners[order], np.append(0, np.cumsum(entries)))
    steps = np.bincount(owners[asks], entries[of.numbers[asks]], minlength=rows).astype(np.int64)
    asking = int(np.searchsorted(np.cumsum(steps), STEPS, "right"))
    counts = np.zeros((2, len(bins)), np.int64)
    rooms = np.minimum(steps, rows)[:asking]
    for part in stretches(rooms, BLOCK):
        room = int(rooms[part].sum())
        _, left, right, common = kernel.shared_counts(postings, range(part.start, part.stop), 0, 1, room)
        place = bins_of(common, of.sizes[left] + of.sizes[right] - common, threshold)
        pairs = of.documents[left] * of.documents[right]
        np.add.at(counts[0], place, pairs)
        if judgement is not None:
            keys = key_of(of.first[left], of.first[right])
            right_ones = judgement.all.same_class(keys) | judgement.all.has_key(keys)
            np.add.at(counts[1], place[right_ones], pairs[right_ones])
    return scaled(of, counts, asking, bins, judgement)


def bins_of(common: Index, union: Index, threshold: Fraction | None) -> Index:
    """The numbers of the bins of similarities, exactly.

    common, union: shingles of pairs, shape (pairs,), int64, union above 0. Returns shape (pairs,), from 0 to bins - 1.
    """
    place = BINS * common // union
    if threshold is not None and (threshold * BINS).denominator > 1:
        distinct, where = np.unique(union, return_inverse=True)
        least = np.array([ceil(threshold * each) for each in distinct.tolist()], np.int64)
        place += common >= least[where]
    return place


def scaled(
    of: Shingled, counts: Index, asking: int, bins: tuple[Fraction, ...], judgement: Judgement | None
) -> Histogram:
    """With documents of one row, and for the pairs that were left out.

    counts: of the rows below `asking`, shape (2, bins), int64: pairs, and those that are true.
    """
    documents = len(of.rows)
    whole = documents * (documents - 1) // 2
    left_out = (of.rows >= asking) | ((of.rows == NO_ROW) & (asking < len(of.sizes)))
    many = int(left_out.sum())
    copies = of.copies()
    looked = whole - many * (many - 1) // 2
    factor = Fraction(whole - copies, max(looked - choose_two(of.documents[:asking]), 1)) if many else Fraction(1)
    pairs = [factor * count for count in counts[0].tolist()]
    true = [factor * count for count in counts[1].tolist()]
    pairs[-1] += copies
    all_true = Fraction(0)
    if judgement is not None:
        classed = true_rows(of, judgement)
        true_copies = choose_two(of.documents[classed])
        here = choose_two(of.documents[:asking][classed[:asking]])
        true[-1] += true_copies
        # Those within the rows that did not ask are of documents that were left out
        all_true = factor * (judgement.pairs() - judgement.pairs_among(left_out) - here) + true_copies
    return Histogram(bins, tuple(pairs), tuple(true), all_true, Fraction(looked, whole) if whole else Fraction(1))


def true_rows(of: Shingled, judgement: Judgement) -> Flags:
    """Which rows stand for documents of one class. Shape (sets,)."""
    flags: Flags = judgement.all.classes[of.first] != NONE
    return flags
