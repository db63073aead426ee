"""Chooses a form and a threshold: those with the most pairs beyond chance, or with the best F1 by labels.

Without labels, the usual form stays unless another one surely finds more pairs beyond chance. Of a form, the least
threshold is taken at which at most a share of the pairs that it adds are expected to be false. Above it may lie a
valley, on whose far side the copies are: then its lowest point is taken. Or pairs become ever fewer: then these may be
relatives, and are believed only where documents have a nearest one that leads the others.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, sqrt
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.forms import CONTAINMENT, USUAL
from shingletools.commands.simtune.null_model import UNIT
from shingletools.commands.simtune.tried_form import Score, TriedForm
from shingletools.kernel.types import Index

NOTHING = Fraction(0)
LOWEST = Fraction(1, 10)  # threshold
LOWEST_BY_LABELS = Fraction(1, 20)
FEW_PARTNERS = 20  # that tell nothing: ten pairs
REACH = 3  # bins on either side, whose mean counts: a single peak is often chance
DEVIATIONS = 3  # of chance, by which a rise is steeper
SURE = 2  # deviations by which pairs may be fewer
PART = 4  # the copies beyond a valley are one in so many pairs, at least
STEEP = 2  # times as many pairs as above it on average: pairs become ever fewer
SMOOTH = 2  # thresholds on either side, with whose mean F1 counts
NEAR = Fraction(3, 1000)  # settings whose F1 differs by no more are equally good


class Choice(NamedTuple):
    """A form and the edge of its threshold; None if it has no good one."""

    tried: TriedForm
    edge: int | None

    @property
    def threshold(self) -> Fraction:
        return USUAL if self.edge is None else self.tried.edges[self.edge]

    def score(self, first: bool) -> Score:
        assert self.tried.labels is not None
        assert self.edge is not None
        return self.tried.labels.score(self.edge, first)


def by_chance(tried: TriedForm, most: Fraction, asked: Fraction | None, known: Fraction = NOTHING) -> Choice:
    """Returns the threshold at which at most a share of the pairs beyond the known ones are expected to be false."""
    if tried.form.usual or (asked is not None and tried.form.measure != CONTAINMENT):
        return Choice(tried, tried.edges.index(asked or USUAL))
    if tried.false is None or not tried.told:
        return Choice(tried, None)
    least = tried.edges.index(LOWEST)
    added = tried.partners - int(known / tried.each)
    good = (tried.false <= int(most * UNIT) * added) & (tried.partners >= FEW_PARTNERS // (1 + tried.form.best))
    edge = int(np.flatnonzero(good).max(initial=least - 1))
    while edge > least and good[edge - 1]:
        edge -= 1
    if tried.form.best and edge >= least:
        return Choice(tried, edge)
    if edge <= least:  # nothing is good, or no chance is seen
        return Choice(tried, None)
    counts = tried.partners - np.append(tried.partners[1:], 0)
    level = smoothed(counts)
    lowest = valley(level, edge)
    if PART * tried.partners[lowest] >= tried.partners[edge]:
        edge = lowest
    if edge < len(level) and level[edge] > STEEP * upper_mean(tried.partners, edge) + 2 * sqrt(
        STEEP * upper_mean(tried.partners, edge) + 1
    ):
        while edge < len(tried.edges) and tried.doubtful[edge] > most * int(tried.leading[edge]):
            edge += 1
    enough = edge < len(tried.edges) and tried.partners[edge] >= FEW_PARTNERS
    return Choice(tried, edge if enough else None)


def smoothed(counts: Index) -> list[float]:
    """Returns moving averages over REACH bins on either side, of all bins but the last; fewer at the ends."""
    around = [counts[max(at - REACH, 0) : min(at + REACH + 1, len(counts) - 1)] for at in range(len(counts) - 1)]
    return [int(some.sum()) / len(some) for some in around]


def upper_mean(partners: Index, edge: int) -> float:
    """Returns the mean number of partners in the bins from an edge on, but for the last."""
    return int(partners[edge] - partners[-1]) / max(len(partners) - 1 - edge, 1)


def valley(level: Sequence[float], first: int) -> int:
    """Returns the lowest place from `first` on before the steepest rise, or `first` if no rise is beyond chance.

    level: means of partners in 2 REACH + 1 bins; a pair is two partners.
    """
    found, steepest, lowest = first, float(DEVIATIONS), first
    for at in range(first, len(level)):
        if level[at] <= level[lowest]:
            lowest = at
        width = (2 * REACH + 1) / 2
        high, low = level[at] * width, level[lowest] * width
        rise = (high - low) / sqrt(high + low + 1)
        if rise > steepest:
            found, steepest = lowest, rise
    return found


def choose(tried: Sequence[Choice], known: Fraction) -> Choice:
    """Returns the choice that surely finds most pairs beyond chance, or the last one if these are not more than known.

    known: the pairs that are a reason to keep what is usual, which is the last one.
    """
    best = max(tried[:-1], key=surely_found, default=tried[-1])
    return best if surely_found(best) > known else tried[-1]


def known_pairs(usual: Choice, most: Fraction) -> Fraction:
    """Returns the pairs of the usual form beyond chance; none if more than a share of them are expected to be false."""
    one, edge = usual
    assert edge is not None
    return beyond_chance(usual) if one.expected_false(edge) <= most * one.pairs[edge] else NOTHING


def beyond_chance(choice: Choice) -> Fraction:
    """Returns how many pairs of all documents a choice finds, without those that are expected to be false."""
    one, edge = choice
    return NOTHING if edge is None else one.pairs[edge] - one.expected_false(edge)


def surely_found(choice: Choice) -> Fraction:
    """Returns the pairs beyond chance, less SURE standard deviations; documents that are all alike are one event."""
    one, edge = choice
    if edge is None:
        return NOTHING
    return beyond_chance(choice) - SURE * one.each * (isqrt(int(one.varying[edge])) + 1)


def by_labels(tried: TriedForm, asked: Fraction | None) -> Choice:
    """Returns the threshold with the best F1 by the first half of the labels.

    It counts as the mean with those of SMOOTH thresholds on either side. Few labels do not tell near thresholds apart:
    of the best one and those after it that are as good, the middle one is taken.
    """
    if asked is not None:
        return Choice(tried, tried.edges.index(asked))
    levels = f1_levels(tried)
    start = tried.edges.index(LOWEST_BY_LABELS)
    first = last = max(range(start, len(levels)), key=levels.__getitem__)
    while last + 1 < len(levels) and levels[last + 1] >= levels[first] - NEAR:
        last += 1
    return Choice(tried, (first + last + 1) // 2)


def f1_levels(tried: TriedForm) -> list[Fraction]:
    """Returns the F1 by the first half of the labels, smoothed, at each edge."""
    assert tried.labels is not None
    half = tried.labels.first_half
    found, right = (counts[half].sum(axis=0).tolist() for counts in tried.labels[:2])
    truth = int(tried.labels.truth[half].sum())
    f1 = [Fraction(2 * of, max(many + truth, 1)) for many, of in zip(found, right, strict=True)]
    around = [f1[max(at - SMOOTH, 0) : at + SMOOTH + 1] for at in range(len(f1))]
    return [sum(some, Fraction(0)) / len(some) for some in around]


def best_by_labels(choices: Sequence[Choice], blind: Choice) -> Choice:
    """Returns the choice with the best F1 by the first half, or what is chosen without labels if that is as good.

    It is if its F1 is within a standard error of the best one's (Breiman and others 1984): the best of many is often so
    by chance. An interval of 95 % is about four standard errors wide.
    """
    best = max(choices, key=lambda each: f1_of(each.score(first=True)))
    if blind.edge is None:
        return best
    score = best.score(first=True).f1
    error = (score.high - score.low) / 4
    return blind if f1_of(blind.score(first=True)) >= f1_of(best.score(first=True)) - error else best


def f1_of(score: Score) -> Fraction:
    return score.f1.value or Fraction(0)
