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
    if not tried.told:
        return Choice(tried, None)
    partners, least = tried.partners, tried.edges.index(LOWEST)
    added = partners - int(known / tried.each)
    good = (tried.false <= int(most * UNIT) * added) & (partners >= FEW_PARTNERS // (1 + tried.form.best))
    edge = int(np.flatnonzero(good).max(initial=least - 1))
    while edge > least and good[edge - 1]:
        edge -= 1
    if tried.form.best and edge >= least:
        return Choice(tried, edge)
    if edge <= least:  # nothing is good, or no chance is seen
        return Choice(tried, None)
    counts = (-np.diff(partners)).tolist()  # of each bin but the last
    lowest = valley(moving_means(counts, REACH), edge)
    if PART * partners[lowest] >= partners[edge]:
        edge = lowest
    if edge < len(counts):
        steep = STEEP * sum(counts[edge:]) / (len(counts) - edge)
        if moving_means(counts, REACH)[edge] > steep + 2 * sqrt(steep + 1):
            while edge < len(tried.edges) and tried.doubtful[edge] > most * int(tried.leading[edge]):
                edge += 1
    enough = edge < len(tried.edges) and partners[edge] >= FEW_PARTNERS
    return Choice(tried, edge if enough else None)


def moving_means(values: Sequence[int | Fraction], reach: int) -> list[Fraction]:
    """Returns the mean of each value and of `reach` values on either side; of fewer at the ends."""
    around = (values[max(at - reach, 0) : at + reach + 1] for at in range(len(values)))
    return [Fraction(sum(some), len(some)) for some in around]


def valley(level: Sequence[Fraction], first: int) -> int:
    """Returns the lowest place from `first` on before the steepest rise, or `first` if no rise is beyond chance.

    level: means of partners in 2 REACH + 1 bins; a pair is two partners.
    """
    found, steepest, lowest = first, float(DEVIATIONS), first
    for at in range(first, len(level)):
        if level[at] <= level[lowest]:
            lowest = at
        high, low = (float(level[place] * (2 * REACH + 1) / 2) for place in (at, lowest))
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
    assert tried.labels is not None
    levels = moving_means(tried.labels.first_f1(), SMOOTH)
    start = tried.edges.index(LOWEST_BY_LABELS)
    first = last = max(range(start, len(levels)), key=levels.__getitem__)
    while last + 1 < len(levels) and levels[last + 1] >= levels[first] - NEAR:
        last += 1
    return Choice(tried, (first + last + 1) // 2)


def best_by_labels(choices: Sequence[Choice], blind: Choice) -> Choice:
    """Returns the choice with the best F1 by the first half, or what is chosen without labels if that is as good.

    It is if its F1 is within a standard error of the best one's (Breiman and others 1984): the best of many is often so
    by chance. An interval of 95 % is about four standard errors wide.
    """
    best = max(choices, key=lambda each: each.score(first=True).f1.value or NOTHING)
    if blind.edge is None:
        return best
    mine, theirs = (each.score(first=True).f1 for each in (blind, best))
    error = (theirs.high - theirs.low) / 4
    return blind if (mine.value or NOTHING) >= (theirs.value or NOTHING) - error else best
