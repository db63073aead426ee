"""Sets that have so many tokens in common, however large they are: counted, with an index of all tokens in memory."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U32, Flags, Index, Postings, TokenSets
from shingletools.ranges import stretches
from shingletools.simjoin.pairs import Pairs
from shingletools.workers import in_threads


class CountedSets:
    """Pairs of sets with `least` tokens in common or more, by merge counting (Sarawagi and Kirpal 2004).

    A set meets all others that have one of its tokens, but for its least - 1 most frequent ones: two that share enough
    share one of the others. Those that it met are counted for these tokens, too. So a token that many sets have costs
    no comparison of sets, but as many steps as there are such sets.

    Memory: 40 bytes for each token while the index is made, then 16, and 8 for each different one.
    """

    def __init__(self, sets: TokenSets, alive: Flags, least: int, counters: U32) -> None:
        """alive: shape (sets,), of which sets pairs are wanted."""
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
        """How many rows met, and the pairs among them, unsorted; block by block, of `most` steps or of one row.

        With `cross`, rows of one side with those of the other.
        """
        steps = self._steps()[:cross]
        most_others = len(self.postings.sizes) - 1 - np.arange(len(steps))
        rooms = np.minimum(steps, most_others)
        parts = [part for part in stretches(steps, most) if rooms[part].any()]
        yield from in_threads(partial(self._block, rooms, cross or 0), parts, jobs)

    def _steps(self) -> Index:
        """How many meetings of other sets each set counts at least. Shape: (sets,)."""
        _, sizes, _, bounds = self.postings
        sums = np.append(0, np.cumsum(np.diff(bounds)[self.postings.numbers]))
        start = self.postings.starts
        steps: Index = sums[start + np.maximum(sizes - self.least + 1, 0)] - sums[start]
        return steps

    def _block(self, rooms: Index, after: int, part: slice) -> tuple[int, Pairs]:
        asking, room = range(part.start, part.stop), int(rooms[part].sum())
        met, *columns = kernel.shared_counts(self.postings, asking, after, self.least, room)
        return met, Pairs(*columns)
