"""Runs of equal words that two texts share, longest first: greedy string tiling, bounded.

Again and again the longest run that both texts have is taken, none of whose words is in a run that was taken before, as
long as there is one of k words or more; of equally long ones that which begins first in a, then first in b (Wise 1993,
String Similarity via Greedy String Tiling and Running Karp-Rabin Matching). So a block that moved is found as well as
one that stayed.

All places where the two texts have the same k words are met at once, and those in a row on one diagonal are a run. A
heap gives the longest; what others took of it since is cut off, and what is left goes back. That is exact as long as
its steps last, of which there are twice `most`; what is left then is not sought any more. It is linear where few runs
of k words come again. Where a text repeats itself so often that there are more than `most` such meetings
(as many as both texts have words), they are sought for longer runs first, k 2^n words, and of what those leave
for half of that, and so on. Only where even that is too much are words left to chance: of runs that both texts repeat
most, the first in one meets the first in the other, the second the second. Then the order is that of the longest at
each size, and what is found is disjoint and equal still. Time: O(n log n) at each size for texts of n words, so
O(n log^2 n) at most; memory: some 100 bytes a word.
"""

import heapq
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import U64, Index
from shingletools.simshow.prepared import Prepared, Starts

ROUNDS = 2  # at one size, each of which pairs half of what comes again most, and more
LEAST = 1 << 16  # meetings that any two texts may have
SCANNED = 64  # words that are looked at for the price of one step


Heap = list[tuple[int, int, int]]  # of runs: minus their words, and where they begin in a and in b


class EqualRun(NamedTuple):
    """So many equal words, from a place in each text on."""

    a: int
    b: int
    words: int


def common_runs(a: Prepared, b: Prepared, most: int | None = None) -> list[EqualRun]:
    """The runs, in the order of a: none share a word of either text, and each has k words or is the whole of both.

    >>> a, b = (Prepared(np.array(words, np.int32), 2) for words in ([1, 2, 3, 9, 4, 5], [4, 5, 1, 2, 3]))
    >>> common_runs(a, b)
    [EqualRun(a=0, b=2, words=3), EqualRun(a=4, b=0, words=2)]
    """
    k = a.k
    if np.array_equal(a.words, b.words):
        return [EqualRun(0, 0, len(a))] if len(a) else []
    if min(len(a), len(b)) < k:
        return []
    most = max(LEAST, len(a) + len(b)) if most is None else most
    tiling = Tiling(a, b)
    if a.index is not None and b.index is not None:
        tiling.lay(one_by_one(a.index, b.index, k), k, 2 * most)
        return sorted(tiling.runs)
    first, counts = places(a.shingles, b.ranked)
    total = int(counts.sum())
    if total <= most:
        tiling.lay(diagonals(*meetings(b.order, first, counts), len(a), len(b), k), k, 2 * most)
    else:
        for size in sizes(a, b):
            for _ in range(ROUNDS):
                if not tiling.lay_some(size, most):
                    break
    return sorted(tiling.runs)


def sizes(a: Prepared, b: Prepared) -> list[int]:
    """The sizes at which runs are sought where there are too many of k words, descending: k 2^n, from the longest that
    both texts have."""
    ladder = [a.k]
    while 2 * ladder[-1] <= min(len(a), len(b)):
        ladder.append(2 * ladder[-1])
    low, high = 0, len(ladder)  # there are runs of the size ladder[low], and none of ladder[high]
    while high - low > 1:
        middle = (low + high) // 2
        if len(np.intersect1d(a.windows(ladder[middle]), b.windows(ladder[middle]))):
            low = middle
        else:
            high = middle
    return ladder[low::-1]


def places(of_a: U64, ranked: U64) -> tuple[Index, Index]:
    """For each fingerprint of a where it begins among those of b, which ascend, and how often it is there."""
    first = np.searchsorted(ranked, of_a, "left")
    return first, np.searchsorted(ranked, of_a, "right") - first


def meetings(order: Index, first: Index, counts: Index) -> tuple[Index, Index]:
    """Every place in a with every place in b that has the same words. Shapes (meetings,)."""
    of_a = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    of_b = order[np.arange(len(of_a)) + np.repeat(first - before, counts)]
    return of_a, of_b


