"""Tables that the join compares: signatures, component by component.

Arrays, here and in all that works on tables: Index is int64, U64 uint64, Flags bool. Rows are numbers of documents,
from 0 on. Shapes are given unless all are (pairs,) or (rows,).
"""

import math
from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple, Protocol, Self

import numpy as np

from shingletools.commands.simjoin.pair_arrays import Pairs, rows_at
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, BoundedSets, Flags, Index, Rows

BATCH_BANDS = 4  # bands whose keys are made in one pass over the rows: 8 bytes for each row and band
COPY_ROWS = 1 << 16  # rows whose components are copied together


class Bucketed(NamedTuple):
    """The buckets of rows, as arrays of one length.

    Two rows are compared if they share a bucket in which the smaller row asks; of two equally large rows, the first.
    """

    key: U64  # of the bucket
    row: Index  # ascending
    asks: Flags
    place: Index | None = None  # of sets: the place of the bucket's token in the prefix of the row

    def at(self, some: Index | Flags | slice) -> Self:
        return rows_at(self, some)


class Candidates(NamedTuple):
    """Rows left[i] < right[i], int64, of one length."""

    left: Index
    right: Index

    def at(self, some: Index | Flags | slice) -> Self:
        return rows_at(self, some)


class Compared(NamedTuple):
    """The candidates that are pairs, and how many were compared: others were compared where they met before."""

    agreeing: Index  # in how many components the two agree if they are a pair, else 0; shape (candidates,)
    number: int


class Documents(Protocol):
    """Documents as rows that can be compared."""

    bands: int  # ways to divide rows into buckets
    recall: float  # the probability that two rows that just reach the threshold share a bucket

    def __len__(self) -> int: ...

    def parts(self) -> Iterator[range]:
        """Yields the rows in parts, each of which fits in memory."""

    def load(self, part: range, /) -> "Table":
        """Returns a table in memory of the rows of a part."""

    def equal(self, left: Index, right: Index) -> Flags:
        """Returns whether row left[i] is a copy of row right[i], and so forms a pair with it, for each i.

        Shapes: (pairs,), (pairs,) in; (pairs,) out.
        """

    def compare(self, some: Candidates, band: int = 0) -> Compared:
        """Compares the two rows of each candidate, unless they met before: in an earlier band, or at other tokens."""

    def whole(self, rows: Index) -> Index:
        """Returns the number of components in which each row agrees with a copy. Shapes: (rows,) in, (rows,) out."""

    @property
    def components(self) -> "Components | None":
        """Returns the components of the rows; None if they have none."""
        return None

    def bounds(self, _row: Index, _place: Index, /) -> BoundedSets | None:
        """Returns what bounds the overlap of rows, given the places in their prefixes; None if they are no sets.

        Without prefixes, it is not known which candidates meet elsewhere before. Shapes: (rows,), (rows,) in.
        """
        return None

    def counted(self, _alive: Flags, /) -> "Counted | None":
        """Returns the pairs of rows that are alive, if counting is cheaper than buckets. alive: shape (documents,)."""
        return None


class Counted(Protocol):
    """Pairs that are found by counting, without comparisons."""

    def pairs(self, cross: int | None, most: int, jobs: int, /) -> Iterator[tuple[int, Pairs]]:
        """Yields how many rows met, and their pairs a < b, each once, unordered; with `cross`, a < cross <= b."""


class Components(Protocol):
    """Rows of n components each, which can be divided into bands in many ways."""

    @property
    def n(self) -> int: ...

    @property
    def least(self) -> int:
        """Returns the least number of components in which two rows of a pair agree."""

    def keys_of(self, rows: Index, components: Index) -> U64:
        """Returns a key of each row: the same for rows that agree in these components, which are numbers below n.

        Shapes: (rows,), ascending, (components,) in; (rows,) out.
        """


