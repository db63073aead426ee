"""Shares of things with weights, with confidence intervals."""

from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from shingletools.kernel.types import Index
from shingletools.numbers.binomial import interval

MOST_TRIALS = 10_000  # trials of an interval at most


class Share(NamedTuple):
    """A share, and its confidence interval of 95 %.

    >>> str(Share(Fraction(1, 2), Fraction(1, 4), Fraction(2, 3)))
    '50 % (25 % to 66.7 %)'
    """

    value: Fraction | None
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)

    def __str__(self) -> str:
        value, low, high = ("-" if each is None else f"{float(round(100 * each, 1)):g} %" for each in self)
        return f"{value} ({low} to {high})"


def weighted_share(part: Index, whole: Index) -> Share:
    """Returns the share of a part in the whole; both are weights by unit of sampling, shape (units,), int64.

    What is of one unit is not independent, so there are fewer trials: (sum of w)^2 / sum of w^2 (Kish 1965).

    >>> import numpy as np
    >>> weighted_share(np.array([1, 0]), np.array([1, 1]))
    Share(value=Fraction(1, 2), low=Fraction(12579, 1000000), high=Fraction(987421, 1000000))
    """
    weights = [each for each in whole.tolist() if each]
    total = sum(weights)
    if not total:
        return Share(None)
    value = Fraction(min(int(part.sum()), total), total)
    trials = min(total**2 // sum(weight**2 for weight in weights), MOST_TRIALS)
    low, high = interval(floor(value * trials), trials)[0], interval(ceil(value * trials), trials)[1]
    return Share(value, low, high)
