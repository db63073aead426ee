"""A text's words, prepared for comparison: tables of runs of k words, made when they are first needed."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shingletools.kernel.reference_arrays import powers_of
from shingletools.kernel.types import U64, Index

Words = NDArray[np.int32]  # numbers of words

BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
INVERSE = pow(BASE, -1, 1 << 64)


class Prepared:
    """A text's words, and tables that find runs of k of them.

    The fingerprint of a run is the sum of its words' random 64 bits, each times a power of BASE, so that of any run is
    a difference of two prefix sums. Equal runs have equal fingerprints. Words of runs found by them are compared.
    """

    def __init__(self, words: Words, k: int) -> None:
        self.words = words
        self.k = k

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def sums(self) -> U64:
        sums = np.zeros(len(self) + 1, np.uint64)
        np.cumsum(random_bits(self.words) * powers_of(BASE, len(self)), out=sums[1:])
        return sums

    def windows(self, size: int) -> U64:
        """Returns the fingerprints of all runs of `size` words. Shape (words - size + 1,)."""
        count = max(len(self) - size + 1, 0)
        windows: U64 = (self.sums[size : size + count] - self.sums[:count]) * powers_of(INVERSE, count)
        return windows

    def bags(self, size: int) -> U64:
        """Returns the fingerprints of stretches of `size` words, whatever their order. Shape (words - size + 1,)."""
        sums = np.append(np.uint64(0), np.cumsum(random_bits(self.words)))
        return sums[size:] - sums[:-size]

    @cached_property
    def shingles(self) -> U64:
        """Returns the fingerprints of the shingles, in order; of one run of all words if there are fewer than k."""
        return self.windows(min(self.k, len(self))) if len(self) else np.empty(0, np.uint64)

    @cached_property
    def order(self) -> Index:
        return np.argsort(self.shingles, kind="stable")

    @cached_property
    def ranked(self) -> U64:
        """Returns the shingles, ascending."""
        return self.shingles[self.order]

    @cached_property
    def distinct(self) -> U64:
        """Returns the distinct shingles, ascending."""
        ranked = self.ranked
        return ranked[np.append(True, ranked[1:] != ranked[:-1])] if len(ranked) else ranked


def random_bits(words: Words) -> U64:
    """Returns 64 fixed bits for each word (SplitMix64: Steele, Lea and Flood 2014)."""
    bits = (words.astype(np.uint64) + np.uint64(1)) * np.uint64(BASE)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
