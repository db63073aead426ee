"""Estimates how many pairs of each similarity there would be if no two documents were copies: the null.

A document has few copies, and many other documents that are more or less like it. So the similarities of those beyond
its copies, here its 20th to 80th nearest documents, say how alike documents are that are none, and how fast this falls
(as BLAST's E; Karlin and Altschul 1990): each factor of four in rank costs as much similarity as the one before.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from shingletools.kernel.types import F64, Flags, Index

FIRST = 20  # the rank of a document from which on others are no copies, if it can be so deep
FACTOR = 4  # the second rank is so many times the first
DEPTHS = 4  # numbers of ranks to try, each twice the one before
LEAST_FALL = 1 / 512  # of similarity between the two ranks
SLACK = 5, 4  # the null may exceed what was found by this factor, and by a few, since it is an estimate
FEW = 6
HIGH = 0.5  # similarity from which on that is checked: below it, falls may differ from those near the copies
MOST = 40  # halvings or doublings
UNIT = 1 << 16  # expected pairs are whole numbers of 1 / UNIT: their sum depends on no order

NEAREST = 10  # nearest documents, by which the lead of the first is judged
# What the greater of two falls, from the first to the second and twice that from there to the third, exceeds by chance
# in half of all cases, in units of the mean of the other seven: 1 - 2 (1 + x / 7)^-7 + (1 + 2 x / 7)^-7 = 1 / 2
HALF_LEAD = 1.292574
LEAST_BEST = 0.2  # similarity from which on best partners are told from others
PARTS = 10**9  # a share of 1: whole numbers are equal on any machine
ROUNDS = 20


def windows(others: int) -> list[tuple[int, int]]:
    """Returns the two ranks that a null may be estimated by, and deeper ones, where each document has so many others.

    >>> windows(400), windows(60), windows(3)
    ([(20, 80), (40, 160), (80, 320)], [(15, 60)], [])
    """
    first = min(FIRST, others // FACTOR)
    firsts = [first << i for i in range(DEPTHS if first == FIRST else min(first, 1))]
    return [(each, FACTOR * each) for each in firsts if FACTOR * each <= others]


def halvings(times: F64) -> F64:
    """Returns 2^-times, between whole numbers along a straight line. Powers may differ from one machine to another."""
    whole = np.floor(times)
    powers: F64 = np.ldexp(1 - (times - whole) / 2, -whole.astype(np.int32))
    return powers


def expected(tails: Mapping[int, F64], at: F64, found: Index, others: int) -> Index | None:
    """Estimates the false ones among `found` partners of documents at the similarities `at`, in UNIT. Shapes (edges,).

    tails: by rank, the similarity of each document with that of this rank, (documents,). The ranks must be beyond the
    copies: where they expect more than there is, they are not, and the next ones are taken. Returns None if none are.
    """
    for near, far in windows(others):
        fall = np.maximum(tails[near] - tails[far], LEAST_FALL)
        false = np.zeros(len(at), np.int64)
        for edge, similarity in enumerate(at.tolist()):
            times = np.clip(2 * (similarity - tails[near]) / fall, -MOST, MOST)
            false[edge] = np.floor(UNIT * np.minimum(near * halvings(times), others)).astype(np.int64).sum()
        high = at >= HIGH
        if (SLACK[1] * false <= UNIT * (SLACK[0] * found + SLACK[1] * FEW))[high].all():
            return false
    return None


def doubtful(nearest: F64) -> Flags:
    """Returns which documents have no copy that leads others by more than chance does in half of all cases.

    nearest: the similarities of the NEAREST nearest ones, falling, (documents, NEAREST). If none of these are copies,
    the fall from rank r to the next, times r, is alike for all r (Renyi 1953). One or two copies lead the next one.
    """
    falls = 2 * nearest[:, 2] - (NEAREST - 1) * nearest[:, NEAREST - 1]
    for rank in range(2, NEAREST - 1):  # the sum of all falls times their ranks; column by column, so in one order
        falls = falls + nearest[:, rank]
    chance = np.maximum(falls / (NEAREST - 3), LEAST_FALL)
    leads = np.maximum(nearest[:, 0] - nearest[:, 1], 2 * (nearest[:, 1] - nearest[:, 2]))
    flags: Flags = leads < HALF_LEAD * chance
    return flags


def expected_best(counts: Sequence[Sequence[int]], documents: int, at: F64) -> Index:
    """Estimates the false ones among best partners, where a document has one true partner at most. Shape (edges,).

    counts: how many documents have a nearest, a second and a third nearest one that reaches each edge.

    Let p be the share of documents with a partner, and g the share of documents whose nearest document that is no
    partner reaches the edge. That is the second nearest of a document with a partner, and the nearest of any other. The
    second nearest of such a one reaches it with the chance g r, where r is about the square of the share of second
    nearest documents that have a third. So the share of second nearest ones is g (p + (1 - p) r), and p is at least the
    share of nearest ones beyond g among the documents that are not in g.
    """
    first, second, third = ([PARTS * many // max(documents, 1) for many in of_rank] for of_rank in counts)
    fall = [PARTS * c**2 // b**2 if b else 0 for b, c in zip(second, third, strict=True)]
    share, chance = PARTS // 2, second
    for _ in range(ROUNDS):
        chance = [
            min(PARTS * b // max(share + (PARTS - share) * r // PARTS, 1), max(a, b), PARTS)
            for a, b, r in zip(first, second, fall, strict=True)
        ]
        beyond = [
            PARTS * (a - g) // max(PARTS - g, PARTS // 10)
            for a, g, similarity in zip(first, chance, at.tolist(), strict=True)
            if similarity >= LEAST_BEST
        ]
        share = min(max(*beyond, PARTS // 1000), PARTS)
    false = [UNIT * documents * ((PARTS - share) * g // PARTS) // PARTS for g in chance]
    return np.array(false, np.int64)
