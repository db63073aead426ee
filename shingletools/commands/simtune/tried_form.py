"""What a form finds in a sample at each similarity, how much of it chance would find, and how labels judge it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune import null_model
from shingletools.commands.simtune.forms import CONTAINMENT, JoinForm
from shingletools.commands.simtune.given_sample import WEIGHT, GivenSample
from shingletools.commands.simtune.null_model import NEAREST, UNIT
from shingletools.commands.simtune.shingled import Shingled, shingled
from shingletools.commands.simtune.similarities import Meetings, Similar, bins_of, edges, meetings
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.binomial import outwards
from shingletools.numbers.weighted_shares import Share, weighted_share

MOST_UNITS = 1 << 22  # words or characters of the documents that a form is tried on


class Score(NamedTuple):
    """How well pairs agree with labels."""

    precision: Share
    recall: Share
    f1: Share


class LabelCounts(NamedTuple):
    """Pairs by the connected set of documents of the one that asks, in 1 / WEIGHT^2, and the first half of these."""

    found: Index  # (documents, edges): at the first document of each set
    right: Index  # (documents, edges)
    truth: Index  # (documents,)
    first_half: Flags  # (documents,)

    def score(self, edge: int, first: bool) -> Score:
        """Returns the score at an edge by one half of the labels.

        Pairs of one connected set are right or wrong together, and pairs of one document may be. F1 is 2 s / (1 + s),
        where s is the share of right pairs among all that are found or true, so the interval of s gives that of F1.
        """
        half = self.first_half if first else ~self.first_half
        found, right, truth = self.found[half, edge], self.right[half, edge], self.truth[half]
        shared = weighted_share(right, found + truth - right)
        value, low, high = (2 * each / (1 + each) for each in (shared.value or Fraction(0), shared.low, shared.high))
        return Score(weighted_share(right, found), weighted_share(right, truth), Share(value, *outwards(low, high)))


class TriedForm(NamedTuple):
    """A form on a sample. A partner is an unequal set that is found for a set that asks."""

    form: JoinForm
    sets: Shingled
    edges: tuple[Fraction, ...]
    partners: Index  # (edges,): those that reach each edge
    false: Index | None  # (edges,): of these, the expected false ones, in UNIT; None if nothing is known of them
    told: bool  # whether similarities that are no copies' were found to tell these by
    varying: Index  # (edges,): the variance of the partners, if those of alike documents come and go together
    doubtful: Index  # (edges,): documents whose nearest one reaches it, but leads by no more than chance does
    leading: Index  # (edges,): documents whose nearest one reaches it
    pairs: Sequence[Fraction]  # of all documents, equal ones included
    each: Fraction  # pairs of all documents that a partner represents
    labels: LabelCounts | None

    def expected_false(self, edge: int) -> Fraction:
        """Returns how many of the pairs are expected to be false: none, if that cannot be told."""
        return Fraction(0) if self.false is None else self.each * Fraction(int(self.false[edge]), UNIT)


class Counting:
    """Adds up what sets find, block by block."""

    def __init__(self, given: GivenSample, form: JoinForm, sets: Shingled, meeting: Meetings) -> None:
        self.given, self.form, self.sets, self.meeting = given, form, sets, meeting
        self.edges = edges(given.spec.threshold)
        self.others = len(meeting.met) - (given.others is None)
        self.tails = {rank: [np.empty(0)] for ranks in null_model.windows(self.others) for rank in ranks}
        self.partners, self.pairs, self.doubtful, self.varying = (np.zeros(len(self.edges), np.int64) for _ in range(4))
        self.nearest = np.zeros((3, len(self.edges)), np.int64)
        documents = 0 if given.judgement is None else len(given.documents)
        self.found, self.right = (np.zeros(documents * len(self.edges), np.int64) for _ in range(2))

    def add(self, asking: Index, similar: Similar) -> None:
        """Takes all pairs of some sets that ask."""
        met = len(self.meeting.met)
        table = np.zeros((len(asking), met))
        table.reshape(-1)[similar.cells] = similar.similarity
        some = min(NEAREST, met)
        ordered = np.partition(table, sorted({met - rank for rank in (*range(1, some + 1), *self.tails)}), axis=1)
        for rank, parts in self.tails.items():
            parts.append(ordered[:, met - rank].copy())
        near = np.zeros((len(asking), NEAREST))
        near[:, :some] = ordered[:, met - some :][:, ::-1]
        levels = bins_of(near[:, :3], self.given.spec.threshold)
        for rank in range(len(self.nearest)):
            self.nearest[rank] += self.counted(levels[near[:, rank] > 0, rank])
        self.doubtful += self.counted(levels[(near[:, 0] > 0) & null_model.doubtful(near), 0])
        row, two, bins = similar.cells // met, similar.met, similar.bins
        if self.form.best:
            row = np.flatnonzero(near[:, 0] > 0)
            two, bins = self.meeting.met[table.argmax(axis=1)[row]], levels[row, 0]
        one = asking[row]
        many = self.sets.documents[one] * (1 if self.form.best else self.sets.documents[two])
        each = np.bincount(row * len(self.edges) + bins, minlength=len(asking) * len(self.edges))
        each = upwards(each.reshape(-1, len(self.edges)))
        self.partners += each.sum(axis=0)
        self.varying += (each**2 * (each + 1)).sum(axis=0)
        self.pairs += self.counted(bins, many)
        self.judge(one, two, bins, many)

    def counted(self, bins: Index, weights: Index | None = None) -> Index:
        return np.bincount(bins, weights, len(self.edges)).astype(np.int64)

    def judge(self, asking: Index, met: Index, bins: Index, weight: Index) -> None:
        """Adds pairs to those by labels."""
        judgement, given = self.given.judgement, self.given
        if judgement is None:
            return
        one, two = self.sets.first[asking], self.sets.first[met]
        right, more = judgement.right(one, two), given.unjudged
        weight = weight * given.weights[one] * given.weights[two]
        weight = np.where(right, weight, weight * more.numerator // more.denominator) * judgement.are_judged(one, two)
        place = judgement.components[one] * len(self.edges) + bins
        self.found += np.bincount(place, weight, len(self.found)).astype(np.int64)
        self.right += np.bincount(place[right], weight[right], len(self.right)).astype(np.int64)

    def tried(self, documents: int) -> TriedForm:
        """Returns what was found, with the pairs of equal documents, scaled to all documents."""
        given, sides = self.given, 1 if self.given.spec.others else 2  # of one table, a pair comes from both its sides
        again = Fraction(self.meeting.every, max(len(self.meeting.asking), 1))
        each = given.scale(documents, self.form.best) * again / sides
        rows = np.flatnonzero(self.sets.documents > 1)
        equal = self.sets.documents[rows] * (self.sets.documents[rows] - 1) // 2 * (sides - 1)
        self.judge(rows, rows, np.full(len(rows), len(self.edges) - 1), sides * equal)
        partners, nearest, at = self.partners, upwards(self.nearest), np.array(self.edges, np.float64)
        false, told = None, self.form.best
        if self.form.best:
            false = null_model.expected_best(nearest.tolist(), len(self.meeting.asking), at)
        elif sides > 1 and self.form.measure != CONTAINMENT:
            tails = {rank: np.concatenate(parts) for rank, parts in self.tails.items()}
            false, told = null_model.expected(tails, at, partners, self.others)
        labels = None
        if given.judgement is not None:
            truth = given.judgement.pairs(np.arange(len(given.documents)) < documents, given.others)
            truth = truth * (WEIGHT**2 * sides * again.denominator) // again.numerator
            found, right = (upwards(each.reshape(-1, len(self.edges))) for each in (self.found, self.right))
            labels = LabelCounts(found, right, truth, given.first_half)
        more = given.scale(documents, best=False) * int(equal.sum())
        pairs = [each * count + more for count in upwards(self.pairs).tolist()]
        return TriedForm(
            self.form,
            self.sets,
            self.edges,
            partners,
            false,
            told,
            self.varying,
            upwards(self.doubtful),
            nearest[0],
            pairs,
            each,
            labels,
        )


def upwards(counts: Index) -> Index:
    """Returns how many reach each edge, of counts by bins; the last axis has the bins."""
    return np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1]


def tried(given: GivenSample, form: JoinForm) -> TriedForm:
    """Tries a form on as many of the first documents as MOST_UNITS allow, and on one at least."""
    sizes = [len(each.text) if form.units.chars else each.kept for each in given.documents]
    documents = max(int(np.searchsorted(np.cumsum(sizes), MOST_UNITS, "right")), 1)
    sets = shingled([each.text for each in given.documents[:documents]], form.units, given.kinds[:documents])
    meeting = meetings(sets, form.measure, given.others)
    counting = Counting(given, form, sets, meeting)
    if len(meeting.met):
        for asking, similar in meeting.blocks(given.spec.threshold):
            counting.add(asking, similar)
    return counting.tried(documents)
