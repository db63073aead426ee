"""The places of words in a text, as canon --offsets writes them."""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.system.errors import Rejected

TOO_LARGE = 10**18  # for a place; numpy reads larger numbers as the largest integer
POWERS_OF_TEN = 10 ** np.arange(1, 18)


class Places(NamedTuple):
    """Where each word begins and ends, in code points of the field SOURCE, half open."""

    starts: Index
    ends: Index


def read_places(at: str) -> Places:
    """Returns the places in a field AT, in its order. Raises Rejected if it holds anything else.

    >>> read_places("0-3 4-17")
    Places(starts=array([0, 4]), ends=array([ 3, 17]))
    """
    if not at:
        return Places(np.zeros(0, np.int64), np.zeros(0, np.int64))
    letters = at.encode(errors="replace")
    between = letters.translate(None, b"0123456789")
    count = (len(between) + 1) // 2
    if between != b"- " * (count - 1) + b"-":
        raise bad_places()
    values = np.fromstring(letters.replace(b"-", b" "), np.int64, sep=" ")
    if len(values) != 2 * count or values.max() >= TOO_LARGE:  # a number may be missing
        raise bad_places()
    digits = len(values) + int(np.searchsorted(POWERS_OF_TEN, values, side="right").sum())
    if digits != len(letters) - len(between):
        raise bad_places("without leading zeros")
    starts, ends = values[::2], values[1::2]
    if (starts > ends).any():
        raise bad_places()
    return Places(starts, ends)


def bad_places(wanted: str = "with single blanks between") -> Rejected:
    """Returns the rejection of a field AT that holds no places."""
    return Rejected(f'field "{wire.AT}" holds no places (FROM-TO, {wanted})')
