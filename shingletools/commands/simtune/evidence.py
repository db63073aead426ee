"""The sample that was read, its judgement by labels, and its measurements."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
import regex

from shingletools.commands.simtune import search, settings
from shingletools.commands.simtune.compared import COSINE
from shingletools.commands.simtune.counting import SCALE, STRATA, Population, tally
from shingletools.commands.simtune.label_scores import Judgement, halves
from shingletools.commands.simtune.measured import Measured
from shingletools.commands.simtune.partners import nearest
from shingletools.commands.simtune.sample import SampledDocument
from shingletools.commands.simtune.search import Half
from shingletools.commands.simtune.settings import Setting
from shingletools.commands.simtune.shingled import NO_ROW, Shingled, ShingleUnits, Way, canonized, shingled
from shingletools.commands.simtune.spec import TuneSpec
from shingletools.kernel.types import Flags
from shingletools.text.unspaced_scripts import ALONE

ONE = Fraction(1)


class GivenSample(NamedTuple):
    """The sample that was read. The documents of each component of the judgement are neighbours."""

    spec: TuneSpec
    via: str | None
    read: tuple[int, ...]  # documents of each stratum
    documents: Sequence[SampledDocument]
    judgement: Judgement | None

    @property
    def texts(self) -> list[str]:
        return [document.text for document in self.documents]

    @property
    def others(self) -> Flags | None:
        return np.array([document.other for document in self.documents], np.bool_) if self.spec.others else None

    @property
    def whole(self) -> int:
        """Returns the number of documents that the pipeline is for."""
        return sum(self.read) if self.spec.documents is None else self.spec.documents

    def population(self, judgement: Judgement | None) -> Population:
        """Returns the documents of the sample, scaled to all documents if there is a judgement."""
        there = np.ones(len(self.documents), np.bool_)
        every = Population(there, judgement, self.others, (ONE,) * STRATA, ONE)
        if judgement is None:
            return every
        sampled = np.bincount(every.strata, minlength=STRATA).tolist()
        more = Fraction(self.whole, sum(self.read))
        scale = [more * Fraction(read, many) if many else ONE for read, many in zip(self.read, sampled, strict=True)]
        sides = (1, 3) if self.spec.others else (1, 1)
        return every._replace(scale=tuple(scale), true=scale[sides[0]] * scale[sides[1]])

    def scaled_to_all(self, pairs: Fraction, best: bool = False) -> Fraction:
        """Estimates the pairs of all documents from those of the sample. best: each document has one at most."""
        if self.spec.others:
            sampled = [sum(each.other == other for each in self.documents) for other in (False, True)]
            read = self.read[0] + self.read[1], self.read[2] + self.read[3]
            if best:
                return pairs * Fraction(self.whole, sum(self.read)) * Fraction(read[0], max(sampled[0], 1))
            every = Fraction(self.whole, sum(self.read)) ** 2 * read[0] * read[1]
            return pairs * every / (sampled[0] * sampled[1]) if all(sampled) else pairs
        few = len(self.documents) * (len(self.documents) - 1)
        return pairs * self.whole * (self.whole - 1) / few if few else pairs

    def input_documents(self, sets: Shingled) -> int:
        """Returns how many documents of the sample that are not of --against have shingles."""
        filled = sets.rows != NO_ROW
        return int((filled if self.others is None else filled & ~self.others).sum())

    def measured(self, setting: Setting) -> Measured:
        """Counts the pairs of a setting, without regard to labels."""
        sets = shingled(canonized(self.texts, setting.way.rules), setting.way.units, self.kinds(None))
        threshold = None if setting.measure == "shared" else setting.threshold
        sets = search.limited(sets, setting.most)
        tallied = tally(sets, self.population(None), threshold)
        if setting.best:
            near = nearest(sets, self.others, threshold)
            more = Fraction(SCALE * self.input_documents(sets), max(near.documents, 1))
            tallied.found[COSINE] = tuple(int(many * more) for many in near.counts[0])
        elif setting.measure == COSINE:
            tallied.found.update(tally(sets, self.population(None), threshold, measures=(COSINE,)).found)
        return Measured(setting, sets, tallied, max(self.pairs(sets.rows != NO_ROW) - tallied.pairs, Fraction(0)))

    def pairs(self, there: Flags) -> int:
        """Returns the number of all pairs of these documents, between the two sides if there are two."""
        many = int(there.sum())
        if self.others is None:
            return many * (many - 1) // 2
        others = int((there & self.others).sum())
        return others * (many - others)

    def kinds(self, judgement: Judgement | None) -> np.ndarray:
        kinds = np.full(len(self.documents), -1) if judgement is None else judgement.kinds
        return kinds if self.others is None else 2 * kinds + self.others

    def half(self, judgement: Judgement) -> tuple[Half, Population]:
        """Returns the half that decides, and the documents of the other half."""
        inside = halves(judgement, self.others)
        every = self.population(judgement)
        limits = settings.limits(len(self.documents), self.whole)
        half = Half(self.texts, self.kinds(judgement), every.among(inside), self.spec.threshold, limits)
        return half, every.among(~inside)

    def spaceless_share(self) -> Fraction:
        """Returns the share of words that are letters of scripts without spaces."""
        alone = regex.compile(ALONE, regex.VERSION1)
        letters = sum(len(alone.findall(document.text)) for document in self.documents)
        return min(Fraction(letters, sum(document.kept for document in self.documents) or 1), ONE)

    def ways(self) -> list[Way]:
        """Returns the ways to make shingles that the search by labels tries."""
        words = [ShingleUnits(k) for k in self.spec.words or settings.WORDS]
        characters = [ShingleUnits(k, chars=True) for k in settings.RUNS_OF_CHARACTERS] + [settings.OF_WORDS]
        characters = [] if self.spec.words else characters
        rules = settings.rules_for(self.texts, self.via)
        return [*(Way(units) for units in (*words, *characters)), *(Way(units, rules) for units in words if rules)]


def quantile(rising: Sequence[int], share: Fraction) -> int | None:
    """Returns the least number that a share of the numbers do not exceed; None if there are none.

    >>> quantile([3, 5, 8, 9], Fraction(1, 2)), quantile([], Fraction(1, 2))
    (5, None)
    """
    return rising[max(ceil(share * len(rising)), 1) - 1] if rising else None
