"""Candidates: rows that share a bucket and so are compared."""

from collections.abc import Iterator

import numpy as np

from shingletools.commands.simjoin.buckets import Portion
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread, stretches


def candidates_in(portion: Portion, cross: int | None, most: int) -> Iterator[tuple[Index, Index]]:
    """Yields all candidates of these buckets, bucket by bucket, in blocks. cross: only rows on different sides.

    Gives rows a[i] < b[i], int64, of one length. A block has at most `most` candidates, or all of one row.

    >>> portion = Portion(np.array([0, 0, 0, 1, 1]), np.array([2, 5, 7, 2, 7]))
    >>> [(a.tolist(), b.tolist()) for a, b in candidates_in(portion, None, 100)]
    [([2, 2, 5, 2], [5, 7, 7, 7])]
    >>> [(a.tolist(), b.tolist()) for a, b in candidates_in(portion, 6, 100)]
    [([2, 5, 2], [7, 7, 7])]
    """
    row, start, counts = _behind(portion, cross)
    for part in stretches(counts, most):
        place, owner = spread(start[part], counts[part])
        one, other = portion.row[part][owner], row[place]
        yield np.minimum(one, other), np.maximum(one, other)


def weigh(portion: Portion, cross: int | None) -> Index:
    """Returns how many candidates each bucket has: int64, by the bucket's number, from 0 to the last."""
    return np.bincount(portion.bucket, _behind(portion, cross)[2]).astype(np.int64)


def _behind(portion: Portion, cross: int | None) -> tuple[Index, Index, Index]:
    """Returns the rows that each row is compared with: later ones of its bucket; with `cross`, of the other side.

    Gives three arrays of the portion's length, int64: its rows in some order; and for each row the start in that order
    of the rows that it is compared with, and their number.
    """
    bucket, row, asks = portion
    start, end = 1 + np.arange(len(row)), np.searchsorted(bucket, bucket, "right")
    if cross is not None:
        second = row >= cross
        row = row[np.argsort(second, kind="stable")]
        seconds = np.append(0, np.cumsum(second))  # rows of the second side before each place
        firsts = np.arange(len(seconds)) - seconds
        start, end = (np.where(second, firsts[place], firsts[-1] + seconds[place]) for place in (start, end))
    counts = end - start
    return row, start, counts if asks is None else np.where(asks, counts, 0)
