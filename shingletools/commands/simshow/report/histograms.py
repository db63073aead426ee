"""Histograms: how many values are in each bar."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

Bar = tuple[float, float, int]  # from, to, number of values

DECIMALS = 6  # of similarities and shares
UNIT = 10**DECIMALS
BARS = 20  # between 0 and 1


def rounded(value: float | Fraction) -> float:
    """Returns a number rounded to six decimals, as `simjoin` rounds it.

    >>> rounded(Fraction(2, 3))
    0.666667
    """
    return round(float(value), DECIMALS)


def bars_of_similarities(values: Sequence[float], copies: int = 0) -> list[Bar]:
    """Returns bars of equal width, from the first to the last with pairs. A bar includes its lower end, the last both.

    They divide the range from 0 to 1, which has all values. Values are compared as whole millionths, so rounding puts
    none into a wrong bar. Exact copies, which are not among the values, have a bar of their own, from 1 to 1.

    >>> bars_of_similarities([0.9, 0.9499999, 0.35, 1.0])[-2:]
    [(0.9, 0.95, 1), (0.95, 1.0, 2)]
    """
    own = [(1.0, 1.0, copies)] if copies else []
    if not values:
        return own
    counts: Counter[int] = Counter()
    for value, pairs in Counter(values).items():
        counts[min(round(value * UNIT) * BARS // UNIT, BARS - 1)] += pairs
    return [*((place / BARS, (place + 1) / BARS, counts[place]) for place in range(min(counts), max(counts) + 1)), *own]


def bars_of_sizes(sizes: Mapping[int, int]) -> list[Bar]:
    """Returns bars of sizes up to powers of two: 2, 3 to 4, 5 to 8 and so on. A bar includes both ends.

    >>> bars_of_sizes({2: 7, 3: 1, 4: 2, 20: 1})
    [(2, 2, 7), (3, 4, 3), (5, 8, 0), (9, 16, 0), (17, 32, 1)]
    """
    counts: Counter[int] = Counter()
    for size, groups in sizes.items():
        counts[(size - 1).bit_length()] += groups
    return (
        [(2 ** (bits - 1) + 1 if bits else 1, 2**bits, counts[bits]) for bits in range(min(counts), max(counts) + 1)]
        if counts
        else []
    )
