"""Measures of the similarity of two sets, and their exact bounds in whole numbers, which the join uses."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from shingletools.commands.simjoin.join_options import CONTAINMENT, COSINE, DICE, JACCARD, OVERLAP
from shingletools.kernel.overlap_bound import CONSTANT, PRODUCT, SMALLER, SUM, OverlapBound

if TYPE_CHECKING:
    from shingletools.kernel.types import Index

N = TypeVar("N", int, "Index")


class Ceiling:
    """The least whole number that is not less than a share of a number.

    >>> Ceiling(Fraction(2, 3))(4)
    3
    """

    def __init__(self, share: Fraction) -> None:
        self.share = share

    def __call__(self, number: int, /) -> int:
        return math.ceil(self.share * number)


def root_ceiling(share: Fraction, number: int) -> int:
    """Returns the least whole number that is not less than a share of the square root of a number above 0.

    >>> root_ceiling(Fraction(1, 2), 36), root_ceiling(Fraction(1, 2), 37)
    (3, 4)
    """
    return 1 + math.isqrt(math.ceil(share**2 * number) - 1)


class Measure(NamedTuple):
    """When two sets of a <= b tokens with o in common are a pair: when o reaches an exact bound.

    The bound is a share of a total of their sizes, of which `kind` says what it is: see overlap_bound.py; if that is
    a * b, a share of its root.

    Let all sets have their tokens in one order, rare ones first, and let least(x) be the smallest overlap of a set x
    with any partner. Then two sets that are a pair share a token among the first |x| - least(x) + 1 of each. For the
    smaller set, the first |x| - least_in_larger(x) + 1 suffice.
    """

    kind: int
    share: Fraction
    # The smallest overlap of a set of this size with any partner; more if it can have none
    least: Callable[[int], int]
    jaccard: Fraction | None = None  # the least Jaccard similarity of a pair; None if it can be any above 0

    @property
    def absolute(self) -> int | None:
        """Returns the least overlap of a pair, if it does not depend on the sizes; else None."""
        return int(self.share) if self.kind == CONSTANT else None

    @property
    def least_in_larger(self) -> Callable[[int], int]:
        """Returns the smallest overlap of a set with a partner that is no smaller: with one of its own size."""
        return self.least if self.kind == CONSTANT else Ceiling(self.share * (2 if self.kind == SUM else 1))

    @property
    def bound(self) -> OverlapBound:
        """Returns a lower bound of the overlap in floating point, lower by more than floating-point numbers err."""
        share = self.share**2 if self.kind == PRODUCT else self.share
        return OverlapBound(self.kind, float(share) * (1 - 2**-30))


def in_common(tokens: int) -> Measure:
    """o itself, the number of common tokens. Sets with fewer tokens are in no pair, not even with their copies."""
    return Measure(CONSTANT, Fraction(tokens), lambda _size: tokens)


def of_smaller(t: Fraction) -> Measure:
    """The overlap coefficient, o / min(a, b).

    A set may pair with a far smaller one and share just one token with it, so it is found by each of its tokens. But it
    looks for larger sets by its rarest tokens only.
    """
    return Measure(SMALLER, t, lambda size: min(size, 1))


# Each with the least similarity of a pair. For cosine, sets of one size have a Jaccard similarity of t / (2 - t) or
# more, but one inside another may have t * t, which is less
MEASURES: dict[str, Callable[[Fraction], Measure]] = {
    JACCARD: lambda t: Measure(SUM, t / (1 + t), Ceiling(t), t),
    DICE: lambda t: Measure(SUM, t / 2, Ceiling(t / (2 - t)), t / (2 - t)),
    COSINE: lambda t: Measure(PRODUCT, t, Ceiling(t**2), t**2),
    OVERLAP: of_smaller,
    CONTAINMENT: of_smaller,
}


def ratio(measure: str, o: N, a: N, b: N) -> tuple[N, N]:
    """Returns the similarity of sets of sizes a <= b as an exact fraction; for cosine, its square."""
    if measure == JACCARD:
        return o, a + b - o
    if measure == DICE:
        return 2 * o, a + b
    return (o * o, a * b) if measure == COSINE else (o, a)


def similarity(measure: str, o: int, a: int, b: int) -> float:
    """Returns the similarity of two sets, rounded once.

    >>> [similarity(measure, 6, 9, 8) for measure in (JACCARD, COSINE, OVERLAP)]
    [0.5454545454545454, 0.7071067811865476, 0.75]
    """
    if measure == COSINE:
        return o / math.sqrt(a * b)
    part, whole = ratio(measure, o, min(a, b), max(a, b))
    return part / whole
