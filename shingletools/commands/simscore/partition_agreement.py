"""The agreement of two partitions, in exact fractions."""

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Index
from shingletools.numbers.exact_ratios import Ratio, choose_two, ratio


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
