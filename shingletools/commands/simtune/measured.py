"""All figures of one way to make shingles of a sample."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune.counting import Histogram
from shingletools.commands.simtune.forms import SignatureForm
from shingletools.commands.simtune.shingled import Shingled, ShingleUnits
from shingletools.kernel.types import Index
from shingletools.numbers.chances import UNIT
from shingletools.numbers.ratios import PairCounts, Ratio, ratio

USUAL = Fraction(4, 5)  # the threshold, where nothing else says one


class AtThreshold(NamedTuple):
    """Pairs from a threshold on, beside labels."""

    threshold: Fraction
    found: Fraction
    right: Fraction
    truth: Fraction

    @property
    def precision(self) -> Ratio:
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> Ratio:
        return self.right / self.truth if self.truth else None

    @property
    def f1(self) -> Fraction:
        return 2 * self.right / (self.found + self.truth) if self.found + self.truth else Fraction(0)


class Measured(NamedTuple):
    """A sample's shingles and their pairs; `most` is the greatest share of documents that a shingle may be in.

    Similarities are Jaccard's, exact, from 0 to 1; those of a bin are taken to be in its middle.
    """

    units: ShingleUnits
    shingled: Shingled
    histogram: Histogram
    most: Fraction | None = None

    def best(self, threshold: Fraction | None) -> AtThreshold:
        """At a threshold; or at the one of all hundredths with the greatest F1, of equals the middle one.

        Where no hundredth finds a true pair, none is better than another, and USUAL is taken.
        """
        if threshold is not None:
            return AtThreshold(threshold, *self.histogram.from_edge(threshold), self.histogram.all_true)
        tried = [
            AtThreshold(edge, *self.histogram.from_edge(edge), self.histogram.all_true)
            for edge in self.histogram.edges[1:]
        ]
        greatest = max(each.f1 for each in tried)
        if not greatest:
            return self.best(USUAL)
        equals = [each for each in tried if each.f1 == greatest]
        return equals[len(equals) // 2]  # pairs of the whole lie on both sides of those of the sample

    def expected(self, form: SignatureForm, threshold: Fraction) -> PairCounts:
        """What a signature finds of the sample's pairs; in units of UNIT, rounded down."""
        here = self.histogram
        chances = [pairs * form.found(here.middle(number)) if pairs else 0 for number, pairs in enumerate(here.pairs)]
        at = here.edges.index(threshold)
        return PairCounts(int(sum(chances)), int(here.from_edge(threshold)[0] * UNIT), int(sum(chances[at:])))

    def candidates(self, form: SignatureForm) -> Fraction:
        """How many pairs of the sample it is expected to compare: copies are one to a join."""
        here = self.histogram
        chances = (
            pairs * form.candidates(here.middle(number)) for number, pairs in enumerate(here.pairs[:-1]) if pairs
        )
        return sum(chances, Fraction(0)) / UNIT

    def missed(self, form: SignatureForm, first: int, last: int) -> Fraction:
        """The share that it is expected to miss of the pairs in bins from `first` to before `last`.

        Where these have no pairs, each bin counts the same.
        """
        here = self.histogram
        pairs = here.pairs[first:last]
        weights = pairs if any(pairs) else (Fraction(1),) * (last - first)
        found = sum(weight * form.found(here.middle(first + i)) for i, weight in enumerate(weights) if weight)
        return 1 - Fraction(found) / UNIT / sum(weights)

    def meetings(self, threshold: Fraction) -> int:
        """Pairs of rows that an exact join compares at most: those that share one of their first shingles, rare first.

        A pair that shares several of these is counted so often.
        """
        of = self.shingled
        owners = of.owners
        order = np.lexsort((of.numbers, of.frequencies[of.numbers], owners))
        least = np.array([ceil(threshold * size) for size in of.sizes.tolist()], np.int64)
        starts = np.cumsum(of.sizes) - of.sizes
        within = np.arange(len(owners)) - starts[owners]
        first = of.numbers[order][within <= (of.sizes - least)[owners]]
        rows = np.bincount(first) if len(first) else np.zeros(1, np.int64)
        return int((rows * (rows - 1) // 2).sum())

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
