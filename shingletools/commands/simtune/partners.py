"""What the nearest documents of each one say of a threshold, where no labels do.

A document that has a partner is more like it than like its second nearest one. So the second nearest ones show how
alike a document and the nearest one that is no partner are, and by that which part of the nearest ones are partners.
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
AT_ONCE = 1 << 22  # pairs
PARTS = 10**9  # a share of 1 in whole numbers: these are equal on any machine
ROUNDS = 20
FIRST = int(LOWEST * BINS)


class NearestCounts(NamedTuple):
    """How many documents asked, and how many have a first, second and third nearest text of a cosine or more."""

    documents: int
    counts: tuple[tuple[int, ...], ...]  # (NEAREST, edges), by the edges of bins


def nearest(of: Shingled, others: Flags | None, threshold: Fraction | None = None) -> NearestCounts:
    """Of each document, as far as STEPS allow; with `others`, of each that is none of these, among these. Equal
    documents are one: a table may have a row twice.

    others: shape (documents,). threshold: a place where counts are wanted, too.
    """
    meeting = meetings(of, COSINE)
    rows = meeting.within(counting.STEPS, beyond=True)
    asks = np.arange(len(of.sizes)) < rows
    theirs = np.zeros(len(of.sizes), np.bool_) if others is None else others[of.first]
    top = len(edges(threshold)) - 1
    keys, waiting = np.empty(0, np.int64), []
    for pairs in meeting.pairs(rows, beyond=True):
        far = top - bins_of(meeting.wholes, pairs, COSINE, threshold)
        for one, two in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
            some = asks[one] if others is None else asks[one] & ~theirs[one] & theirs[two]
            waiting.append((one << 8 | far)[some])
        if sum(map(len, waiting)) > AT_ONCE:
            keys, waiting = first_ones(np.concatenate([keys, *waiting])), []
    if others is None:
        waiting.append(np.flatnonzero(of.documents[:rows] > 1) << 8)
    keys = first_ones(np.concatenate([keys, *waiting]))
    asked = np.where(asks & ~theirs, of.documents, 0)
    counts = []
    for number in range(NEAREST):
        there = keys[rank_of(keys) == number]
        found = np.bincount(top - (there & 0xFF), asked[there >> 8], top + 1).astype(np.int64)
        counts.append(tuple(np.cumsum(found[::-1])[::-1].tolist()))
    return NearestCounts(int(asked.sum()), tuple(counts))


def rank_of(keys: Index) -> Index:
    """How many keys of the same row are before each, of keys that ascend. Shape (keys,)."""
    rank: Index = np.arange(len(keys)) - np.searchsorted(keys >> 8, keys >> 8)
    return rank


def first_ones(keys: Index) -> Index:
    """The NEAREST first keys of each row, ascending: rows, and how far from 1 they are, in 8 bits."""
    keys = np.sort(keys)
    return keys[rank_of(keys) < NEAREST]


class PartnerShare(NamedTuple):
    """The share of documents that have a partner, and the threshold that is best for them, as both are estimated."""

    share: Fraction
    threshold: Fraction


def partners(found: NearestCounts, best: bool) -> PartnerShare:
    """By the nearest ones. best: whether only the nearest one of each document is a pair.

    Of the documents, a share p has a partner. Let g be the share whose nearest one that is no partner has a cosine of
    t or more. For those with a partner this is the second one of all; for the others it is the first, and the second
    one is so near with g r, where r is about the square of the share of second ones that have a third. So the second
    ones are g (p + (1 - p) r), and p is at least the share of first ones beyond g, of those not in g.
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
