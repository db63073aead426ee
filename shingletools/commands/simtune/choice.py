"""Chooses a form and a threshold: with the most clear pairs, or with the best F1 by labels.

Of a form, the least threshold is taken at which at most a share of its pairs are expected to be false, or, above it,
the bottom of a valley, on whose far side the copies are. Pairs that become ever fewer may be relatives: then they are
believed only where the nearest documents lead the others.
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
REACH = 3  # bins on either side, whose mean counts: a single peak is often chance
STEEP = 2  # times as many pairs as above it on average: pairs become ever fewer
LEAD = Fraction(11, 10)  # times as many clear pairs as by what is usual: less may be chance
DEVIATIONS = 4  # of chance, by which a rise is steeper: three made a valley of chance in OCR texts


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
    def clear_pairs(self) -> Fraction:
        """Returns how many pairs of all documents are clear: with an equal one, or with one that leads all others.

        Chance leads in half of all cases: where its pairs are unknown, it has as many clear ones as doubtful ones. Each
        that differs in numbers alone takes one away: where such a series is found, some pairs differ in words, too.
        """
        result, chance = self.result, 2 if self.result.false_partners is None else 1
        leading = int((result.leading - chance * result.doubtful - result.different)[self.edge])
        return result.pairs_per_partner * max(leading, 0) + result.copies


def edge_of_usual(result: FormResult, threshold: Fraction) -> int:
    """Returns the edge of a threshold, or the least one above at which no more pairs differ in numbers than do not."""
    edge = result.edges.index(threshold)
    return edge + int((result.different <= result.partners)[edge:].argmax())


def threshold_by_null(result: FormResult, false_share: Fraction) -> int | None:
    """Returns the edge at which at most a share of the pairs are expected to be false; None if there is none."""
    if result.false_partners is None:
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
    around = (counts[max(at - REACH, 0) : at + REACH + 1] for at in range(len(counts)))
    level = [Fraction(sum(some), len(some)) for some in around]
    edge = valley(level, edge)
    steep = STEEP * sum(counts[edge:]) / max(len(counts) - edge, 1)
    if edge < len(counts) and level[edge] > steep + 2 * sqrt(steep + 1):
        while edge < len(partners) and result.doubtful[edge] > false_share * int(result.leading[edge]):
            edge += 1
    return edge if edge < len(partners) and partners[edge] >= FEW_PARTNERS else None


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
    """Returns the choice with the most clear pairs; the last, usual one if none has more than LEAD times as many."""
    return max(reversed(choices), key=lambda choice: choice.clear_pairs * (LEAD if choice is choices[-1] else 1))


def threshold_by_labels(result: FormResult) -> int:
    """Returns the edge with the best F1 by the first half of the labels; the middle one of several."""
    assert result.judged is not None
    f1, start = result.judged.first_f1(), result.edges.index(LOWEST_BY_LABELS)
    best = max(f1[start:])
    edges = [edge for edge in range(start, len(f1)) if f1[edge] == best]
    return edges[len(edges) // 2]


def form_by_labels(choices: Sequence[Choice]) -> Choice:
    """Returns the choice with the best F1 by the first half of the labels; the last, usual one if none is better."""
    return max(reversed(choices), key=lambda choice: choice.score(first=True).f1.value or Fraction(0))
