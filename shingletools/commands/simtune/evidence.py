"""What was read: a sample, what is true of it, and what is measured of both."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
import regex

from shingletools.commands.simtune import search, settings
from shingletools.commands.simtune.compared import COSINE
from shingletools.commands.simtune.counting import SCALE, STRATA, Population, tally
from shingletools.commands.simtune.judged import Judgement, halves
from shingletools.commands.simtune.measured import Measured
from shingletools.commands.simtune.partners import nearest
from shingletools.commands.simtune.sample import SampledDocument
from shingletools.commands.simtune.search import Half
from shingletools.commands.simtune.settings import Setting
from shingletools.commands.simtune.shingled import NO_ROW, Shingled, ShingleUnits, Way, ruled, shingled
from shingletools.commands.simtune.spec import TuneSpec
from shingletools.kernel.types import Flags
from shingletools.text.scripts import ALONE

ONE = Fraction(1)


class GivenSample(NamedTuple):
    """What was read. The documents of one component of the judgement stand together."""

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
        """Documents that the pipeline is for."""
        return sum(self.read) if self.spec.documents is None else self.spec.documents

    def population(self, judgement: Judgement | None) -> Population:
        """All documents of the sample; with a judgement, as many as the whole has, without one as many as there are."""
        there = np.ones(len(self.documents), np.bool_)
        every = Population(there, judgement, self.others, (ONE,) * STRATA, ONE)
        if judgement is None:
            return every
        sampled = np.bincount(every.strata, minlength=STRATA).tolist()
        more = Fraction(self.whole, sum(self.read))
        scale = [more * Fraction(read, many) if many else ONE for read, many in zip(self.read, sampled, strict=True)]
        sides = (1, 3) if self.spec.others else (1, 1)
        return every._replace(scale=tuple(scale), true=scale[sides[0]] * scale[sides[1]])

    def of_whole(self, pairs: Fraction, best: bool = False) -> Fraction:
        """How many pairs the whole has, by those of the sample. best: whether each document has one at most."""
        if self.spec.others:
            sampled = [sum(each.other == other for each in self.documents) for other in (False, True)]
            read = self.read[0] + self.read[1], self.read[2] + self.read[3]
            if best:
                return pairs * Fraction(self.whole, sum(self.read)) * Fraction(read[0], max(sampled[0], 1))
            every = Fraction(self.whole, sum(self.read)) ** 2 * read[0] * read[1]
            return pairs * every / (sampled[0] * sampled[1]) if all(sampled) else pairs
        few = len(self.documents) * (len(self.documents) - 1)
        return pairs * self.whole * (self.whole - 1) / few if few else pairs

    def asking(self, of: Shingled) -> int:
        """How many documents of the sample have shingles, with --against those of the input."""
        filled = of.rows != NO_ROW
        return int((filled if self.others is None else filled & ~self.others).sum())

    def measured(self, setting: Setting) -> Measured:
        """The pairs of a setting, whatever labels say."""
        of = shingled(ruled(self.texts, setting.way.rules), setting.way.units, self.kinds(None))
        threshold = None if setting.measure == "shared" else setting.threshold
        of = search.limited(of, setting.most)
        tallied = tally(of, self.population(None), threshold)
        if setting.best:
            near = nearest(of, self.others, threshold)
            more = Fraction(SCALE * self.asking(of), max(near.documents, 1))
            tallied.found[COSINE] = tuple(int(many * more) for many in near.counts[0])
        elif setting.measure == COSINE:
            tallied.found.update(tally(of, self.population(None), threshold, measures=(COSINE,)).found)
        return Measured(setting, of, tallied, max(self.pairs(of.rows != NO_ROW) - tallied.pairs, Fraction(0)))

    def pairs(self, there: Flags) -> int:
        """How many these documents of the sample have, of two sides if there are two."""
        many = int(there.sum())
        if self.others is None:
            return many * (many - 1) // 2
        others = int((there & self.others).sum())
        return others * (many - others)

    def kinds(self, judgement: Judgement | None) -> np.ndarray:
        kinds = np.full(len(self.documents), -1) if judgement is None else judgement.kinds
        return kinds if self.others is None else 2 * kinds + self.others

    def half(self, judgement: Judgement) -> tuple[Half, Population]:
        """That which decides, and the documents of the other."""
        inside = halves(judgement, self.others)
        every = self.population(judgement)
        limits = settings.limits(len(self.documents), self.whole)
        return Half(self.texts, self.kinds(judgement), every.among(inside), self.spec.threshold, limits), every.among(
            ~inside
        )

    def letters(self) -> Fraction:
        """The share of words that are letters of scripts without spaces."""
        alone = regex.compile(ALONE, regex.VERSION1)
        letters = sum(len(alone.findall(document.text)) for document in self.documents)
        return min(Fraction(letters, sum(document.kept for document in self.documents) or 1), ONE)

    def ways(self) -> list[Way]:
        """Those that labels may choose among."""
        words = [ShingleUnits(k) for k in self.spec.words or settings.WORDS]
        characters = [ShingleUnits(k, chars=True) for k in settings.RUNS_OF_CHARACTERS] + [settings.OF_WORDS]
        characters = [] if self.spec.words else characters
        rules = settings.rules_for(self.texts, self.via)
        return [*(Way(units) for units in (*words, *characters)), *(Way(units, rules) for units in words if rules)]


def quantile(rising: Sequence[int], share: Fraction) -> int | None:
    """The least of some numbers that a share of them are not above; None of none.

    >>> quantile([3, 5, 8, 9], Fraction(1, 2)), quantile([], Fraction(1, 2))
    (5, None)
    """
    return rising[max(ceil(share * len(rising)), 1) - 1] if rising else None
