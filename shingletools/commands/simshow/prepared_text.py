"""A text's words, prepared for comparison: tables of runs of k words, made when they are first needed."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shingletools.kernel.types import U64, Index

Words = NDArray[np.int32]  # numbers of words

BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
SHORT, SHORT_RUN = 1 << 10, 32  # words of a text, and k, up to which a dict of Python is faster than numpy

Starts = dict[tuple[int, ...], int]  # where each shingle begins


class Powers:
    """Powers of BASE and of its inverse modulo 2^64, as many as were needed so far."""

    def __init__(self) -> None:
        self.up = self.down = powers(BASE, 1)

    def grow(self, count: int) -> None:
        if count > len(self.up):
            size = 1 << count.bit_length()
            self.up, self.down = powers(BASE, size), powers(pow(BASE, -1, 1 << 64), size)


def powers(base: int, count: int) -> U64:
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


POWERS = Powers()


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
        POWERS.grow(len(self))
        sums = np.zeros(len(self) + 1, np.uint64)
        np.cumsum(random_bits(self.words) * POWERS.up[: len(self)], out=sums[1:])
        return sums

    def windows(self, size: int) -> U64:
        """Returns the fingerprints of all runs of `size` words. Shape (words - size + 1,)."""
        count = max(len(self) - size + 1, 0)
        windows: U64 = (self.sums[size : size + count] - self.sums[:count]) * POWERS.down[:count]
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

    @cached_property
    def index(self) -> Starts | None:
        """Returns where each shingle of a short text begins; None for a long text, or if a shingle repeats."""
        if len(self) > SHORT or self.k > SHORT_RUN:
            return None
        words = self.words.tolist()
        size = min(self.k, len(words))
        shingles = zip(*(words[place:] for place in range(size)), strict=False)
        index = dict(zip(shingles, range(len(words)), strict=False))
        return index if len(index) == max(len(words) - size + 1, 0) or not words else None


def random_bits(words: Words) -> U64:
    """Returns 64 fixed bits for each word (SplitMix64: Steele, Lea and Flood 2014)."""
    bits = (words.astype(np.uint64) + np.uint64(1)) * np.uint64(BASE)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
