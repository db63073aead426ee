"""Ratios of counts: exact fractions, and None where there is nothing to divide by; and tables that show them."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shingletools.kernel.types import Index

Ratio = Fraction | None
DIGITS = 6  # of ratios behind the point, in records
TABLE_DIGITS = 4  # and in tables


def ratio(part: int, whole: int) -> Ratio:
    """Returns a share; None of nothing.

    >>> ratio(1, 3), ratio(0, 0)
    (Fraction(1, 3), None)
    """
    return Fraction(part, whole) if whole else None


def choose_two(counts: "Index") -> int:
    """Returns how many pairs there are within sets of so many members, in all."""
    return int((counts * (counts - 1) // 2).sum())


class PairCounts(NamedTuple):
    """Pairs of documents."""

    found: int
    truth: int
    right: int  # both found and true

    @property
    def precision(self) -> Ratio:
        return ratio(self.right, self.found)

    @property
    def recall(self) -> Ratio:
        return ratio(self.right, self.truth)

    @property
    def f1(self) -> Ratio:
        """Returns the harmonic mean of precision and recall.

        >>> PairCounts(0, 5, 0).f1
        Fraction(0, 1)
        """
        return ratio(2 * self.right, self.found + self.truth)


def rounded(value: Ratio, digits: int) -> float | None:
    """Returns the number of so many digits behind the point that is nearest to a fraction, of two the even one.

    >>> from fractions import Fraction
    >>> rounded(Fraction(2, 3), 6), rounded(Fraction(1, 8), 2), rounded(None, 6)
    (0.666667, 0.12, None)
    """
    return None if value is None else float(round(value, digits))


def as_option(value: Fraction) -> str:
    """Returns a number as an option takes it, decimal if possible.

    >>> as_option(Fraction(4, 5)), as_option(Fraction(2, 3)), as_option(Fraction(1))
    ('0.8', '2/3', '1')
    """
    digits = 18
    if 10**digits % value.denominator:
        return f"{value.numerator}/{value.denominator}"
    places = f"{value.numerator * 10**digits // value.denominator:0{digits + 1}d}"
    return f"{places[:-digits]}.{places[-digits:]}".rstrip("0").rstrip(".")


def as_cell(value: Fraction | int | str | None, exact: bool) -> str:
    """Returns a value of a table: a dash for no value, a ratio with TABLE_DIGITS digits, or with DIGITS if `exact`.

    >>> as_cell(Fraction(1, 3), False), as_cell(Fraction(1, 20), True), as_cell(None, False), as_cell(7, False)
    ('0.3333', '0.05', '-', '7')
    """
    if isinstance(value, Fraction):
        return f"{rounded(value, DIGITS):g}" if exact else f"{rounded(value, TABLE_DIGITS):.{TABLE_DIGITS}f}"
    return "-" if value in {None, ""} else str(value)


def aligned(rows: Iterable[Sequence[str]]) -> bytes:
    """Returns lines of columns, each as wide as its widest cell, two blanks between; all cells to the right.

    >>> aligned([("k", "pairs"), ("10", "7")])
    b' k  pairs\\n10      7\\n'
    """
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "".join("  ".join(map(str.rjust, line, widths)) + "\n" for line in table).encode()
