"""Finds all runs of k words that stood before, by winnowed fingerprints and by words.

Of all runs of k words that have the same gram, as winnowing chooses it, few fingerprints are sorted. A gram that stands
once belongs to runs that stand once. The runs of all others are told from each other by their own fingerprints, and
what is equal by these is compared word by word. So nothing is compared with more than one other text, however often it
stands.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Index
from shingletools.kernel.winnowing import Winnowing
from shingletools.numbers.ranges import stretches
from shingletools.numbers.sorter import Sorter, SortingLimits
from shingletools.system.scratch import Memory

NUMBER_BITS = 20  # of the number of runs in a row; the others are for places and a sign: texts of up to 8 TB
PLACES = (1 << (64 - NUMBER_BITS - 1)) - 1


@dataclass(frozen=True)
class Portions(SortingLimits):
    """How much is worked on at once; one gram may exceed it."""

    grams: int = 1 << 14  # whose runs are looked at together: some 40 bytes for each run


class StoodBefore(NamedTuple):
    """Runs of k words in a row of which each stood before, one word after the other, as far as both go on."""

    place: int  # of the first one
    number: int  # of runs: the words are k - 1 more
    source: int  # the place of the first copy of the first one


class Earlier:
    """Takes texts, in order; then gives all runs of k words that stood before.

    Memory: a share of the limit for fingerprints, on disk beyond it; and what all runs of one gram need.
    """

    def __init__(self, how: Winnowing, memory: Memory, portions: Portions, *, every: bool = False) -> None:
        """every: also runs that stand again later."""
        self.how, self.memory, self.portions, self.every = how, memory, portions, every
        self.grams = Sorter(memory, 2, portions)

    def add(self, start: int, texts: bytes) -> None:
        """Takes texts, each ended by a line feed, that begin at a place among all."""
        keys, places = kernel.winnow(texts, self.how)
        self.grams.add(keys, places + start)

    def found(self, texts: bytes) -> Iterator[StoodBefore]:
        """By ascending places. texts: all, in any kind of buffer."""
        found = Sorter(self.memory, 4, self.portions)
        for keys, every in self.grams.sorted():
            starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else every[:0]
            counts = np.diff(np.append(starts, len(keys)))
            again = np.repeat(counts > 1, counts)
            places, counts = every[again], counts[counts > 1]
            ends = np.cumsum(counts)
            for part in stretches(counts, self.portions.grams):
                some = np.sort(places[ends[part.start] - counts[part.start] : ends[part.stop - 1]])
                found.add(*self.repeated(texts, some))
        for keys, values in found.sorted():
            for place, value in zip(keys.tolist(), values.tolist(), strict=True):
                yield StoodBefore(place, value & ((1 << NUMBER_BITS) - 1), value >> NUMBER_BITS)

    def repeated(self, texts: bytes, places: Index) -> tuple[U64, Index]:
        """Of the runs of some grams: where those begin that stood before, and how many, with their first copies."""
        counts, keys, starts = kernel.winnowed_runs(texts, places, self.how)
        owners = np.repeat(np.arange(len(counts)), counts)
        heads, numbers, sources = self.in_a_row(keys, starts, owners)
        words = numbers + self.how.run - 1
        if (kernel.equal_words(texts, heads, texts, sources, words) < words).any():
            heads, numbers, sources = self.in_a_row(self.told_apart(texts, starts), starts, owners)
        return heads.astype(np.uint64), numbers | sources << NUMBER_BITS

    def in_a_row(self, keys: U64, starts: Index, owners: Index) -> tuple[Index, Index, Index]:
        """By the keys that runs have: where those in a row begin, their number, and their first copy."""
        order = np.argsort(keys, kind="stable")  # starts ascend
        ordered = keys[order]
        first = np.append(True, ordered[1:] != ordered[:-1])[: len(keys)]
        groups = np.cumsum(first) - 1
        sources = np.empty(len(keys), np.int64)
        sources[order] = starts[order[first]][groups]
        again = sources != starts
        if self.every:
            again[order] |= (np.bincount(groups) > 1)[groups]
        flagged = np.flatnonzero(again)
        apart, owner = (starts - sources)[flagged], owners[flagged]
        heads = np.append(True, (np.diff(flagged) > 1) | (np.diff(apart) != 0) | (np.diff(owner) != 0))[: len(flagged)]
        begins = np.flatnonzero(heads)
        numbers = np.diff(np.append(begins, len(flagged)))
        return starts[flagged[begins]], numbers, sources[flagged[begins]]

    def told_apart(self, texts: bytes, starts: Index) -> U64:
        """A key for the words of each run, where fingerprints of different words were equal."""
        seen: dict[bytes, int] = {}
        keys = []
        for start in starts.tolist():
            end = start
            for _ in range(self.how.run):
                end = next(at for at in range(end, sys.maxsize) if texts[at] in b" \n") + 1
            keys.append(seen.setdefault(bytes(texts[start : end - 1]), len(seen)))
        return np.array(keys, np.uint64)
