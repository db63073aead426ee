"""Scores settings by labels, with confidence intervals."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune import counting
from shingletools.commands.simtune.compared import SHARED, bins_of, meetings
from shingletools.commands.simtune.counting import SCALE, Population, class_weights, edges, weighed_pairs
from shingletools.commands.simtune.settings import Setting
from shingletools.commands.simtune.shingled import Shingled
from shingletools.kernel.types import Index
from shingletools.numbers.binomial import interval, outwards

MOST_TRIALS = 10_000  # trials of an interval at most
MOST_BITS = 25  # of a weight: sums over 2^27 pairs are below 2^53, and so exact
MIN_PAIRS = 30  # pairs that a decision needs


class Share(NamedTuple):
    """A share, and its confidence interval of 95 %."""

    value: Fraction | None
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)


class Scored(NamedTuple):
    """The score of pairs by labels. Numbers are estimates for all documents, except those of `counted`."""

    threshold: Fraction
    found: Fraction
    right: Fraction
    truth: Fraction
    precision: Share
    recall: Share
    f1: Share
    counted: tuple[int, int]  # pairs found and true pairs in the sample


def scores(
    sets: Shingled, population: Population, setting: Setting, thresholds: Sequence[Fraction], most: int = 0
) -> list[Scored]:
    """Scores a setting on a population at rising thresholds, in at most `most` steps (0: counting.STEPS).

    Pairs of one component are right or wrong together, and pairs of one document may be. So an interval has fewer
    trials than pairs: (sum of w)^2 / sum of w^2, where w is the weight of the pairs of one component, or of one
    document with others (Kish 1965). F1 is a rising function of the share of right pairs among all that are found or
    true, so the interval of this share gives that of F1.
    """
    if setting.best:
        population = population.with_best_partners(sets)
    sets = sets.among(population.there)
    meeting = meetings(sets, setting.measure)
    rows = meeting.within(most or counting.STEPS)
    judgement = population.judgement
    assert judgement is not None
    weights = class_weights(sets, rows, population)
    unit = 1 + (max(*weights.each, *weights.compared) >> MOST_BITS)  # of the weights below
    each, compared = ([round(Fraction(one, unit)) for one in some] for some in (weights.each, weights.compared))
    asked = None if setting.measure == SHARED else setting.threshold
    places = [int(one) if asked is None else edges(asked).index(one) for one in thresholds]
    shape = len(judgement.components), len(thresholds)
    # For each component and range of similarity: weights of pairs, weights of true pairs, number of pairs
    counts = np.zeros((3, *shape), np.int64)
    for pairs, classes, many, equal in weighed_pairs(meeting, population, rows, True):
        level = np.searchsorted(places, bins_of(meeting.wholes, pairs, setting.measure, asked), "right") - 1
        there = np.flatnonzero(level >= 0)
        one, two = (sets.first[side[there]] for side in pairs[:2])
        weight = np.array(each if equal else compared)[classes[there]] * many[there]
        owners = judgement.components[one] * shape[1] + level[there]
        true = judgement.right(one, two)
        for number, (at, values) in enumerate(((owners, weight), (owners[true], weight[true]), (owners, many[there]))):
            counts[number] += np.bincount(at, values, shape[0] * shape[1]).astype(np.int64).reshape(shape)
    true_pairs = judgement.pairs(population.there, population.others)
    truth = true_pairs * each[-1]
    found, right, counted = np.cumsum(counts[:, :, ::-1], axis=2)[:, :, ::-1]
    return [
        score_of(
            threshold,
            (found[:, number], right[:, number], truth),
            Fraction(unit, SCALE),
            (int(counted[:, number].sum()), int(true_pairs.sum())),
        )
        for number, threshold in enumerate(thresholds)
    ]


def score_of(
    threshold: Fraction, weights: tuple[Index, Index, Index], unit: Fraction, counted: tuple[int, int]
) -> Scored:
    """Returns a score. weights: of the pairs found, the right ones, and the true ones, each by component."""
    found, right, truth = weights
    shared = weighted_share(right, found + truth - right)
    f1 = [2 * each / (1 + each) for each in (shared.value or Fraction(0), shared.low, shared.high)]
    counts = [int(each.sum()) * unit for each in weights]
    return Scored(
        threshold,
        counts[0],
        counts[1],
        counts[2],
        weighted_share(right, found),
        weighted_share(right, truth),
        Share(f1[0], *outwards(*f1[1:])),
        counted,
    )


def weighted_share(part: Index, whole: Index) -> Share:
    """Returns the share of a part in the whole; both are weights by component, shape (components,), int64."""
    weights = [each for each in whole.tolist() if each]
    total = sum(weights)
    if not total:
        return Share(None)
    value = Fraction(min(int(part.sum()), total), total)
    trials = min(total**2 // sum(each**2 for each in weights), MOST_TRIALS)
    low, high = interval(floor(value * trials), trials)[0], interval(ceil(value * trials), trials)[1]
    return Share(value, low, high)
