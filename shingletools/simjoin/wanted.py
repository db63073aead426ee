"""What is asked of a join."""

from fractions import Fraction
from typing import NamedTuple

JACCARD, DICE, CONTAINMENT = "jaccard", "dice", "containment"
BITS = 64  # of a simhash
THRESHOLD, DISTANCE = Fraction(4, 5), 3  # where nothing is said


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
