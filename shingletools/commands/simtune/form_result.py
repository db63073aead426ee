"""What a form finds in a sample at each similarity, how much of it chance would find, and how labels judge it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune import null_model
from shingletools.commands.simtune.forms import CONTAINMENT, JoinForm
from shingletools.commands.simtune.null_model import NEAREST, UNIT
from shingletools.commands.simtune.sample import Sample
from shingletools.commands.simtune.shingle_sets import DistinctSets, make_sets
from shingletools.commands.simtune.similarities import QueryMatches, SetComparison, bins_of, compare_sets, edges_with
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.binomial import outwards
from shingletools.numbers.pair_relation import key_of
from shingletools.numbers.weighted_shares import Share, weighted_share

MAX_UNITS = 1 << 22  # words or characters of the documents that a form is tried on


class Score(NamedTuple):
    """How well pairs agree with labels."""

    precision: Share
    recall: Share
    f1: Share


class JudgedPairs:
    """Counts the pairs of documents that ask with others, by the component of the first, in 1 / WEIGHT_UNIT^2.

    asking: which of the first documents of the sample ask.
    """

    def __init__(self, sample: Sample, edges: int, asking: Flags) -> None:
        assert sample.labels is not None
        self.sample = sample
        partners = asking * sample.labels.true_partners(len(asking), sample.against)
        weights = sample.weights[: len(asking)] * sample.true_partner_weights[: len(asking)]
        of_components = np.bincount(sample.labels.components[: len(asking)], partners * weights, len(sample.documents))
        self.truth = of_components.astype(np.int64)  # (documents,): true pairs, at the first document of each component
        self.found, self.right = (np.zeros((len(sample.documents), edges), np.int64) for _ in range(2))  # by bins

    def add(self, queries: Index, targets: Index, bins: Index, counts: Index) -> None:
        """Adds pairs of documents, each of which stands for so many pairs of equal ones. Shapes (pairs,)."""
        sample, labels, shape = self.sample, self.sample.labels, self.found.shape
        assert labels is not None
        right, wrong_weight = labels.true.has(key_of(queries, targets)), sample.wrong_pair_weight
        weights = counts * sample.weights[queries] * sample.weights[targets]
        weights = np.where(right, weights, weights * wrong_weight.numerator // wrong_weight.denominator)
        weights *= labels.are_judged(queries, targets)
        place = labels.components[queries] * shape[1] + bins
        self.found += np.bincount(place, weights, self.found.size).astype(np.int64).reshape(shape)
        self.right += np.bincount(place, weights * right, self.found.size).astype(np.int64).reshape(shape)

    def score(self, edge: int, first: bool) -> Score:
        """Returns the score at an edge by one half of the labels.

        Pairs of one component are right or wrong together, and pairs of one document may be. F1 is 2 s / (1 + s), where
        s is the share of right pairs among all that are found or true, so the interval of s gives that of F1.
        """
        half = self.sample.first_half if first else ~self.sample.first_half
        truth = self.truth[half]
        found, right = (counts[half, edge:].sum(axis=1) for counts in (self.found, self.right))
        union = weighted_share(right, found + truth - right)
        value, low, high = (2 * share / (1 + share) for share in (union.value or Fraction(0), union.low, union.high))
        return Score(weighted_share(right, found), weighted_share(right, truth), Share(value, *outwards(low, high)))

    def first_f1(self) -> list[Fraction]:
        """Returns the F1 by the first half of the labels at each edge."""
        half = self.sample.first_half
        found, right = (reaching(counts[half].sum(axis=0)).tolist() for counts in (self.found, self.right))
        truth = int(self.truth[half].sum())
        return [Fraction(2 * r, max(f + truth, 1)) for f, r in zip(found, right, strict=True)]


class FormResult(NamedTuple):
    """What a form finds in a sample.

    A partner is an unequal set that is found for a query, unless the two differ in numbers alone.
    """

    form: JoinForm
    sets: DistinctSets
    edges: tuple[Fraction, ...]
    partners: Index  # (edges,): those that reach each edge
    false_partners: Index | None  # (edges,): of these, those that chance is expected to find, in UNIT, if known
    different: Index  # (edges,): sets that are found, too, but differ from the query in numbers alone
    doubtful: Index  # (edges,): queries whose nearest target reaches it, but leads by no more than chance does
    leading: Index  # (edges,): queries whose nearest target reaches it
    pairs: Sequence[Fraction]  # of all documents, equal ones included
    copies: Fraction  # all documents of one table whose set an earlier one has
    pairs_per_partner: Fraction  # pairs of all documents that a partner represents
    judged: JudgedPairs | None

    def false_pairs(self, edge: int) -> Fraction | None:
        """Returns how many of the pairs chance is expected to find, and how many differ in numbers alone, if known."""
        if self.false_partners is None:
            return None
        return self.pairs_per_partner * (Fraction(int(self.false_partners[edge]), UNIT) + int(self.different[edge]))


class PartnerCounts:
    """Counts the partners of queries, block by block, by bins of similarity."""

    def __init__(
        self, sample: Sample, form: JoinForm, sets: DistinctSets, comparison: SetComparison, edges: tuple[Fraction, ...]
    ) -> None:
        self.sample, self.form, self.sets, self.comparison, self.edges = sample, form, sets, comparison, edges
        self.pairs, self.partners, self.different, self.doubtful = (np.zeros(len(edges), np.int64) for _ in range(4))
        self.nearest = np.zeros((3, len(edges)), np.int64)  # the nearest ones, the second and the third ones
        windows = null_model.windows(comparison.targets_each)
        self.tails = {rank: [np.empty(0)] for window in windows for rank in window}

    def add(self, queries: Index, similar: QueryMatches, judged: JudgedPairs | None) -> None:
        """Counts all pairs of some queries, and in `judged`, too."""
        row, column, similarity = similar
        table = np.zeros((len(queries), len(self.comparison.targets) + NEAREST))  # so all have so many, if with 0
        table[row, column] = similarity
        ordered = np.partition(table, sorted({-rank for rank in (*range(1, NEAREST + 1), *self.tails)}), axis=1)
        for rank, parts in self.tails.items():
            parts.append(ordered[:, -rank].copy())
        nearest = ordered[:, : -NEAREST - 1 : -1]
        exists, nearest_bins = nearest > 0, bins_of(nearest, self.edges)
        for rank in range(len(self.nearest)):
            self.nearest[rank] += self.by_bins(nearest_bins[exists[:, rank], rank])
        self.doubtful += self.by_bins(nearest_bins[exists[:, 0] & null_model.doubtful(nearest), 0])
        bins = bins_of(similarity, self.edges)
        if self.form.best:
            row = np.flatnonzero(exists[:, 0])
            column, bins = table.argmax(axis=1)[row], nearest_bins[row, 0]
        one, two = queries[row], self.comparison.targets[column]
        counts = self.sets.documents[one] * (1 if self.form.best else self.sets.documents[two])
        self.pairs += self.by_bins(bins, counts)
        series = self.sample.series[self.sets.first]
        apart = (series[one] == series[two]) & (not self.form.best)
        self.different += self.by_bins(bins[apart])
        self.partners += self.by_bins(bins[~apart])
        if judged is not None:
            judged.add(self.sets.first[one], self.sets.first[two], bins, counts)

    def by_bins(self, bins: Index, weights: Index | None = None) -> Index:
        return np.bincount(bins, weights, len(self.edges)).astype(np.int64)


def reaching(counts: Index) -> Index:
    """Returns how many reach each edge, of counts by bins; the last axis has the bins."""
    return np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1]


def evaluate(sample: Sample, form: JoinForm) -> FormResult:
    """Tries a form on as many of the first documents as MAX_UNITS allow, and on one at least."""
    lengths = [len(document.text) if form.units.chars else document.kept_words for document in sample.documents]
    documents = max(int(np.searchsorted(np.cumsum(lengths), MAX_UNITS, "right")), 1)
    texts = [document.text for document in sample.documents[:documents]]
    sets = make_sets(texts, form.units, sample.row_kinds[:documents])
    comparison, edges = compare_sets(sets, form.measure, sample.against), edges_with(sample.spec.threshold)
    unbounded = Fraction(max(comparison.all_queries, 1), max(len(comparison.queries), 1))
    sides = 1 if sample.spec.others else 2  # of one table, a pair comes from both its sides
    judged = None
    if sample.labels is not None:
        asked = sets.first[comparison.queries]
        end = documents if comparison.all_queries == len(asked) else asked[-1]
        without = (sets.first_equal < 0) & (sample.row_kinds[:documents] % 2 == 0) & (np.arange(documents) < end)
        judged = JudgedPairs(sample, len(edges), np.isin(sets.first_equal, asked) | without)  # without shingles
    counts = PartnerCounts(sample, form, sets, comparison, edges)
    for queries, similar in comparison.blocks():
        counts.add(queries, similar, judged)
    equal_pairs = sets.documents * (sets.documents - 1) // 2 * (sides - 1)  # of documents of one table
    if judged is not None:
        equal = sets.documents[comparison.queries]
        judged.add(asked, asked, np.full(len(asked), len(edges) - 1), equal * (equal - 1) * (sides - 1))
    nearest, at = reaching(counts.nearest), np.array(edges, np.float64)
    partners, different, false = reaching(counts.partners), reaching(counts.different), None
    if form.best:
        false = null_model.expected_best(nearest.tolist(), len(comparison.queries), at)
    elif sides > 1 and form.measure != CONTAINMENT:
        tails = {rank: np.concatenate(parts) for rank, parts in counts.tails.items()}
        false = null_model.expected(tails, at, partners + different, comparison.targets_each)
    pairs_per_partner = sample.pair_scale(documents) * unbounded / sides
    pairs_of_equals = sample.pair_scale(documents) * int(equal_pairs.sum())
    return FormResult(
        form,
        sets,
        edges,
        partners=partners,
        false_partners=None if false is None else np.minimum(false, UNIT * partners),
        different=different,
        doubtful=reaching(counts.doubtful),
        leading=nearest[0],
        pairs=[pairs_per_partner * count + pairs_of_equals for count in reaching(counts.pairs).tolist()],
        copies=sample.pair_scale(documents) * int((sets.documents - 1).sum()) * (sides - 1),
        pairs_per_partner=pairs_per_partner,
        judged=judged,
    )
