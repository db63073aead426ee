"""Rolling fingerprints of lines, by numpy, which shingles of words and characters do not need."""

from functools import partial

from shingletools.commands.shingle.fingerprints import Runs, word_fingerprint
from shingletools.commands.shingle.secret_keys import PUBLIC, FingerprintKey
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
