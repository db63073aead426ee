"""Signatures with weights. They need numpy, which signatures without weights do not load."""

import numpy as np

from shingletools import kernel
from shingletools.commands.sketch.minhash import MINIMUM_BITS, NO_SHINGLES, MinHash
from shingletools.kernel import arrays, payload_signatures
from shingletools.kernel.lines import Link
from shingletools.kernel.types import U64, Index
from shingletools.kernel.weighted_minhash_times import weighted_minhash
from shingletools.reading.shingle_weights import Weights
from shingletools.system.errors import Rejected


class WeightedSimHash:
    """Makes simhashes with weights.

    Bit i is set if the weights of the shingles that have it add up to more than those of the others. A text whose
    shingles all weigh 0 gets an empty payload.

    >>> WeightedSimHash(Weights({0xFF: 5, 0xF0: 5, 0xF << 56: 15}))("00000000000000ff 0f00000000000000")
    '0f00000000000000'
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def __call__(self, payload: str) -> str:
        shingles, weights = with_weights(payload, self.weights)
        if not len(shingles):
            return ""  # else all texts of nothing but template would be alike
        spread = (
            arrays.fmix64(shingles)
            if payload_signatures.digits_of(payload) == payload_signatures.NARROW_DIGITS
            else shingles
        )
        return np.packbits(arrays.bit_sums(spread, weights) > 0).tobytes().hex()

    def link(self) -> Link:
        """Returns the link of a stage.Filter."""
        return kernel.link_weighted_simhash(self.weights.weighed)


class WeightedMinHash:
    """Makes min-hashes with weights; if all shingles weigh the same, the sketch is that of MinHash.

    Each hash function gives each shingle x a time -ln(1 - u) / w(x), where u in (0, 1) is its hash. A shingle of twice
    the weight comes twice as soon. A component is the hash of the shingle that comes first. As with exponential clocks,
    shingle x is the first of a set with probability w(x) / (sum of all weights). So two sets agree in a component with
    probability (sum of w over shared shingles) / (sum of w over all shingles): the generalized Jaccard similarity of
    weighted sets in which a shingle weighs the same in each set (Ioffe 2010 and Ertl 2020 treat the general case).
    Shingles of weight 0 do not count; a set with no others gets an empty sketch.

    >>> payload = "0000000000000001 0000000000000002"
    >>> WeightedMinHash(4, "0", Weights({1: 5, 2: 5}))(payload) == MinHash(4, "0")(payload)
    True
    """

    def __init__(self, n: int, seed: str, weights: Weights, bits: int = MINIMUM_BITS) -> None:
        self.plain = MinHash(n, seed, bits)
        self.weights = weights

    def __call__(self, payload: str) -> str:
        shingles, weights = with_weights(payload, self.weights)
        if not len(shingles):
            return ""
        a, b = (np.frombuffer(each, np.uint32) for each in (self.plain.a, self.plain.b))
        first = weighted_minhash(shingles, weights.astype(np.float64), a, b)
        return payload_signatures.minima_to_payload(first, self.plain.bits)

    def link(self, group: int = 0, pairs: bool = False) -> Link:
        """Returns the link, as MinHash.link does."""
        plain = self.plain
        return kernel.link_weighted_minima(plain.a, plain.b, group, pairs, self.weights.weighed, plain.bits)


def shingles_of(payload: str, digits: int) -> U64:
    """Returns the shingles of a payload that is not empty. Raises Rejected unless they have `digits` hex digits."""
    shingles = payload_signatures.take_shingles(payload)
    if shingles is None:
        raise Rejected(NO_SHINGLES)
    if (found := payload_signatures.digits_of(payload)) != digits:
        raise Rejected(f'field "shingles" is groups of {found} hex digits, but the table has shingles of {digits}')
    return shingles


def with_weights(payload: str, weights: Weights) -> tuple[U64, Index]:
    """Returns the shingles of a payload whose weights are above 0, and the weights.

    Raises Rejected if the digits are not the table's.
    """
    if not payload:
        return np.empty(0, np.uint64), np.empty(0, np.int64)
    shingles = shingles_of(payload, weights.digits)
    found = weights.look_up(shingles)
    return shingles[found > 0], found[found > 0]
