"""The join of documents with an archive: exactly the pairs that are similar enough.

The archive was cut into bands for the least threshold that it answers. At a higher threshold a pair differs in fewer
components, so fewer bands suffice. Documents and rows of the archive that share a key in one of them are candidates.
"""

from collections.abc import Iterator

import numpy as np

from shingletools.archive.lookup import Sorted
from shingletools.archive.manifest import Manifest
from shingletools.archive.opened import Archive
from shingletools.archive.segment import band_name
from shingletools.commands.simjoin.digit_groups import Data
from shingletools.commands.simjoin.join import Join
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.signatures import SIGNATURES, Signature
from shingletools.commands.simjoin.table import ComponentTable, cut
from shingletools.commands.simjoin.wanted import BITS, Wanted
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Index, Rows
from shingletools.numbers.ranges import spread, stretches
from shingletools.numbers.sorter import Sorter
from shingletools.system.errors import Failed
from shingletools.system.scratch import Memory

COMPARED = 1 << 15  # candidates that are compared together, with their signatures in memory
ASKING = 1 << 18  # documents that ask together: all tables are read once for them, and their pairs are held
LARGE = 1 << 17  # documents of one bucket that are joined with as many rows
MANY = 64  # documents in a bucket; up to so many are compared with all of it


def signature_in(archive: Archive) -> Signature | None:
    """The kind of an archive's signatures; None if it has none yet. Raises Failed if it keeps passages."""
    state = archive.manifest
    if state.passages:
        made = f"passages (simindex add -k {state.passages[-1]}), which repeats --against asks for"
        raise Failed(f"{archive.name}: the archive keeps {made}")
    return next((each for each in SIGNATURES if (each.field, each.digits) == (state.field, state.digits)), None)