class Table(Documents, Protocol):
    """Documents in memory."""

    def parts(self) -> Iterator[range]:
        yield range(len(self))

    def load(self, _part: range, /) -> "Table":
        return self

    def keys(self, some: slice) -> U64:
        """Returns a key of each of some rows. Equal rows have equal keys, in all parts. Shape (rows,)."""

    def buckets(self, bands: range, alive: Flags) -> Iterator[Bucketed]:
        """Yields for each of these bands, in order, the keys of each row that is alive: one, several or none.

        Two rows of a pair must be compared in at least one of all bands. alive: shape (documents,).
        """


def cut(n: int, number: int) -> list[tuple[int, int]]:
    """Cuts n components into `number` bands, as (first, last + 1), whose widths differ by at most one.

    >>> cut(64, 4)
    [(0, 16), (16, 32), (32, 48), (48, 64)]
    """
    return [(n * i // number, n * (i + 1) // number) for i in range(number)]


def recall(n: int, least: int, number: int) -> Fraction:
    """Returns the probability that rows that agree in `least` of n components agree in all of a band of `number`.

    All choices of components are equally likely, as with min-hashes. With n - least + 1 bands it is 1 by the pigeonhole
    principle. It is computed by inclusion and exclusion over the bands that agree.

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
    """Returns the least number of bands with the wanted recall. Fewer bands are wider.

    >>> fewest(84, 42, Fraction(1)), fewest(84, 42, Fraction(95, 100))
    (43, 25)
    """
    most = n - least + 1
    if wanted == 1:
        return most
    return 1 + bisect_left(range(1, most), wanted, key=lambda number: recall(n, least, number))


class ComponentTable(Table):
    """Signatures of n components each. The two of a pair agree in at least `least`.

    rows: unsigned integers, shape (documents, n). 1 <= least <= n. With recall 1, there are more bands than components
    in which a pair can differ, so at least one band agrees wholly.
    """

    def __init__(self, rows: Rows, least: int, wanted: Fraction = Fraction(1)) -> None:
        self.rows = rows
        self.least = least
        self.bands = fewest(rows.shape[1], least, wanted)
        self.recall = 1.0 if wanted == 1 else float(recall(rows.shape[1], least, self.bands))

    def __len__(self) -> int:
        return len(self.rows)

    def keys(self, some: slice) -> U64:
        keys: U64 = kernel.band_keys(self.rows[some], [(0, self.n)])[0]
        return keys

    def equal(self, left: Index, right: Index) -> Flags:
        same: Flags = kernel.agreements(self.rows, self.rows.shape[1], left, right)[0] > 0
        return same

    def buckets(self, bands: range, alive: Flags) -> Iterator[Bucketed]:
        row = np.flatnonzero(alive)
        asks = np.ones(len(row), np.bool_)
        chosen = cut(self.n, self.bands)[bands.start : bands.stop]
        for start in range(0, len(chosen), BATCH_BANDS):
            block = kernel.band_keys(self.rows, chosen[start : start + BATCH_BANDS], alive)
            for keys in block:
                yield Bucketed(keys, row, asks)
            del block, keys  # frees them before the next ones are made

    def compare(self, some: Candidates, band: int = 0) -> Compared:
        before = cut(self.n, self.bands)[:band]
        return Compared(*kernel.agreements(self.rows, self.least, some.left, some.right, before))

    def whole(self, rows: Index) -> Index:
        return np.full(len(rows), self.rows.shape[1])

    @property
    def components(self) -> Components:
        return self

    @property
    def n(self) -> int:
        return int(self.rows.shape[1])

    def keys_of(self, rows: Index, components: Index) -> U64:
        parts = [rows[start : start + COPY_ROWS] for start in range(0, len(rows), COPY_ROWS)]
        keys = [kernel.band_keys(self.rows[np.ix_(part, components)], [(0, len(components))])[0] for part in parts]
        return np.concatenate([np.empty(0, np.uint64), *keys])
