"""Measures of the similarity of two sets, and their exact bounds in whole numbers, which the join uses."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

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


class Root:
    """The least whole number that is not less than a share of the square root of a number above 0.

    >>> Root(Fraction(1, 2))(36), Root(Fraction(1, 2))(37)
    (3, 4)
    """

    def __init__(self, share: Fraction) -> None:
        self.share = share

    def __call__(self, number: int, /) -> int:
        return 1 + math.isqrt(math.ceil(self.share**2 * number) - 1)


def below(share: Fraction) -> float:
    """Returns a number that is less than a share by more than floating-point numbers err."""
    return float(share) * (1 - 2**-30)


class Measure:
    """When two sets of a and b tokens with o in common are a pair: when o reaches an exact bound. Here: Jaccard.

    Let all sets have their tokens in one order, rare ones first, and let least(x) be the smallest overlap of a set x
    with any partner. Then two sets that are a pair share a token among the first |x| - least(x) + 1 of each. For the
    smaller set, the first |x| - least_in_larger(x) + 1 suffice.
    """

    def __init__(self, threshold: Fraction) -> None:
        self.t = threshold

    @property
    def absolute(self) -> int | None:
        """Returns the least overlap of a pair, if it does not depend on the sizes; else None."""
        return None

    def combined(self, a: "Index", b: "Index", /) -> "Index":
        """Returns the number on which `overlap` depends, from sizes a <= b; a * b for a Root."""
        return a + b

    @property
    def overlap(self) -> Callable[[int], int]:
        """Returns the least overlap of a pair, given `combined`. Jaccard: o / (a + b - o) >= t."""
        return Ceiling(self.t / (1 + self.t))

    @property
    def least(self) -> Callable[[int], int]:
        """Returns the smallest overlap of a set of this size with any partner; more if it can have no partner."""
        return Ceiling(self.t)

    @property
    def least_in_larger(self) -> Callable[[int], int]:
        """Returns the smallest overlap of a set with a partner that is no smaller."""
        return Ceiling(2 * self.t / (1 + self.t))

    @property
    def bound(self) -> OverlapBound:
        """Returns a lower bound of `overlap` in floating point."""
        return OverlapBound(SUM, below(self.t / (1 + self.t)))

    def jaccard(self) -> Fraction | None:
        """Returns the least Jaccard similarity of a pair; None if it can be any above 0."""
        return self.t

    def ratio(self, o: N, a: N, b: N) -> tuple[N, N]:
        """Returns the similarity of sets of sizes a <= b as an exact fraction; for cosine, its square."""
        return o, a + b - o

    def similarity(self, o: int, a: int, b: int) -> float:
        part, whole = self.ratio(o, min(a, b), max(a, b))
        return part / whole


class Dice(Measure):
    """2 o / (a + b)."""

    @property
    def overlap(self) -> Callable[[int], int]:
        return Ceiling(self.t / 2)

    @property
    def least(self) -> Callable[[int], int]:
        return Ceiling(self.t / (2 - self.t))

    @property
    def least_in_larger(self) -> Callable[[int], int]:
        return Ceiling(self.t)

    @property
    def bound(self) -> OverlapBound:
        return OverlapBound(SUM, below(self.t / 2))

    def jaccard(self) -> Fraction | None:
        return self.t / (2 - self.t)

    def ratio(self, o: N, a: N, b: N) -> tuple[N, N]:
        return 2 * o, a + b


class Cosine(Measure):
    """o / sqrt(a b)."""

    @property
    def overlap(self) -> Root:
        return Root(self.t)

    @property
    def least(self) -> Callable[[int], int]:
        return Ceiling(self.t**2)

    @property
    def least_in_larger(self) -> Callable[[int], int]:
        return Ceiling(self.t)

    @property
    def bound(self) -> OverlapBound:
        return OverlapBound(PRODUCT, below(self.t**2))

    def jaccard(self) -> Fraction | None:
        return self.t**2  # of a set inside another; sets of one size have t / (2 - t), which is more

    def ratio(self, o: N, a: N, b: N) -> tuple[N, N]:
        return o * o, a * b

    def similarity(self, o: int, a: int, b: int) -> float:
        return o / math.sqrt(a * b)


class Overlap(Measure):
    """The overlap coefficient, o / min(a, b).

    A set may pair with a far smaller one and share just one token with it, so it is found by each of its tokens. But it
    looks for larger sets by its rarest tokens only.
    """

    def combined(self, a: "Index", _b: "Index", /) -> "Index":
        return a

    @property
    def overlap(self) -> Callable[[int], int]:
        return Ceiling(self.t)

    @property
    def least(self) -> Callable[[int], int]:
        return lambda size: min(size, 1)

    @property
    def least_in_larger(self) -> Callable[[int], int]:
        return self.overlap

    @property
    def bound(self) -> OverlapBound:
        return OverlapBound(SMALLER, below(self.t))

    def jaccard(self) -> Fraction | None:
        return None

    def ratio(self, o: N, a: N, _b: N) -> tuple[N, N]:
        return o, a


class InCommon(Measure):
    """o itself, the number of common tokens. Sets with fewer tokens are in no pair, not even with their copies."""

    def __init__(self, tokens: int) -> None:
        super().__init__(Fraction(tokens))
        self.tokens = tokens

    @property
    def absolute(self) -> int:
        return self.tokens

    @property
    def overlap(self) -> Callable[[int], int]:
        return lambda _total: self.tokens

    @property
    def least(self) -> Callable[[int], int]:
        return lambda _size: self.tokens

    @property
    def least_in_larger(self) -> Callable[[int], int]:
        return self.least

    @property
    def bound(self) -> OverlapBound:
        return OverlapBound(CONSTANT, below(self.t))


MEASURES: dict[str, type[Measure]] = {
    "jaccard": Measure,
    "dice": Dice,
    "cosine": Cosine,
    "overlap": Overlap,
    "containment": Overlap,
}
