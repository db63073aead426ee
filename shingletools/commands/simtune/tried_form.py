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
from shingletools.commands.simtune.similarities import Meetings, Similar, bins_of, edges_with, meetings
from shingletools.kernel.types import Index
from shingletools.numbers.binomial import outwards
from shingletools.numbers.weighted_shares import Share, weighted_share

MOST_UNITS = 1 << 22  # words or characters of the documents that a form is tried on


class Score(NamedTuple):
    """How well pairs agree with labels."""

    precision: Share
    recall: Share
    f1: Share


class JudgedPairs:
    """Counts pairs by the component of the document that asks, in 1 / WEIGHT^2."""

    def __init__(self, given: GivenSample, edges: int, truth: Index) -> None:
        self.given = given
        self.truth = truth  # (documents,): true pairs, at the first document of each component
        self.found, self.right = (np.zeros((len(given.documents), edges), np.int64) for _ in range(2))  # by bins

    def add(self, one: Index, two: Index, bins: Index, many: Index) -> None:
        """Adds pairs of documents that ask and others, each of which stands for many equal ones. Shapes (pairs,)."""
        given, judgement, shape = self.given, self.given.judgement, self.found.shape
        assert judgement is not None
        right, more = judgement.right(one, two), given.unjudged
        weight = many * given.weights[one] * given.weights[two]
        weight = np.where(right, weight, weight * more.numerator // more.denominator) * judgement.are_judged(one, two)
        place = judgement.components[one] * shape[1] + bins
        for counts, wanted in ((self.found, weight), (self.right, weight * right)):
            counts[:] += np.bincount(place, wanted, counts.size).astype(np.int64).reshape(shape)

    def score(self, edge: int, first: bool) -> Score:
        """Returns the score at an edge by one half of the labels.

        Pairs of one component are right or wrong together, and pairs of one document may be. F1 is 2 s / (1 + s), where
        s is the share of right pairs among all that are found or true, so the interval of s gives that of F1.
        """
        half = self.given.first_half if first else ~self.given.first_half
        truth = self.truth[half]
        found, right = (counts[half, edge:].sum(axis=1) for counts in (self.found, self.right))
        shared = weighted_share(right, found + truth - right)
        value, low, high = (2 * each / (1 + each) for each in (shared.value or Fraction(0), shared.low, shared.high))
        return Score(weighted_share(right, found), weighted_share(right, truth), Share(value, *outwards(low, high)))

    def first_f1(self) -> list[Fraction]:
        """Returns the F1 by the first half of the labels at each edge."""
        half = self.given.first_half
        found, right = (upwards(counts[half].sum(axis=0)).tolist() for counts in (self.found, self.right))
        truth = int(self.truth[half].sum())
        return [Fraction(2 * of, max(many + truth, 1)) for many, of in zip(found, right, strict=True)]


class TriedForm(NamedTuple):
    """A form on a sample. A partner is an unequal set that is found for a set that asks."""

    form: JoinForm
    sets: Shingled
    edges: tuple[Fraction, ...]
    partners: Index  # (edges,): those that reach each edge
    false: Index  # (edges,): of these, the expected false ones, in UNIT
    told: bool  # whether similarities were found that tell how many are false; otherwise none are, or all
    varying: Index  # (edges,): the variance of the partners, if those of alike documents come and go together
    doubtful: Index  # (edges,): documents whose nearest one reaches it, but leads by no more than chance does
    leading: Index  # (edges,): documents whose nearest one reaches it
    pairs: Sequence[Fraction]  # of all documents, equal ones included
    each: Fraction  # pairs of all documents that a partner represents
    labels: JudgedPairs | None

    def expected_false(self, edge: int) -> Fraction:
        """Returns how many of the pairs are expected to be false."""
        return self.each * Fraction(int(self.false[edge]), UNIT)


class PartnerCounts:
    """Counts the partners of sets that ask, block by block."""

    def __init__(self, form: JoinForm, sets: Shingled, meeting: Meetings, edges: tuple[Fraction, ...]) -> None:
        self.form, self.sets, self.meeting, self.edges = form, sets, meeting, edges
        self.partners, self.varying = (np.zeros(len(edges), np.int64) for _ in range(2))
        self.pairs, self.doubtful = (np.zeros(len(edges), np.int64) for _ in range(2))  # by bins
        self.nearest = np.zeros((3, len(edges)), np.int64)  # the nearest ones, the second and the third ones, by bins
        ranks = null_model.windows(meeting.others)
        self.tails = {rank: [np.empty(0)] for window in ranks for rank in window}

    def add(self, asking: Index, similar: Similar, labels: JudgedPairs | None) -> None:
        """Takes all pairs of some sets that ask, for the labels, too."""
        row, column, similarity = similar
        table = np.zeros((len(asking), len(self.meeting.met) + NEAREST))  # so all have so many, if with 0
        table[row, column] = similarity
        ordered = np.partition(table, sorted({-rank for rank in (*range(1, NEAREST + 1), *self.tails)}), axis=1)
        for rank, parts in self.tails.items():
            parts.append(ordered[:, -rank].copy())
        nearest = ordered[:, : -NEAREST - 1 : -1]
        there, levels = nearest > 0, bins_of(nearest, self.edges)
        for rank in range(len(self.nearest)):
            self.nearest[rank] += self.by_bins(levels[there[:, rank], rank])
        self.doubtful += self.by_bins(levels[there[:, 0] & null_model.doubtful(nearest), 0])
        bins = bins_of(similarity, self.edges)
        if self.form.best:
            row = np.flatnonzero(there[:, 0])
            column, bins = table.argmax(axis=1)[row], levels[row, 0]
        one, two = asking[row], self.meeting.met[column]
        many = self.sets.documents[one] * (1 if self.form.best else self.sets.documents[two])
        self.pairs += self.by_bins(bins, many)
        each = np.bincount(row * len(self.edges) + bins, minlength=len(asking) * len(self.edges))
        each = upwards(each.reshape(-1, len(self.edges)))
        self.partners += each.sum(axis=0)
        self.varying += (each**2 * (each + 1)).sum(axis=0)
        if labels is not None:
            labels.add(self.sets.first[one], self.sets.first[two], bins, many)

    def by_bins(self, bins: Index, weights: Index | None = None) -> Index:
        return np.bincount(bins, weights, len(self.edges)).astype(np.int64)


def upwards(counts: Index) -> Index:
    """Returns how many reach each edge, of counts by bins; the last axis has the bins."""
    return np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1]


