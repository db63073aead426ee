"""What the join compares: signatures, place by place."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shingletools import kernel
from shingletools.kernel import U64, Index, Rows

Flags = NDArray[np.bool_]


class Table(Protocol):
    """Documents as rows, which agree with each other in so many things."""

    def __len__(self) -> int: ...

    def keys(self) -> U64:
        """Equal rows have equal keys."""

    def equal(self, left: Index, right: Index) -> Flags:
        """Whether row left[i] equals row right[i]."""

    def keep(self, rows: Index) -> None:
        """Leaves only these rows, in ascending order."""

    def buckets(self) -> Iterator[tuple[U64, Index]]:
        """Keys, and beside each its row, rows ascending; two rows that are a pair share a key of one yield."""

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        """Whether row left[i] and row right[i] are a pair, and in how many things they agree, where they are."""

    def whole(self, rows: Index) -> Index:
        """In how many things each row agrees with a copy of itself."""


def bands(n: int, least: int) -> list[tuple[int, int]]:
    """n columns cut into n - least + 1 bands, as (first, last + 1), whose widths differ by one at most.

    >>> bands(64, 61)
    [(0, 16), (16, 32), (32, 48), (48, 64)]
    """
    number = n - least + 1
    return [(n * i // number, n * (i + 1) // number) for i in range(number)]


class Places:
    """Signatures of n places each, of which two that are a pair agree in `least` at least.

    They differ in n - least at most, so of n - least + 1 disjoint bands at least one agrees wholly: the pigeonhole
    principle. rows: unsigned integers, shape (documents, n); they are used up. 1 <= least <= n.
    """

    def __init__(self, rows: Rows, least: int) -> None:
        self.rows = rows
        self.least = least

    def __len__(self) -> int:
        return len(self.rows)

    def keys(self) -> U64:
        return kernel.row_keys(self.rows, 0, self.rows.shape[1])

    def equal(self, left: Index, right: Index) -> Flags:
        same: Flags = kernel.agreements(self.rows, left, right) == self.rows.shape[1]
        return same

    def keep(self, rows: Index) -> None:
        for start in range(0, len(rows), BLOCK):  # in place: a row never moves down
            some = rows[start : start + BLOCK]
            self.rows[start : start + len(some)] = self.rows[some]
        self.rows = self.rows[: len(rows)]

    def buckets(self) -> Iterator[tuple[U64, Index]]:
        every = np.arange(len(self.rows))
        for first, last in bands(self.rows.shape[1], self.least):
            yield kernel.row_keys(self.rows, first, last), every

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        agreeing = kernel.agreements(self.rows, left, right)
        return agreeing >= self.least, agreeing

    def whole(self, rows: Index) -> Index:
        return np.full(len(rows), self.rows.shape[1])


BLOCK = 1 << 13  # rows moved together