def component_table(signature: Signature, wanted: Wanted, data: Data, size: int) -> ComponentTable:
    """Signatures of `size` bytes each, one after the other, as rows of components; at least one."""
    sizes = np.full(len(data) // size, size)
    table = signature.table(wanted, data, sizes, np.empty(0, np.uint32))
    assert isinstance(table, ComponentTable)  # archives hold no sets of shingles
    return table


def least_of(state: Manifest) -> Wanted:
    """The least threshold that an archive answers."""
    return Wanted(distance=BITS - state.least) if state.field == "simhash" else Wanted(agreeing=state.least)


def not_made_for(state: Manifest, wanted: Wanted, components: int, least: int) -> str:
    """Why an archive does not answer for a threshold, which needs at least so many agreeing components."""
    made = state.threshold or least_of(state).threshold()
    parts = "bits" if state.field == "simhash" else "components"
    return (
        f"the archive was made for {made} ({state.least} of {components} {parts}), not for {wanted.shown()} ({least})"
    )


class ArchiveJoin:
    """All pairs of documents with the rows of one archive, by document, then row.

    Memory: 16 bytes for each candidate that is held, up to a limit, 16 for each pair, and about 50 MB. If many
    documents meet many rows in one bucket, also the signatures of up to 2^17 of each, twice, and what a join of these
    needs. With min-hashes of 84 components that is 180 MB and 26 MB, and up to 300 MB if there are many candidates.
    """

    def __init__(
        self, archive: Archive, signature: Signature, wanted: Wanted, memory: Memory | None, limits: Limits
    ) -> None:
        """Raises Failed if the archive does not answer for this threshold."""
        self.archive, self.signature, self.wanted = archive, signature, wanted
        self.memory, self.limits = memory, limits
        self.size = archive.manifest.size
        blank = component_table(signature, wanted, np.zeros(self.size, np.uint8), self.size)
        self.n, self.least = blank.n, blank.least
        if self.least < archive.manifest.least:
            raise Failed(f"{archive.name}: {not_made_for(archive.manifest, wanted, self.n, self.least)}")
        self.bands = cut(self.n, self.n - archive.manifest.least + 1)[: self.n - self.least + 1]
        self.candidates = 0

    def pairs(self, documents: Rows) -> Iterator[Pairs]:
        """Pairs of documents, by their numbers, with rows of the archive. documents: shape (documents, n)."""
        rows = max(int(self.archive.firsts[-1]), 1)
        for start in range(0, len(documents), ASKING):
            found = Sorter(self.memory, 4, self.limits)
            for pairs in self._found(documents[start : start + ASKING]):
                found.add((pairs.a * rows + pairs.b).astype(np.uint64), pairs.agreeing)
            for keys, agreeing in found.distinct(self.limits.candidates):
                both = keys.astype(np.int64)
                yield Pairs(start + both // rows, both % rows, agreeing)

    def _found(self, documents: Rows) -> Iterator[Pairs]:
        """The pairs, in no order, some more than once."""
        most = self.limits.sorted_in_memory if self.memory is None else self.limits.sorted_on_disk
        sorter, held = Sorter(self.memory, 4, self.limits, columns=0), 0
        for number, band in enumerate(self.bands):
            asked = Asked(kernel.band_keys(documents, [band])[0])
            for segment, first in zip(self.archive.segments, self.archive.firsts.tolist(), strict=False):
                for places, rows in Sorted(segment, band_name(number)).meetings(asked.distinct):
                    there = ~segment.is_removed(rows)
                    place, row = places[there], first + rows[there]
                    for each in self._crowded(asked, place):
                        yield from self._large(documents, asked.by(each), row[place == each])
                        place, row = place[place != each], row[place != each]
                    for part in stretches(asked.counts[place], self.limits.candidates):
                        which, owner = spread(asked.starts[place[part]], asked.counts[place[part]])
                        sorter.add((row[part][owner] * len(documents) + asked.order[which]).astype(np.uint64))
                        held += len(which)
                        if held >= most:
                            yield from self._compared(documents, sorter)
                            sorter, held = Sorter(self.memory, 4, self.limits, columns=0), 0
        yield from self._compared(documents, sorter)

    def _crowded(self, asked: "Asked", place: Index) -> list[int]:
        """The keys at which so many documents meet so many rows that a join of their own is faster."""
        if asked.counts[place].sum() <= self.limits.large:
            return []
        candidates = np.bincount(place, minlength=len(asked.distinct)) * asked.counts
        crowded: list[int] = np.flatnonzero((candidates > self.limits.large) & (asked.counts > MANY)).tolist()
        return crowded

    def _compared(self, documents: Rows, candidates: Sorter) -> Iterator[Pairs]:
        """Those of the candidates, row * documents + document, that are pairs, in the order of rows on disk."""
        for keys, _ in candidates.distinct(min(COMPARED, self.limits.candidates)):
            self.candidates += len(keys)
            yield self._compare(documents, keys)

    def _compare(self, documents: Rows, keys: U64) -> Pairs:
        both = keys.astype(np.int64)
        row, document = both // len(documents), both % len(documents)
        rows, right = np.unique(row, return_inverse=True)
        some, left = np.unique(document, return_inverse=True)
        together = np.concatenate([documents[some], self._rows(rows)])
        agreeing = kernel.agreements(together, self.least, left, len(some) + right)
        pair = agreeing > 0
        return Pairs(document[pair], row[pair], agreeing[pair])

    def _rows(self, rows: Index) -> Rows:
        """The components of rows, which ascend; at least one. Shape (rows, n)."""
        data = np.concatenate([segment.signatures(some) for segment, some, _ in self.archive.part(rows)])
        return component_table(self.signature, self.wanted, data, self.size).rows

    def _large(self, documents: Rows, asking: Index, rows: Index) -> Iterator[Pairs]:
        """Pairs of many documents with many rows of one bucket, by a join of their own, which collapses copies."""
        theirs = self._rows(rows)  # no more than one block of a lookup
        for start in range(0, len(asking), LARGE):
            some = asking[start : start + LARGE]
            table = ComponentTable(np.concatenate([documents[some], theirs]), self.least)
            join = Join(table, len(some), self.memory, self.limits)
            for pairs in join.pairs():
                yield Pairs(some[pairs.a], rows[pairs.b - len(some)], pairs.agreeing)
            self.candidates += join.candidates


class Asked:
    """The distinct keys of documents in one band, ascending, and the documents of each."""

    def __init__(self, keys: U64) -> None:
        self.order = np.argsort(keys, kind="stable")
        self.distinct, self.starts = np.unique(keys[self.order], return_index=True)
        self.counts: Index = np.diff(self.starts, append=len(keys))

    def by(self, place: int) -> Index:
        """The documents of the key at a place, ascending."""
        return self.order[self.starts[place] : self.starts[place] + self.counts[place]]
