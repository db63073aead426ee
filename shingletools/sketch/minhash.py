"""Min-hash signatures (Broder 1997): the share of agreeing words estimates the Jaccard similarity of two sets."""

import numpy as np
from blake3 import blake3

from shingletools import kernel
from shingletools.wire import Rejected, bytes_to_words, words_to_bytes

DIGITS = (8, 16)  # of a fingerprint: 32 bits (a CRC) or 64


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
        digits = DIGITS[1] if payload[DIGITS[0] : DIGITS[0] + 1] not in ("", " ") else DIGITS[0]
        data = words_to_bytes(payload, digits)
        if data is None:
            raise Rejected('field "shingles" is not words of 8 or 16 hex digits')
        shingles = np.frombuffer(data, f">u{digits // 2}").astype(np.uint64)
        return bytes_to_words(kernel.minima(shingles, self.a, self.b).astype(">u4").tobytes(), 8)
