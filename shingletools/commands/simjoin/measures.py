"""Measures of the similarity of two sets, and their exact bounds in whole numbers, which the join uses."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from shingletools.kernel.types import Index

N = TypeVar("N", int, "Index")


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
        """The least overlap of a pair, if it does not depend on the sizes; else None."""
        return None

    def combined(self, a: "Index", b: "Index", /) -> "Index":
        """The number that the least overlap depends on, from the smaller size a and the larger size b."""
        return a + b

    def overlap(self, total: int) -> int:
        """The least overlap of a pair, given `combined`. Jaccard: o / (a + b - o) >= t."""
        return math.ceil(self.t * total / (1 + self.t))

    def least(self, size: int) -> int:
        """The smallest overlap of a set with any partner; more than its size if it can have none."""
        return math.ceil(self.t * size)

    def least_in_larger(self, size: int) -> int:
        """The smallest overlap of a set with a partner that is no smaller."""
        return self.least(size)

    def jaccard(self) -> Fraction | None:
        """The least Jaccard similarity of a pair; None if it can be any above 0."""
        return self.t

    def ratio(self, o: N, a: N, b: N) -> tuple[N, N]:
        """The similarity as an exact fraction, by the smaller size a and the larger size b; for cosine, its square."""
        return o, a + b - o

    def similarity(self, o: int, a: int, b: int) -> float:
        part, whole = self.ratio(o, min(a, b), max(a, b))
        return part / whole


class Dice(Measure):
    """2 o / (a + b)."""

    def overlap(self, total: int) -> int:
        return math.ceil(self.t * total / 2)

    def least(self, size: int) -> int:
        return math.ceil(self.t * size / (2 - self.t))

    def jaccard(self) -> Fraction | None:
        return self.t / (2 - self.t)

    def ratio(self, o: N, a: N, b: N) -> tuple[N, N]:
        return 2 * o, a + b


class Cosine(Measure):
    """o / sqrt(a b)."""

    def combined(self, a: "Index", b: "Index", /) -> "Index":
        return a * b

    def overlap(self, product: int) -> int:
        return 1 + math.isqrt(math.ceil(self.t**2 * product) - 1)

    def least(self, size: int) -> int:
        return math.ceil(self.t**2 * size)

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

    def overlap(self, smaller: int) -> int:
        return math.ceil(self.t * smaller)

    def least(self, size: int) -> int:
        return min(size, 1)

    def least_in_larger(self, size: int) -> int:
        return self.overlap(size)

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

    def overlap(self, _total: int) -> int:
        return self.tokens

    def least(self, _size: int) -> int:
        return self.tokens


MEASURES: dict[str, type[Measure]] = {
    "jaccard": Measure, "dice": Dice, "cosine": Cosine, "overlap": Overlap, "containment": Overlap,
}  # fmt: skip
