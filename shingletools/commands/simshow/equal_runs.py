"""Runs of equal words that two texts share, longest first: greedy string tiling with bounds.

The longest run that both texts have is taken, without words of runs taken before, and so on, as long as one has k words
or more. Of equally long runs, the one that begins first in a is taken, then the first in b (Wise 1993, String
Similarity via Greedy String Tiling and Running Karp-Rabin Matching). So blocks are found even if they have moved.

All meetings, which are places where the texts have the same k words, are found at once. Consecutive meetings on one
diagonal make a run. A heap gives the longest run; words that others have taken since are cut off, and the rest goes
back to the heap. The result is exact unless the steps run out, of which there are 2 * `most`. The time is linear if
few runs of k words repeat.

If a text repeats itself so often that there are more than `most` meetings (by default, the words of both texts), longer
runs are sought first, of k 2^n words, then in the rest runs of half that size, and so on. If even those have too many
meetings, of the runs that both texts repeat most the first in one text meets only the first in the other, the second
the second, and so on. Then the order is by length only within each size, but runs are still disjoint and equal.

Time: O(n log n) at each size for texts of n words, so at most O(n log^2 n). Memory: about 100 bytes a word.
"""

import heapq
import re
from typing import NamedTuple

import numpy as np

from shingletools.commands.simshow.prepared_text import Prepared
from shingletools.kernel.types import U64, Index

ROUNDS = 2  # passes at one size, each of which pairs half or more of what repeats most
MIN_MEETINGS = 1 << 16  # meetings that any two texts may have
WORDS_PER_STEP = 64  # words that are compared in the time of one step
FREE = re.compile(rb"\0+")  # of words, where those that are taken are 1

Heap = list[tuple[int, int, int]]  # runs: their negative length in words, and their starts in a and b


class EqualRun(NamedTuple):
    """Equal words: their start in each text, and their number."""

    a: int
    b: int
    words: int


def common_runs(a: Prepared, b: Prepared, most: int | None = None) -> list[EqualRun]:
    """Returns disjoint runs, in the order of a. Each has at least k words, or is both whole texts.

    >>> a, b = (Prepared(np.array(words, np.int32), 2) for words in ([1, 2, 3, 9, 4, 5], [4, 5, 1, 2, 3]))
    >>> common_runs(a, b)
    [EqualRun(a=0, b=2, words=3), EqualRun(a=4, b=0, words=2)]
    """
    k = a.k
    if np.array_equal(a.words, b.words):
        return [EqualRun(0, 0, len(a))] if len(a) else []
    if min(len(a), len(b)) < k:
        return []
    most = max(MIN_MEETINGS, len(a) + len(b)) if most is None else most
    tiling = Tiling(a, b)
    first, counts = ranges_of(a.shingles, b.ranked)
    total = int(counts.sum())
    if total <= most:
        tiling.take_runs(diagonals(*meetings(b.order, first, counts), len(a), len(b), k), k, 2 * most)
    else:
        for size in sizes(a, b):
            for _ in range(ROUNDS):
                if not tiling.take_runs_of(size, most):
                    break
    return sorted(tiling.runs)


def sizes(a: Prepared, b: Prepared) -> list[int]:
    """Returns the sizes at which runs are sought if too many have k words, descending: k 2^n, the longest first."""
    ladder = [a.k]
    while 2 * ladder[-1] <= min(len(a), len(b)):
        ladder.append(2 * ladder[-1])
    low, high = 0, len(ladder)  # the texts share runs of the size ladder[low], but none of ladder[high]
    while high - low > 1:
        middle = (low + high) // 2
        if len(np.intersect1d(a.windows(ladder[middle]), b.windows(ladder[middle]))):
            low = middle
        else:
            high = middle
    return ladder[low::-1]


def ranges_of(of_a: U64, ranked: U64) -> tuple[Index, Index]:
    """Returns for each fingerprint of a its first place among those of b, which ascend, and its frequency there."""
    first = np.searchsorted(ranked, of_a, "left")
    return first, np.searchsorted(ranked, of_a, "right") - first


def meetings(order: Index, first: Index, counts: Index) -> tuple[Index, Index]:
    """Returns all places in a with all places in b that have the same words. Shapes (meetings,)."""
    of_a = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    of_b = order[np.arange(len(of_a)) + np.repeat(first - before, counts)]
    return of_a, of_b


