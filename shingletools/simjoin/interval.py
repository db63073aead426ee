"""How far an estimate may be off: the interval of Clopper and Pearson (1934)."""

import math
from functools import cache

LEVEL = 0.95
DECIMALS = 6


@cache
def interval(agreeing: int, components: int) -> tuple[float, float]:
    """Between which similarities the truth lies, in 95 of 100 cases at least, when so many of the components agree.

    That holds for a pair picked in advance. A join picks pairs by this very estimate, and so those that are estimated
    too high: of the pairs that it writes, between 90 and 98 of 100 were covered in trials.

    low is the similarity at which as many agreeing components or more have a chance of 2.5 %, high that at which as
    many or fewer have. Rounded outwards to six decimals.

    >>> interval(84, 84), interval(68, 84), interval(0, 84)
    ((0.957035, 1.0), (0.709189, 0.887025), (0.0, 0.042965))
    """
    low = _limit(agreeing, components) if agreeing else 0.0
    high = 1 - _limit(components - agreeing, components) if agreeing < components else 1.0
    scale = 10**DECIMALS
    return math.floor(low * scale) / scale, math.ceil(high * scale) / scale


def _limit(least: int, components: int) -> float:
    """The probability at which `least` successes or more, of so many trials, have a chance of (1 - LEVEL) / 2."""
    below, above = 0.0, 1.0
    for _ in range(50):
        middle = (below + above) / 2
        if _tail(least, components, middle) <= (1 - LEVEL) / 2:
            below = middle
        else:
            above = middle
    return below


def _tail(least: int, components: int, chance: float) -> float:
    """Of so many trials, `least` or more succeed: the sum of binomial terms, by logarithms, for they are tiny."""
    if chance <= 0 or chance >= 1:
        return chance
    whole = math.lgamma(components + 1)
    yes, no = math.log(chance), math.log1p(-chance)
    return math.fsum(
        math.exp(whole - math.lgamma(i + 1) - math.lgamma(components - i + 1) + i * yes + (components - i) * no)
        for i in range(least, components + 1)
    )
