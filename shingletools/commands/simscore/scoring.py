"""Scores what was found by the truth: all pairs, each band of similarity, and each threshold."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shingletools.commands.simscore.partition_agreement import GroupFigures, compare_groups
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.exact_ratios import PairCounts, Ratio, ratio
from shingletools.numbers.pair_relation import NONE, FrozenRelation, common_pairs, ends_of
from shingletools.numbers.union_find import UnionFind

if TYPE_CHECKING:
    from fractions import Fraction


class Band(NamedTuple):
    """Pairs from one similarity up to the next."""

    least: "Fraction"
    below: "Fraction | None"  # None for the last band, which includes 1
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

    least: "Fraction | None"  # None for all
    pairs: PairCounts
    groups: GroupFigures


class Scores(NamedTuple):
    """All scores of a run."""

    bands: list[Band]
    thresholds: list[Whole]
    all: Whole
    documents: int
    outside: int  # pairs of the input, and members of its groups, that are left out


def score(
    found: FrozenRelation, truth: FrozenRelation, there: Flags, edges: "tuple[Fraction, ...]", cut: bool
) -> Scores:
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
) -> Iterator[tuple["Fraction", int, int, Index]]:
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


def by_band(found: FrozenRelation, truth: FrozenRelation, edges: "tuple[Fraction, ...]") -> list[Band]:
    """Counts the pairs of each band: those found, and those of the truth that have a similarity."""
    assert found.bands is not None and truth.bands is not None
    right = truth.has(found.keys)
    recalled = found.has_key(truth.keys)
    columns = [
        np.bincount(bands[bands != NONE], minlength=len(edges)).tolist()
        for bands in (found.bands, found.bands[right], truth.bands, truth.bands[recalled])
    ]
    return [Band(*each) for each in zip(edges, (*edges[1:], None), *columns, strict=True)]
