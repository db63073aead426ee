"""A sample of a text's fingerprints, chosen by their values. It needs numpy, which takes time to load."""

from itertools import compress

import numpy as np

from shingletools.commands.shingle.fingerprints import Hashing
from shingletools.kernel.arrays import fmix64


def sampled(shingler: Hashing, m: int, text: str) -> str:
    """Returns the fingerprints of `shingler` that are 0 modulo m after a finalizer, which makes any hash uniform.

    This is Broder's MOD_m, now called FracMinHash. For large sets, resemblance and containment of the samples are
    unbiased estimates of those of the whole sets. A text keeps about 1 fingerprint in m; a short one may keep none.
    """
    payload = shingler(text)
    if not payload:
        return ""
    groups = payload.split(" ")
    values = np.array([int(group, 16) for group in groups], np.uint64)
    kept = fmix64(values) % np.uint64(m) == 0
    return " ".join(compress(groups, kept.tolist()))
