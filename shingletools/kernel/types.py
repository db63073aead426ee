"""Types of arrays."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from shingletools.kernel.overlap_bound import OverlapBound

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
    starts: Index  # of each set in the tokens

    @classmethod
    def of(cls, tokens: U64, sizes: Index) -> Self:
        return cls(tokens, sizes, np.cumsum(sizes) - sizes)


class TokenWeights(NamedTuple):
    """Sets of tokens, and the weight of each token, a whole number."""

    sets: TokenSets
    weights: Index  # of the tokens of one set after the other
    totals: Index  # of all tokens of each set


class Prefixes(NamedTuple):
    """The rarest tokens of sets, by which they are looked up."""

    tokens: U64  # of one set after the other, each by ascending counter, then token
    counters: U32  # of the tokens
    sizes: Index  # number of tokens of each set
    rest: Index  # for each: how many tokens of the set are not before it, or what these weigh
    starts: Index  # of each set in the tokens

    @classmethod
    def of(cls, tokens: U64, counters: U32, sizes: Index, rest: Index) -> Self:
        return cls(tokens, counters, sizes, rest, np.cumsum(sizes) - sizes)


# A set in a bucket: its start in the prefixes of all, or -1, and the place of the bucket's token from there on
ENTRY = np.dtype(
    [("size", np.int64), ("rest", np.int64), ("bits", np.uint64, 2), ("start", np.int64), ("place", np.int64)]
)
Entries = NDArray[np.void]  # of ENTRY


class BoundedSets(NamedTuple):
    """Sets in buckets, and what bounds the overlap of those that are a pair."""

    bound: OverlapBound
    entries: Entries
    targets: Entries  # with which entries are compared
    prefixes: Prefixes | None = None  # of all sets


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
