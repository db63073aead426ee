"""Fingerprints that need numpy, which takes time to load: rolling ones of lines, and a sample of any."""

from functools import partial
from itertools import compress

import numpy as np

from shingletools.commands.shingle.fingerprints import Hashing, Runs, word_fingerprint
from shingletools.commands.shingle.secret_keys import PUBLIC, FingerprintKey
from shingletools.kernel.arrays import fmix64
from shingletools.kernel.memo import Memo
from shingletools.kernel.payload_signatures import roll


class RollingUnits:
    r"""Turns a text into a payload of rolling fingerprints of its longest lines.

    >>> RollingUnits(Runs(2, longest=2))("a\nb\nc") == RollingUnits(Runs(2, longest=2))("b\na")
    True
    """

    def __init__(self, runs: Runs, key: FingerprintKey = PUBLIC) -> None:
        self.runs = runs
        self.key = key
        self.memo = Memo(partial(word_fingerprint, key=key.words))

    def __call__(self, text: str) -> str:
        fingerprints = b"".join(map(self.memo.__getitem__, self.runs.units(text)))
        return roll(fingerprints, self.runs.k, self.key.base, self.key.sums)


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
