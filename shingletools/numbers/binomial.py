"""Binomial chances, in whole numbers and decimals: no logarithm or power of a C library, so that all machines agree."""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import ceil, comb, floor, isqrt

LEVEL = Fraction(1, 40)  # on either side of an interval: 95 of 100 between
DECIMALS = 6
DIGITS = 30  # that decide about LEVEL, but for ties
DEVIATIONS = 3  # below a threshold, at which a sketch still proposes a pair


def successes(least: int, trials: int, yes: int, whole: int) -> int:
    """Counts the cases, of whole ** trials, in which so many trials or more succeed; each does in `yes` of `whole`.

    The sum of C(n, i) yes^i (whole - yes)^(n - i), for i from `least` to n, each term by the one before; or all cases
    but those of the other terms, if these are fewer.
    """
    no = whole - yes
    every: int = whole**trials
    if not yes or not no:
        return every if least <= 0 or (yes and least <= trials) else 0
    if 2 * least <= trials:
        return every - successes(trials - least + 1, trials, no, whole)
    term: int = yes**trials
    total = 0
    for i in range(trials, least - 1, -1):
        total += term
        term = term * (i * no) // ((trials - i + 1) * yes)
    return total


@cache
def interval(agreeing: int, components: int) -> tuple[Fraction, Fraction]:
    """Returns bounds of the true similarity, right in 95 of 100 cases or more, when so many components agree.

    The bounds of Clopper and Pearson (1934), rounded outwards to DECIMALS: the lower is the similarity at which as many
    agreeing components or more have a chance of LEVEL, the upper that at which as many or fewer have.

    That holds for a pair picked in advance. A join picks pairs by this very estimate, and so those that are estimated
    too high: of the pairs that it writes, between 90 and 98 of 100 were covered in trials.

    >>> [[float(bound) for bound in interval(agreeing, 84)] for agreeing in (84, 68, 0)]
    [[0.957035, 1.0], [0.709189, 0.887025], [0.0, 0.042965]]
    """
    return _limit(agreeing, components), 1 - _limit(components - agreeing, components)


def agreement(similarity: Fraction, chance: Fraction) -> Fraction:
    """Returns the expected share of agreeing components, given the chance that two components agree that need not.

    >>> agreement(Fraction(1, 2), Fraction(1, 256))
    Fraction(257, 512)
    """
    return chance + (1 - chance) * similarity


def estimated(share: Fraction, chance: Fraction) -> Fraction:
    """Returns the similarity, not below 0, at which this share of the components is expected to agree.

    >>> estimated(Fraction(257, 512), Fraction(1, 256)), estimated(Fraction(0), Fraction(1, 256))
    (Fraction(1, 2), Fraction(0, 1))
    """
    return max((share - chance) / (1 - chance), Fraction(0))


def outwards(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Returns bounds, rounded outwards to DECIMALS."""
    scale = 10**DECIMALS
    return Fraction(floor(low * scale), scale), Fraction(ceil(high * scale), scale)


def _limit(least: int, components: int) -> Fraction:
    """Returns the greatest chance, of DECIMALS, at which `least` successes or more have a chance of LEVEL at most."""
    if not least:
        return Fraction(0)
    whole = 10**DECIMALS
    # With the chance least / components, `least` is the median, so that half of all cases have as many or more
    low, high = 0, -(-whole * least // components)
    while high - low > 1:
        middle = (low + high) // 2
        if is_rare(least, components, middle, whole):
            low = middle
        else:
            high = middle
    return Fraction(low, whole)


def is_rare(least: int, trials: int, yes: int, whole: int) -> bool:
    """Returns whether the chance of so many successes or more is at most LEVEL. yes / whole: the chance of one.

    Computed in decimals, whose digits are the same on all machines; in whole numbers where the digits are too few to
    decide. The terms fall ever faster, so that those after the last one add up to less than `trials` times that.

    >>> is_rare(84, 84, 957035, 10**6), is_rare(84, 84, 957036, 10**6)
    (True, False)
    """
    with localcontext(Context(prec=DIGITS + 20, Emin=MIN_EMIN, Emax=MAX_EMAX)):
        level = Decimal(LEVEL.numerator) / LEVEL.denominator
        chance = Decimal(yes) / whole
        term = _ways(least, trials) * chance**least * (1 - chance) ** (trials - least)
        total, odds = term, chance / (1 - chance)
        for i in range(least, trials):
            if total > 2 * level or term * trials < level.scaleb(-DIGITS):
                break
            term *= odds * (trials - i) / (i + 1)
            total += term
        if abs(total - level) > level.scaleb(2 - DIGITS):
            return total < level
    every: int = whole**trials
    return successes(least, trials, yes, whole) * LEVEL.denominator <= LEVEL.numerator * every


@cache
def _ways(least: int, trials: int) -> Decimal:
    """Returns in how many ways so many of the trials can be chosen, in the digits of the context."""
    return +Decimal(comb(trials, least))


def proposed(threshold: Fraction, components: int) -> int:
    """Returns in how many components sketches agree whose estimate is DEVIATIONS below a threshold; 1 at least.

    >>> proposed(Fraction(4, 5), 84)
    57
    """
    wanted = threshold * components
    spread = DEVIATIONS**2 * wanted * (1 - threshold)
    least = max(1, int(wanted) - isqrt(int(spread)) - 2)
    while wanted > least and (wanted - least) ** 2 > spread:
        least += 1
    return least
