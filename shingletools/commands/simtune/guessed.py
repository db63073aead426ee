"""What rules say of a sample: a setting, its figures, and why."""

from fractions import Fraction
from typing import NamedTuple

from shingletools.commands.simtune.measured import Measured


class Reason(NamedTuple):
    """Why a part of the pipeline is as it is."""

    rule: str
    because: str


def percent(share: Fraction) -> str:
    """A share, with one digit after the point at most.

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 2))
    ('33.3 %', '50 %')
    """
    return f"{float(round(100 * share, 1)):g} %"


class Guess(NamedTuple):
    """A setting, its figures, and why."""

    tried: list[Measured]
    chosen: Measured
    reasons: list[Reason]
    copies: Fraction  # pairs of the sample that it promises
