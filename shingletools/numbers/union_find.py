"""Union-find: connected numbers, each represented by the smallest one."""

from array import array

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import I32, Flags, Index
from shingletools.system.errors import Failed

BATCH_NUMBERS = 1 << 16  # numbers that are followed together
MAX_NUMBERS = 1 << 31  # numbers


class UnionFind:
    """Numbers from 0 on, each alone until it is joined with another. Memory: 4 bytes a number.

    >>> groups = UnionFind(4)
    >>> groups.join(np.array([3, 1]), np.array([1, 3])).tolist(), groups.representatives().tolist()
    ([True, False], [0, 1, 2, 1])
    """

    def __init__(self, numbers: int = 0) -> None:
        self.parent = array("i")
        self.grow(numbers)

    def __len__(self) -> int:
        return len(self.parent)

    def grow(self, numbers: int) -> None:
        """Makes room for so many numbers. Raises Failed if they are too many."""
        if numbers > MAX_NUMBERS:
            raise Failed(f"more than {MAX_NUMBERS} ids")
        self.parent.frombytes(np.arange(len(self.parent), numbers, dtype=np.int32).tobytes())

    def join(self, left: Index, right: Index) -> Flags:
        """Connects pairs, in order. Returns which pairs were not connected before. Shape (pairs,) each."""
        news = np.zeros(len(left), np.uint8)
        kernel.connect(np.frombuffer(self.parent, np.int32), left, right, news)
        return news.view(np.bool_)

    def representatives(self) -> I32:
        """Returns for each number the first one that it is connected with: a view, while which nothing may grow."""
        first: I32 = np.frombuffer(self.parent, np.int32)
        for start in range(0, len(first), BATCH_NUMBERS):  # no number is connected with one of a later batch
            part = first[start : start + BATCH_NUMBERS]
            while not np.array_equal(above := first[part], part):  # twice as far each time
                part[:] = above
        return first
