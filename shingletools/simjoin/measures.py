"""Measures of the similarity of two sets, and what they mean for a join: bounds in whole numbers, and exact."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shingletools.kernel.types import Index


class Measure:
    """When two sets of a and b tokens, of which o are common, are a pair: where o reaches a bound that is exact.

    Any two sets that are a pair have one of the first |x| - least(x) + 1 tokens of each in common, if tokens stand in
    one order, rare ones first: least(x) is the smallest overlap that x can have with a partner. Of the smaller set the
    first |x| - least_in_larger(x) + 1 do.
    """

    def __init__(self, threshold: Fraction) -> None:
        self.t = threshold

    @property
    def absolute(self) -> int | None:
        """The least overlap of a pair, where the sizes do not matter."""
        return None

    def combined(self, a: "Index", b: "Index", /) -> "Index":
        """Of the smaller and the larger size, what the least overlap depends on."""
        return a + b

    def overlap(self, total: int) -> int:
        """The least overlap of a pair: here Jaccard, o / (a + b - o) >= t."""
        return math.ceil(self.t * total / (1 + self.t))

    def least(self, size: int) -> int:
        """The smallest overlap of a set with any partner; where that is more than its size, it has none."""
        return math.ceil(self.t * size)

    def least_in_larger(self, size: int) -> int:
        """The smallest overlap of a set with a partner that is no smaller; from `least` to that with its like."""
        return self.least(size)

    def jaccard(self) -> Fraction | None:
        """The least Jaccard similarity of a pair, if there is one above 0."""
        return self.t

    def similarity(self, o: int, a: int, b: int) -> float:
        return o / (a + b - o)


class Dice(Measure):
    """2 o / (a + b)."""

    def overlap(self, total: int) -> int:
        return math.ceil(self.t * total / 2)

    def least(self, size: int) -> int:
        return math.ceil(self.t * size / (2 - self.t))

    def jaccard(self) -> Fraction | None:
        return self.t / (2 - self.t)

    def similarity(self, o: int, a: int, b: int) -> float:
        return 2 * o / (a + b)


class Cosine(Measure):
    """o / sqrt(a b)."""

    def combined(self, a: "Index", b: "Index", /) -> "Index":
        return a * b

    def overlap(self, product: int) -> int:
        return 1 + math.isqrt(math.ceil(self.t**2 * product) - 1)

    def least(self, size: int) -> int:
        return math.ceil(self.t**2 * size)

    def jaccard(self) -> Fraction | None:
        return self.t**2  # of a set within another; sets of one size have t / (2 - t), which is more

    def similarity(self, o: int, a: int, b: int) -> float:
        return o / math.sqrt(a * b)


class Overlap(Measure):
    """o / min(a, b), the overlap coefficient.

    A set may be a pair with a far smaller one, so that any of its tokens may be all that they share: it is found by
    each of them. But it needs to look for larger ones by its rarest only.
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

    def similarity(self, o: int, a: int, b: int) -> float:
        return o / min(a, b)


class InCommon(Measure):
    """o itself, a number of tokens, however large the sets are. Sets of fewer have no pair, nor do copies of them."""

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
