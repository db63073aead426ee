"""All figures of one setting, of a sample."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.compared import CONTAINMENT, COSINE, JACCARD, SHARED, ceilings, meetings
from shingletools.commands.simtune.counting import SCALE, PairTally
from shingletools.commands.simtune.forms import SignatureForm
from shingletools.commands.simtune.settings import Setting
from shingletools.commands.simtune.shingled import Shingled
from shingletools.kernel.types import Index
from shingletools.numbers.chances import UNIT
from shingletools.numbers.ratios import PairCounts, Ratio, ratio


class Measured(NamedTuple):
    """A sample's shingles and their pairs.

    Similarities are exact, from 0 to 1; those of a bin are taken to be in its middle.
    """

    setting: Setting
    shingled: Shingled
    tally: PairTally
    apart: Fraction  # pairs of the sample that share nothing

    @property
    def found(self) -> Fraction:
        """Pairs of the sample."""
        return self.from_threshold(self.setting.threshold)

    def from_threshold(self, threshold: Fraction) -> Fraction:
        measure = self.setting.measure
        return Fraction(self.tally.found[measure][self.tally.place(measure, threshold)], SCALE)

    def bins(self) -> list[Fraction]:
        """The pairs of each bin of Jaccard's similarity."""
        return [self.tally.pairs_of(number) for number in range(len(self.tally.edges))]

    def expected(self, form: SignatureForm) -> PairCounts:
        """What a signature finds of the sample's pairs; in units of UNIT, rounded down."""
        chances = [
            pairs * form.found(self.tally.middle(number)) if pairs else 0 for number, pairs in enumerate(self.bins())
        ]
        at = self.tally.place(JACCARD, self.setting.threshold)
        found = sum(chances) + self.apart * form.found(Fraction(0))
        return PairCounts(int(found), int(self.found * UNIT), int(sum(chances[at:])))

    def candidates(self, form: SignatureForm) -> Fraction:
        """How many pairs of the sample it is expected to compare: copies are one to a join."""
        chances = (
            pairs * form.candidates(self.tally.middle(number))
            for number, pairs in enumerate(self.bins()[:-1]) if pairs
        )  # fmt: skip
        return sum(chances, self.apart * form.candidates(Fraction(0))) / UNIT

    def missed(self, form: SignatureForm, first: int, last: int) -> Fraction:
        """The share that it is expected to miss of the pairs in bins from `first` to before `last`.

        Where these have no pairs, each bin counts the same.
        """
        pairs = self.bins()[first:last]
        weights = pairs if any(pairs) else [Fraction(1)] * (last - first)
        found = sum(weight * form.found(self.tally.middle(first + i)) for i, weight in enumerate(weights) if weight)
        return 1 - Fraction(found) / UNIT / sum(weights)

    def meetings(self) -> int:
        """Pairs of rows that an exact join compares at most: those that share one of their first shingles, rare first.

        By containment, the smaller looks with its first shingles for all those of the larger one. A pair that shares
        several is counted so often.
        """
        of, setting = self.shingled, self.setting
        if setting.measure == COSINE:
            rows = np.bincount(meetings(of, COSINE, setting.threshold).by.numbers, minlength=len(of.frequencies))
            return int((rows * (rows - 1) // 2).sum())
        owners = of.owners
        order = np.lexsort((of.numbers, of.frequencies[of.numbers], owners))
        if setting.measure == SHARED:
            least = np.full(len(of.sizes), int(setting.threshold))
        else:
            least = ceilings(setting.threshold, of.sizes)
        starts = np.cumsum(of.sizes) - of.sizes
        within = np.arange(len(owners)) - starts[owners]
        first = of.numbers[order][within <= (of.sizes - least)[owners]]
        rows = np.bincount(first, minlength=len(of.frequencies))
        every = np.bincount(of.numbers, minlength=len(of.frequencies)) if setting.measure == CONTAINMENT else rows
        return int((rows * (every - 1) - rows * (rows - 1) // 2).sum()) if len(rows) else 0

    def shared_by(self, documents: int) -> Index:
        """Which shingles are in more documents: their numbers, rising. Shape (found,), int64."""
        return np.flatnonzero(self.shingled.frequencies > documents)

    def frequencies(self) -> Iterator[tuple[int, int | None, int, Ratio]]:
        """From how many to how many documents; how many shingles are in so many, and their share of all."""
        found = self.shingled.frequencies
        bounds = (1, 2, 3, 11, 101, 1001, None)
        for least, below in pairwise(bounds):
            assert least is not None
            many = int(np.count_nonzero((found >= least) & (found < (below or found.max(initial=0) + 1))))
            yield least, None if below is None else below - 1, many, ratio(many, len(found))
