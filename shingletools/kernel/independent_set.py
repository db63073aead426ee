"""The greedy maximal independent set of documents, given their pairs: the definition.

Documents are numbers from 0 on. The ends of pairs are documents, two for each pair, one after the other. The ends of
each document form a list, so that documents can be taken in any order, and some before the order of the others is
known. Memory: 24 bytes a pair.
"""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import F64, I32, U64, Index

MAX_PAIRS = np.iinfo(np.int32).max // 2  # pairs


class PairEnds(NamedTuple):
    """Pairs, each of two different documents."""

    ends: I32  # shape (2 * pairs,)
    before: I32  # for each end, the previous end of the same document; -1 for none
    last: I32  # for each document, its last end; -1 for none
    similarity: F64  # shape (pairs,)


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
    """Keeps each document in order of preference, unless it has a pair with one that is already kept.

    So a document has a partner if and only if it is not kept. Documents may come in several calls, each document once.
    This is the greedy maximal independent set. Raises ValueError for numbers that are no documents.

    >>> ends, none = np.array([0, 1, 1, 2], np.int32), np.full(3, -1, np.int32)
    >>> path = PairEnds(ends, np.array([-1, -1, 1, -1], np.int32), np.array([0, 2, 3], np.int32), np.array([0.8, 0.9]))
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
        place = int(pairs.last[document])
        while place >= 0:
            other, similarity = pairs.ends[place ^ 1], pairs.similarity[place // 2]
            if kept.partner[other] < 0 or similarity > kept.similarity[other]:
                kept.partner[other], kept.similarity[other] = document, similarity
            place = int(pairs.before[place])


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
