"""The options that say what makes a pair."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from shingletools.cli.argument_types import count
from shingletools.numbers.exact_ratios import as_option

if TYPE_CHECKING:
    import argparse

JACCARD, DICE, COSINE, OVERLAP, CONTAINMENT = "jaccard", "dice", "cosine", "overlap", "containment"
COUNTED = "counted"  # weights by the documents that are joined, not by a table
BITS = 64  # of a simhash


class Scope(NamedTuple):
    """Fields whose values decide which documents may be a pair."""

    within: tuple[str, ...] = ()  # the two documents of a pair have equal values
    across: tuple[str, ...] = ()  # the two documents have different values

    @property
    def fields(self) -> tuple[str, ...]:
        return self.within + self.across


class JoinOptions(NamedTuple):
    """What makes a pair. At most one of the first three, the thresholds, is given."""

    similarity: Fraction | None = None
    agreeing: int | None = None
    distance: int | None = None
    measure: str = JACCARD
    interval: bool = False  # pairs have bounds of the true similarity
    verify: bool = False  # sketches propose pairs, shingles decide
    forest: bool = False  # only enough pairs to connect what all pairs connect
    recall: Fraction = Fraction(1)  # expected, of pairs that just reach the threshold
    scope: Scope = Scope()
    best: int | None = None  # partners that each document keeps; None for all
    copies_once: bool = False  # a copy has one pair, with its original
    weights: str | None = None  # a table of the weights of shingles, or COUNTED; None if all weigh the same

    def threshold(self) -> str:
        """Returns the threshold as an option; "" if none is given.

        >>> every = (Fraction(4, 5), Fraction(2, 3), Fraction("0.8123456789"))
        >>> [JoinOptions(similarity=each).threshold() for each in every]
        ['-t 0.8', '-t 2/3', '-t 0.8123456789']
        >>> JoinOptions(agreeing=2).threshold(), JoinOptions().threshold()
        ('-m 2', '')
        """
        options = zip("tmd", self[:3], strict=True)
        return "".join(f"-{option} {as_option(Fraction(value))}" for option, value in options if value is not None)

    def shown(self) -> str:
        """Returns the measure and threshold as options.

        >>> JoinOptions(similarity=Fraction(4, 5), measure=DICE).shown()
        '--measure dice -t 0.8'
        """
        return f"--measure {self.measure} " * (self.measure != JACCARD) + self.threshold()

    def with_threshold(self, of: "JoinOptions") -> "JoinOptions":
        return self._replace(similarity=of.similarity, agreeing=of.agreeing, distance=of.distance)


def add_thresholds(
    parser: "argparse.ArgumentParser", similarity: Callable[[str], Fraction], t: str, m: str, d: str
) -> None:
    """Adds the options -t, -m and -d, of which one can be given. similarity: the type of -t. t, m, d: their help."""
    add = parser.add_mutually_exclusive_group().add_argument
    add("-t", "--threshold", metavar="T", type=similarity, help=t)
    add("-m", "--agreeing", metavar="M", type=count, help=m)
    add("-d", "--distance", metavar="D", type=partial(count, least=0, most=BITS - 1), help=d)


ALIKE, NEAR = JoinOptions(similarity=Fraction(4, 5)), JoinOptions(distance=3)  # default thresholds
TWO_COMPONENTS, ONE_COMPONENT, UNKNOWN = JoinOptions(agreeing=2), JoinOptions(agreeing=1), JoinOptions()
