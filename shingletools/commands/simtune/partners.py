"""What the nearest documents of each one say of a threshold, where no labels do.

A document that has a partner is more like it than like its second nearest one. So the second nearest ones show how
alike a document and the nearest one that is no partner are, and by that which part of the nearest ones are partners.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.commands.simtune import counting
from shingletools.commands.simtune.compared import BINS, COSINE, LOWEST, bins_of, meetings
from shingletools.commands.simtune.shingled import Shingled
from shingletools.kernel.types import Flags, Index

NEAREST = 3
AT_ONCE = 1 << 22  # pairs
ROW, FAR, MANY = 40, 32, (1 << 32) - 1  # of a key: a row, how far from 1 in hundredths, and documents that are so near
ONE = 10**9  # a share of 1, in whole numbers: these are equal on any machine
ROUNDS = 20
AROUND = 2  # hundredths on either side of a threshold that count, too
FIRST = int(LOWEST * BINS)


class NearestCounts(NamedTuple):
    """How many documents asked, and how many have a first, second and third nearest one of a cosine or more."""

    documents: int
    counts: tuple[tuple[int, ...], ...]  # (NEAREST, BINS + 1), by hundredths


def nearest(of: Shingled, others: Flags | None) -> NearestCounts:
    """Of each document; with `others`, of each that is none of these, among these. others: shape (documents,)."""
    meeting = meetings(of, COSINE)
    rows = meeting.within(counting.STEPS)
    asks = np.ones(len(of.sizes), np.bool_) if others is None else ~others[of.first]
    keys, waiting = np.empty(0, np.int64), []
    for pairs in meeting.pairs(rows):
        far = BINS - bins_of(meeting.wholes, pairs, COSINE, None)
        for one, two in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
            some = asks[one] if others is None else asks[one] & ~asks[two]
            waiting.append((one << ROW | far << FAR | of.documents[two])[some])
        if sum(map(len, waiting)) > AT_ONCE:
            keys, waiting = first_ones(np.concatenate([keys, *waiting])), []
    if others is None:
        equal = np.flatnonzero(of.documents[:rows] > 1)
        waiting.append(equal << ROW | of.documents[equal] - 1)
    keys = first_ones(np.concatenate([keys, *waiting]))
    row, near, many, rank = keys >> ROW, BINS - (keys >> FAR & 0xFF), keys & MANY, before(keys)
    asked = np.where(asks[:rows], of.documents[:rows], 0)
    counts = []
    for number in range(NEAREST):
        there = (rank <= number) & (number < rank + many)
        found = np.bincount(near[there], asked[row[there]], BINS + 1).astype(np.int64)
        counts.append(tuple(np.cumsum(found[::-1])[::-1].tolist()))
    return NearestCounts(int(asked.sum()), tuple(counts))


def before(keys: Index) -> Index:
    """How many documents are nearer than those of each key, of keys that ascend. Shape (keys,)."""
    many = keys & MANY
    sums = np.cumsum(many) - many
    nearer: Index = sums - sums[np.searchsorted(keys >> ROW, keys >> ROW)]
    return nearer


def first_ones(keys: Index) -> Index:
    keys = np.sort(keys)
    return keys[before(keys) < NEAREST]


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
    first, second, third = ([ONE * many // documents for many in counts] for counts in found.counts)
    fall = [ONE * c**2 // b**2 if b else 0 for b, c in zip(second, third, strict=True)]
    share = ONE // 2
    chance = second
    for _ in range(ROUNDS):
        chance = [
            min(ONE * b // max(share + (ONE - share) * r // ONE, 1), max(a, b), ONE)
            for a, b, r in zip(first, second, fall, strict=True)
        ]
        beyond = (ONE * (a - g) // max(ONE - g, ONE // 10) for a, g in zip(first[FIRST:], chance[FIRST:], strict=True))
        share = min(max(*beyond, ONE // 1000), ONE)
    right = [a - (ONE - share) * g // ONE if best else a - g for a, g in zip(first, chance, strict=True)]
    f1 = [2 * ONE * min(max(one, 0), share) // (a + share) for one, a in zip(right, first, strict=True)]
    around = [f1[max(at - AROUND, 0) : at + AROUND + 1] for at in range(BINS + 1)]
    level = [sum(some) // len(some) for some in around]
    return PartnerShare(Fraction(share, ONE), Fraction(max(range(FIRST, BINS + 1), key=level.__getitem__), BINS))
