"""Min-hash signatures (Broder 1997): the share of agreeing words estimates the Jaccard similarity of two sets."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from blake3 import blake3

from shingletools import kernel
from shingletools.sketch.shingles import take_shingles
from shingletools.wire import bytes_to_words

Sketcher = Callable[[str], str]


class MinHash:
    """A payload of shingles to a payload of n minima, 8 hex digits each, over the set of shingles.

    Order and repeats do not matter, and a longer sketch extends a shorter one. The expected share of agreeing words is
    the Jaccard similarity J, its standard deviation sqrt(J(1 - J) / n). An empty payload gives an empty one.

    >>> MinHash(4, "0")("0000000000000001 0000000000000002")
    '05e05668 4a13acf5 482c9f19 002d1bc0'
    """

    def __init__(self, n: int, seed: str) -> None:
        stream = blake3(f"shingletools minhash {seed}".encode()).digest(8 * n)
        pairs = np.frombuffer(stream, "<u4").astype(np.uint32).reshape(n, 2)
        self.a = pairs[:, 0] | np.uint32(1)
        self.b = pairs[:, 1].copy()

    def __call__(self, payload: str) -> str:
        if not payload:
            return ""
        shingles = take_shingles(payload)
        return bytes_to_words(kernel.minima(shingles, self.a, self.b).astype(">u4").tobytes(), 8)


@dataclass(frozen=True)
class Supershingles:
    """A payload of shingles to one of supershingles (Fetterly, Manasse, Najork 2003), 16 hex digits each.

    A supershingle is the first 8 bytes of the BLAKE3 of `group` consecutive minima, so two texts of similarity J agree
    in it with probability J^group. With `pairs`, megashingles: the same of each two supershingles.
    """

    minima: Sketcher
    group: int
    pairs: bool

    def __call__(self, payload: str) -> str:
        minima = bytes.fromhex(self.minima(payload))
        size = 4 * self.group
        words = [blake3(minima[i : i + size]).digest(8) for i in range(0, len(minima), size)]
        if self.pairs:
            words = [blake3(one + two).digest(8) for one, two in combinations(words, 2)]
        return bytes_to_words(b"".join(words), 16)
