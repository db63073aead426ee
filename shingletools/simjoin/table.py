"""What the join compares: signatures, component by component.

Of arrays, here and in what works on tables: an Index is int64, U64 uint64, Flags bool. Rows are numbers of documents,
from 0 on. Shapes are said where they are not all (pairs,) or (rows,).
"""

import math
from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Flags, Index, Rows
from shingletools.simjoin.pairs import Pairs

TOGETHER = 4  # bands whose keys are made while the rows are read once: 8 bytes each for each row
ROWS = 1 << 16  # whose components are copied together


class Bucketed(NamedTuple):
    """Arrays of one length: in which buckets rows are; two rows are to be compared if they share one in which the
    smaller of them asks, or of two that are equally large the first.
    """

    key: U64  # of the bucket
    row: Index  # ascending
    asks: Flags


class Documents(Protocol):
    """Documents as rows, which agree with each other in so many things."""

    @property
    def bands(self) -> int:
        """In how many ways they fall into buckets."""

    @property
    def recall(self) -> float:
        """How likely two rows that just are a pair share a bucket."""

    def __len__(self) -> int: ...

    def parts(self) -> "Iterator[tuple[int, Table]]":
        """The rows in tables that are in memory, and the number of the first row of each."""

    def equal(self, left: Index, right: Index) -> Flags:
        """Whether row left[i] is a copy of row right[i], and so a pair with it, for each i.

        Shapes: (pairs,), (pairs,) in; (pairs,) out.
        """

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        """Whether row left[i] and row right[i] are a pair, and in how many things they agree, where they are.

        Shapes: (pairs,), (pairs,) in; (pairs,), (pairs,) out.
        """

    def whole(self, rows: Index) -> Index:
        """How large each row is: in so many things it agrees with a copy of itself. Shapes: (rows,) in, (rows,) out."""

    @property
    def components(self) -> "Components | None":
        """Their components, if they have any."""

    def counted(self, alive: Flags, /) -> "Counted | None":
        """The pairs of rows that are alive by counting, where that is cheaper than buckets. Shape: (documents,)."""


class Counted(Protocol):
    """Pairs without candidates that are compared."""

    def pairs(self, cross: int | None, most: int, jobs: int, /) -> Iterator[tuple[int, Pairs]]:
        """How many rows met, and the pairs a < b among them, with `cross` a < cross <= b, each once, in any order."""


class Components(Protocol):
    """Rows of n components each, which may be put into bands in many ways."""

    @property
    def n(self) -> int: ...

    @property
    def least(self) -> int:
        """In how many components two rows agree that may be a pair."""

    def keys_of(self, rows: Index, components: Index) -> U64:
        """A key of each row, the same for those that agree in these components, numbers below n.

        Shapes: (rows,), ascending, (components,) in; (rows,) out.
        """


class Table(Documents, Protocol):
    """Documents in memory."""

    def keys(self) -> U64:
        """A key of each row: equal rows have equal keys, in all parts. Shape (rows,), in the order of the rows."""

    def buckets(self, bands: range) -> Iterator[Bucketed]:
        """For each of these bands, in their order, at which keys each row is: once or more often, or not at all.

        Rows that are a pair are to be compared by one of all bands at least.
        """


def cut(n: int, number: int) -> list[tuple[int, int]]:
    """n components cut into so many bands, as (first, last + 1), whose widths differ by one at most.

    >>> cut(64, 4)
    [(0, 16), (16, 32), (32, 48), (48, 64)]
    """
    return [(n * i // number, n * (i + 1) // number) for i in range(number)]


def recall(n: int, least: int, number: int) -> Fraction:
    """How likely it is that two rows that agree in `least` of n components agree in all of a band, of so many.

    All choices of components are equally likely, as with min-hashes; with n - least + 1 bands it is certain: the
    pigeonhole principle. By inclusion and exclusion over the bands that agree.

    >>> recall(84, 68, 17), round(float(recall(84, 68, 8)), 4)
    (Fraction(1, 1), 0.5991)
    """
    narrow, broad = number - n % number, n % number
    missed = 0
    for i in range(narrow + 1):
        for j in range(broad + 1):
            agreeing = i * (n // number) + j * (n // number + 1)
            if agreeing <= least:
                ways = math.comb(narrow, i) * math.comb(broad, j) * math.comb(n - agreeing, least - agreeing)
                missed += -ways if (i + j) % 2 else ways
    return 1 - Fraction(missed, math.comb(n, least))


@cache
def fewest(n: int, least: int, wanted: Fraction) -> int:
    """With how few bands, and so how long ones, the recall is as wanted.

    >>> fewest(84, 42, Fraction(1)), fewest(84, 42, Fraction(95, 100))
    (43, 25)
    """
    most = n - least + 1
    if wanted == 1:
        return most
    return 1 + bisect_left(range(1, most), wanted, key=lambda number: recall(n, least, number))


class ComponentTable:
    """Signatures of n components each, of which two that are a pair agree in `least` at least.

    rows: unsigned integers, shape (documents, n). 1 <= least <= n. With a recall of 1, pairs cannot
    differ in as many components as there are bands, so that one band at least agrees wholly.
    """

    def __init__(self, rows: Rows, least: int, wanted: Fraction = Fraction(1)) -> None:
        self.rows = rows
        self.least = least
        self.bands = fewest(rows.shape[1], least, wanted)
        self.recall = 1.0 if wanted == 1 else float(recall(rows.shape[1], least, self.bands))

    def __len__(self) -> int:
        return len(self.rows)

    def parts(self) -> Iterator[tuple[int, Table]]:
        yield 0, self

    def keys(self) -> U64:
        keys: U64 = kernel.band_keys(self.rows, [(0, self.n)])[0]
        return keys

    def equal(self, left: Index, right: Index) -> Flags:
        same: Flags = kernel.agreements(self.rows, self.rows.shape[1], left, right) > 0
        return same

    def buckets(self, bands: range) -> Iterator[Bucketed]:
        every, asks = np.arange(len(self.rows)), np.ones(len(self.rows), np.bool_)
        chosen = cut(self.n, self.bands)[bands.start : bands.stop]
        for start in range(0, len(chosen), TOGETHER):
            block = kernel.band_keys(self.rows, chosen[start : start + TOGETHER])
            for keys in block:
                yield Bucketed(keys, every, asks)
            del block, keys  # before the next one is made

    def compare(self, left: Index, right: Index) -> tuple[Flags, Index]:
        agreeing = kernel.agreements(self.rows, self.least, left, right)
        return agreeing > 0, agreeing

    def whole(self, rows: Index) -> Index:
        return np.full(len(rows), self.rows.shape[1])

    @property
    def components(self) -> Components:
        return self

    def counted(self, _alive: Flags, /) -> None:
        return None

    @property
    def n(self) -> int:
        return int(self.rows.shape[1])

    def keys_of(self, rows: Index, components: Index) -> U64:
        parts = [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)]
        keys = [kernel.band_keys(self.rows[np.ix_(part, components)], [(0, len(components))])[0] for part in parts]
        return np.concatenate([np.empty(0, np.uint64), *keys])