def tried(given: GivenSample, form: JoinForm) -> TriedForm:
    """Tries a form on as many of the first documents as MOST_UNITS allow, and on one at least."""
    lengths = [len(each.text) if form.units.chars else each.kept for each in given.documents]
    documents = max(int(np.searchsorted(np.cumsum(lengths), MOST_UNITS, "right")), 1)
    sets = shingled([each.text for each in given.documents[:documents]], form.units, given.kinds[:documents])
    meeting, edges = meetings(sets, form.measure, given.others), edges_with(given.spec.threshold)
    again, sides = Fraction(meeting.every, max(len(meeting.asking), 1)), 1 if given.spec.others else 2
    labels = None
    if given.judgement is not None:
        truth = given.judgement.true_pairs(documents, given.others)
        truth = truth * (WEIGHT**2 * sides * again.denominator) // again.numerator
        labels = JudgedPairs(given, len(edges), truth)
    counts = PartnerCounts(form, sets, meeting, edges)
    for asking, similar in meeting.blocks():
        counts.add(asking, similar, labels)
    alike = sets.documents * (sets.documents - 1) // 2 * (sides - 1)  # pairs of equal documents, of one table
    if labels is not None:
        labels.add(sets.first, sets.first, np.full(len(alike), len(edges) - 1), sides * alike)
    nearest, at = upwards(counts.nearest), np.array(edges, np.float64)
    false, told = np.zeros(len(edges), np.int64), form.best
    if form.best:
        false = null_model.expected_best(nearest.tolist(), len(meeting.asking), at)
    elif sides > 1 and form.measure != CONTAINMENT:
        tails = {rank: np.concatenate(parts) for rank, parts in counts.tails.items()}
        false, told = null_model.expected(tails, at, counts.partners, meeting.others)
    each = given.scale(documents, form.best) * again / sides  # of one table, a pair comes from both its sides
    more = given.scale(documents, best=False) * int(alike.sum())
    return TriedForm(
        form,
        sets,
        edges,
        partners=counts.partners,
        false=false,
        told=told,
        varying=counts.varying,
        doubtful=upwards(counts.doubtful),
        leading=nearest[0],
        pairs=[each * count + more for count in upwards(counts.pairs).tolist()],
        each=each,
        labels=labels,
    )
