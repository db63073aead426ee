"""The pairs that a join has found: pairs of originals, which become pairs of documents."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeVar

import numpy as np

from shingletools.commands.simjoin.label_filter import LabelFilter
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.pair_arrays import Pairs, rows_at
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.ranges import spread, stretches
from shingletools.numbers.sorter import Entries
from shingletools.record.events import Progress
from shingletools.system.workers import in_threads

Found = TypeVar("Found")


class WhichPairs(NamedTuple):
    """Which pairs are found."""

    scope: LabelFilter | None = None  # only those that its labels allow
    best: int | None = None  # those of each document with so many best partners, and perhaps others
    copies_once: bool = False  # of a copy, only that with its original


ALL_PAIRS = WhichPairs()


class PartnerRows(NamedTuple):
    """Partners of documents, as arrays of one length, in the order of the documents."""

    owner: Index  # the place of the document
    document: Index
    partner: Index  # an original
    agreeing: Index
    itself: Flags  # whether the partner itself is in a pair with the document
    start: Index  # of its copies that are
    copies: Index  # how many these are

    def at(self, some: slice) -> Self:
        return rows_at(self, some)


@dataclass(frozen=True)
class FoundPairs:
    """All pairs that a join has found, sorted by document; may be iterated over again."""

    documents: int
    cross: int | None
    which: WhichPairs
    copies: Entries  # original * documents + copy, and copy
    originals: Entries  # copy, and original
    partners: Entries  # original * documents + partner, and their agreeing components
    paired: Flags  # whether each row has copies or partners
    whole: Callable[[Index], Index] | None  # how far rows agree with their copies; None if copies are in no pair
    limits: Limits
    jobs: int

    def __iter__(self) -> Iterator[Pairs]:
        """Yields the pairs in blocks, all in order."""
        partnered = in_threads(self._with_partners, self._in_pairs(), self.jobs)
        parts = ((found, part) for found, sizes in partnered for part in stretches(sizes, self.limits.candidates))
        yield from in_threads(self._expanded, parts, self.jobs)

    def copied(self, pairs: Pairs) -> Flags:
        """Returns which pairs are of an original and its copy. Shape (pairs,)."""
        start, count = self.originals.within(pairs.b, 1)
        flags = count > 0
        flags[flags] = self.originals.values[start[flags]] == pairs.a[flags]
        self.originals.forget()
        return flags

    def _in_pairs(self) -> Iterator[tuple[Index, Index, Index, Index]]:
        """Yields the documents that are in pairs: numbers, originals, and the first and number of their partners."""
        end = self.documents if self.cross is None else self.cross
        for first in range(0, end, self.limits.documents):
            document = np.arange(first, min(first + self.limits.documents, end))
            original = document.copy()
            some = slice(*np.searchsorted(self.originals.keys, [first, first + len(document)]))
            original[self.originals.keys[some].astype(np.int64) - first] = self.originals.values[some]
            document, original = document[self.paired[original]], original[self.paired[original]]
            start, count = self.partners.within(original, self.documents)
            for part in stretches(count, self.limits.candidates):
                yield document[part], original[part], start[part], count[part]

    def _with_partners(self, some: tuple[Index, Index, Index, Index]) -> tuple[PartnerRows, Index]:
        """Returns the partners of documents, and how many pairs each document has."""
        document, original, start, count = some
        place, owner = spread(start, count)
        partner = self.partners.keys[place].astype(np.int64) % self.documents
        agreeing = self.partners.values[place]
        self.partners.forget()
        if self.whole is not None:
            several = np.flatnonzero(self.copies.within(original, self.documents)[1])
            partner = np.append(partner, original[several])
            agreeing = np.append(agreeing, self.whole(original[several]))
            owner = np.append(owner, several)
        order = np.argsort(owner, kind="stable")
        owner, partner, agreeing = owner[order], partner[order], agreeing[order]
        a = document[owner]
        start, count = self.copies.within(partner, self.documents, a + 1 if self.which.best is None else 0)
        itself = partner > a
        if self.which.best is not None:  # one copy may be the document itself
            count, itself = np.minimum(count, self.which.best), partner != a
        if self.which.copies_once:
            count[partner != a] = 0
            itself &= original[owner] == a
        sizes = np.bincount(owner, count + itself, len(document)).astype(np.int64)
        return PartnerRows(owner, a, partner, agreeing, itself, start, count), sizes

    def _expanded(self, item: tuple[PartnerRows, slice]) -> Pairs:
        """Returns the pairs of some documents with partners and their copies, sorted."""
        found, documents = item
        _, a, partner, agreeing, itself, start, count = found.at(
            slice(*np.searchsorted(found.owner, [documents.start, documents.stop]))
        )
        place, pair = spread(start, count)
        alone = np.flatnonzero(itself)
        pair = np.append(alone, pair)
        b = np.append(partner[alone], self.copies.values[place])
        self.copies.forget()
        pairs = Pairs(a[pair], b, agreeing[pair])
        order = np.lexsort((pairs.b, pairs.a))
        return pairs.at(order[pairs.b[order] != pairs.a[order]])


def without_progress(search: Generator[Progress, None, Found]) -> Found:
    """Returns what a search finds, once it has ended."""
    try:
        while True:
            next(search)
    except StopIteration as end:
        found: Found = end.value
        return found
