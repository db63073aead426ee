"""What is asked of a join."""

from fractions import Fraction
from typing import NamedTuple

JACCARD, DICE, CONTAINMENT = "jaccard", "dice", "containment"
BITS = 64  # of a simhash


class Wanted(NamedTuple):
    """What makes a pair; one of the first three is said at most."""

    similarity: Fraction | None = None
    agreeing: int | None = None
    distance: int | None = None
    measure: str = JACCARD
    interval: bool = False  # pairs say how far the estimate may be off
    verify: bool = False  # sketches only propose, shingles decide
    forest: bool = False  # enough pairs to connect what all of them connect
    recall: Fraction = Fraction(1)  # expected of pairs that just reach the threshold

    def threshold(self) -> str:
        """Which of the first three is said, as an option; empty if none is.

        >>> Wanted(similarity=Fraction(4, 5)).threshold(), Wanted().threshold()
        ('-t 0.8', '')
        """
        said = zip("tmd", self[:3], strict=True)
        return "".join(f"-{option} {float(value):g}" for option, value in said if value is not None)

    def with_threshold(self, of: "Wanted") -> "Wanted":
        return self._replace(similarity=of.similarity, agreeing=of.agreeing, distance=of.distance)


ALIKE, NEAR = Wanted(similarity=Fraction(4, 5)), Wanted(distance=3)  # where no threshold is said
TWO_COMPONENTS, ONE_COMPONENT, UNKNOWN = Wanted(agreeing=2), Wanted(agreeing=1), Wanted()
