"""How right pairs are by labels, and what a removal by them does."""

from typing import NamedTuple

import numpy as np
from label_sets import LabelSet


class Found(NamedTuple):
    """Pairs by the numbers of their documents, the first one first, and how similar they are."""

    a: np.ndarray
    b: np.ndarray
    similarity: np.ndarray

    def where(self, chosen: np.ndarray) -> "Found":
        return Found(self.a[chosen], self.b[chosen], self.similarity[chosen])

    def best(self) -> "Found":
        """As `simjoin --best 1`: one of the two has no better partner than the other."""
        top = np.zeros(1 + max(self.a.max(initial=-1), self.b.max(initial=-1)))
        for side in (self.a, self.b):
            np.maximum.at(top, side, self.similarity)
        return self.where((self.similarity >= top[self.a]) | (self.similarity >= top[self.b]))


def found(pairs: list[tuple[int, int, float]]) -> Found:
    a, b, similarity = zip(*pairs, strict=True) if pairs else ((), (), ())
    return Found(np.array(a, np.int64), np.array(b, np.int64), np.array(similarity, float))


class Score(NamedTuple):
    precision: float
    recall: float
    f1: float
    removal: float  # F1 as bib-dedupe counts: of a group, all but one should go


def ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def f1(right: float, all_found: float, all_true: float) -> float:
    return ratio(2 * right, all_found + all_true)


class Judge:
    """The labels of a set, by numbers of documents."""

    def __init__(self, labelled: LabelSet) -> None:
        self.count = len(labelled.documents)
        self.number = {each["id"]: number for number, each in enumerate(labelled.documents)}
        self.truth = np.array([(self.number[a], self.number[b]) for a, b in labelled.truth], np.int64)
        self.keys = np.unique(self.truth[:, 0] * self.count + self.truth[:, 1])
        self.entity = np.arange(self.count)
        for each, first in labelled.groups.items():
            self.entity[self.number[each]] = self.number[first]
        self.sizes = np.bincount(self.entity, minlength=self.count)

    def right(self, pairs: Found) -> np.ndarray:
        return np.isin(pairs.a * self.count + pairs.b, self.keys)

    def removed(self, pairs: Found) -> np.ndarray:
        """As dedup removes: a document that has a pair with an earlier one that is kept."""
        gone = np.zeros(self.count, bool)
        order = np.argsort(pairs.b, kind="stable")
        for first, second in zip(pairs.a[order].tolist(), pairs.b[order].tolist(), strict=True):
            if not gone[first]:
                gone[second] = True
        return gone

    def f1(self, pairs: Found) -> float:
        return f1(self.right(pairs).sum(), len(pairs.a), len(self.keys))

    def score(self, pairs: Found) -> Score:
        """Of pairs and of a removal by them."""
        right = self.right(pairs)
        gone = self.removed(pairs)
        kept = np.bincount(self.entity, ~gone, self.count)
        # Of an entity whose documents all went, one went wrongly: its first
        lost = np.flatnonzero((kept == 0) & (self.sizes > 0))
        wrong = np.zeros(self.count, bool)
        wrong[lost] = True
        first_kept = np.full(self.count, self.count)
        np.minimum.at(first_kept, self.entity[~gone], np.flatnonzero(~gone))
        left = ~gone & (np.arange(self.count) != first_kept[self.entity])
        good = (gone & ~wrong).sum()
        return Score(
            ratio(right.sum(), len(right)),
            ratio(right.sum(), len(self.keys)),
            self.f1(pairs),
            f1(good, good + wrong.sum(), good + left.sum()),
        )
