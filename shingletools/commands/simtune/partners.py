"""Estimates a threshold from the nearest documents of each document, without labels.

A document that has a partner is more similar to it than to its second nearest document. So the second nearest documents
show how similar the nearest document is that is no partner, and so which share of the nearest ones are partners.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune import counting
from shingletools.commands.simtune.compared import BINS, COSINE, LOWEST, bins_of, meetings, smoothed
from shingletools.commands.simtune.counting import edges
from shingletools.commands.simtune.shingled import Shingled
from shingletools.kernel.types import Flags, Index

NEAREST = 3
BATCH_PAIRS = 1 << 22  # pairs
PARTS = 10**9  # a share of 1: whole numbers are equal on any machine
ROUNDS = 20
FIRST = int(LOWEST * BINS)


class NearestCounts(NamedTuple):
    """The number of documents, and of those whose nearest, second and third nearest text reach each cosine."""

    documents: int
    counts: tuple[tuple[int, ...], ...]  # (NEAREST, edges)


def nearest(sets: Shingled, others: Flags | None, threshold: Fraction | None = None) -> NearestCounts:
    """Counts the nearest documents of each document, as far as STEPS allow. Equal documents count as one.

    others: the documents of --against, shape (documents,), in which those of the input look for their nearest ones.
    threshold: one more cosine to count at.
    """
    meeting = meetings(sets, COSINE)
    rows = meeting.within(counting.STEPS, beyond=True)
    asks = np.arange(len(sets.sizes)) < rows
    theirs = np.zeros(len(sets.sizes), np.bool_) if others is None else others[sets.first]
    top = len(edges(threshold)) - 1
    keys, waiting = np.empty(0, np.int64), []
    for pairs in meeting.pairs(rows, beyond=True):
        far = top - bins_of(meeting.wholes, pairs, COSINE, threshold)
        for one, two in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
            some = asks[one] if others is None else asks[one] & ~theirs[one] & theirs[two]
            waiting.append((one << 8 | far)[some])
        if sum(map(len, waiting)) > BATCH_PAIRS:
            keys, waiting = nearest_keys(np.concatenate([keys, *waiting])), []
    if others is None:
        waiting.append(np.flatnonzero(sets.documents[:rows] > 1) << 8)
    keys = nearest_keys(np.concatenate([keys, *waiting]))
    asked = np.where(asks & ~theirs, sets.documents, 0)
    counts = []
    for number in range(NEAREST):
        there = keys[rank_of(keys) == number]
        found = np.bincount(top - (there & 0xFF), asked[there >> 8], top + 1).astype(np.int64)
        counts.append(tuple(np.cumsum(found[::-1])[::-1].tolist()))
    return NearestCounts(int(asked.sum()), tuple(counts))


def rank_of(keys: Index) -> Index:
    """Returns the rank of each key among those of its row; keys ascend. Shape (keys,)."""
    rank: Index = np.arange(len(keys)) - np.searchsorted(keys >> 8, keys >> 8)
    return rank


def nearest_keys(keys: Index) -> Index:
    """Returns the NEAREST least keys of each row, ascending. A key is a row and, in 8 bits, the distance from 1."""
    keys = np.sort(keys)
    return keys[rank_of(keys) < NEAREST]


class PartnerShare(NamedTuple):
    """Estimates: the share of documents that have a partner, and the threshold with the best F1."""

    share: Fraction
    threshold: Fraction


def partners(found: NearestCounts, best: bool) -> PartnerShare:
    """Estimates the share of documents that have a partner, and the best threshold.

    best: whether only the nearest document of each document makes a pair with it.

    Let p be the share of documents with a partner, and g the share of documents whose nearest document that is no
    partner has a cosine of t or more. That is the second nearest of a document with a partner, and the nearest of any
    other. The second nearest of such a one reaches t with the chance g r, where r is about the square of the share of
    second nearest documents that have a third. So the share of second nearest ones is g (p + (1 - p) r), and p is at
    least the share of nearest ones beyond g among the documents that are not in g.
    """
    documents = max(found.documents, 1)
    first, second, third = ([PARTS * many // documents for many in counts] for counts in found.counts)
    fall = [PARTS * c**2 // b**2 if b else 0 for b, c in zip(second, third, strict=True)]
    share = PARTS // 2
    chance = second
    for _ in range(ROUNDS):
        chance = [
            min(PARTS * b // max(share + (PARTS - share) * r // PARTS, 1), max(a, b), PARTS)
            for a, b, r in zip(first, second, fall, strict=True)
        ]
        beyond = (
            PARTS * (a - g) // max(PARTS - g, PARTS // 10) for a, g in zip(first[FIRST:], chance[FIRST:], strict=True)
        )
        share = min(max(*beyond, PARTS // 1000), PARTS)
    right = [a - (PARTS - share) * g // PARTS if best else a - g for a, g in zip(first, chance, strict=True)]
    f1 = [2 * PARTS * min(max(one, 0), share) // (a + share) for one, a in zip(right, first, strict=True)]
    level = smoothed(f1)
    return PartnerShare(Fraction(share, PARTS), Fraction(max(range(FIRST, BINS + 1), key=level.__getitem__), BINS))
