"""The figures of one setting on a sample."""

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
from shingletools.numbers.binomial import UNIT
from shingletools.numbers.exact_ratios import PairCounts, Ratio, ratio


class Measured(NamedTuple):
    """A sample's shingles and pairs. Each similarity in a bin counts as the middle of the bin."""

    setting: Setting
    shingled: Shingled
    tally: PairTally
    apart: Fraction  # pairs of the sample that share nothing

    @property
    def found(self) -> Fraction:
        """Returns the number of pairs of the sample."""
        return self.from_threshold(self.setting.threshold)

    def from_threshold(self, threshold: Fraction) -> Fraction:
        measure = self.setting.measure
        return Fraction(self.tally.found[measure][self.tally.place(measure, threshold)], SCALE)

    def expected(self, form: SignatureForm) -> PairCounts:
        """Returns the pairs that a signature is expected to find, in UNIT, rounded down."""
        chances = [
            pairs * form.found(self.tally.middle(number)) if pairs else 0
            for number, pairs in enumerate(self.tally.bins)
        ]
        at = self.tally.place(JACCARD, self.setting.threshold)
        found = sum(chances) + self.apart * form.found(Fraction(0))
        return PairCounts(int(found), int(self.found * UNIT), int(sum(chances[at:])))

    def candidates(self, form: SignatureForm) -> Fraction:
        """Returns how many pairs of the sample it is expected to compare, without copies, which a join takes as one."""
        filled = ((number, pairs) for number, pairs in enumerate(self.tally.bins[:-1]) if pairs)
        chances = (pairs * form.candidates(self.tally.middle(number)) for number, pairs in filled)
        return sum(chances, self.apart * form.candidates(Fraction(0))) / UNIT

    def missed(self, form: SignatureForm, first: int, last: int) -> Fraction:
        """Returns the share of the pairs in some bins that a signature is expected to miss.

        If there are no such pairs, each bin counts the same.
        """
        pairs = self.tally.bins[first:last]
        weights = pairs if any(pairs) else [Fraction(1)] * (last - first)
        found = sum(weight * form.found(self.tally.middle(first + i)) for i, weight in enumerate(weights) if weight)
        return 1 - Fraction(found) / UNIT / sum(weights)

    def meetings(self) -> int:
        """Returns an upper bound on the pairs that an exact join compares: those whose prefixes share a shingle.

        Rare shingles come first in a prefix. For containment, the prefix of the smaller set is looked for in all of the
        larger one. A pair counts once for each such shingle.
        """
        sets, setting = self.shingled, self.setting
        if setting.measure == COSINE:
            rows = np.bincount(meetings(sets, COSINE, setting.threshold).by.numbers, minlength=len(sets.frequencies))
            return int((rows * (rows - 1) // 2).sum())
        owners = sets.owners
        order = np.lexsort((sets.numbers, sets.frequencies[sets.numbers], owners))
        if setting.measure == SHARED:
            least = np.full(len(sets.sizes), int(setting.threshold))
        else:
            least = ceilings(setting.threshold, sets.sizes)
        starts = np.cumsum(sets.sizes) - sets.sizes
        within = np.arange(len(owners)) - starts[owners]
        first = sets.numbers[order][within <= (sets.sizes - least)[owners]]
        rows = np.bincount(first, minlength=len(sets.frequencies))
        every = np.bincount(sets.numbers, minlength=len(sets.frequencies)) if setting.measure == CONTAINMENT else rows
        return int((rows * (every - 1) - rows * (rows - 1) // 2).sum()) if len(rows) else 0

    def shared_by(self, documents: int) -> Index:
        """Returns the shingles that are in more documents, rising. Shape (found,), int64."""
        return np.flatnonzero(self.shingled.frequencies > documents)

    def frequencies(self) -> Iterator[tuple[int, int | None, int, Ratio]]:
        """Yields ranges of document frequencies, the number of shingles in each, and their share of all."""
        found = self.shingled.frequencies
        bounds = (1, 2, 3, 11, 101, 1001, None)
        for least, below in pairwise(bounds):
            assert least is not None
            many = int(np.count_nonzero((found >= least) & (found < (below or found.max(initial=0) + 1))))
            yield least, None if below is None else below - 1, many, ratio(many, len(found))
