"""Simhashes of shingles with weights. They need numpy, which simhashes without weights do not load."""

import numpy as np

from shingletools import kernel
from shingletools.commands.sketch.minhash import NO_SHINGLES
from shingletools.kernel import arrays, payload_signatures
from shingletools.kernel.lines import Link
from shingletools.kernel.types import U64
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
        if not payload:
            return ""
        shingles = shingles_of(payload, self.weights.digits)
        weights = self.weights.look_up(shingles)
        if not weights.any():
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


def shingles_of(payload: str, digits: int) -> U64:
    """Returns the shingles of a payload that is not empty. Raises Rejected unless they have `digits` hex digits."""
    shingles = payload_signatures.take_shingles(payload)
    if shingles is None:
        raise Rejected(NO_SHINGLES)
    if (given := payload_signatures.digits_of(payload)) != digits:
        raise Rejected(f'field "shingles" is groups of {given} hex digits, but the table has shingles of {digits}')
    return shingles
