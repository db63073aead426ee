"""Which documents belong together, in the input or in the truth: pairs, and classes of documents.

In a class, any two documents make a pair. Documents are numbers. A pair is one integer of 64 bits, the same for both
orders of the two: see `key_of`.
"""

from array import array
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Flags, Index
from shingletools.numbers.exact_ratios import choose_two
from shingletools.numbers.ranges import are_among
from shingletools.numbers.union_find import UnionFind

NUMBER_BITS = 32  # of a key, for the greater number
MOST_DOCUMENTS = 1 << (NUMBER_BITS - 1)
NONE = -1  # no class, and no band


def key_of(one: Index, two: Index) -> Index:
    """Returns the keys of pairs of numbers below MOST_DOCUMENTS. Shape (pairs,) each.

    >>> (key_of(np.array([1, 0]), np.array([0, 1])) == [1, 1]).all()
    np.True_
    """
    return np.minimum(one, two) << NUMBER_BITS | np.maximum(one, two)


def ends_of(keys: Index) -> tuple[Index, Index]:
    """Returns the two numbers of each pair, the smaller first."""
    return keys >> NUMBER_BITS, keys & ((1 << NUMBER_BITS) - 1)


class PairRelation:
    """Collects pairs, pairs that do not belong together, and classes.

    Memory: 8 bytes a pair, 2 more for its band if there are bands; 8 for each document.
    """

    def __init__(self, banded: bool) -> None:
        self.banded = banded
        self.keys = array("q")
        self.bands = array("h")  # of each pair, or NONE
        self.apart = array("q")  # keys of pairs that were judged different
        self.classes = array("q")  # of each document, as far as it is known, or NONE

    def add_pairs(self, one: Index, two: Index, bands: Index | None) -> None:
        """Adds pairs of different documents, and the band of each, or NONE. Shape (pairs,)."""
        self.keys.frombytes(key_of(one, two).tobytes())
        if self.banded:
            given = np.full(len(one), NONE) if bands is None else bands
            self.bands.frombytes(given.astype(np.int16).tobytes())

    def add_apart(self, one: Index, two: Index) -> None:
        """Adds pairs that do not belong together. Shape (pairs,)."""
        self.apart.frombytes(key_of(one, two).tobytes())

    def add_classes(self, numbers: Index, classes: Index) -> Index:
        """Adds documents to classes. Returns the places of those that are in another one. Shape (documents,).

        If there are such, nothing is added.
        """
        self.grow(int(numbers.max(initial=-1)) + 1)
        here = np.frombuffer(self.classes, np.int64)
        _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
        before = here[numbers]
        wrong = np.flatnonzero(((before != NONE) & (before != classes)) | (classes[first][place] != classes))
        if not len(wrong):
            here[numbers] = classes
        return wrong

    def grow(self, documents: int) -> None:
        """Makes room for at least so many documents."""
        self.classes.frombytes(np.full(max(0, documents - len(self.classes)), NONE).tobytes())

    def named(self, documents: int) -> Flags:
        """Returns which of so many documents it names. Shape (documents,)."""
        self.grow(documents)
        flags: Flags = np.frombuffer(self.classes, np.int64)[:documents] != NONE
        for keys in (self.keys, self.apart):
            for numbers in ends_of(np.frombuffer(keys, np.int64)):
                flags[numbers] = True
        return flags

    def among(self, there: Flags) -> "FrozenRelation":
        """Restricts the relation to the documents that are there. Keeps each pair once, in its highest band."""
        self.grow(len(there))
        keys = np.array(self.keys, np.int64)
        one, two = ends_of(keys)
        within = there[one] & there[two]
        keys = keys[within]
        outside = len(within) - len(keys)
        bands = None
        if self.banded:
            bands = np.array(self.bands, np.int64)[within]
            order = np.lexsort((bands, keys))
            keys, bands = keys[order], bands[order]
        else:
            keys.sort()
        last = np.append(keys[1:] != keys[:-1], np.ones(min(1, len(keys)), np.bool_))
        unique = keys[last]  # np.unique, which hashes, takes a hundred times as long
        classes = np.array(self.classes, np.int64)
        lost = (classes != NONE) & ~there
        classes[lost] = NONE
        bands = None if bands is None else bands[last]
        outside += int(np.count_nonzero(lost))
        return FrozenRelation(unique, bands, classes, len(keys) - len(unique), outside)

    def contradiction(self, settled: "FrozenRelation") -> tuple[int, int] | None:
        """Returns the documents of a pair that belongs together and does not; None if there is none."""
        apart = np.array(self.apart, np.int64)
        both = apart[settled.has(apart)]
        return (int(both[0]) >> NUMBER_BITS, int(both[0]) % (1 << NUMBER_BITS)) if len(both) else None


class FrozenRelation(NamedTuple):
    """A relation to which nothing is added any more."""

    keys: Index  # of pairs, ascending, each once
    bands: Index | None
    classes: Index  # of all documents
    repeated: int  # pairs that came more than once
    outside: int  # pairs, and members of classes, that are left out

    def same_class(self, keys: Index) -> Flags:
        """Returns whether the two of each pair are in one class."""
        one, two = (self.classes[numbers] for numbers in ends_of(keys))
        together: Flags = (one == two) & (one != NONE)
        return together

    def has(self, keys: Index) -> Flags:
        """Returns whether the two of each pair belong together."""
        return self.same_class(keys) | self.has_key(keys)

    def only(self, keys: Index) -> "FrozenRelation":
        """Restricts the relation to these pairs, which ascend, each once. Replaces classes by their pairs."""
        common = keys[self.has(keys)]
        bands = None if self.bands is None else self.bands[np.searchsorted(self.keys, common)]
        lost = self.pairs() - len(common)
        return FrozenRelation(common, bands, np.full_like(self.classes, NONE), self.repeated, self.outside + lost)

    def has_key(self, keys: Index) -> Flags:
        """Returns whether each pair was added as a pair."""
        return are_among(keys, self.keys)

    def beyond(self) -> Index:
        """Returns the pairs that are not of one class."""
        return self.keys[~self.same_class(self.keys)]

    def pairs(self) -> int:
        """Counts all pairs, including those within classes."""
        return choose_two(np.bincount(self.classes[self.classes != NONE])) + len(self.beyond())

    def connected_classes(self) -> UnionFind:
        """Connects the documents of each class."""
        groups = UnionFind(len(self.classes))
        members = np.flatnonzero(self.classes != NONE)
        _, first, place = np.unique(self.classes[members], return_index=True, return_inverse=True)
        groups.join(members[first][place], members)
        return groups


def common_pairs(one: FrozenRelation, two: FrozenRelation) -> int:
    """Counts the pairs that both have, given as pairs or by classes. Exact; the pairs of classes are not listed.

    A pair is within a class of `one`, or was added to it as a pair, and likewise for `two`: four disjoint cases.
    """
    classed = (one.classes != NONE) & (two.classes != NONE)
    cells = one.classes[classed] << NUMBER_BITS | two.classes[classed]
    beyond = one.beyond()
    of_two = two.same_class(beyond)
    left = beyond[~of_two]
    added_to_both = int(np.count_nonzero(two.has_key(left)))
    return (
        choose_two(np.unique(cells, return_counts=True)[1])
        + int(np.count_nonzero(of_two))
        + int(np.count_nonzero(one.same_class(two.beyond())))
        + added_to_both
    )
