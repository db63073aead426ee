"""Ranges of integers: spread out in arrays, and cut into portions that are worked on together; and sets in arrays."""

from collections.abc import Iterator

import numpy as np

from shingletools.kernel.types import U64, Flags, Index


def spread(starts: Index, counts: Index) -> tuple[Index, Index]:
    """Returns counts[i] integers from starts[i] on, for each i in turn, in one array; and the i of each in another.

    Shapes: (n,), (n,) in; (sum of counts,), (sum of counts,) out, the second ascending. All int64.

    >>> [part.tolist() for part in spread(np.array([7, 3]), np.array([2, 1]))]
    [[7, 8, 3], [0, 0, 1]]
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    return np.arange(len(owner)) + (starts - np.cumsum(counts) + counts)[owner], owner


def stretches(counts: Index, most: int) -> Iterator[slice]:
    """Yields consecutive items whose counts add up to `most` at most, or single items; all, in their order.

    counts: int64, shape (items,).

    >>> [(part.start, part.stop) for part in stretches(np.array([2, 2, 9, 1]), 4)]
    [(0, 2), (2, 3), (3, 4)]
    """
    ends = np.cumsum(counts)
    start = before = 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, before + most, "right")))
        yield slice(start, stop)
        start, before = stop, int(ends[stop - 1])


def are_among(values: Index | U64, ascending: Index | U64) -> Flags:
    """Returns whether each value is one of the ascending ones, of which there may be none. Shape (values,).

    >>> are_among(np.array([3, 5, 9]), np.array([1, 5, 7])).tolist()
    [False, True, False]
    """
    if not len(ascending):
        return np.zeros(len(values), np.bool_)
    flags: Flags = ascending[np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)] == values
    return flags
