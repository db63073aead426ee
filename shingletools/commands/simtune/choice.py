"""Chooses a form and a threshold: with the most pairs that chance does not find, or with the best F1 by labels.

Of a form, the least threshold is taken at which at most a share of its pairs are expected to be false, or, above it,
the bottom of a valley, on whose far side the copies are. Where there is no valley, pairs may be relatives: then they
are believed only where the nearest documents lead the others.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.form_result import FormResult, Score
from shingletools.commands.simtune.null_model import UNIT

LOWEST = Fraction(1, 10)  # threshold
LOWEST_BY_LABELS = Fraction(1, 20)
FEW_PARTNERS = 20  # that tell nothing: ten pairs
REACH = 3  # bins or thresholds on either side, whose mean counts: a single peak is often chance
DEVIATIONS = 3  # of chance, by which a rise is steeper
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


def edge_of_usual(result: FormResult, threshold: Fraction) -> int:
    """Returns the edge of a threshold, or the least one above at which no more pairs differ in numbers than do not."""
    edge = result.edges.index(threshold)
    return edge + int((result.different <= result.partners)[edge:].argmax())


def threshold_by_null(result: FormResult, false_share: Fraction) -> int | None:
    """Returns the edge at which at most a share of the pairs are expected to be false; None if there is none."""
    if not result.estimable:
        return None
    partners, least = result.partners, result.edges.index(LOWEST)
    few_false = result.false_partners <= int(false_share * UNIT) * partners
    good = few_false & (result.different <= partners) & (partners >= FEW_PARTNERS // (1 + result.form.best))
    edge = int(np.flatnonzero(good).max(initial=least - 1))
    while edge > least and good[edge - 1]:
        edge -= 1
    if result.form.best and edge >= least:
        return edge
    if edge <= least:  # nothing is good, or no chance is seen
        return None
    counts = (-np.diff(partners)).tolist()
    lowest = valley(moving_means(counts, REACH), edge)
    if lowest > edge:
        return lowest
    while edge + 1 < len(result.edges) and result.doubtful[edge] > false_share * int(result.leading[edge]):
        edge += 1
    return edge if partners[edge] >= FEW_PARTNERS else None


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


def form_by_null(choices: Sequence[Choice]) -> Choice:
    """Returns the choice with the most pairs beyond chance; the last, usual one if none has more."""
    return max(reversed(choices), key=lambda choice: choice.pairs_beyond_chance)


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
