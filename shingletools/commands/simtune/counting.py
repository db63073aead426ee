"""Exact similarities of the pairs of a sample, by bins; a bound on the work leaves some documents out."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate
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
    some,
)
from shingletools.commands.simtune.judged import Judgement
from shingletools.commands.simtune.shingled import NO_ROW, Shingled
from shingletools.kernel.types import Flags, Index

STEPS = 1 << 27  # meetings of sets that share a shingle, each shingle counted: so many at most for one tally
FEWEST = 20  # of pairs that the search looks at, so many shingles in common are more than those of the smaller set
STRATA = 4
ONE = Fraction(1)
SCALE = 1 << 16  # of weights in whole numbers


class Population(NamedTuple):
    """Documents of a sample, and how many of all documents each stands for.

    A stratum is of those with labels or without, of one side or the other: its number is 2 * side + labelled.
    """

    there: Flags  # (documents,): which of the sample
    judgement: Judgement | None
    others: Flags | None  # (documents,): which are those of --against; pairs are of one of them and another document
    scale: tuple[Fraction, ...]  # of each stratum, documents of the whole for each that is there
    true: Fraction  # true pairs of the whole for each that is there
    best: Index | None = None  # (documents,): by best_of, if only these are pairs

    @property
    def strata(self) -> Index:
        listed = np.zeros(len(self.there), np.int64) if self.judgement is None else self.judgement.listed
        return 2 * (np.zeros_like(listed) if self.others is None else self.others) + listed

    @property
    def kinds(self) -> int:
        """One more than the greatest number of a stratum."""
        return int(self.strata.max(initial=0)) + 1

    def among(self, there: Flags) -> "Population":
        """Some of its documents, shape (documents,), in place of all."""
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
        """The same of the first documents of the sample, of which the others are none."""
        cut = self.among(np.arange(len(self.there)) < documents)
        return cut._replace(
            there=cut.there[:documents], judgement=cut.judgement and cut.judgement.first(documents),
            others=None if cut.others is None else cut.others[:documents], best=None,
        )  # fmt: skip

    def of_best(self, of: Shingled) -> "Population":
        """Those whose best partners are told, by all sets of the sample, and these alone are pairs."""
        assert self.others is not None
        best, told = best_of(of, self.others)
        return self.among(told | self.others)._replace(best=best)

    def true_pairs(self, there: Flags) -> int:
        """How many of these documents."""
        return 0 if self.judgement is None else int(self.judgement.pairs(there, self.others).sum())


class PairTally(NamedTuple):
    """Pairs by their similarity, by each measure: how many have that of a bin or more. As of the whole, in SCALE parts.

    Those that share nothing are in no bin. A bin has the pairs from its edge up to the next one, the last those of 1.
    """

    edges: tuple[Fraction, ...]  # of bins of a share, rising, from 0 to 1
    found: dict[str, tuple[int, ...]]  # by measure: for each edge, or for each number from 0 on
    right: dict[str, tuple[int, ...]]
    truth: int
    looked: Fraction  # at which share of all pairs

    def place(self, measure: str, threshold: Fraction) -> int:
        """The bin that begins with a threshold."""
        return int(threshold) if measure == SHARED else self.edges.index(threshold)

    @property
    def pairs(self) -> Fraction:
        """Those of all bins."""
        return Fraction(self.found[JACCARD][0], SCALE)

    def pairs_of(self, number: int) -> Fraction:
        """The pairs of one bin of Jaccard's similarity."""
        from_here = (*self.found[JACCARD], 0)
        return Fraction(from_here[number] - from_here[number + 1], SCALE)

    def middle(self, number: int) -> Fraction:
        """Of a bin; that of the last is 1."""
        return (self.edges[number] + self.edges[min(number + 1, len(self.edges) - 1)]) / 2


@cache
def edges(threshold: Fraction | None) -> tuple[Fraction, ...]:
    """Where bins begin: at each hundredth, and at a threshold."""
    return tuple(sorted({*(Fraction(i, BINS) for i in range(BINS + 1)), *([threshold] if threshold else [])}))


class WeighedPairs(NamedTuple):
    """Pairs of sets, the class of each, and for how many pairs of documents it stands. Shape (pairs,) each."""

    pairs: RowPairs
    classes: Index  # by the strata of both; the last one is that of two of one component
    many: Index
    equal: bool  # whether they are of two documents of one set, and not of two sets


def best_of(of: Shingled, others: Flags) -> tuple[Index, Flags]:
    """For each document that is none of the others, the first document of that set of theirs with the greatest cosine,
    or NO_ROW; and of which documents this was told in STEPS. Shapes (documents,).
    """
    meeting = meetings(of, COSINE)
    rows = meeting.within(STEPS, beyond=True)
    best, partner = np.zeros(len(of.sizes)), np.full(len(of.sizes) + 1, NO_ROW)
    for every in meeting.pairs(rows, beyond=True):
        pairs = some(every, others[of.first[every.left]] != others[of.first[every.right]])
        here = others[of.first[pairs.left]]
        asking, asked = np.where(here, pairs.right, pairs.left), np.where(here, pairs.left, pairs.right)
        cosine = meeting.cosines(pairs)
        order = np.lexsort((asked, -cosine, asking))
        order = order[np.append(True, np.diff(asking[order]) > 0)[: len(order)]]
        asking, asked, cosine = asking[order], asked[order], cosine[order]
        better = (cosine > best[asking]) | ((cosine == best[asking]) & (of.first[asked] < partner[asking]))
        best[asking[better]], partner[asking[better]] = cosine[better], of.first[asked[better]]
    return partner[of.rows], of.rows < rows


