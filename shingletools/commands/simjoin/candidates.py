"""Candidates: rows that share a bucket and so are compared."""

from collections.abc import Iterator

import numpy as np

from shingletools.commands.simjoin.buckets import Portion
from shingletools.commands.simjoin.table import Candidates, Documents
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread, stretches


class BucketCandidates:
    """The candidates of some buckets: each row with later ones of its bucket; with `cross`, of the other side.

    Without those whose overlap has an upper bound that is too small, if there is a table of sets.

    >>> portion = Portion(np.array([0, 0, 0, 1, 1]), np.array([2, 5, 7, 2, 7]))
    >>> found = [BucketCandidates(portion, cross).within(slice(0, 5)) for cross in (None, 6)]
    >>> [(each.left.tolist(), each.right.tolist()) for each in found]
    [([2, 2, 5, 2], [5, 7, 7, 7]), ([2, 5, 2], [7, 7, 7])]
    """

    def __init__(self, portion: Portion, cross: int | None, table: Documents | None = None) -> None:
        self.portion = portion
        bucket, row, asks, place = portion
        self.targets = np.arange(len(row))  # places in the portion; those that a row is compared with are a range
        self.starts, ends = 1 + self.targets, np.searchsorted(bucket, bucket, "right")
        if cross is not None:
            second = row >= cross
            self.targets = np.argsort(second, kind="stable")
            seconds = np.append(0, np.cumsum(second))  # rows of the second side before each place
            firsts = np.arange(len(seconds)) - seconds
            self.starts, ends = (
                np.where(second, firsts[edge], firsts[-1] + seconds[edge]) for edge in (self.starts, ends)
            )
        self.counts: Index = ends - self.starts if asks is None else np.where(asks, ends - self.starts, 0)
        bounds = None if table is None or place is None else table.bounds(row, place)
        if bounds is not None and cross is not None:
            bounds = bounds._replace(targets=bounds.entries[self.targets])
        self.bounds = bounds

    def by_bucket(self) -> Index:
        """Returns how many candidates each bucket has, by its number, from 0 to the last, without bounds."""
        return np.bincount(self.portion.bucket, self.counts).astype(np.int64)

    def parts(self, most: int) -> Iterator[slice]:
        """Yields consecutive rows with at most `most` candidates together, or single rows; those with candidates."""
        return (part for part in stretches(self.counts, most) if self.counts[part].any())

    def within(self, part: slice) -> Candidates:
        """Returns the candidates of some consecutive rows."""
        starts, counts = self.starts[part], self.counts[part]
        if self.bounds is None:
            target, owner = spread(starts, counts)
        else:
            some = self.bounds._replace(entries=self.bounds.entries[part])
            owner, target = kernel.bounded_candidates(some, starts, counts)
        left, right = self.portion.row[owner + part.start], self.portion.row[self.targets[target]]
        return Candidates(np.minimum(left, right), np.maximum(left, right))


def weigh(portion: Portion, cross: int | None) -> Index:
    """Returns how many candidates each bucket has: int64, by the bucket's number, from 0 to the last."""
    return BucketCandidates(portion, cross).by_bucket()
