"""Finds all runs of k words that stood before, by winnowed fingerprints and by words.

Of all runs of k words that have the same gram, as winnowing chooses it, few fingerprints are sorted. A gram that stands
once belongs to runs that stand once. The runs of all others are told from each other by their own fingerprints, and
what is equal by these is compared word by word. So nothing is compared with more than one other text, however often it
stands.
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
from shingletools.system.scratch import Memory

NUMBER_BITS = 20  # of the number of runs in a row; the others are for places and a sign: texts of up to 8 TB
PLACES = (1 << (64 - NUMBER_BITS - 1)) - 1


@dataclass(frozen=True)
class Portions(SortingLimits):
    """How much is worked on at once; one gram may exceed it."""

    grams: int = 1 << 14  # whose runs are looked at together


class WordsDiffer(Exception):
    """Different words have equal fingerprints."""


class StoodBefore(NamedTuple):
    """Runs of k words in a row of which each stood before, one word after the other, as far as both go on.

    Arrays of one length, by ascending places.
    """

    place: Index  # of the first one
    number: Index  # of runs: the words are k - 1 more
    source: Index  # the place of the first copy of the first one

    def cut(self, place: int) -> tuple["StoodBefore", "StoodBefore"]:
        """Those before a place, and those from it on."""
        at = int(np.searchsorted(self.place, place))
        return StoodBefore(*(each[:at] for each in self)), StoodBefore(*(each[at:] for each in self))


class Copies:
    """Runs that were met, by keys, which ascend: the first copy of each, and in how many units it is.

    A unit is a document, or a copy. Memory: 16 bytes for each run, with units 32.
    """

    def __init__(self) -> None:
        self.keys: U64 = np.empty(0, np.uint64)
        self.first = self.units = self.last = np.empty(0, np.int64)

    def add(self, keys: U64, starts: Index, units: Index | None) -> Index:
        """Takes runs after all those before, by ascending places; gives the number of each key, for now.

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
    """Takes texts, in order; then gives all runs of k words that stood before.

    Memory: a share of the limit for fingerprints, on disk beyond it; and what all runs of one gram need.
    """

    def __init__(self, how: Winnowing, memory: Memory, portions: Portions, spec: WithinSpec) -> None:
        self.how, self.memory, self.portions, self.spec = how, memory, portions, spec
        self.grams = Sorter(memory, 2, portions)

    def add(self, start: int, texts: bytes) -> None:
        """Takes texts, each ended by a line feed, that begin at a place among all."""
        keys, places = kernel.winnow(texts, self.how)
        self.grams.add(keys, places + start)

    def found(self, texts: bytes, documents: Callable[[Index], Index]) -> Iterator[StoodBefore]:
        """By ascending places. texts: all, in any kind of buffer; documents: the number of that at each place."""
        found = Sorter(self.memory, 4, self.portions)
        for keys, every in self.grams.sorted():
            starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else every[:0]
            counts = np.diff(np.append(starts, len(keys)))
            again = np.repeat(counts > 1, counts)
            places, counts = every[again], counts[counts > 1]
            ends = np.cumsum(counts)
            for part in stretches(counts, self.portions.grams):
                some = np.sort(places[ends[part.start] - counts[part.start] : ends[part.stop - 1]])
                for runs in self.repeated(texts, documents, some):
                    found.add(*runs)
        for keys, values in found.sorted():
            yield StoodBefore(keys.astype(np.int64), values & ((1 << NUMBER_BITS) - 1), values >> NUMBER_BITS)

    def repeated(self, texts: bytes, documents: Callable[[Index], Index], places: Index) -> list[tuple[U64, Index]]:
        """Of the runs of some grams: where those begin that stood before, and how many, with their first copies."""
        try:
            return [*self.in_parts(texts, documents, places, None)]
        except WordsDiffer:
            return [*self.in_parts(texts, documents, places, {})]

    def in_parts(
        self, texts: bytes, documents: Callable[[Index], Index], places: Index, seen: dict[bytes, int] | None
    ) -> Iterator[tuple[U64, Index]]:
        """As `repeated`, some places at a time. seen: for keys of words, in place of fingerprints."""
        copies, more_than = Copies(), self.spec.more_than
        counts = self.spec.every or more_than is not None
        for last in (False, True) if counts else (True,):
            at = 0
            while at < len(places):
                part = places[at : at + max(self.portions.grams, len(copies.keys) // 8)]
                at += len(part)
                numbers, keys, starts = kernel.winnowed_runs(texts, part, self.how)
                if seen is not None:
                    keys = self.told_apart(texts, starts, seen)
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
                    heads, runs, firsts = in_a_row(starts, sources, np.repeat(part, numbers), wanted)
                    words = runs + self.how.run - 1
                    if seen is None and (kernel.equal_words(texts, heads, texts, firsts, words) < words).any():
                        raise WordsDiffer
                    yield heads.astype(np.uint64), runs | firsts << NUMBER_BITS

    def told_apart(self, texts: bytes, starts: Index, seen: dict[bytes, int]) -> U64:
        """A key for the words of each run, where fingerprints of different words were equal. seen: words with keys."""
        keys = []
        for start in starts.tolist():
            end = start
            for _ in range(self.how.run):
                end = next(at for at in range(end, sys.maxsize) if texts[at] in b" \n") + 1
            keys.append(seen.setdefault(bytes(texts[start : end - 1]), len(seen)))
        return np.array(keys, np.uint64)


def in_a_row(starts: Index, sources: Index, owners: Index, wanted: Flags) -> tuple[Index, Index, Index]:
    """Where wanted runs in a row of one owner begin, their number, and the first copy of the first one."""
    flagged = np.flatnonzero(wanted)
    apart, owner = (starts - sources)[flagged], owners[flagged]
    heads = np.append(True, (np.diff(flagged) > 1) | (np.diff(apart) != 0) | (np.diff(owner) != 0))[: len(flagged)]
    begins = np.flatnonzero(heads)
    numbers = np.diff(np.append(begins, len(flagged)))
    return starts[flagged[begins]], numbers, sources[flagged[begins]]
