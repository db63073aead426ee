"""Min-hash signatures (Broder 1997): the share of agreeing components estimates the Jaccard similarity of two sets."""

import struct
from collections.abc import Callable
from itertools import combinations

from shingletools import kernel
from shingletools.kernel.lines import Link, no_link
from shingletools.kernel.payload_codec import bytes_to_payload
from shingletools.system.errors import Rejected
from shingletools.system.lazy_imports import blake3

NO_SHINGLES = 'field "shingles" is not groups of 8 or 16 hex digits'

MINIMUM_BITS = 32  # of a minimum
MAX_GROUP_MINIMA = 256  # minima that the kernel can hash at once: 1024 bytes

Sketcher = Callable[[str], str]


class MinHash:
    """Turns a payload of shingles into n minima over the set of shingles, 8 hex digits each (Broder 1997).

    Order and repeats do not matter. A longer sketch extends a shorter one. The expected share of agreeing components is
    the Jaccard similarity J, with a standard deviation of sqrt(J(1 - J) / n). An empty payload gives an empty one. With
    8 or 16 bits, a minimum has 2 or 4 digits: see payload_signatures.minima_to_payload. Raises Rejected if the payload
    has no groups of 8 or 16 hex digits.

    >>> MinHash(4, "0")("0000000000000001 0000000000000002")
    '05e05668 4a13acf5 482c9f19 002d1bc0'
    """

    def __init__(self, n: int, seed: str, bits: int = MINIMUM_BITS) -> None:
        self.bits = bits
        stream = blake3.blake3(f"shingletools minhash {seed}".encode()).digest(8 * n)
        numbers = struct.unpack(f"<{2 * n}I", stream)
        self.a = struct.pack(f"={n}I", *(number | 1 for number in numbers[::2]))
        self.b = struct.pack(f"={n}I", *numbers[1::2])

    def __call__(self, payload: str) -> str:
        if not payload:
            return ""
        minima = kernel.minima(payload, self.a, self.b, self.bits)
        if minima is None:
            raise Rejected(NO_SHINGLES)
        return minima

    def link(self, group: int = 0, pairs: bool = False) -> Link:
        """Returns the link of a stage.Filter; with a group, that of Supershingles."""
        return kernel.link_minima(self.a, self.b, group, pairs, self.bits)


class Supershingles:
    """Turns a payload of shingles into supershingles (Fetterly, Manasse, Najork 2003), 16 hex digits each.

    A supershingle is the first 8 bytes of the BLAKE3 of `group` consecutive minima. Two texts of similarity J agree in
    it with probability J^group. With `pairs` the payload has megashingles: the same hash of every two supershingles.
    """

    def __init__(self, minima: MinHash, group: int, pairs: bool) -> None:
        self.minima = minima
        self.group = group
        self.pairs = pairs

    def __call__(self, payload: str) -> str:
        minima = bytes.fromhex(self.minima(payload))
        size = 4 * self.group
        hashes = [blake3.blake3(minima[i : i + size]).digest(8) for i in range(0, len(minima), size)]
        if self.pairs:
            hashes = [blake3.blake3(one + two).digest(8) for one, two in combinations(hashes, 2)]
        return bytes_to_payload(b"".join(hashes), 16)

    def link(self) -> Link:
        """Returns the link of a stage.Filter, for groups of at most MAX_GROUP_MINIMA minima."""
        return self.minima.link(self.group, self.pairs) if self.group <= MAX_GROUP_MINIMA else no_link()
