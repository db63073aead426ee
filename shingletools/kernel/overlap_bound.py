"""A lower bound of the overlap of two sets that are a pair. Without numpy, so that options can name it."""

from typing import NamedTuple

SUM, SMALLER, PRODUCT, CONSTANT = range(4)  # for sizes a <= b: a + b; a; a * b, for the overlap's square; 1


class OverlapBound(NamedTuple):
    """The least overlap of two sets that are a pair, as a share of a total of their sizes."""

    kind: int  # of the total
    share: float  # a little less than the exact one
