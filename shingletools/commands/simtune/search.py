"""The search by labels: words, shingles, limit, measure and threshold together, by the labels of one half."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.compared import BINS, CONTAINMENT, COSINE, JACCARD, LOWEST, SHARED, smoothed
from shingletools.commands.simtune.counting import PairTally, Population, tally
from shingletools.commands.simtune.settings import WEIGHED, Setting, most_of
from shingletools.commands.simtune.shingled import Shingled, Way, ruled, shingled
from shingletools.commands.simtune.sureness import Scored, scores
from shingletools.kernel.types import Index

PART_WORDS, PART_CHARACTERS = 1 << 16, 1 << 17  # of the documents by which the first choice is made
PART_STEPS = 1 << 21  # of each tally of these
FINAL = 3  # ways that are tried with all documents
FINAL_STEPS = 1 << 25
PARTS = 10**12  # an F1 of 1 in whole numbers: these are equal on any machine
NEAR = 3 * PARTS // 1000  # F1 that is as good
# Thresholds below these are not tried: see counting.FEWEST
LOWEST_TRIED = {JACCARD: 3, CONTAINMENT: 5, SHARED: 8, COSINE: int(LOWEST * BINS)}


class Tried(NamedTuple):
    """A setting, and the F1 of thresholds around it, in 1/PARTS."""

    setting: Setting
    f1: int
    scored: Scored | None = None


class Half(NamedTuple):
    """Texts of a sample's documents, what is true of them, and the half that decides."""

    texts: Sequence[str]
    kinds: Index
    population: Population
    threshold: Fraction | None  # that was asked for
    limits: Sequence[int | Fraction | None]


def best(tally: PairTally, setting: Setting, asked: Fraction | None) -> list[Tried]:
    """The best threshold of each measure."""
    found = []
    for measure in tally.found:
        if measure == SHARED and asked is not None:
            continue
        f1 = [
            2 * right * PARTS // (many + tally.truth) if many else 0
            for many, right in zip(tally.found[measure], tally.right[measure], strict=True)
        ][: len(tally.edges)]
        places = range(LOWEST_TRIED[measure], len(tally.edges)) if asked is None else [tally.place(measure, asked)]
        level = smoothed(f1) if measure != SHARED and asked is None else f1
        at = middle(places, [level[place] for place in places])
        threshold = Fraction(at) if measure == SHARED else tally.edges[at]
        found.append(Tried(setting._replace(measure=measure, threshold=threshold), level[at]))
    return found


def middle(places: Sequence[int], levels: Sequence[int]) -> int:
    """Of rising thresholds the one in the middle of those from the best on that are as good: few labels do not tell
    them apart, and the lowest of them finds most pairs that nobody judged.

    >>> middle([30, 31, 32, 33, 34], [7, 8 * NEAR, 8 * NEAR, 7 * NEAR, 6 * NEAR])
    32
    """
    first = max(range(len(places)), key=levels.__getitem__)
    last = first
    while last + 1 < len(places) and levels[last + 1] >= levels[first] - NEAR:
        last += 1
    return places[(first + last + 1) // 2]


def first(tried: Sequence[Tried]) -> Tried:
    """The best one; of those that are as good the plainest."""
    greatest = max(each.f1 for each in tried)
    good = [each for each in tried if each.f1 >= greatest - NEAR]
    return min(good, key=lambda each: (each.setting.plain, -each.f1))


def of_way(half: Half, of: Shingled, way: Way, most: int) -> Tried:
    """The best of all limits and measures of one way."""
    tried: list[Tried] = []
    for limit in half.limits:
        counted = tally(limited(of, limit), half.population, half.threshold, most, full=False)
        tried += best(counted, Setting(way, limit), half.threshold)
    if way.units in WEIGHED and (half.threshold is None or half.threshold >= LOWEST):
        counted = tally(of, half.population, half.threshold, most, measures=(COSINE,))
        tried += best(counted, Setting(way), half.threshold)
        if half.population.others is not None:
            only = half.population.of_best(of)
            counted = tally(of, only, half.threshold, most, measures=(COSINE,))
            tried += best(counted, Setting(way, best=True), half.threshold)
    one = first(tried)
    setting = one.setting
    (score,) = scores(limited(of, setting.most), half.population, setting, [setting.threshold], most)
    return one._replace(scored=score)


def limited(of: Shingled, limit: int | Fraction | None) -> Shingled:
    return of if limit is None else of.without(of.frequencies > most_of(limit, len(of.rows)))


def search(half: Half, ways: Sequence[Way]) -> tuple[list[Tried], Tried]:
    """The best of each way, and of all: the whole grid on some of the documents, the best ways on all of them."""
    tried: dict[Way, Tried] = {}
    held: dict[Way, Shingled] = {}  # of the best ways so far, if all documents are shingled
    texts: dict[str, Sequence[str]] = {"": half.texts}
    for way in ways:
        if way.rules not in texts:
            texts[way.rules] = ruled(half.texts, way.rules)
        few = documents_within(texts[way.rules], way.units.chars)
        of = shingled(texts[way.rules][:few], way.units, half.kinds[:few])
        part = half if few == len(half.texts) else half._replace(population=half.population.first(few))
        tried[way] = of_way(part, of, way, PART_STEPS)
        if part is half:
            held[way] = of
        if len(held) > FINAL:
            held.pop(min(held, key=lambda way: tried[way].f1))
    finals = sorted(ways, key=lambda way: -tried[way].f1)[:FINAL]
    for way in finals:
        of = held.get(way) or shingled(texts[way.rules], way.units, half.kinds)
        tried[way] = of_way(half, of, way, FINAL_STEPS)
    return [tried[way] for way in ways], first([tried[way] for way in finals])


def documents_within(texts: Sequence[str], chars: bool) -> int:
    """How many of the first texts have few enough words, or characters."""
    sizes = [len(text) if chars else text.count(" ") + 1 for text in texts]
    return int(np.searchsorted(np.cumsum(sizes), PART_CHARACTERS if chars else PART_WORDS, "right"))


def told(half: Half, other: Population, setting: Setting, thresholds: Sequence[Fraction]) -> list[Scored]:
    """What a setting finds of the other half."""
    of = shingled(ruled(half.texts, setting.way.rules), setting.way.units, half.kinds)
    return scores(limited(of, setting.most), other, setting, thresholds)
