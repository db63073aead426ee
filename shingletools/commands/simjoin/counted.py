"""Finds pairs of sets with a number of tokens in common, whatever their sizes, by counting with an index."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U32, Flags, Index, Postings, TokenSets
from shingletools.numbers.ranges import stretches
from shingletools.system.workers import in_threads


class CountedSets:
    """Finds pairs of sets with at least `least` tokens in common, by merge counting (Sarawagi and Kirpal 2004).

    A set meets all others that share one of its tokens, except its least - 1 most frequent ones: two sets that share
    enough also share another token. For the sets that it has met, the frequent tokens are counted, too. So a token in
    many sets costs no comparisons of sets, only as many steps as there are such sets.

    Memory: 40 bytes for each token while the index is made; then 16, and 8 for each distinct one.
    """

    def __init__(self, sets: TokenSets, alive: Flags, least: int, counters: U32) -> None:
        """Makes postings of the sets that may be in pairs. alive: shape (sets,)."""
        self.least = least
        sizes = np.where(alive & (sets.sizes >= least), sets.sizes, 0)
        token = sets.tokens[kernel.rarest(sets, sizes, counters)]
        order = np.argsort(token, kind="stable")
        token = token[order]
        new = np.append(True, token[1:] != token[:-1])[: len(token)]
        del token
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.cumsum(new) - 1
        rows = np.repeat(np.arange(len(sizes)), sizes)[order]
        self.postings = Postings(numbers, sizes, rows, np.append(np.flatnonzero(new), len(rows)))

    def pairs(self, cross: int | None, most: int, jobs: int) -> Iterator[tuple[int, Pairs]]:
        """Yields blocks: how many rows met, and the pairs among them, unsorted. A block has `most` steps, or one row.

        With `cross`, the two rows are on different sides.
        """
        steps = self._steps()[:cross]
        most_others = len(self.postings.sizes) - 1 - np.arange(len(steps))
        rooms = np.minimum(steps, most_others)
        parts = [part for part in stretches(steps, most) if rooms[part].any()]
        yield from in_threads(partial(self._block, rooms, cross or 0), parts, jobs)

    def _steps(self) -> Index:
        """Returns a lower bound of the meetings that each set counts. Shape (sets,)."""
        sizes, bounds = self.postings.sizes, self.postings.bounds
        sums = np.append(0, np.cumsum(np.diff(bounds)[self.postings.numbers]))
        start = self.postings.starts
        steps: Index = sums[start + np.maximum(sizes - self.least + 1, 0)] - sums[start]
        return steps

    def _block(self, rooms: Index, after: int, part: slice) -> tuple[int, Pairs]:
        asking, room = range(part.start, part.stop), int(rooms[part].sum())
        met, *columns = kernel.shared_counts(self.postings, asking, after, self.least, room)
        return met, Pairs(*columns)
