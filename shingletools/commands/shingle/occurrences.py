"""Document frequencies of fingerprints, by numpy: in memory up to a limit, beyond it in sorted runs on disk.

The files have no names, so none stays behind.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from shingletools.commands.shingle.counts import LEAST, merge_levels
from shingletools.kernel.types import U64
from shingletools.system import signals
from shingletools.system.deferred import tempfile
from shingletools.system.scratch import Memory, scratch_errors

READ = 1 << 22  # entries that are read at once: one call of the system reads at most 2 GB
ENTRY = np.dtype([("fingerprint", np.uint64), ("df", np.uint64)])
SHARE = 6  # one part of the memory is for fingerprints, the others for numpy's intermediate arrays

Entries = NDArray[np.void]  # of ENTRY


class Occurrences:
    """Counts fingerprints of documents, each once for a document.

    Memory: 48 bytes for each shingle of each document, up to the limit. Beyond it, disk: 16 bytes for each.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.most = memory.share(SHARE, LEAST)
        self.here: list[bytes] = []
        self.size = 0
        self.runs: list[OccurrenceRun] = []

    def add(self, fingerprints: bytes) -> None:
        """Adds 1 to the count of each fingerprint, uint64 in the machine's order."""
        self.here.append(fingerprints)
        self.size += len(fingerprints)
        if self.size > self.most:
            self._spill()

    def _taken(self) -> Entries:
        found, counts = np.unique(np.frombuffer(b"".join(self.here), np.uint64), return_counts=True)
        self.here, self.size = [], 0
        entries = np.empty(len(found), ENTRY)
        entries["fingerprint"], entries["df"] = found, counts
        return entries

    def _spill(self) -> None:
        self.runs.append(OccurrenceRun([self._taken()], self.memory.folder))
        merge_levels(self.runs, lambda some: OccurrenceRun(self._merged(some), self.memory.folder, some[0].level + 1))

    def _merged(self, runs: Sequence["OccurrenceRun"]) -> Iterator[Entries]:
        return merged(runs, min(max(self.most // len(runs) // ENTRY.itemsize, 1), READ))

    def within(self, least: int, most: int) -> tuple[bytes, bytes]:
        """The fingerprints in `least` to `most` documents, and those in more, as uint64. It can be called once."""
        if self.runs and self.here:
            self._spill()
        between, above = [], []
        for entries in self._merged(self.runs) if self.runs else [self._taken()]:
            df = entries["df"]
            between.append(entries["fingerprint"][(df >= least) & (df <= most)])
            above.append(entries["fingerprint"][df > most])
        return b"".join(map(U64.tobytes, between)), b"".join(map(U64.tobytes, above))


class OccurrenceRun:
    """Entries in ascending order, each fingerprint once, in a file."""

    def __init__(self, blocks: Iterable[Entries], folder: str, level: int = 0) -> None:
        self.folder = folder
        self.level = level  # how often they were merged
        with scratch_errors(folder):
            with signals.held():
                self.file: IO[bytes] = tempfile.TemporaryFile(dir=folder)
            for entries in blocks:
                self.file.write(entries.tobytes())
            self.file.flush()

    def read(self, start: int, count: int) -> Entries:
        """`count` entries from `start` on, or fewer if the run ends before."""
        with scratch_errors(self.folder):
            data = os.pread(self.file.fileno(), count * ENTRY.itemsize, start * ENTRY.itemsize)
        return np.frombuffer(data, ENTRY)

    def close(self) -> None:
        self.file.close()


def merged(runs: Sequence[OccurrenceRun], count: int) -> Iterator[Entries]:
    """The entries of all runs in ascending order, in blocks; counts of one fingerprint are added up.

    count: entries that are read of each run at once.
    """
    starts = [0] * len(runs)
    while True:
        blocks = [run.read(start, count) for run, start in zip(runs, starts, strict=True)]
        # Blocks that do not end their run may be followed by more entries: only up to the least of their last
        # fingerprints has everything been read
        ends = [block["fingerprint"][-1] for block in blocks if len(block) == count]
        sizes = [
            int(np.searchsorted(block["fingerprint"], min(ends), side="right")) if ends else len(block)
            for block in blocks
        ]
        if not any(sizes):
            return
        yield added_up(np.concatenate([block[:size] for block, size in zip(blocks, sizes, strict=True)]))
        starts = [start + size for start, size in zip(starts, sizes, strict=True)]


def added_up(entries: Entries) -> Entries:
    """Entries in ascending order, with the counts of one fingerprint added up."""
    entries = entries[np.argsort(entries["fingerprint"], kind="stable")]
    first: NDArray[Any] = np.flatnonzero(np.append(True, entries["fingerprint"][1:] != entries["fingerprint"][:-1]))
    made: Entries = entries[first]
    made["df"] = np.add.reduceat(entries["df"], first)
    return made
