"""Histograms: how many values lie in each bar."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

Bar = tuple[float, float, int]  # from, to, how many

DECIMALS = 6  # of similarities and shares
UNIT = 10**DECIMALS
BARS = 20  # between 0 and 1


def rounded(value: float | Fraction) -> float:
    """To six decimals, as `simjoin` rounds: of any size, for nothing is multiplied.

    >>> rounded(Fraction(2, 3)), rounded(1e305)
    (0.666667, 1e+305)
    """
    return round(float(value), DECIMALS)


def bars_of_similarities(values: Sequence[float]) -> list[Bar]:
    """Bars of one width, from the first that is not empty to the last; a bar has its lower end, the last both.

    They divide 0 to 1, or, if there are values outside, the whole numbers that these lie between. Whole millionths are
    counted, as integers of any size, so that no value is in a wrong bar for being rounded.

    >>> bars_of_similarities([0.9, 0.9499999, 0.35, 1.0])[-2:]
    [(0.9, 0.95, 1), (0.95, 1.0, 2)]
    """
    if not values:
        return []
    units: Counter[int] = Counter()
    for value, pairs in Counter(values).items():
        units[round(Fraction(value) * UNIT)] += pairs
    low, high = min(0, min(units) // UNIT), max(1, -(-max(units) // UNIT))
    width = (high - low) * UNIT // BARS
    counts: Counter[int] = Counter()
    for unit, pairs in units.items():
        counts[min((unit - low * UNIT) // width, BARS - 1)] += pairs
    edges = [(low * UNIT + place * width) / UNIT for place in range(BARS + 1)]
    return [(edges[place], edges[place + 1], counts[place]) for place in range(min(counts), max(counts) + 1)]


def bars_of_sizes(sizes: Mapping[int, int]) -> list[Bar]:
    """Bars of sizes, each to the next power of two: 2, 3 to 4, 5 to 8 and so on; both ends are in the bar.

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
