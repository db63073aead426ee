"""What rules choose for a sample: a setting, its figures, and the reasons."""

from fractions import Fraction
from typing import NamedTuple

from shingletools.commands.simtune.measured import Measured


class Reason(NamedTuple):
    """The reason for a part of the pipeline."""

    rule: str
    because: str


def percent(share: Fraction) -> str:
    """Returns a share as a percentage, with at most one decimal.

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 2))
    ('33.3 %', '50 %')
    """
    return f"{float(round(100 * share, 1)):g} %"


class Guess(NamedTuple):
    """The setting that a rule chooses, those that it tried, and the reasons."""

    tried: list[Measured]
    chosen: Measured
    reasons: list[Reason]
    copies: Fraction  # pairs of the sample that are expected to be copies
