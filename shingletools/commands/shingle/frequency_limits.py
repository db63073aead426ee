"""Limits of document frequencies, as options give them: a number of documents, or a share of all."""

import argparse
import re
from typing import TYPE_CHECKING, NamedTuple

from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    from fractions import Fraction

PERCENT = 100  # percent


class FrequencyLimit(NamedTuple):
    """A number of documents, or an exact percentage of all."""

    number: "int | Fraction"
    percent: bool = False

    def most(self, documents: int) -> int:
        """Returns the greatest document frequency that is not above the limit.

        >>> FrequencyLimit(10, percent=True).most(29), FrequencyLimit(10).most(29)
        (2, 10)
        """
        return int(self.number * documents // 100 if self.percent else self.number)

    def least(self, documents: int) -> int:
        """Returns the least document frequency that is not below the limit; at least 1.

        >>> FrequencyLimit(10, percent=True).least(29), FrequencyLimit(10, percent=True).least(0)
        (3, 1)
        """
        return max(1, int(-(-self.number * documents // 100) if self.percent else self.number))


def check_limits_meet(least: FrequencyLimit | None, most: FrequencyLimit | None) -> None:
    """Raises Failed for limits that no number of documents is within, however many documents there are."""
    if least is not None and most is not None and least.percent == most.percent and least.number > most.number:
        one, two = (f"{float(limit.number)!r}".removesuffix(".0") + "%" * limit.percent for limit in (least, most))
        raise Failed(f"--min-df {one} and --max-df {two} leave no shingle: the first must not be greater")


def frequency_limit(argument: str) -> FrequencyLimit:
    """Returns an option's argument: a whole number from 1, or a percentage above 0 and up to 100.

    Raises ArgumentTypeError.
    """
    if re.fullmatch("[0-9]{1,12}", argument) and int(argument):
        return FrequencyLimit(int(argument))
    if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,18})?%", argument):
        from fractions import Fraction  # and decimal, which most runs do not need

        number = Fraction(argument[:-1])
        if 0 < number <= PERCENT:
            return FrequencyLimit(number, percent=True)
    raise argparse.ArgumentTypeError(f"neither a number from 1 nor a percentage such as 0.5%: {shown(argument)}")
