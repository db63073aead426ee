"""Payloads as groups of hex digits, by the fields that have them."""

from collections.abc import Sequence

from shingletools.kernel.types import U8

Data = U8  # one payload after the other
SKETCH, SIMHASH, SHINGLES = FIELDS = ("sketch", "simhash", "shingles")
FORM = "groups of {} hex digits, all alike"
WIDTHS = {SKETCH: (2, 4, 8, 16), SHINGLES: (8, 16)}  # digits of a group


def digits_of(payload: object, widths: Sequence[int]) -> int:
    """Returns how many digits a payload's groups seem to have, one of the widths, which ascend.

    >>> [digits_of(payload, (2, 4, 8, 16)) for payload in ("ab", "ab cd", "abcd ", "abcdabcd", "abc", "", None)]
    [2, 2, 4, 8, 4, 8, 8]
    """
    if type(payload) is not str or not payload:
        return 8
    return next((digits for digits in widths if payload[digits : digits + 1] in ("", " ")), widths[-1])