def grouped(meeting: Meetings, population: Population, rows: int, full: bool) -> Iterator[WeighedPairs]:
    """All pairs that count of a population, of whose sets the first ones are compared with each other.

    full: whether those are among them that have next to nothing in common.
    """
    of = meeting.of
    strata, judgement = population.strata, population.judgement
    kinds = population.kinds
    for every in meeting.pairs(rows):
        pairs = that_count(meeting, every, population, full)
        one, two = of.first[pairs.left], of.first[pairs.right]
        classes = strata[one] * kinds + strata[two]
        if judgement is not None:
            classes[judgement.components[one] == judgement.components[two]] = kinds**2
        many = of.documents[pairs.left] * of.documents[pairs.right]
        if population.best is not None:  # a document of the input has one partner, however often this is there
            many = of.documents[asking_of(of, pairs, population)]
        yield WeighedPairs(pairs, classes, many, False)
    if population.others is None:
        each = np.flatnonzero(of.documents > 1)
        pairs = that_count(meeting, meeting.itself(each), population, full)
        one, many = of.first[pairs.left], of.documents[pairs.left]
        classes = strata[one] * (kinds + 1)
        if judgement is not None:
            classes[judgement.right(one, one)] = kinds**2
        yield WeighedPairs(pairs, classes, many * (many - 1) // 2, True)


def tally(  # noqa: PLR0913, PLR0917  # each has a name of its own
    of: Shingled, population: Population, threshold: Fraction | None, most: int = 0, full: bool = True,
    measures: Sequence[str] = MEASURES, least: Fraction = LOWEST,
) -> PairTally:  # fmt: skip
    """The pairs of a population, in so many steps (0 for STEPS). Documents of one set are all counted.

    measures: those of plain sets, or COSINE alone. least: pairs of a lesser cosine need not be counted.
    """
    of = of.among(population.there)
    meeting = meetings(of, measures[0])._replace(least=least)
    rows = meeting.within(most or STEPS)
    bins = edges(threshold)
    width = len(bins) + 1
    # Of pairs of two sets and of one, of all and of those that are right, by each measure, class and bin
    counts = np.zeros((2, 2, len(measures), (population.kinds**2 + 1) * width), np.int64)
    for pairs, classes, many, equal in grouped(meeting, population, rows, full):
        sides = [np.arange(len(many))]
        if population.judgement is not None:
            inside = np.flatnonzero(classes == population.kinds**2)
            one, two = (of.first[each[inside]] for each in pairs[:2])
            sides.append(inside[population.judgement.right(one, two)])
        for number, measure in enumerate(measures):
            places = classes * width + bins_of(meeting.wholes, pairs, measure, threshold)
            for side, which in enumerate(sides):
                # Sums of whole numbers below 2^53, so exact
                found = np.bincount(places[which], many[which], counts.shape[3])
                counts[int(equal), side, number] += found.astype(np.int64)
    weights = class_weights(of, rows, population)
    parts = counts.reshape(2, 2, len(measures), population.kinds**2 + 1, width)
    sums = [
        {
            measure: tuple(
                map(sum, zip(*(
                    from_here(parts[equal, side, number], scale)
                    for equal, scale in enumerate((weights.looked, weights.each))
                ), strict=True))
            )
            for number, measure in enumerate(measures)
        }
        for side in range(2)
    ]  # fmt: skip
    truth = round(population.true * SCALE) * population.true_pairs(population.there)
    return PairTally(bins, sums[0], sums[1], truth, weights.share)


def from_here(counts: Index, weights: Sequence[int]) -> list[int]:
    """The pairs of each bin and those after it, by the weights of classes. counts: shape (classes, bins)."""
    there = [number for number in range(len(counts)) if counts[number].any()]
    sums = [sum(weights[number] * row[number] for number in there) for row in counts.T.tolist()]
    return [*accumulate(reversed(sums))][::-1]


class ClassWeights(NamedTuple):
    """How many pairs of the whole one of each class stands for, in SCALE parts."""

    each: list[int]  # if all are there
    looked: list[int]  # those that were looked at
    share: Fraction  # which is this share of all


def class_weights(of: Shingled, rows: int, population: Population) -> ClassWeights:
    """Of pairs of a population's sets, of which the first ones were looked at."""
    strata, kinds = population.strata, population.kinds
    documents = of.rows != NO_ROW
    seen = documents & (of.rows < rows)
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


def that_count(meeting: Meetings, pairs: RowPairs, population: Population, full: bool) -> RowPairs:
    """Those of two sides, if there are two, that are judged, if only these count."""
    of, wholes = meeting.of, meeting.wholes
    if not full:
        pairs = some(pairs, FEWEST * pairs.common >= np.minimum(wholes[pairs.left], wholes[pairs.right]))
    if population.others is not None:
        one, two = of.first[pairs.left], of.first[pairs.right]
        apart = population.others[one] != population.others[two]
        if population.best is not None:
            asking = asking_of(of, pairs, population)
            asked = np.where(asking == pairs.left, pairs.right, pairs.left)
            apart &= of.first[asked] == population.best[of.first[asking]]
        pairs = some(pairs, apart)
    if population.judgement is not None and population.judgement.partial:
        pairs = some(pairs, population.judgement.told(of.first[pairs.left], of.first[pairs.right]))
    return pairs


def asking_of(of: Shingled, pairs: RowPairs, population: Population) -> Index:
    """Of pairs of two sides, the rows of the input's documents. Shape (pairs,)."""
    assert population.others is not None
    return np.where(population.others[of.first[pairs.left]], pairs.right, pairs.left)
