"""Scores what was found by the truth: all pairs, each band of similarity, and each threshold."""

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Flags, Index
from shingletools.numbers.exact_ratios import PairCounts, Ratio, choose_two, ratio
from shingletools.numbers.pair_relation import NONE, FrozenRelation, common_pairs, ends_of
from shingletools.numbers.union_find import UnionFind


class GroupFigures(NamedTuple):
    """The figures of agreement of two partitions of the same documents."""

    ari: Ratio
    b3_precision: Ratio
    b3_recall: Ratio

    @property
    def b3_f1(self) -> Ratio:
        """Returns the harmonic mean of both."""
        if self.b3_precision is None or self.b3_recall is None:
            return None
        return 2 * self.b3_precision * self.b3_recall / (self.b3_precision + self.b3_recall)


def compare_groups(found: Index, truth: Index) -> GroupFigures:
    """Compares two partitions: the number of each document's group in either, from 0 on. Shape (documents,) each.

    The adjusted Rand index is that of Hubert and Arabie 1985; B³ that of Bagga and Baldwin 1998, each document with the
    same weight. Raises nothing; time and memory as for sorting the documents.

    >>> compare_groups(np.array([0, 0, 2, 2]), np.array([0, 0, 2, 3]))
    GroupFigures(ari=Fraction(4, 7), b3_precision=Fraction(3, 4), b3_recall=Fraction(1, 1))
    """
    documents = len(found)
    found_sizes, truth_sizes = np.bincount(found), np.bincount(truth)
    cells, counts = np.unique(found * (len(truth_sizes) or 1) + truth, return_counts=True)
    one, two = np.divmod(cells, len(truth_sizes) or 1)
    both, of_found, of_truth = map(choose_two, (counts, found_sizes, truth_sizes))
    every = documents * (documents - 1) // 2
    # With (a + b)/2 - ab/n below, and both sides multiplied by 2n
    ari = ratio(2 * (both * every - of_found * of_truth), (of_found + of_truth) * every - 2 * of_found * of_truth)
    precision = sum_of_shares(counts, found_sizes[one])
    recall = sum_of_shares(counts, truth_sizes[two])
    return GroupFigures(ari, *(share / documents if documents else None for share in (precision, recall)))


def sum_of_shares(counts: Index, sizes: Index) -> Fraction:
    """Returns the sum of count²/size.

    >>> sum_of_shares(np.array([1, 2]), np.array([3, 4]))
    Fraction(4, 3)
    """
    each, place = np.unique(sizes, return_inverse=True)
    sums = np.zeros(len(each), np.int64)
    np.add.at(sums, place, counts * counts)
    whole = lcm(*each.tolist())
    return Fraction(sum(part * (whole // size) for part, size in zip(sums.tolist(), each.tolist(), strict=True)), whole)


class Band(NamedTuple):
    """Pairs from one similarity up to the next."""

    least: Fraction
    below: Fraction | None  # None for the last band, which includes 1
    found: int
    right: int  # pairs found that are true
    truth: int  # pairs of the truth that say a similarity of this band
    recalled: int  # of these, the pairs that were found

    @property
    def precision(self) -> Ratio:
        return ratio(self.right, self.found)

    @property
    def recall(self) -> Ratio:
        return ratio(self.recalled, self.truth)


class Whole(NamedTuple):
    """All pairs, or all from a similarity on, and the groups that they make."""

    least: Fraction | None  # None for all
    pairs: PairCounts
    groups: GroupFigures


class Scores(NamedTuple):
    """All scores of a run."""

    bands: list[Band]
    thresholds: list[Whole]
    all: Whole
    documents: int
    outside: int  # pairs of the input, and members of its groups, that are left out


def score(found: FrozenRelation, truth: FrozenRelation, there: Flags, edges: tuple[Fraction, ...], cut: bool) -> Scores:
    """Scores what was found. edges: where bands begin; cut: leave out the first bands if they have no pairs.

    there: which documents are part of the run, shape (documents,). With bands, `found` has no classes. Memory: some 100
    bytes for each document, and 20 for each pair.
    """
    documents = np.flatnonzero(there)
    true_groups = truth.connected_classes()
    true_groups.join(*ends_of(truth.keys))
    true_of = numbered(true_groups, documents)
    counts = PairCounts(found.pairs(), truth.pairs(), common_pairs(found, truth))
    groups = found.connected_classes()
    bands = by_band(found, truth, edges) if edges else []
    first = next((number for number, band in enumerate(bands) if band.found or band.truth), 0) if cut else 0
    thresholds = [
        Whole(least, counts._replace(found=many, right=right), compare_groups(of, true_of))
        for least, many, right, of in downwards(found, bands[first:], groups, documents)
    ]
    groups.join(*ends_of(found.keys))
    whole = Whole(None, counts, compare_groups(numbered(groups, documents), true_of))
    return Scores(bands[first:], thresholds[::-1], whole, len(documents), found.outside)


def numbered(groups: UnionFind, documents: Index) -> Index:
    """Returns the groups of some of all documents, numbered from 0 on."""
    return np.unique(groups.representatives()[documents], return_inverse=True)[1]


def downwards(
    found: FrozenRelation, bands: list[Band], groups: UnionFind, documents: Index
) -> Iterator[tuple[Fraction, int, int, Index]]:
    """Yields for each band, from the last one to the first: its lower edge; the number of pairs from there on, and of
    the right ones among them; and the groups that these pairs make.
    """
    if found.bands is None or not bands:
        return
    order = np.argsort(found.bands, kind="stable")
    end = len(order)
    many = right = 0
    for band in reversed(bands):
        groups.join(*ends_of(found.keys[order[end - band.found : end]]))
        end -= band.found
        many += band.found
        right += band.right
        yield band.least, many, right, numbered(groups, documents)


def by_band(found: FrozenRelation, truth: FrozenRelation, edges: tuple[Fraction, ...]) -> list[Band]:
    """Counts the pairs of each band: those found, and those of the truth that have a similarity."""
    assert found.bands is not None and truth.bands is not None
    right = truth.has(found.keys)
    recalled = found.has_key(truth.keys)
    columns = [
        np.bincount(bands[bands != NONE], minlength=len(edges)).tolist()
        for bands in (found.bands, found.bands[right], truth.bands, truth.bands[recalled])
    ]
    return [Band(*band) for band in zip(edges, (*edges[1:], None), *columns, strict=True)]
