"""The search by labels: tries words, shingles, limits, measures and thresholds on one half of the sample."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.compared import BINS, CONTAINMENT, COSINE, JACCARD, LOWEST, SHARED, smoothed
from shingletools.commands.simtune.confidence import Scored, scores
from shingletools.commands.simtune.counting import PairTally, Population, tally
from shingletools.commands.simtune.settings import WEIGHED, Setting, most_of
from shingletools.commands.simtune.shingled import Shingled, Way, canonized, shingled
from shingletools.kernel.types import Index

PART_WORDS, PART_CHARACTERS = 1 << 16, 1 << 17  # of the documents on which all ways are tried
PART_STEPS = 1 << 21  # of each tally of these
FINAL = 3  # ways that are tried on all documents
FINAL_STEPS = 1 << 25
PARTS = 10**12  # an F1 of 1: whole numbers are equal on any machine
NEAR = 3 * PARTS // 1000  # settings whose F1 differs by no more are equally good
# The lowest bins to try: see counting.RARE_SHARE
LOWEST_TRIED = {JACCARD: 3, CONTAINMENT: 5, SHARED: 8, COSINE: int(LOWEST * BINS)}


class Tried(NamedTuple):
    """A setting, and the F1 of thresholds around it, in 1/PARTS."""

    setting: Setting
    f1: int
    scored: Scored | None = None


class Half(NamedTuple):
    """The texts of a sample, and the half of its documents whose labels choose."""

    texts: Sequence[str]
    kinds: Index
    population: Population
    threshold: Fraction | None  # that the user gave
    limits: Sequence[int | Fraction | None]


def best_thresholds(tally: PairTally, setting: Setting, asked: Fraction | None) -> list[Tried]:
    """Returns the best threshold of each measure."""
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
    """Returns the middle one of the thresholds from the best one up that are as good as it.

    Few labels do not distinguish them, and the lowest one finds most pairs that nobody judged.

    >>> middle([30, 31, 32, 33, 34], [7, 8 * NEAR, 8 * NEAR, 7 * NEAR, 6 * NEAR])
    32
    """
    first = max(range(len(places)), key=levels.__getitem__)
    last = first
    while last + 1 < len(places) and levels[last + 1] >= levels[first] - NEAR:
        last += 1
    return places[(first + last + 1) // 2]


def plainest(tried: Sequence[Tried]) -> Tried:
    """Returns the plainest of the best settings."""
    greatest = max(each.f1 for each in tried)
    good = [each for each in tried if each.f1 >= greatest - NEAR]
    return min(good, key=lambda each: (each.setting.plain, -each.f1))


def best_of_way(half: Half, sets: Shingled, way: Way, most: int) -> Tried:
    """Returns the best limit and measure of one way, and its score."""
    tried: list[Tried] = []
    for limit in half.limits:
        counted = tally(limited(sets, limit), half.population, half.threshold, most, full=False)
        tried += best_thresholds(counted, Setting(way, limit), half.threshold)
    if way.units in WEIGHED and (half.threshold is None or half.threshold >= LOWEST):
        counted = tally(sets, half.population, half.threshold, most, measures=(COSINE,))
        tried += best_thresholds(counted, Setting(way), half.threshold)
        if half.population.others is not None:
            only = half.population.with_best_partners(sets)
            counted = tally(sets, only, half.threshold, most, measures=(COSINE,))
            tried += best_thresholds(counted, Setting(way, best=True), half.threshold)
    one = plainest(tried)
    setting = one.setting
    (score,) = scores(limited(sets, setting.most), half.population, setting, [setting.threshold], most)
    return one._replace(scored=score)


def limited(sets: Shingled, limit: int | Fraction | None) -> Shingled:
    return sets if limit is None else sets.without(sets.frequencies > most_of(limit, len(sets.rows)))


def search(half: Half, ways: Sequence[Way]) -> tuple[list[Tried], Tried]:
    """Returns the best setting of each way, and the best of all.

    All ways are tried on some of the documents, then the best FINAL ways on all of them.
    """
    tried: dict[Way, Tried] = {}
    held: dict[Way, Shingled] = {}  # of the best ways so far, if all documents are shingled
    texts: dict[str, Sequence[str]] = {"": half.texts}
    for way in ways:
        if way.rules not in texts:
            texts[way.rules] = canonized(half.texts, way.rules)
        few = documents_in_part(texts[way.rules], way.units.chars)
        sets = shingled(texts[way.rules][:few], way.units, half.kinds[:few])
        part = half if few == len(half.texts) else half._replace(population=half.population.first(few))
        tried[way] = best_of_way(part, sets, way, PART_STEPS)
        if part is half:
            held[way] = sets
        if len(held) > FINAL:
            held.pop(min(held, key=lambda way: tried[way].f1))
    finals = sorted(ways, key=lambda way: -tried[way].f1)[:FINAL]
    for way in finals:
        sets = held.get(way) or shingled(texts[way.rules], way.units, half.kinds)
        tried[way] = best_of_way(half, sets, way, FINAL_STEPS)
    return [tried[way] for way in ways], plainest([tried[way] for way in finals])


def documents_in_part(texts: Sequence[str], chars: bool) -> int:
    """Returns how many of the first texts are within PART_WORDS, or PART_CHARACTERS."""
    sizes = [len(text) if chars else text.count(" ") + 1 for text in texts]
    return int(np.searchsorted(np.cumsum(sizes), PART_CHARACTERS if chars else PART_WORDS, "right"))


def score_setting(half: Half, other: Population, setting: Setting, thresholds: Sequence[Fraction]) -> list[Scored]:
    """Returns the scores of a setting on the other half at some thresholds."""
    sets = shingled(canonized(half.texts, setting.way.rules), setting.way.units, half.kinds)
    return scores(limited(sets, setting.most), other, setting, thresholds)
