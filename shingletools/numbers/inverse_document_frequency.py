"""The inverse document frequency, which says how rare something is (Spärck Jones 1972)."""

from decimal import Decimal, localcontext
from functools import cache

UNIT = 1 << 16  # a weight of 1: sums of whole numbers do not depend on their order
HEAVIEST = 32  # bits of the greatest square


@cache
def inverse_frequency(documents: int, df: int) -> float:
    """Returns log2(documents / df), rounded to 6 decimals. Computed in decimals: C libraries' logarithms differ.

    Decimal.ln is rounded correctly, and so is this: a logarithm within 10^-40 of the middle between two millionths
    would be an accident that no number of documents will meet.

    >>> inverse_frequency(300, 2), inverse_frequency(8, 8)
    (7.228819, 0.0)
    """
    with localcontext(prec=60):
        return float(round((Decimal(documents) / df).ln() / Decimal(2).ln(), 6))


def counted_weight(documents: int, df: int) -> int:
    """Returns log2((documents + 1) / df), in units: never 0, so that copies are found whatever they consist of."""
    return max(round(inverse_frequency(documents + 1, df) * UNIT), 1)


def square(heaviest: int, weight: int) -> int:
    """Returns the square of a weight, in the least power of two units in which the heaviest has 2^HEAVIEST at most.

    It is rounded, halves upwards, but a weight above 0 has a square of at least 1.

    >>> [square(1 << 17, weight) for weight in (0, 1, 2, 3, 5, 1 << 17)]
    [0, 1, 1, 2, 6, 4294967296]
    """
    shift = max((heaviest**2 - 1).bit_length() - HEAVIEST, 0)
    return max((weight**2 + (1 << shift >> 1)) >> shift, min(weight, 1))


def counted_square(documents: int, df: int) -> int:
    """Returns the square of a counted weight, in units by the heaviest possible one, of a shingle in one document."""
    return square(counted_weight(documents, 1), counted_weight(documents, df))
