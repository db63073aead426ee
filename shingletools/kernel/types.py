"""Arrays that kernels work on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
Index = NDArray[np.int64]
Flags = NDArray[np.bool_]
Rows = U8 | U32 | U64  # one value for each component of a signature


class TokenSets(NamedTuple):
    """Sets of tokens."""

    tokens: U64  # one set after the other, each ascending
    sizes: Index  # their numbers of tokens

    @property
    def starts(self) -> Index:
        """Where each begins."""
        starts: Index = np.cumsum(self.sizes) - self.sizes
        return starts


class Postings(NamedTuple):
    """Sets of numbered tokens, and for each number the rows of the sets that have it."""

    numbers: Index  # of one set after the other
    sizes: Index  # of the sets
    rows: Index  # of one number after the other, those of each ascending
    bounds: Index  # where those of each number begin, and the end of the last

    @property
    def starts(self) -> Index:
        """Where each set begins."""
        starts: Index = np.cumsum(self.sizes) - self.sizes
        return starts
