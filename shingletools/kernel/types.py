"""Types of arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
Index = NDArray[np.int64]
Flags = NDArray[np.bool_]
Rows = U8 | U16 | U32 | U64  # a value for each component of a signature


class TokenSets(NamedTuple):
    """Sets of tokens, one after the other."""

    tokens: U64  # of one set after the other, each ascending
    sizes: Index  # number of tokens of each set

    @property
    def starts(self) -> Index:
        """Returns where each set starts in the tokens."""
        starts: Index = np.cumsum(self.sizes) - self.sizes
        return starts


class TokenWeights(NamedTuple):
    """Sets of tokens, and the weight of each token, a whole number."""

    sets: TokenSets
    weights: Index  # of the tokens of one set after the other
    totals: Index  # of all tokens of each set


class Postings(NamedTuple):
    """Sets of numbered tokens, and for each number the rows that have it: an inverted index."""

    numbers: Index  # of the tokens of one set after the other
    sizes: Index  # of the sets
    rows: Index  # of one number after the other, ascending for each
    bounds: Index  # the start of each number's rows, and the end of the last
    weights: Index | None = None  # of each number

    @property
    def starts(self) -> Index:
        """Returns where each set starts in the numbers."""
        starts: Index = np.cumsum(self.sizes) - self.sizes
        return starts
