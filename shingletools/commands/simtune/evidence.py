"""What was read: a sample, what is true of it, and what is measured of both."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
import regex

from shingletools.commands.simtune import advice
from shingletools.commands.simtune.advice import SampleFigures
from shingletools.commands.simtune.counting import histogram
from shingletools.commands.simtune.judged import Judgement
from shingletools.commands.simtune.measured import Measured
from shingletools.commands.simtune.sample import SampledDocument
from shingletools.commands.simtune.shingled import ShingleUnits, shingled
from shingletools.commands.simtune.spec import TuneSpec
from shingletools.kernel.types import Index
from shingletools.text.scripts import ALONE


class GivenSample(NamedTuple):
    """What was read."""

    spec: TuneSpec
    read: int  # documents
    documents: Sequence[SampledDocument]
    judgement: Judgement | None

    @property
    def kinds(self) -> Index:
        return np.full(len(self.documents), -1) if self.judgement is None else self.judgement.kinds

    def figures(self) -> SampleFigures:
        words = sorted(document.words for document in self.documents if document.words)
        kept = sum(document.kept for document in self.documents)
        alone = regex.compile(ALONE, regex.VERSION1)
        letters = sum(len(alone.findall(document.text)) for document in self.documents)
        return SampleFigures(
            self.read if self.spec.documents is None else self.spec.documents, len(self.documents),
            quantile(words, Fraction(1, 4)) or 0, min(Fraction(letters, kept or 1), Fraction(1)), self.spec.threshold,
            self.spec.chosen, self.judgement is not None and self.judgement.pairs() > 0, self.judgement is not None,
        )  # fmt: skip

    def measured(self, units: ShingleUnits) -> Measured:
        texts = [document.text for document in self.documents]
        of = shingled(texts, units, self.kinds)
        return Measured(units, of, histogram(of, self.spec.threshold, self.judgement))

    def filtered(self, plain: Measured) -> list[Measured]:
        """Without the shingles of many documents."""
        found = []
        for share in advice.SHARES:
            most = int(share * len(self.documents))
            if not advice.may_be_template(plain, most):
                continue
            of = plain.shingled.without(plain.shingled.frequencies > most)
            found.append(Measured(plain.units, of, histogram(of, self.spec.threshold, self.judgement), share))
        return found


def quantile(rising: Sequence[int], share: Fraction) -> int | None:
    """The least of some numbers that a share of them are not above; None of none.

    >>> quantile([3, 5, 8, 9], Fraction(1, 2)), quantile([], Fraction(1, 2))
    (5, None)
    """
    return rising[max(ceil(share * len(rising)), 1) - 1] if rising else None
