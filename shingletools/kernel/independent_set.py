"""Which documents of pairs stay, where pairs may say which document may go for the other: the definition.

Documents are numbers from 0 on. The ends of pairs are documents, two for each pair, one after the other. The ends of
each document form a list, so that documents can be taken in any order, and some before the order of the others is
known. Memory: 25 bytes a pair.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import F64, I32, U8, U64, Index

MAX_PAIRS = np.iinfo(np.int32).max // 2  # pairs
FIRST_MAY, SECOND_MAY = 1, 2  # bits: the first, the second end of a pair may go for the other one
EITHER_MAY = FIRST_MAY | SECOND_MAY
GONE, STAYS, OPEN = range(3)  # what is decided on a document; OPEN: nothing yet


class PairEnds(NamedTuple):
    """Pairs, each of two different documents."""

    ends: I32  # shape (2 * pairs,)
    before: I32  # for each end, the previous end of the same document; -1 for none
    last: I32  # for each document, its last end; -1 for none
    similarity: F64  # shape (pairs,)
    may_go: U8  # shape (pairs,): FIRST_MAY, SECOND_MAY, both or no bit; other bits say nothing here


class Partners(NamedTuple):
    """The partner of each document that is not kept, so far."""

    partner: I32  # the most similar kept document of its pairs; of equals the first one kept; -1 for none
    similarity: F64  # to the partner


def list_ends(ends: I32, before: I32, last: I32, /) -> None:
    """Lists the ends of each document in `before` and `last`, as PairEnds has them; `last` must be -1 everywhere.

    Raises ValueError for an end that is no document.

    >>> before, last = np.empty(4, np.int32), np.full(3, -1, np.int32)
    >>> list_ends(np.array([0, 2, 1, 2], np.int32), before, last)
    >>> before.tolist(), last.tolist()
    ([-1, -1, -1, 1], [0, 2, 3])
    """
    if len(before) != len(ends) or np.any((ends < 0) | (ends >= len(last))):
        raise ValueError("no pairs of these documents")
    for place, document in enumerate(ends.tolist()):
        before[place], last[document] = last[document], place


def greedy_independent_set(documents: Index, pairs: PairEnds, kept: Partners, /) -> None:
    """Keeps each document in order of preference, unless it may go for one that is already kept.

    So a document has a partner if and only if it is not kept. Documents may come in several calls, each document once.
    If either may go of each pair, this is the greedy maximal independent set. Raises ValueError for numbers that are no
    documents.

    >>> ends, none = np.array([0, 1, 1, 2], np.int32), np.full(3, -1, np.int32)
    >>> before, last = np.array([-1, -1, 1, -1], np.int32), np.array([0, 2, 3], np.int32)
    >>> path = PairEnds(ends, before, last, np.array([0.8, 0.9]), np.full(2, EITHER_MAY, np.uint8))
    >>> kept = Partners(none, np.zeros(3))
    >>> greedy_independent_set(np.array([0, 1, 2]), path, kept)
    >>> kept.partner.tolist(), float(kept.similarity[1])
    ([-1, 2, -1], 0.9)
    """
    if np.any((documents < 0) | (documents >= len(kept.partner))):
        raise ValueError("no pairs of these documents")
    for document in documents.tolist():
        if kept.partner[document] >= 0:
            continue
        for other, similarity in covered(document, pairs):
            if kept.partner[other] < 0 or similarity > kept.similarity[other]:
                kept.partner[other], kept.similarity[other] = document, similarity


def covered(document: int, pairs: PairEnds) -> Iterator[tuple[int, float]]:
    """Yields the documents that may go for a document, and their similarities."""
    place = int(pairs.last[document])
    while place >= 0:
        if pairs.may_go[place // 2] >> ((place ^ 1) & 1) & 1:
            yield int(pairs.ends[place ^ 1]), float(pairs.similarity[place // 2])
        place = int(pairs.before[place])


def decide_by_cover(documents: Index, pairs: PairEnds, state: U8, /) -> None:
    """Decides which documents stay. state: of all documents; GONE and STAYS are decided already.

    A document that may go for one that stays goes, and one that may go for none but those that have gone stays. If
    nothing more follows, because documents may go for each other in a circle, the first of `documents` that is open
    stays, and so on. Others may remain open, unless pairs that are decided reach them. The first two rules alone give
    the grounded labelling of Dung (1995), whatever the order. Raises ValueError for numbers that are no documents.

    >>> ends, last = np.array([1, 0, 2, 1, 0, 2], np.int32), np.full(3, -1, np.int32)
    >>> list_ends(ends, before := np.empty_like(ends), last)
    >>> circle = PairEnds(ends, before, last, np.zeros(3), np.full(3, FIRST_MAY, np.uint8))
    >>> decide_by_cover(np.array([1, 0, 2]), circle, state := np.full(3, OPEN, np.uint8))
    >>> state.tolist()
    [1, 1, 0]
    """
    if np.any((documents < 0) | (documents >= len(state))):
        raise ValueError("no pairs of these documents")
    waiting = np.zeros(len(state), np.int64)  # pairs by which a document may go, and whose other document has not gone
    np.add.at(waiting, pairs.ends, np.stack([pairs.may_go & 1, pairs.may_go >> 1 & 1], axis=1).ravel())
    free = documents[(state[documents] == OPEN) & (waiting[documents] == 0)]
    state[free] = STAYS
    decided = np.flatnonzero(state != OPEN).tolist()
    for first in [*decided[:1], *documents.tolist()]:
        if state[first] == OPEN:
            state[first] = STAYS
            decided.append(first)
        while decided:
            document = decided.pop()
            for other, _ in covered(document, pairs):
                waiting[other] -= state[document] == GONE
                if state[other] == OPEN and (state[document] == STAYS or not waiting[other]):
                    state[other] = GONE if state[document] == STAYS else STAYS
                    decided.append(other)


def greedy_independent_set_of_pairs(pairs: U64, partner: I32, /) -> None:
    """Keeps documents as `greedy_independent_set` does, by all pairs, of documents numbered in order of preference.

    A pair is (lesser document << 32) | greater document. Pairs ascend, and may come in several calls. A document that
    is not kept gets the first partner that is kept. Raises ValueError for numbers that are no pairs of documents.

    >>> partner = np.full(3, -1, np.int32)
    >>> greedy_independent_set_of_pairs(np.array([0 << 32 | 1, 1 << 32 | 2], np.uint64), partner)
    >>> partner.tolist()
    [-1, 0, -1]
    """
    for pair in pairs.tolist():
        lesser, greater = pair >> 32, pair & 0xFFFFFFFF
        if not lesser < greater < len(partner):
            raise ValueError("no pairs of these documents")
        if partner[lesser] < 0 and partner[greater] < 0:
            partner[greater] = lesser
