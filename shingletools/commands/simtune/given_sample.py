"""The sample that was read, its judgement by labels, and how much it represents."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shingletools.commands.simtune.label_scores import Judgement
from shingletools.commands.simtune.sample import SampledDocument
from shingletools.commands.simtune.spec import TuneSpec

WEIGHT = 1 << 8  # of a document that represents itself


class GivenSample:
    """The documents of a sample. Documents that true pairs connect are neighbours, and in one half.

    read: how many documents of each stratum were read; a stratum is 2 * side + labelled.
    """

    def __init__(
        self, spec: TuneSpec, read: Sequence[int], documents: Sequence[SampledDocument], judgement: Judgement | None
    ) -> None:
        self.spec, self.read, self.documents, self.judgement = spec, read, documents, judgement
        self.whole = spec.for_documents or sum(read)  # documents that costs and numbers of pairs are for
        theirs = np.array([document.other for document in documents], np.bool_)
        self.others = theirs if spec.others else None  # whether each document is one of --against
        kinds = np.full(len(documents), -1) if judgement is None else judgement.kinds
        self.kinds = 2 * kinds + theirs  # documents with equal texts are one to the comparison if these are equal, too
        if judgement is not None:
            self.true_pairs = judgement.true_pairs(len(documents), self.others)
            self.first_half = judgement.first_half(self.true_pairs)
            strata = 2 * theirs + judgement.listed
            sampled = np.bincount(strata, minlength=len(read)).tolist()
            weights = [round(Fraction(WEIGHT * many, max(few, 1))) for many, few in zip(read, sampled, strict=True)]
            self.weights = np.array(weights, np.int64)[strata]  # documents that each represents, in 1 / WEIGHT

    @property
    def unjudged(self) -> Fraction:
        """Returns the weight of a wrong pair, where only documents with labels are judged and represent all.

        If one in so many things has labels, there are so many times as many true pairs, but the square of it of others.
        """
        return Fraction(1) if self.spec.field is None else Fraction(sum(self.read), max(sum(self.read[1::2]), 1))

    def scale(self, documents: int, best: bool) -> Fraction:
        """Returns how many pairs of all documents one of the first `documents` of the sample represents.

        best: a document of the input has one at most.
        """
        if self.others is None:
            return Fraction(self.whole * (self.whole - 1), max(documents * (documents - 1), 1))
        more, theirs = Fraction(self.whole, sum(self.read)), int(self.others[:documents].sum())
        mine = more * Fraction(sum(self.read[:2]), max(documents - theirs, 1))
        return mine if best else mine * more * Fraction(sum(self.read[2:]), max(theirs, 1))
