"""Pairs that say which of their documents may go for the other, which covers it."""

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.independent_set import EITHER_MAY, FIRST_MAY, GONE, OPEN, SECOND_MAY, STAYS, PairEnds
from shingletools.kernel.types import Index

# Which documents of a pair may go, by the JSON of the fields COVERS and CONTAINED: bits of PairEnds.may_go
SIDES = {b'"none"': 0, b'"a"': FIRST_MAY, b'"b"': SECOND_MAY, b'"both"': EITHER_MAY}


def staying(documents: Index, pairs: PairEnds) -> Index:
    """Returns those of some documents, in order of preference, that stay.

    Of a pair of which either may go, only the less preferred one may.
    """
    rank, state = np.empty(len(pairs.last), np.int64), np.full(len(pairs.last), GONE, np.uint8)
    rank[documents], state[documents] = np.arange(len(documents)), OPEN
    first, second = rank[pairs.ends.reshape(-1, 2)].T
    one_sided = np.where(pairs.may_go == EITHER_MAY, np.where(first < second, SECOND_MAY, FIRST_MAY), pairs.may_go)
    kernel.decide_by_cover(documents, pairs._replace(may_go=one_sided.astype(np.uint8)), state)
    stays: Index = documents[state[documents] == STAYS]
    return stays