def some_meetings(of_a: U64, of_b: U64, most: int) -> tuple[Index, Index, bool]:
    """As `meetings`, but for fingerprints that would bring more than `most`: of those the nth meets the nth.

    Also whether these are all.
    """
    order = np.argsort(of_b, kind="stable")
    first, counts = places(of_a, of_b[order])
    if int(counts.sum()) <= most:
        return *meetings(order, first, counts), True
    order_a = np.argsort(of_a, kind="stable")
    ranked_a = of_a[order_a]
    begins, here = places(of_a, ranked_a)
    rank = np.empty(len(of_a), np.int64)
    rank[order_a] = np.arange(len(of_a)) - begins[order_a]
    cost = here * counts  # meetings of all places with the same fingerprint
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
    """Two texts, and which of their words are in runs already."""

    def __init__(self, a: Prepared, b: Prepared) -> None:
        self.a, self.b = a, b
        self.in_a, self.in_b = bytearray(len(a)), bytearray(len(b))
        self.runs: list[EqualRun] = []

    def lay_some(self, size: int, most: int) -> bool:
        """Takes runs of so many words at least, of what is free still; whether there may be more."""
        (free_a, of_a), (free_b, of_b) = (
            free_windows(text, taken, size) for text, taken in ((self.a, self.in_a), (self.b, self.in_b))
        )
        one, two, every = some_meetings(of_a, of_b, most)
        before = len(self.runs)
        self.lay(diagonals(free_a[one], free_b[two], len(self.a), len(self.b), size), size, 2 * most)
        return not every and len(self.runs) > before

    def lay(self, heap: Heap, size: int, steps: int) -> None:
        """Takes runs of `size` words or more, longest first; it ends after so many steps, whatever is left."""
        in_a, in_b = self.in_a, self.in_b
        while heap and steps > 0:
            minus, i, j = heapq.heappop(heap)
            words = -minus
            steps -= 1 + words // SCANNED
            if in_a.find(1, i, i + words) < 0 and in_b.find(1, j, j + words) < 0:
                if np.array_equal(self.a.words[i : i + words], self.b.words[j : j + words]):
                    in_a[i : i + words] = in_b[j : j + words] = b"\1" * words
                    self.runs.append(EqualRun(i, j, words))
                continue
            for start, end in free_parts(in_a, in_b, i, j, words):
                if end - start >= size:
                    heapq.heappush(heap, (start - end, i + start, j + start))


def free_windows(text: Prepared, taken: bytearray, size: int) -> tuple[Index, U64]:
    """Where runs of so many words begin of which none is taken, and their fingerprints."""
    before = np.append(0, np.cumsum(np.frombuffer(taken, np.uint8), dtype=np.int64))
    count = max(len(text) - size + 1, 0)
    free = np.flatnonzero(before[size : size + count] == before[:count])
    return free, text.windows(size)[free]


def diagonals(of_a: Index, of_b: Index, n: int, m: int, size: int) -> Heap:
    """Runs of meetings one behind the other."""
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


def one_by_one(of_a: Starts, of_b: Starts, k: int) -> Heap:
    """As `diagonals`, for texts of which no shingle comes again."""
    heap = []
    begin = begin_b = after = -1  # of the run so far, and the place in b behind its last shingle
    for shingle, i in of_a.items():
        j = of_b.get(shingle, -1)
        if j == after >= 0:
            after += 1
            continue
        if after >= 0:
            heap.append((begin_b - after - k + 1, begin, begin_b))
        begin, begin_b, after = i, j, j + 1 if j >= 0 else -1
    if after >= 0:
        heap.append((begin_b - after - k + 1, begin, begin_b))
    heap.sort()
    return heap


def free_parts(in_a: bytearray, in_b: bytearray, i: int, j: int, words: int) -> list[tuple[int, int]]:
    """The parts of a run of which neither text has taken a word: start and end, counted from its beginning."""
    parts = []
    at = 0
    while at < words:
        ends = [
            found - start
            for taken, start in ((in_a, i), (in_b, j))
            if (found := taken.find(1, start + at, start + words)) >= 0
        ]
        end = min(ends, default=words)
        if end > at:
            parts.append((at, end))
        at = end
        while at < words:
            moved = at
            for taken, start in ((in_a, i), (in_b, j)):
                if taken[start + moved]:
                    found = taken.find(0, start + moved, start + words)
                    moved = words if found < 0 else found - start
                    if moved == words:
                        break
            if moved == at:
                break
            at = moved
    return parts
