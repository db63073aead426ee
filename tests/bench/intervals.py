"""How sure a share is that was counted over several seeds."""

import math
from collections.abc import Sequence
from typing import NamedTuple

# Student's t, 97.5 %, by degrees of freedom
T975 = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622)
MOST = len(T975) + 1


class Share(NamedTuple):
    share: float  # of all, over all seeds
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.3f} ({self.low:.3f}-{self.high:.3f})"


def pooled(counts: Sequence[tuple[int, int]]) -> Share | None:
    """The share of all and its interval of 95 %, from counts of each seed: how many of how many. None of none.

    A seed is a cluster: what is counted in it comes in common texts. So the variance of the share is that of a ratio
    between clusters (Cochran 1977, 6.4), which says how many independent trials the counts stand for, all of them at
    most; of so many the interval is that of Wilson (1927) with Student's t, as Dean and Pagano (2015) advise for shares
    near 0 and 1. Where all seeds agree in 0 or 1, the counts stand for themselves.

    >>> print(pooled([(8, 10), (9, 10), (7, 10)]))
    0.800 (0.413-0.958)
    """
    whole = sum(number for _, number in counts)
    if not whole:
        return None
    share = sum(hits for hits, _ in counts) / whole
    clusters = len(counts)
    spread = sum((hits - share * number) ** 2 for hits, number in counts) * clusters / (clusters - 1) / whole**2
    trials = min(whole, share * (1 - share) / spread) if spread else whole
    z = T975[clusters - 2]
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # Where the share is 0 or 1, rounding may leave it outside by a hair
    return Share(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)))
