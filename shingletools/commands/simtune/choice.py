"""Chooses a form and a threshold: with the most pairs that chance does not find, or with the best F1 by labels.

Of a form, the least threshold is taken at which at most a share of its pairs are expected to be false, or, above it,
the bottom of a valley, on whose far side the copies are. Pairs that become ever fewer may be relatives: then they are
believed only where the nearest documents lead the others.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, sqrt
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.form_result import FormResult, Score
from shingletools.commands.simtune.null_model import UNIT

NOTHING = Fraction(0)
LOWEST = Fraction(1, 10)  # threshold
LOWEST_BY_LABELS = Fraction(1, 20)
FEW_PARTNERS = 20  # that tell nothing: ten pairs
REACH = 3  # bins or thresholds on either side, whose mean counts: a single peak is often chance
DEVIATIONS = 3  # of chance, by which a rise is steeper
SURE = 2  # deviations by which pairs may be fewer
PART = 4  # the copies beyond a valley are one in so many pairs, at least
STEEP = 2  # times as many pairs as above it on average: pairs become ever fewer
SMOOTH = 2  # thresholds on either side, with whose mean F1 counts
NEAR = Fraction(3, 1000)  # settings whose F1 differs by no more are equally good


class Choice(NamedTuple):
    """A form and the edge of its threshold."""

    result: FormResult
    edge: int

    @property
    def threshold(self) -> Fraction:
        return self.result.edges[self.edge]

    @property
    def pairs(self) -> Fraction:
        """Returns how many pairs of all documents it finds."""
        return self.result.pairs[self.edge]

    def score(self, first: bool) -> Score:
        """Returns the score by one half of the labels."""
        assert self.result.judged is not None
        return self.result.judged.score(self.edge, first)

    @property
    def pairs_beyond_chance(self) -> Fraction:
        """Returns how many pairs of all documents it finds, without those that are expected to be false."""
        return self.pairs - self.result.false_pairs(self.edge)

    def sure_gain(self, known: Fraction) -> Fraction:
        """Returns how many pairs it surely finds beyond chance and beyond the known ones; 0 if none are sure.

        That is SURE standard deviations less than it finds. A family of alike documents is one event; known pairs are
        no chance.
        """
        gain = self.pairs_beyond_chance - known
        if gain <= 0:
            return NOTHING
        variance = int(self.result.variance[self.edge]) * gain / self.pairs_beyond_chance
        return max(gain - SURE * self.result.pairs_per_partner * (isqrt(int(variance)) + 1), NOTHING)


def threshold_by_null(result: FormResult, false_share: Fraction) -> int | None:
    """Returns the edge at which at most a share of the pairs are expected to be false; None if there is none."""
    if not result.estimable:
        return None
    partners, least = result.partners, result.edges.index(LOWEST)
    few_false = result.false_partners + UNIT * result.different <= int(false_share * UNIT) * partners
    good = few_false & (partners >= FEW_PARTNERS // (1 + result.form.best))
    edge = int(np.flatnonzero(good).max(initial=least - 1))
    while edge > least and good[edge - 1]:
        edge -= 1
    if result.form.best and edge >= least:
        return edge
    if edge <= least:  # nothing is good, or no chance is seen
        return None
    counts = (-np.diff(partners)).tolist()  # of each bin but the last
    families = np.maximum(result.variance / np.maximum(2 * partners, 1), 1).tolist()
    lowest = valley(moving_means(counts, REACH), edge, families)
    if PART * partners[lowest] >= partners[edge]:
        edge = lowest
    if edge < len(counts):
        steep = STEEP * sum(counts[edge:]) / (len(counts) - edge)
        if moving_means(counts, REACH)[edge] > steep + 2 * sqrt(steep + 1):
            while edge < len(result.edges) and result.doubtful[edge] > false_share * int(result.leading[edge]):
                edge += 1
    enough = edge < len(result.edges) and partners[edge] >= FEW_PARTNERS
    return edge if enough else None


def moving_means(values: Sequence[int | Fraction], reach: int) -> list[Fraction]:
    """Returns the mean of each value and of `reach` values on either side; of fewer at the ends."""
    around = (values[max(at - reach, 0) : at + reach + 1] for at in range(len(values)))
    return [Fraction(sum(some), len(some)) for some in around]


def valley(level: Sequence[Fraction], first: int, families: Sequence[float]) -> int:
    """Returns the lowest place from `first` on before the steepest rise, or `first` if no rise is beyond chance.

    level: means of partners in 2 REACH + 1 bins; a pair is two partners. families: by place, the variance of all pairs
    from there on, in units of what it is if they come one by one.
    """
    found, steepest, lowest = first, float(DEVIATIONS), first
    for at in range(first, len(level)):
        if level[at] <= level[lowest]:
            lowest = at
        high, low = (float(level[place] * (2 * REACH + 1) / 2) for place in (at, lowest))
        rise = (high - low) / sqrt((high + low + 1) * families[at])
        if rise > steepest:
            found, steepest = lowest, rise
    return found


def form_by_null(choices: Sequence[Choice], known: Fraction) -> Choice:
    """Returns the choice that surely finds the most pairs beyond those known; the last, usual one if none finds more.

    known: the pairs that are a reason to keep what is usual.
    """
    *others, usual = choices
    best = max(others, key=lambda choice: choice.sure_gain(known), default=usual)
    return best if best.sure_gain(known) else usual


def smoothed_f1(result: FormResult, reach: int) -> list[Fraction]:
    assert result.judged is not None
    return moving_means(result.judged.first_f1(), reach)


def threshold_by_labels(result: FormResult) -> int:
    """Returns the edge with the best F1 by the first half of the labels.

    It counts as the mean with those of SMOOTH thresholds on either side. Few labels do not tell near thresholds apart:
    of the best one and those after it that are as good, the middle one is taken.
    """
    levels = smoothed_f1(result, SMOOTH)
    start = result.edges.index(LOWEST_BY_LABELS)
    first = last = max(range(start, len(levels)), key=levels.__getitem__)
    while last + 1 < len(levels) and levels[last + 1] >= levels[first] - NEAR:
        last += 1
    return (first + last + 1) // 2


def form_by_labels(choices: Sequence[Choice]) -> Choice:
    """Returns the choice with the best smoothed F1 by the first half; the last, usual one if none is better."""
    return max(reversed(choices), key=lambda choice: smoothed_f1(choice.result, REACH)[choice.edge])
