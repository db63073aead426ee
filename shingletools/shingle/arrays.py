"""What is done with fingerprints by numpy, which the shingles of words do without: it takes time to load."""

from dataclasses import dataclass
from functools import partial
from itertools import compress

import numpy as np

from shingletools.kernel.arrays import fmix64
from shingletools.kernel.memo import Known
from shingletools.kernel.strings import roll
from shingletools.shingle.fingerprints import Hashing, Runs, word_fingerprint
from shingletools.shingle.keys import PUBLIC, Key


class RollingUnits:
    """A text to a payload of rolling fingerprints of its characters or its longest lines.

    >>> RollingUnits(Runs(2))("a b").split() == RollingUnits(Runs(2, chars=True))("ab").split()
    True
    """

    def __init__(self, runs: Runs, key: Key = PUBLIC) -> None:
        self.runs = runs
        self.key = key
        self.known = Known(partial(word_fingerprint, key=key.words))

    def __call__(self, text: str) -> str:
        fingerprints = b"".join(map(self.known.__getitem__, self.runs.units(text)))
        return roll(fingerprints, self.runs.k, self.key.base, self.key.sums)


@dataclass(frozen=True)
class Sampled:
    """The fingerprints of another shingler that are 0 modulo m after a finalizer, which makes any hash fair.

    Broder's MOD_m, today's FracMinHash: resemblance and containment of what is left are unbiased estimates of those of
    the whole (for large sets), and a text keeps about one fingerprint in m, a short one perhaps none.
    """

    shingler: Hashing
    m: int

    def __call__(self, text: str) -> str:
        payload = self.shingler(text)
        if not payload:
            return ""
        words = payload.split(" ")
        values = np.array([int(word, 16) for word in words], np.uint64)
        kept = fmix64(values) % np.uint64(self.m) == 0
        return " ".join(compress(words, kept.tolist()))
