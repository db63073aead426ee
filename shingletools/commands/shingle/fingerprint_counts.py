"""Document frequencies of fingerprints, by numpy: in memory up to a limit, beyond it sorted on disk."""

import numpy as np

from shingletools.commands.shingle.string_counts import MIN_MEMORY_BYTES
from shingletools.kernel.types import U64, Index
from shingletools.numbers.payload_store import DEFAULT
from shingletools.numbers.sorter import Sorter, SortingLimits
from shingletools.system.memory_limit import Memory

# One part of the memory is for fingerprints, five for numpy's intermediate arrays, two for what sorts on disk
SHARE = 8


class FingerprintCounts:
    """Counts fingerprints of documents, each once for a document.

    Memory: 64 bytes for each shingle of each document, up to the limit. Beyond it, disk: 16 bytes for each.
    """

    def __init__(self, memory: Memory, limits: SortingLimits = DEFAULT) -> None:
        self.most = memory.share(SHARE, MIN_MEMORY_BYTES)
        self.here: list[bytes] = []
        self.size = 0
        self.counted = Sorter(memory, 4, limits)  # fingerprints with their counts, when memory was full
        self.was_full = False

    def add(self, fingerprints: bytes) -> None:
        """Adds 1 to the count of each fingerprint, uint64 in native byte order."""
        self.here.append(fingerprints)
        self.size += len(fingerprints)
        if self.size > self.most:
            self.counted.add(*self._taken())
            self.was_full = True

    def _taken(self) -> tuple[U64, Index]:
        fingerprints, counts = np.unique(np.frombuffer(b"".join(self.here), np.uint64), return_counts=True)
        self.here, self.size = [], 0
        return fingerprints, counts

    def within(self, least: int, most: int) -> tuple[bytes, bytes]:
        """Returns the fingerprints in `least` to `most` documents, and those in more, as uint64.

        It can be called once.
        """
        last = self._taken()
        if self.was_full:
            self.counted.add(*last)
        between, above = [], []
        for keys, counts in self.counted.sorted() if self.was_full else [last]:
            first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
            fingerprints, df = keys[first], np.add.reduceat(counts, first) if len(first) else counts
            between.append(fingerprints[(df >= least) & (df <= most)])
            above.append(fingerprints[df > most])
        return b"".join(map(U64.tobytes, between)), b"".join(map(U64.tobytes, above))
