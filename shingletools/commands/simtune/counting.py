"""Counts the pairs of a sample by bins of their exact similarity; a bound on the work leaves some documents out."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.compared import (
    BINS,
    COSINE,
    JACCARD,
    LOWEST,
    MEASURES,
    SHARED,
    Meetings,
    RowPairs,
    bins_of,
    meetings,
    selected,
)
from shingletools.commands.simtune.label_scores import Judgement
from shingletools.commands.simtune.shingled import NO_ROW, Shingled
from shingletools.kernel.types import Flags, Index

STEPS = 1 << 27  # common shingles of pairs that one tally may count
RARE_SHARE = 20  # the search ignores pairs that share less than 1 in RARE_SHARE shingles of the smaller set
STRATA = 4
ONE = Fraction(1)
SCALE = 1 << 16  # of weights in whole numbers


class Population(NamedTuple):
    """Documents of a sample, and the number of all documents that each represents.

    The stratum of a document is 2 * side + labelled.
    """

    there: Flags  # (documents,): which documents of the sample belong to it
    judgement: Judgement | None
    others: Flags | None  # (documents,): those of --against; each pair has one of them
    scale: tuple[Fraction, ...]  # by stratum, the number of all documents for each of these
    true: Fraction  # the number of all true pairs for each true pair of these
    best: Index | None = None  # (documents,): their best partners, if only these make pairs

    @property
    def strata(self) -> Index:
        listed = np.zeros(len(self.there), np.int64) if self.judgement is None else self.judgement.listed
        return 2 * (np.zeros_like(listed) if self.others is None else self.others) + listed

    @property
    def kinds(self) -> int:
        """Returns one more than the greatest stratum."""
        return int(self.strata.max(initial=0)) + 1

    def among(self, there: Flags) -> "Population":
        """Returns the population of some of its documents, shape (documents,), which represent all."""
        there &= self.there
        before, after = (np.bincount(self.strata[flags], minlength=STRATA).tolist() for flags in (self.there, there))
        scale = [
            each * Fraction(many, few) if few else each
            for each, many, few in zip(self.scale, before, after, strict=True)
        ]
        every, here = self.true_pairs(self.there), self.true_pairs(there)
        return self._replace(
            there=there, scale=tuple(scale), true=self.true * Fraction(every, here) if here else self.true
        )

    def first(self, documents: int) -> "Population":
        """Returns the population of the first documents of the sample, without the others."""
        cut = self.among(np.arange(len(self.there)) < documents)
        return cut._replace(
            there=cut.there[:documents],
            judgement=cut.judgement and cut.judgement.first(documents),
            others=None if cut.others is None else cut.others[:documents],
            best=None,
        )

    def with_best_partners(self, sets: Shingled) -> "Population":
        """Returns the documents whose best partner was sought, with these partners as the only pairs."""
        assert self.others is not None
        best, asked = best_partners(sets, self.others)
        return self.among(asked | self.others)._replace(best=best)

    def true_pairs(self, there: Flags) -> int:
        """Returns the number of true pairs of some documents."""
        return 0 if self.judgement is None else int(self.judgement.pairs(there, self.others).sum())


class PairTally(NamedTuple):
    """Numbers of pairs, in units of 1 / SCALE, whose similarity reaches each bin, by measure, for all documents.

    A bin begins at its edge and ends before the next one; the last has the pairs of similarity 1. Pairs that share
    nothing are in no bin.
    """

    edges: tuple[Fraction, ...]  # of the bins, rising, from 0 to 1
    found: dict[str, tuple[int, ...]]  # by measure: for each edge, or for each number of shared shingles from 0
    right: dict[str, tuple[int, ...]]  # of these, the true pairs
    truth: int  # all true pairs
    compared: Fraction  # the share of all pairs that were compared

    def place(self, measure: str, threshold: Fraction) -> int:
        """Returns the number of the bin that begins at a threshold."""
        return int(threshold) if measure == SHARED else self.edges.index(threshold)

    @property
    def pairs(self) -> Fraction:
        """Returns the number of pairs that share something."""
        return Fraction(self.found[JACCARD][0], SCALE)

    @property
    def bins(self) -> list[Fraction]:
        """Returns the number of pairs in each bin of the Jaccard similarity."""
        return [Fraction(one - two, SCALE) for one, two in pairwise(self.found[JACCARD])]

    def middle(self, number: int) -> Fraction:
        """Returns the middle of a bin; that of the last is 1."""
        return (self.edges[number] + self.edges[min(number + 1, len(self.edges) - 1)]) / 2


@cache
def edges(threshold: Fraction | None) -> tuple[Fraction, ...]:
    """Returns the edges of bins: each hundredth, and the threshold."""
    return tuple(sorted({*(Fraction(i, BINS) for i in range(BINS + 1)), *([threshold] if threshold else [])}))


class WeighedPairs(NamedTuple):
    """Pairs of sets, the class of each, and the number of pairs of documents that it stands for. Shapes (pairs,)."""

    pairs: RowPairs
    classes: Index  # by the strata of both; the last class has pairs within a component
    many: Index
    equal: bool  # whether both documents of each pair have the same set


def best_partners(sets: Shingled, others: Flags) -> tuple[Index, Flags]:
    """Finds the best partner among the others for each document of the input, by cosine.

    Returns the partners, or NO_ROW, and which documents could be compared in STEPS. A partner is the first document
    with its set. Shapes (documents,).
    """
    meeting = meetings(sets, COSINE)
    rows = meeting.within(STEPS, beyond=True)
    best, partner = np.zeros(len(sets.sizes)), np.full(len(sets.sizes) + 1, NO_ROW)
    for every in meeting.pairs(rows, beyond=True):
        pairs = selected(every, others[sets.first[every.left]] != others[sets.first[every.right]])
        here = others[sets.first[pairs.left]]
        asking, asked = np.where(here, pairs.right, pairs.left), np.where(here, pairs.left, pairs.right)
        cosine = meeting.cosines(pairs)
        order = np.lexsort((asked, -cosine, asking))
        order = order[np.append(True, np.diff(asking[order]) > 0)[: len(order)]]
        asking, asked, cosine = asking[order], asked[order], cosine[order]
        better = (cosine > best[asking]) | ((cosine == best[asking]) & (sets.first[asked] < partner[asking]))
        best[asking[better]], partner[asking[better]] = cosine[better], sets.first[asked[better]]
    return partner[sets.rows], sets.rows < rows


def weighed_pairs(meeting: Meetings, population: Population, rows: int, full: bool) -> Iterator[WeighedPairs]:
    """Yields the pairs of a population that count, among its first `rows` sets.

    full: with pairs that have hardly anything in common (see RARE_SHARE).
    """
    sets = meeting.sets
    strata, judgement = population.strata, population.judgement
    kinds = population.kinds
    for every in meeting.pairs(rows):
        pairs = counted_pairs(meeting, every, population, full)
        one, two = sets.first[pairs.left], sets.first[pairs.right]
        classes = strata[one] * kinds + strata[two]
        if judgement is not None:
            classes[judgement.components[one] == judgement.components[two]] = kinds**2
        many = sets.documents[pairs.left] * sets.documents[pairs.right]
        if population.best is not None:  # a document of the input has one partner, even if that occurs several times
            many = sets.documents[input_rows(sets, pairs, population)]
        yield WeighedPairs(pairs, classes, many, False)
    if population.others is None:
        each = np.flatnonzero(sets.documents > 1)
        pairs = counted_pairs(meeting, meeting.itself(each), population, full)
        one, many = sets.first[pairs.left], sets.documents[pairs.left]
        classes = strata[one] * (kinds + 1)
        if judgement is not None:
            classes[judgement.right(one, one)] = kinds**2
        yield WeighedPairs(pairs, classes, many * (many - 1) // 2, True)


def tally(  # noqa: PLR0913, PLR0917  # each has a name of its own
    sets: Shingled,
    population: Population,
    threshold: Fraction | None,
    most: int = 0,
    full: bool = True,
    measures: Sequence[str] = MEASURES,
    least: Fraction = LOWEST,
) -> PairTally:
    """Counts the pairs of a population in at most `most` steps (0: STEPS). Pairs of equal documents are all counted.

    measures: those of plain sets, or COSINE alone. least: pairs of a lower cosine need not be counted.
    """
    sets = sets.among(population.there)
    meeting = meetings(sets, measures[0])._replace(least=least)
    rows = meeting.within(most or STEPS)
    bins = edges(threshold)
    width = len(bins) + 1
    # By (different sets, equal sets), (all pairs, true pairs), measure, and class and bin
    counts = np.zeros((2, 2, len(measures), (population.kinds**2 + 1) * width), np.int64)
    for pairs, classes, many, equal in weighed_pairs(meeting, population, rows, full):
        sides = [np.arange(len(many))]
        if population.judgement is not None:
            inside = np.flatnonzero(classes == population.kinds**2)
            one, two = (sets.first[each[inside]] for each in pairs[:2])
            sides.append(inside[population.judgement.right(one, two)])
        for number, measure in enumerate(measures):
            places = classes * width + bins_of(meeting.wholes, pairs, measure, threshold)
            for side, which in enumerate(sides):
                # Sums of whole numbers below 2^53, so exact
                found = np.bincount(places[which], many[which], counts.shape[3])
                counts[int(equal), side, number] += found.astype(np.int64)
    weights = class_weights(sets, rows, population)
    parts = counts.reshape(2, 2, len(measures), population.kinds**2 + 1, width)

    def totals(side: int, number: int) -> tuple[int, ...]:
        compared, each = parts[:, side, number]
        both = zip(cumulative(compared, weights.compared), cumulative(each, weights.each), strict=True)
        return tuple(map(sum, both))

    sums = [{measure: totals(side, number) for number, measure in enumerate(measures)} for side in range(2)]
    truth = round(population.true * SCALE) * population.true_pairs(population.there)
    return PairTally(bins, sums[0], sums[1], truth, weights.share)


def cumulative(counts: Index, weights: Sequence[int]) -> list[int]:
    """Returns the weighted number of pairs in each bin and all bins after it. counts: shape (classes, bins)."""
    there = [number for number in range(len(counts)) if counts[number].any()]
    sums = [sum(weights[number] * row[number] for number in there) for row in counts.T.tolist()]
    return [*accumulate(reversed(sums))][::-1]


class ClassWeights(NamedTuple):
    """The number of all pairs that a pair of each class stands for, in units of 1 / SCALE."""

    each: list[int]  # where all pairs of the sample were compared
    compared: list[int]  # where only the pairs of the first sets were
    share: Fraction  # of all pairs of the sample, those that were compared


def class_weights(sets: Shingled, rows: int, population: Population) -> ClassWeights:
    """Returns the weights of the pairs of a population of which the first `rows` sets were compared."""
    strata, kinds = population.strata, population.kinds
    documents = sets.rows != NO_ROW
    seen = documents & (sets.rows < rows)
    before, after = (np.bincount(strata[flags], minlength=kinds).tolist() for flags in (documents, seen))
    scale = population.scale[:kinds]
    more = [Fraction(many, part) if part else ONE for many, part in zip(before, after, strict=True)]
    each = [*(one * two for one in scale for two in scale), population.true]
    there, here = population.true_pairs(documents), population.true_pairs(seen)
    looked = [*(one * two for one in more for two in more), Fraction(there, here) if here else max(more)]
    few, every = int(seen.sum()), int(documents.sum())
    share = Fraction(few * (few - 1), every * (every - 1)) if every > 1 else ONE
    both = [one * two for one, two in zip(each, looked, strict=True)]
    return ClassWeights([round(SCALE * one) for one in each], [round(SCALE * one) for one in both], share)


def counted_pairs(meeting: Meetings, pairs: RowPairs, population: Population, full: bool) -> RowPairs:
    """Keeps the pairs that count: of two sides if there are two, and judged if only judged pairs count."""
    sets, wholes = meeting.sets, meeting.wholes
    if not full:
        pairs = selected(pairs, RARE_SHARE * pairs.common >= np.minimum(wholes[pairs.left], wholes[pairs.right]))
    if population.others is not None:
        one, two = sets.first[pairs.left], sets.first[pairs.right]
        apart = population.others[one] != population.others[two]
        if population.best is not None:
            asking = input_rows(sets, pairs, population)
            asked = np.where(asking == pairs.left, pairs.right, pairs.left)
            apart &= sets.first[asked] == population.best[sets.first[asking]]
        pairs = selected(pairs, apart)
    if population.judgement is not None and population.judgement.partial:
        pairs = selected(pairs, population.judgement.are_judged(sets.first[pairs.left], sets.first[pairs.right]))
    return pairs


def input_rows(sets: Shingled, pairs: RowPairs, population: Population) -> Index:
    """Returns the rows of the input's documents in pairs of two sides. Shape (pairs,)."""
    assert population.others is not None
    return np.where(population.others[sets.first[pairs.left]], pairs.right, pairs.left)
