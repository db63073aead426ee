"""Joins documents with an archive: finds exactly the pairs that are similar enough.

The archive was cut into bands for the least threshold that it answers. At a higher threshold a pair differs in fewer
components, so fewer bands suffice. Documents and rows of the archive that share a key in one of them are candidates.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from shingletools.archive.archive_files import band_name
from shingletools.archive.archive_reader import Archive
from shingletools.archive.key_lookup import SortedKeys
from shingletools.archive.manifest import Manifest
from shingletools.commands.simjoin.found_pairs import without_progress
from shingletools.commands.simjoin.join import Join
from shingletools.commands.simjoin.join_options import BITS, JoinOptions
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.pair_arrays import Pairs, merged
from shingletools.commands.simjoin.signature import Data, Signature
from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.table import ComponentTable, cut
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Index, Rows
from shingletools.numbers.ranges import spread, stretches
from shingletools.numbers.sorter import Entries, Sorter, ascending, distinct_keys
from shingletools.system.errors import Failed
from shingletools.system.memory_limit import Memory

BATCH_CANDIDATES = 1 << 15  # candidates that are compared together, with their signatures in memory
BATCH_DOCUMENTS = 1 << 18  # documents that ask together: all tables are read once for them
MAX_PAIRS = 1 << 22  # pairs in memory: if more are found, fewer documents ask together
CROWDED_CANDIDATES = 32  # a key is crowded if it has more candidates than so many for each of its documents and rows
JOIN_DOCUMENTS = 1 << 17  # documents that are joined with as many rows


def signature_in(archive: Archive) -> Signature | None:
    """Returns the kind of an archive's signatures; None if it has none yet. Raises Failed if it keeps passages."""
    state = archive.manifest
    if state.passages:
        made = f"passages (simindex add -k {state.passages[-1]}), which repeats --against asks for"
        raise Failed(f"{archive.name}: the archive keeps {made}")
    return next((kind for kind in SIGNATURES if (kind.field, kind.digits) == (state.field, state.digits)), None)