def some_meetings(of_a: U64, of_b: U64, most: int) -> tuple[Index, Index, bool]:
    """Returns `meetings`, but at most `most`: places of the most frequent fingerprints only meet at the same rank.

    Also returns whether these are all meetings.
    """
    order = np.argsort(of_b, kind="stable")
    first, counts = ranges_of(of_a, of_b[order])
    if int(counts.sum()) <= most:
        return *meetings(order, first, counts), True
    order_a = np.argsort(of_a, kind="stable")
    ranked_a = of_a[order_a]
    begins, here = ranges_of(of_a, ranked_a)
    rank = np.empty(len(of_a), np.int64)
    rank[order_a] = np.arange(len(of_a)) - begins[order_a]
    cost = here * counts  # meetings of all places with one fingerprint
    ascending = np.argsort(cost, kind="stable")
    within = int(np.searchsorted(np.cumsum(counts[ascending]), most, "right"))
    few = cost < cost[ascending[within]]
    paired = ~few & (rank < counts)
    one = meetings(order, first[few], counts[few])
    return (
        np.concatenate([np.flatnonzero(few)[one[0]], np.flatnonzero(paired)]),
        np.concatenate([one[1], order[(first + rank)[paired]]]),
        False,
    )


class Tiling:
    """Two texts, and which of their words are in runs that were taken."""

    def __init__(self, a: Prepared, b: Prepared) -> None:
        self.a, self.b = a, b
        self.in_a, self.in_b = bytearray(len(a)), bytearray(len(b))
        self.runs: list[EqualRun] = []

    def take_runs_of(self, size: int, most: int) -> bool:
        """Takes runs of at least `size` free words. Returns whether there may be more."""
        (free_a, of_a), (free_b, of_b) = (
            free_windows(taken, size, text.windows(size)) for text, taken in ((self.a, self.in_a), (self.b, self.in_b))
        )
        one, two, every = some_meetings(of_a, of_b, most)
        before = len(self.runs)
        self.take_runs(diagonals(free_a[one], free_b[two], len(self.a), len(self.b), size), size, 2 * most)
        return not every and len(self.runs) > before

    def take_runs(self, heap: Heap, size: int, steps: int) -> None:
        """Takes runs of `size` words or more from a heap, longest first, but ends after `steps` steps."""
        in_a, in_b = self.in_a, self.in_b
        while heap and steps > 0:
            minus, i, j = heapq.heappop(heap)
            words = -minus
            steps -= 1 + words // WORDS_PER_STEP
            if in_a.find(1, i, i + words) < 0 and in_b.find(1, j, j + words) < 0:
                if np.array_equal(self.a.words[i : i + words], self.b.words[j : j + words]):
                    in_a[i : i + words] = in_b[j : j + words] = b"\1" * words
                    self.runs.append(EqualRun(i, j, words))
                continue
            for start, end in free_parts(in_a, in_b, i, j, words):
                if end - start >= size:
                    heapq.heappush(heap, (start - end, i + start, j + start))


def free_windows(taken: bytearray, size: int, windows: U64) -> tuple[Index, U64]:
    """Returns where runs of `size` free words begin, and their fingerprints. windows: those of all runs."""
    before = np.append(0, np.cumsum(np.frombuffer(taken, np.uint8), dtype=np.int64))
    free = np.flatnonzero(before[size : size + len(windows)] == before[: len(windows)])
    return free, windows[free]


def diagonals(of_a: Index, of_b: Index, n: int, m: int, size: int) -> Heap:
    """Yields runs: consecutive meetings on one diagonal."""
    if not len(of_a):
        return []
    width = n + m
    keys = np.sort((of_b - of_a + n) * width + of_a)
    begins = np.append(True, np.diff(keys) != 1)
    starts = np.flatnonzero(begins)
    words = np.diff(np.append(starts, len(keys))) + size - 1
    shift, i = np.divmod(keys[starts], width)
    j = i + shift - n
    order = np.lexsort((j, i, -words))
    return list(zip((-words[order]).tolist(), i[order].tolist(), j[order].tolist(), strict=True))


def free_parts(in_a: bytearray, in_b: bytearray, i: int, j: int, words: int) -> list[tuple[int, int]]:
    """Returns the parts of a run that are free in both texts: start and end, counted from its beginning."""
    taken = int.from_bytes(in_a[i : i + words]) | int.from_bytes(in_b[j : j + words])
    return [part.span() for part in FREE.finditer(taken.to_bytes(words))]
