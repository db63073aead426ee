"""Counts of strings: in memory up to a limit, beyond it in sorted runs on disk, which are merged.

The strings have no white space but single blanks. The files have no names, so none stays behind.
"""

import heapq
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import groupby
from operator import itemgetter
from sys import getsizeof
from typing import IO

from shingletools.system.files import folder_errors
from shingletools.system.lazy_imports import tempfile
from shingletools.system.memory_limit import Memory

MERGED_RUNS = 64  # runs that are merged at once
READ_BYTES = 1 << 16  # bytes of a run that are read at once
COUNT_BYTES = 32  # bytes of a count that is an object of its own
MIN_MEMORY_BYTES = 1 << 18  # bytes that a run may always have in memory
SHARE = 3  # one part of the memory is for strings and their table, the others for a growing table and for sorting

Entry = tuple[bytes, int]  # a string as UTF-8, whose order is that of code points, and its count


class StringCounts:
    """Counts of strings, in the order of their code points.

    Memory: the distinct strings and about 100 bytes for each, up to the limit. Beyond it, disk: twice their bytes.
    """

    def __init__(self, memory: Memory | None) -> None:
        self.memory = memory
        self.most = 0 if memory is None else memory.share(SHARE, MIN_MEMORY_BYTES)
        self.here: Counter[str] = Counter()
        self.size = 0  # of the strings in it
        self.runs: list[SortedRun] = []

    def add(self, strings: AbstractSet[str]) -> None:
        """Adds 1 to the count of each string."""
        self._grow(strings)
        self.here.update(strings)
        self._check()

    def add_many(self, string: str, times: int) -> None:
        """Adds `times` to the count of a string."""
        self._grow({string})
        self.here[string] += times
        self._check()

    def _grow(self, strings: AbstractSet[str]) -> None:
        if self.memory is not None:
            fresh = [string for string in strings if string not in self.here]  # not difference(), which walks a Counter
            self.size += sum(map(getsizeof, fresh)) + COUNT_BYTES * len(fresh)

    def _check(self) -> None:
        if self.memory is not None and self.size + getsizeof(self.here) > self.most:
            self._spill(self.memory.folder)

    def _spill(self, folder: str) -> None:
        entries = ((string.encode(), self.here[string]) for string in sorted(self.here))
        self.runs.append(SortedRun(entries, folder))
        self.here, self.size = Counter(), 0
        # FAN runs of one level become one of the next, so each entry is written only a few times
        while len(self.runs) >= MERGED_RUNS and len({run.level for run in self.runs[-MERGED_RUNS:]}) == 1:
            merged = self.runs[-MERGED_RUNS:]
            self.runs[-MERGED_RUNS:] = [SortedRun(merged_runs(merged), folder, merged[0].level + 1)]
            for run in merged:
                run.close()

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Yields all strings and their counts; it may be called again."""
        if not self.runs:
            for string in sorted(self.here):
                yield string, self.here[string]
            return
        if self.here:
            self._spill(self.runs[0].folder)
        for data, count in merged_runs(self.runs):
            yield data.decode(), count


class SortedRun:
    """Entries in ascending order, each string once, in a file."""

    def __init__(self, entries: Iterable[Entry], folder: str, level: int = 0) -> None:
        self.folder = folder
        self.level = level  # how often they were merged
        with folder_errors(folder):
            self.file: IO[bytes] = tempfile.TemporaryFile(buffering=READ_BYTES, dir=folder)
            for string, count in entries:
                self.file.write(b"%b\t%d\n" % (string, count))
            self.file.flush()

    def __iter__(self) -> Iterator[Entry]:
        at, rest = 0, b""
        while block := self._read(at):
            at += len(block)
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                string, _, count = line.rpartition(b"\t")
                yield string, int(count)

    def _read(self, at: int) -> bytes:
        with folder_errors(self.folder):
            return os.pread(self.file.fileno(), READ_BYTES, at)

    def close(self) -> None:
        self.file.close()


def merged_runs(runs: Iterable[Iterable[Entry]]) -> Iterator[Entry]:
    """Yields the entries of ascending runs in ascending order; counts of one string are added up.

    >>> list(merged_runs([[(b"a", 1), (b"b", 1)], [(b"b", 2)]]))
    [(b'a', 1), (b'b', 3)]
    """
    for string, entries in groupby(heapq.merge(*runs), itemgetter(0)):
        yield string, sum(count for _, count in entries)
