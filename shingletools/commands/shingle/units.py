"""Rolling fingerprints of units other than words, by numpy, which shingles of words do not need."""

from functools import partial

from shingletools.commands.shingle.fingerprints import Runs, word_fingerprint
from shingletools.commands.shingle.keys import PUBLIC, Key
from shingletools.kernel.memo import Memo
from shingletools.kernel.strings import roll


class RollingUnits:
    """A text to a payload of rolling fingerprints of its characters or its longest lines.

    >>> RollingUnits(Runs(2))("a b").split() == RollingUnits(Runs(2, chars=True))("ab").split()
    True
    """

    def __init__(self, runs: Runs, key: Key = PUBLIC) -> None:
        self.runs = runs
        self.key = key
        self.memo = Memo(partial(word_fingerprint, key=key.words))

    def __call__(self, text: str) -> str:
        fingerprints = b"".join(map(self.memo.__getitem__, self.runs.units(text)))
        return roll(fingerprints, self.runs.k, self.key.base, self.key.sums)