def component_table(signature: Signature, wanted: JoinOptions, data: Data, size: int) -> ComponentTable:
    """Returns signatures of `size` bytes each, one after the other, as rows of components; at least one."""
    sizes = np.full(len(data) // size, size)
    table = signature.table(wanted, data, sizes, np.empty(0, np.uint32))
    assert isinstance(table, ComponentTable)  # archives hold no sets of shingles
    return table


def least_of(state: Manifest) -> JoinOptions:
    """Returns the least threshold that an archive answers."""
    return JoinOptions(distance=BITS - state.least) if state.field == "simhash" else JoinOptions(agreeing=state.least)


def not_made_for(state: Manifest, wanted: JoinOptions, components: int, least: int) -> str:
    """Returns why an archive does not answer for a threshold, which needs at least so many agreeing components."""
    made = state.threshold or least_of(state).threshold()
    parts = "bits" if state.field == "simhash" else "components"
    return (
        f"the archive was made for {made} ({state.least} of {components} {parts}), not for {wanted.shown()} ({least})"
    )


class ArchiveJoin:
    """Finds all pairs of documents with the rows of one archive, by document, then row.

    Documents and rows that share a key are compared. Where many share one, such as copies, they are joined as those of
    files are: that collapses copies.

    Memory: about 50 MB, and up to 300 MB if there are many candidates. If many share a key, also the signatures of up
    to 2^17 documents and as many rows, twice, and what a join of these needs. With min-hashes of 84 components that is
    180 MB and 26 MB.
    """

    def __init__(
        self, archive: Archive, signature: Signature, wanted: JoinOptions, memory: Memory | None, limits: Limits
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
        """Yields pairs of documents, by their numbers, and rows of the archive. documents: shape (documents, n)."""
        for start in range(0, len(documents), BATCH_DOCUMENTS):
            yield from self._pairs(documents, start, min(start + BATCH_DOCUMENTS, len(documents)))

    def _pairs(self, documents: Rows, start: int, stop: int) -> Iterator[Pairs]:
        """Yields pairs of the documents from start to stop; half of them at a time if there are many pairs."""
        some, rows, held = documents[start:stop], max(int(self.archive.firsts[-1]), 1), 0
        original = originals(some)
        found, crowd = Sorter(self.memory, 4, self.limits), Crowd(len(some))
        for pairs in self._found(some, np.unique(original), crowd):
            held += len(pairs.a)
            if held > MAX_PAIRS and self.memory is None and len(some) > 1:
                del found, pairs
                middle = (start + stop) // 2
                yield from self._pairs(documents, start, middle)
                yield from self._pairs(documents, middle, stop)
                return
            found.add((pairs.a * rows + pairs.b).astype(np.uint64), pairs.agreeing)
        partners = Entries(found.distinct(self.limits.candidates), self.memory)
        crowd.documents = crowd.documents[original]
        for pairs in merged([crowd.without(self._expand(original, partners, rows)), self._joined(some, crowd)]):
            yield pairs._replace(a=start + pairs.a)

    def _expand(self, original: Index, partners: Entries, rows: int) -> Iterator[Pairs]:
        """Yields the pairs of documents, from the partners of their originals."""
        first, count = partners.within(original, rows)
        for part in stretches(count, self.limits.candidates):
            place, owner = spread(first[part], count[part])
            found = Pairs(part.start + owner, partners.keys[place].astype(np.int64) % rows, partners.values[place])
            partners.forget()
            yield found

    def _found(self, documents: Rows, some: Index, crowd: "Crowd") -> Iterator[Pairs]:
        """Yields the pairs of some documents, a few twice, in stretches by row. Leaves out the crowd, and sets it."""
        together = self.limits.sorted_in_memory if self.memory is None else self.limits.sorted_on_disk
        most = min(BATCH_CANDIDATES, self.limits.candidates)
        candidates = self._candidates(documents, some, crowd)
        for keys in distinct_keys(candidates, partial(Sorter, self.memory, 8, self.limits, columns=0), together, most):
            self.candidates += len(keys)
            yield self._compare(documents, keys)

    def _candidates(self, documents: Rows, some: Index, crowd: "Crowd") -> Iterator[U64]:
        """Yields candidates as row * documents + document."""
        for number, band in enumerate(self.bands):
            asked = Asked(kernel.band_keys(documents, [band])[0], some)
            for segment, first in zip(self.archive.segments, self.archive.firsts.tolist(), strict=False):
                for places, rows in SortedKeys(segment, band_name(number)).meetings(asked.distinct):
                    there = ~segment.is_removed(rows)
                    place, row = crowd.sorted_out(asked, places[there], first + rows[there])
                    for part in stretches(asked.counts[place], self.limits.candidates):
                        document, owner = asked.by(place[part])
                        yield (row[part][owner] * len(documents) + document).astype(np.uint64)

    def _compare(self, documents: Rows, keys: U64) -> Pairs:
        row, document = divmod(keys.astype(np.int64), len(documents))
        rows, right = np.unique(row, return_inverse=True)
        some, left = np.unique(document, return_inverse=True)
        together = np.concatenate([documents[some], self._rows(rows)])
        agreeing, _ = kernel.agreements(together, self.least, left, len(some) + right)
        return Pairs(document, row, agreeing).at(agreeing > 0)

    def _rows(self, rows: Index) -> Rows:
        """Returns the components of rows, which ascend; at least one. Shape (rows, n)."""
        data = np.concatenate([segment.signatures(some) for segment, some, _ in self.archive.part(rows)])
        return component_table(self.signature, self.wanted, data, self.size).rows

    def _joined(self, documents: Rows, crowd: "Crowd") -> Iterator[Pairs]:
        """Yields the pairs of the crowd's documents with its rows."""
        for asking in in_parts(np.flatnonzero(crowd.documents)):
            for pairs in merged([self._join(documents[asking], rows) for rows in in_parts(crowd.rows)]):
                yield pairs._replace(a=asking[pairs.a])

    def _join(self, documents: Rows, rows: Index) -> Iterator[Pairs]:
        """Yields pairs of documents and rows, which ascend, by a join of their own."""
        together = np.concatenate([documents, self._rows(rows)])
        join = Join(ComponentTable(together, self.least), len(documents), self.memory, self.limits)
        del together  # which the join needs only for the search
        for pairs in without_progress(join.search()):
            yield pairs._replace(b=rows[pairs.b - len(documents)])
        self.candidates += join.candidates


class Crowd:
    """The documents and rows of keys that so many of both have that a join of their own is faster."""

    def __init__(self, documents: int) -> None:
        self.documents = np.zeros(documents, np.bool_)
        self.rows: Index = np.empty(0, np.int64)  # ascending

    def sorted_out(self, asked: "Asked", place: Index, row: Index) -> tuple[Index, Index]:
        """Takes the documents and rows of crowded keys. Returns the places of other keys, and their rows."""
        keys, which, row_counts = np.unique(place, return_inverse=True, return_counts=True)
        document_counts = asked.counts[keys]
        many = document_counts * row_counts > CROWDED_CANDIDATES * (document_counts + row_counts)
        if not many.any():
            return place, row
        self.documents[asked.by(keys[many])[0]] = True
        self.rows = np.union1d(self.rows, row[many[which]])
        return place[~many[which]], row[~many[which]]

    def without(self, found: Iterator[Pairs]) -> Iterator[Pairs]:
        """Returns the pairs whose document or row is not in the crowd."""
        for pairs in found:
            yield pairs.at(~(self.documents[pairs.a] & np.isin(pairs.b, self.rows)))


class Asked:
    """The distinct keys of some documents in one band, ascending, and the documents of each."""

    def __init__(self, keys: U64, some: Index) -> None:
        self.order = some[ascending(keys[some])]
        self.distinct, self.starts = np.unique(keys[self.order], return_index=True)
        self.counts: Index = np.diff(self.starts, append=len(some))

    def by(self, places: Index) -> tuple[Index, Index]:
        """Returns the documents of the keys at these places, and the number of the place that each belongs to."""
        which, owner = spread(self.starts[places], self.counts[places])
        return self.order[which], owner


def originals(documents: Rows) -> Index:
    """Returns the number of the first document that equals each; its own if that has the same key by chance only."""
    n, every = documents.shape[1], np.arange(len(documents))
    _, first, which = np.unique(kernel.band_keys(documents, [(0, n)])[0], return_index=True, return_inverse=True)
    return np.where(kernel.agreements(documents, n, first[which], every)[0] > 0, first[which], every)


def in_parts(numbers: Index) -> list[Index]:
    return [numbers[start : start + JOIN_DOCUMENTS] for start in range(0, len(numbers), JOIN_DOCUMENTS)]
