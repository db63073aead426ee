"""Fewer fingerprints of a text, chosen by their values; by numpy, which takes time to load."""

from itertools import compress

import numpy as np

from shingletools.kernel.arrays import fmix64
from shingletools.shingle.fingerprints import Hashing


class Sampled:
    """The fingerprints of another shingler that are 0 modulo m after a finalizer, which makes any hash fair.

    Broder's MOD_m, today's FracMinHash: resemblance and containment of what is left are unbiased estimates of those of
    the whole (for large sets), and a text keeps about one fingerprint in m, a short one perhaps none.
    """

    def __init__(self, shingler: Hashing, m: int) -> None:
        self.shingler = shingler
        self.m = m

    def __call__(self, text: str) -> str:
        payload = self.shingler(text)
        if not payload:
            return ""
        groups = payload.split(" ")
        values = np.array([int(group, 16) for group in groups], np.uint64)
        kept = fmix64(values) % np.uint64(self.m) == 0
        return " ".join(compress(groups, kept.tolist()))
