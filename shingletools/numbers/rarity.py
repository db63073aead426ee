"""How rare something is: its inverse document frequency (Spärck Jones 1972)."""

from decimal import Decimal, localcontext
from functools import cache

UNIT = 1 << 16  # a weight of 1: sums of whole numbers do not depend on their order


@cache
def inverse_frequency(documents: int, df: int) -> float:
    """log2(documents / df), rounded to 6 decimals. Computed in decimals: C libraries' logarithms differ.

    Decimal.ln is rounded correctly, and so is this: a logarithm within 10^-40 of the middle between two millionths
    would be an accident that no number of documents will meet.

    >>> inverse_frequency(300, 2), inverse_frequency(8, 8)
    (7.228819, 0.0)
    """
    with localcontext(prec=60):
        return float(round((Decimal(documents) / df).ln() / Decimal(2).ln(), 6))
