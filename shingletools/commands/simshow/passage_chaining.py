"""Runs of equal words that make one passage: seeds, which are chained, and extended by the words around them.

Seeds are the runs that both texts share and, in what these leave, stretches of the same words in another order. A
passage gains GAIN for each equal word, and loses 1 for each word that only one text has. If it leaves out words of runs
between its seeds, it loses the square of their number, so that only short ones are left out. Two seeds that follow one
another in both texts are in one passage if what is between them costs less than the words on either side have gained;
so a gap may be as long as the runs around it deserve. Then words at both ends are added as long as they gain. (Seeding,
chaining and extension are the steps of all programs that align texts; Potthast et al. 2014, Overview of the 6th
International Competition on Plagiarism Detection.)
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shingletools.commands.simshow.equal_runs import MIN_MEETINGS, EqualRun, common_runs, free_windows, some_meetings
from shingletools.commands.simshow.prepared_text import Prepared, Words
from shingletools.system.lazy_imports import distance

GAIN = 3
ALIGNED_WORDS = 60  # words of a gap up to which its equal words count; in longer ones, all words are taken to differ
SEEDS_BEFORE = 30  # seeds among which that before a seed is sought
REACH_WORDS = 24  # words behind the end of a passage that are looked at together
MIN_SEED_WORDS = 6  # words of a seed in another order, at least


class Seed(NamedTuple):
    """Stretches of two texts with the same words, perhaps in another order."""

    a: int
    b: int
    words: int
    equal: int  # words whose order is the same, too


class TakenWords:
    """The words of two texts that are in a run, a seed, or a passage."""

    def __init__(self, a: Words, b: Words, runs: Sequence[EqualRun] = ()) -> None:
        self.in_a, self.in_b = bytearray(len(a)), bytearray(len(b))
        for i, j, words in runs:
            self.take(i, i + words, j, j + words)

    def take(self, i: int, i_end: int, j: int, j_end: int) -> bool:
        """Takes words, if all of them are free, and returns whether they were."""
        if self.in_a.find(1, i, i_end) >= 0 or self.in_b.find(1, j, j_end) >= 0:
            return False
        self.in_a[i:i_end] = b"\1" * (i_end - i)
        self.in_b[j:j_end] = b"\1" * (j_end - j)
        return True


def common_passages(a: Prepared, b: Prepared, gap: int) -> list[list[EqualRun]]:
    """Returns the equal words of each passage. Passages are in the order of a, and disjoint in both texts.

    gap: words between two seeds of a passage, at most. Each of common_runs is in a passage, or within a longer one.
    """
    runs = common_runs(a, b)
    if runs and runs[0].words == len(a) == len(b):
        return [runs]
    in_runs = TakenWords(a.words, b.words, runs)
    seeds = [*(Seed(*run, run.words) for run in runs), *reordered(a, b, TakenWords(a.words, b.words, runs))]
    passages = TakenWords(a.words, b.words)
    aligned_runs: list[list[EqualRun]] = []

    def add(part: Sequence[Seed]) -> bool:
        equal = list(aligned(part, a.words, b.words))
        first, last = equal[0], equal[-1]
        if not passages.take(first.a, last.a + last.words, first.b, last.b + last.words):
            return False
        aligned_runs.append(equal)
        return True

    for chain in chained(sorted(seeds), a.words, b.words, gap, in_runs):
        if not add(chain):  # passages that gain more have taken words, perhaps only of some seeds
            for seed in chain:
                add([seed])
    return sorted(extended(equal, a.words, b.words, passages) for equal in aligned_runs)


def reordered(a: Prepared, b: Prepared, taken: TakenWords) -> Iterator[Seed]:
    """Yields seeds of words in another order, such as neighbours that changed places, where no seed has them."""
    size = max(MIN_SEED_WORDS, a.k + a.k % 2)  # an even number has whole pairs of neighbours
    if taken.in_a.find(bytes(size)) < 0 or taken.in_b.find(bytes(size)) < 0:
        return
    (free_a, bags_a), (free_b, bags_b) = (
        free_windows(used, size, text.bags(size)) for text, used in ((a, taken.in_a), (b, taken.in_b))
    )
    most = max(MIN_MEETINGS, len(a) + len(b))
    one, two, _ = some_meetings(bags_a, bags_b, most)
    for i, j in zip(free_a[one].tolist(), free_b[two].tolist(), strict=True):
        left, right = a.words[i : i + size].tolist(), b.words[j : j + size].tolist()
        equal = distance.LCSseq.similarity(left, right)
        if 2 * equal >= size and sorted(left) == sorted(right) and taken.take(i, i + size, j, j + size):
            yield Seed(i, j, size, equal)


def chained(seeds: Sequence[Seed], a: Words, b: Words, gap: int, in_runs: TakenWords) -> Iterator[list[Seed]]:
    """Yields chains of all seeds, the one that gains most first. seeds: in the order of a."""
    gains = [GAIN * seed.equal for seed in seeds]
    before = [-1] * len(seeds)
    for place, seed in enumerate(seeds):
        alone = gains[place]
        for other in range(place - 1, max(place - SEEDS_BEFORE, 0) - 1, -1):
            i, j = seeds[other].a + seeds[other].words, seeds[other].b + seeds[other].words
            if seed.a - i > gap:
                break
            if 0 <= seed.b - j <= gap:
                cost, most = cost_between(a[i : seed.a], b[j : seed.b]), min(gains[other], alone)
                if cost < most:
                    cost += (in_runs.in_a.count(1, i, seed.a) + in_runs.in_b.count(1, j, seed.b)) ** 2
                if cost < most and gains[other] + alone - cost > gains[place]:
                    gains[place], before[place] = gains[other] + alone - cost, other
    used = [False] * len(seeds)
    for last in sorted(range(len(seeds)), key=gains.__getitem__, reverse=True):
        chain = []
        place = last
        while place >= 0 and not used[place]:
            used[place] = True
            chain.append(seeds[place])
            place = before[place]
        if chain:
            yield chain[::-1]


def cost_between(left: Words, right: Words) -> int:
    """Returns the cost of the words between two seeds."""
    together = len(left) + len(right)
    if not len(left) or not len(right) or max(len(left), len(right)) > ALIGNED_WORDS:
        return together
    return together - (2 + GAIN) * distance.LCSseq.similarity(left.tolist(), right.tolist())


def aligned(chain: Sequence[Seed], a: Words, b: Words) -> Iterator[EqualRun]:
    """Yields the equal words of seeds, and those between them."""
    i, j = chain[0][:2]
    for seed in chain:
        yield from equal_words(a[i : seed.a], b[j : seed.b], i, j)
        i, j = seed.a + seed.words, seed.b + seed.words
        if seed.equal == seed.words:
            yield EqualRun(*seed[:3])
        else:
            yield from equal_words(a[seed.a : i], b[seed.b : j], seed.a, seed.b)


def equal_words(left: Words, right: Words, i: int = 0, j: int = 0) -> list[EqualRun]:
    """Returns the most words that two stretches have in the same order. i, j: where they begin."""
    if not len(left) or not len(right):
        return []
    blocks = distance.Indel.editops(left.tolist(), right.tolist()).as_matching_blocks()
    return [EqualRun(i + one, j + two, words) for one, two, words in blocks if words]


def extended(runs: list[EqualRun], a: Words, b: Words, passages: TakenWords) -> list[EqualRun]:
    """Returns a passage with the words before and after it that gain."""
    before: list[EqualRun] = []
    after: list[EqualRun] = []
    i, j = runs[0][:2]
    while more := gaining(a[free_before(passages.in_a, i) : i][::-1], b[free_before(passages.in_b, j) : j][::-1]):
        before += [EqualRun(i - one - words, j - two - words, words) for one, two, words in more]
        i, j = before[-1][:2]
    end, end_b = (at + runs[-1].words for at in runs[-1][:2])
    while more := gaining(a[end : free_after(passages.in_a, end)], b[end_b : free_after(passages.in_b, end_b)]):
        after += [EqualRun(end + one, end_b + two, words) for one, two, words in more]
        end, end_b = (at + after[-1].words for at in after[-1][:2])
    passages.in_a[i:end], passages.in_b[j:end_b] = b"\1" * (end - i), b"\1" * (end_b - j)
    return [*before[::-1], *runs, *after]


def free_before(taken: bytearray, at: int) -> int:
    """Returns where the free words before a word begin, at most REACH_WORDS words before it."""
    least = max(at - REACH_WORDS, 0)
    return max(taken.rfind(1, least, at) + 1, least)


def free_after(taken: bytearray, at: int) -> int:
    """Returns where the free words after a word end, at most REACH_WORDS words after it."""
    end = taken.find(1, at, at + REACH_WORDS)
    return at + REACH_WORDS if end < 0 else end


def gaining(left: Words, right: Words) -> list[EqualRun]:
    """Returns the first equal words, as many as gain most. left, right: what follows a passage in both texts."""
    runs = equal_words(left, right)
    gain = most = count = i = j = 0
    for number, run in enumerate(runs, 1):
        gain += GAIN * run.words - (run.a - i) - (run.b - j)
        i, j = run.a + run.words, run.b + run.words
        if gain > most:
            most, count = gain, number
    return runs[:count]
