"""Finds all runs of k words that occur earlier, by winnowed fingerprints and by words.

Winnowing chooses a gram for each run of k words, and only the fingerprints of grams are sorted. A gram that occurs once
belongs to runs that occur once. All other runs are distinguished by their own fingerprints, and those with equal
fingerprints are compared word by word. So each run is compared with one other place only, however often it occurs.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shingletools.commands.repeats.spec import WithinSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Flags, Index
from shingletools.kernel.winnowing import Winnowing
from shingletools.numbers.ranges import stretches
from shingletools.numbers.sorter import Sorter, SortingLimits
from shingletools.system.memory_limit import Memory

NUMBER_BITS = 20  # of the number of runs in a row; the others are for places and a sign: texts of up to 8 TB
PLACES = (1 << (64 - NUMBER_BITS - 1)) - 1


@dataclass(frozen=True)
class Portions(SortingLimits):
    """Limits of the work done at once; one gram may exceed them."""

    grams: int = 1 << 14  # occurrences of grams whose runs are compared together


class WordsDiffer(Exception):
    """Different words have equal fingerprints."""


class EarlierRuns(NamedTuple):
    """Sequences of consecutive runs of k words whose first copies are consecutive, too. Arrays of one length.

    Places ascend.
    """

    place: Index  # of the first run
    number: Index  # of runs; their words are k - 1 more
    source: Index  # the place of the first copy of the first run

    def cut(self, place: int) -> tuple["EarlierRuns", "EarlierRuns"]:
        """Returns the sequences before a place, and the others."""
        at = int(np.searchsorted(self.place, place))
        return EarlierRuns(*(column[:at] for column in self)), EarlierRuns(*(column[at:] for column in self))


class Copies:
    """Distinct runs by their keys, which ascend: the first copy of each, and the number of units that have it.

    A unit is a document, or a copy. Memory: 16 bytes for each run, with units 32.
    """

    def __init__(self) -> None:
        self.keys: U64 = np.empty(0, np.uint64)
        self.first = self.units = self.last = np.empty(0, np.int64)

    def add(self, keys: U64, starts: Index, units: Index | None) -> Index:
        """Adds runs, whose places ascend; returns the row of each key, which holds until the next call.

        units: ascending, if they are counted.
        """
        distinct, at, which = np.unique(keys, return_index=True, return_inverse=True)
        place = np.searchsorted(self.keys, distinct)
        new = np.append(self.keys, np.uint64(0))[place] != distinct
        new |= place == len(self.keys)
        self.keys = np.insert(self.keys, place[new], distinct[new])
        self.first = np.insert(self.first, place[new], starts[at[new]])
        numbers: Index = (place + np.cumsum(new) - new)[which]
        if units is not None:
            self.units = np.insert(self.units, place[new], 0)
            self.last = np.insert(self.last, place[new], -1)
            order = np.argsort(numbers, kind="stable")
            which, units = numbers[order], units[order]
            ends = np.append(np.diff(which) != 0, True)
            begins = np.append(True, ends[:-1])
            others = begins | np.append(True, np.diff(units) != 0)
            others[begins] = self.last[which[begins]] != units[begins]
            self.units += np.bincount(which[others], minlength=len(self.keys))
            self.last[which[ends]] = units[ends]
        return numbers


class Earlier:
    """Takes texts, in order; then yields all runs of k words that occur earlier.

    Memory: a share of the limit for fingerprints, on disk beyond it; and that for all runs of one gram.
    """

    def __init__(self, how: Winnowing, memory: Memory, portions: Portions, spec: WithinSpec) -> None:
        self.how, self.memory, self.portions, self.spec = how, memory, portions, spec
        self.grams = Sorter(memory, 2, portions)

    def add(self, start: int, texts: bytes) -> None:
        """Takes texts, each ended by a line feed, that begin at a place among all texts."""
        keys, places = kernel.winnow(texts, self.how)
        self.grams.add(keys, places + start)

    def runs(self, texts: bytes, documents: Callable[[Index], Index]) -> Iterator[EarlierRuns]:
        """Yields runs by ascending places.

        texts: all of them, in any kind of buffer. documents: returns the numbers of the documents at places.
        """
        earlier = Sorter(self.memory, 4, self.portions)
        for keys, every in self.grams.sorted():
            starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else every[:0]
            counts = np.diff(np.append(starts, len(keys)))
            again = np.repeat(counts > 1, counts)
            places, counts = every[again], counts[counts > 1]
            ends = np.cumsum(counts)
            for part in stretches(counts, self.portions.grams):
                of_grams = np.sort(places[ends[part.start] - counts[part.start] : ends[part.stop - 1]])
                for runs in self.repeated(texts, documents, of_grams):
                    earlier.add(*runs)
        for keys, values in earlier.sorted():
            yield EarlierRuns(keys.astype(np.int64), values & ((1 << NUMBER_BITS) - 1), values >> NUMBER_BITS)

    def repeated(self, texts: bytes, documents: Callable[[Index], Index], places: Index) -> list[tuple[U64, Index]]:
        """Returns the runs of some grams that occur earlier: their places, numbers, and first copies."""
        try:
            return [*self.in_parts(texts, documents, places, None)]
        except WordsDiffer:
            return [*self.in_parts(texts, documents, places, {})]

    def in_parts(
        self, texts: bytes, documents: Callable[[Index], Index], places: Index, seen: dict[bytes, int] | None
    ) -> Iterator[tuple[U64, Index]]:
        """Does the work of `repeated`, some places at a time. seen: keys of words, if fingerprints do not suffice."""
        copies, more_than = Copies(), self.spec.more_than
        counts = self.spec.every or more_than is not None
        for last in (False, True) if counts else (True,):
            at = 0
            while at < len(places):
                part = places[at : at + max(self.portions.grams, len(copies.keys) // 8)]
                at += len(part)
                numbers, keys, starts = kernel.winnowed_runs(texts, part, self.how)
                if seen is not None:
                    keys = self.distinct_keys(texts, starts, seen)
                if last and counts:
                    which = np.searchsorted(copies.keys, keys)
                else:
                    units = starts if more_than is None else documents(starts)
                    which = copies.add(keys, starts, units if counts else None)
                if last:
                    sources = copies.first[which]
                    wanted = sources != starts
                    if counts:
                        often = copies.units[which] > (1 if more_than is None else more_than)
                        wanted = often if self.spec.every else often & wanted
                    heads, runs, firsts = consecutive(starts, sources, np.repeat(part, numbers), wanted)
                    words = runs + self.how.run - 1
                    if seen is None and (kernel.equal_words(texts, heads, texts, firsts, words) < words).any():
                        raise WordsDiffer
                    yield heads.astype(np.uint64), runs | firsts << NUMBER_BITS

    def distinct_keys(self, texts: bytes, starts: Index, seen: dict[bytes, int]) -> U64:
        """Returns keys that differ if words do, where fingerprints of different words clash. seen: keys of words."""
        keys = []
        for start in starts.tolist():
            end = start
            for _ in range(self.how.run):
                end = next(at for at in range(end, sys.maxsize) if texts[at] in b" \n") + 1
            keys.append(seen.setdefault(bytes(texts[start : end - 1]), len(seen)))
        return np.array(keys, np.uint64)


def consecutive(starts: Index, sources: Index, owners: Index, wanted: Flags) -> tuple[Index, Index, Index]:
    """Joins consecutive wanted runs of one owner; returns their places, their numbers, and their first copies."""
    flagged = np.flatnonzero(wanted)
    apart, owner = (starts - sources)[flagged], owners[flagged]
    heads = np.append(True, (np.diff(flagged) > 1) | (np.diff(apart) != 0) | (np.diff(owner) != 0))[: len(flagged)]
    begins = np.flatnonzero(heads)
    numbers = np.diff(np.append(begins, len(flagged)))
    return starts[flagged[begins]], numbers, sources[flagged[begins]]
