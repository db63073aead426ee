"""dedup --pairs within a limit of memory: ids get their numbers when all pairs and documents have come."""

from array import array
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from shingletools.commands.dedup.archive_pairs import ArchivePartners
from shingletools.commands.dedup.decisions_by_pairs import SimilarPairs, originals, similarity_figures
from shingletools.commands.dedup.dedup_collector import DedupCollector
from shingletools.commands.dedup.removal_decisions import NO_SIMILARITY, RemovalDecisions
from shingletools.commands.dedup.side_input import LineFailed
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds
from shingletools.kernel.independent_set import EITHER_MAY
from shingletools.kernel.types import F64, I32, U8, U64, Flags, Index
from shingletools.numbers.ids_on_disk import READ_ENTRIES, IdsOnDisk
from shingletools.numbers.payload_store import DEFAULT, DiskLimits
from shingletools.numbers.seen_ids import SeenIds
from shingletools.numbers.sorter import Entries, Sorter
from shingletools.record.collector import CollectorContext
from shingletools.system.disk_array import DiskArray
from shingletools.system.line_spool import LineSpool
from shingletools.system.memory_limit import Memory

NO_RANK = np.iinfo(np.int32).max  # greater than any rank
RANK_BITS = 32  # bits of a rank; two are packed into one integer


class SimilarPairsOnDisk(SimilarPairs):
    """All pairs of the input, on disk. Those that are not similar enough have no similarity."""

    def __init__(self, spec: DedupSpec, memory: Memory, limits: DiskLimits) -> None:
        self.held = IdsOnDisk(memory, limits)
        super().__init__(kernel.new_ids(), spec.least)
        self.similarities = DiskArray(memory.folder)
        self.copies = array("q")  # the numbers of pairs of an original and a copy of it
        self.pairs = 0

    def number(self, ids: bytes, sizes: bytes) -> Index:
        return self.held.number(ids, sizes)

    def add_enough(self, ends: Index, similarity: F64, enough: Flags, copied: Flags, may_go: U8) -> None:
        if (wrong := enough & (may_go != EITHER_MAY)).any():
            raise LineFailed("-S takes no pairs that say by covers or contained who may go", int(np.argmax(wrong)))
        self.copies.frombytes((self.pairs + np.flatnonzero(copied & enough)).tobytes())
        self.held.mention(ends.ravel())
        self.similarities.append(np.where(enough, similarity, NO_SIMILARITY).tobytes())
        self.pairs += len(ends)


class ByPairsOnDisk(RemovalDecisions):
    """Decides as ByPairs does. A document is its place in the input; its rank is its place in the order of preference.

    Memory: the limit, 4 bytes a document, 12 for each in a pair, 8 more for each if similarities count, and 8 for each
    pair of a copy.
    """

    option = "--pairs"

    def __init__(self, similar: SimilarPairsOnDisk, memory: Memory, limits: DiskLimits, annotate: bool) -> None:
        self.different = similar.different
        self.similar, self.memory, self.limits, self.annotate = similar, memory, limits, annotate
        self.ids = similar.held  # of pairs, then of documents
        self.named = 0  # ids in pairs, which have the first numbers
        self.halves = self.wholes = self.others = 0  # pairs with one document of the input, with two, and not with two
        self.numbers = DiskArray(memory.folder)  # of all mentions, int32
        self.number = np.empty(0, np.int32)  # of each document

    def __len__(self) -> int:
        return self.named

    def settle(self) -> None:
        """Numbers the ids, after all documents have come."""
        left = 2 * self.similar.pairs
        for some in self.ids.numbers():
            self.named = max(self.named, int(some[:left].max(initial=-1)) + 1)
            left = max(left - len(some), 0)
            self.numbers.append(some.astype(np.int32).tobytes())
        self.number = self.numbers.view(np.int32)[2 * self.similar.pairs :].copy()
        self.numbers.forget()

    def concerns(self, documents: Index) -> Flags:
        """Returns all documents, since ids have no numbers yet."""
        return self.number[documents] < self.named if len(self.number) else np.ones(len(documents), np.bool_)

    def take(self, documents: Index) -> None:
        """Takes all documents at once."""
        self.order = documents.astype(np.int32)
        self.rank = np.full(self.named, -1, np.int32)  # of ids in pairs; of copies, that of the first one
        self.rank[self.number[documents]] = np.arange(len(documents), dtype=np.int32)
        if self.similar.copies:
            numbered = self.numbers.view(np.int32)[: 2 * self.similar.pairs].reshape(-1, 2)
            copies = numbered[np.frombuffer(self.similar.copies, np.int64)]
            original = originals(self.named, copies, (ends for ends, _ in self.pairs_of_originals()))
            first = np.full(self.named, NO_RANK, np.int32)
            there = np.flatnonzero(self.rank >= 0)
            np.minimum.at(first, original[there], self.rank[there])
            first[first == NO_RANK] = -1
            self.rank = first[original]
        self.partner = np.full(len(documents), -1, np.int32)  # of each rank
        self.pairs = Entries(self.ranked().sorted(), self.memory)
        for start in range(0, len(self.pairs.keys), READ_ENTRIES):
            kernel.greedy_independent_set_of_pairs(self.pairs.keys[start : start + READ_ENTRIES], self.partner)
            self.pairs.forget()
        if self.annotate:
            self.similarity(documents[:0])

    @cached_property
    def best_similarity(self) -> F64:
        """Gives each rank the most similar partner that is kept. Returns their similarities."""
        best = np.full(len(self.partner), NO_SIMILARITY)
        for start in range(0, len(self.pairs.keys), READ_ENTRIES):
            part = slice(start, start + READ_ENTRIES)
            self.offer(self.pairs.keys[part], self.pairs.values[part].view(np.float64), best)
            self.pairs.forget()
        return best

    def pairs_of_originals(self) -> Iterator[tuple[I32, F64]]:
        """Yields the pairs that are not of a copy, in parts: ends, shape (pairs, 2), and similarities."""
        ends = self.numbers.view(np.int32)[: 2 * self.similar.pairs].reshape(-1, 2)
        similarities = self.similar.similarities.view(np.float64)
        copies = np.frombuffer(self.similar.copies, np.int64)
        for start in range(0, len(ends), READ_ENTRIES):
            part = slice(start, start + READ_ENTRIES)
            copied = copies[slice(*np.searchsorted(copies, [part.start, part.stop]))] - start
            yield np.delete(ends[part], copied, axis=0), np.delete(similarities[part], copied)
            self.numbers.forget()
            self.similar.similarities.forget()

    def ranked(self) -> Sorter:
        """Returns the pairs that are similar enough: lesser rank << RANK_BITS | greater rank, with the similarity."""
        sorter = Sorter(self.memory, 4, self.limits)
        for ends, similarity in self.pairs_of_originals():
            ranks = self.rank[ends]
            enough = (similarity > NO_SIMILARITY) | (self.similar.least is None)
            here = ranks >= 0
            there = enough & here.all(axis=1)
            self.wholes += int(np.count_nonzero(there))
            self.halves += int(np.count_nonzero(enough & here.any(axis=1) & ~there))
            self.others += int(np.count_nonzero(enough & ~there))
            keys = ranks[there].min(axis=1).astype(np.uint64) << np.uint64(RANK_BITS)
            sorter.add(keys | ranks[there].max(axis=1).astype(np.uint64), similarity[there].view(np.int64))
        return sorter

    def offer(self, pairs: U64, similarity: F64, most: F64) -> None:
        """Gives removed documents the most similar partner that is kept; of equals the first one, so pairs ascend."""
        lesser = (pairs >> np.uint64(RANK_BITS)).astype(np.int64)
        greater = (pairs & np.uint64((1 << RANK_BITS) - 1)).astype(np.int64)
        first = self.partner[lesser] < 0
        kept, gone = np.where(first, lesser, greater), np.where(first, greater, lesser)
        good = np.flatnonzero(self.partner[kept] < 0)
        kept, gone, alike = kept[good], gone[good], similarity[good]
        order = np.lexsort((-alike, gone))  # stable
        each, place = np.unique(gone[order], return_index=True)
        best = order[place]
        better = alike[best] > most[each]
        self.partner[each[better]], most[each[better]] = kept[best[better]], alike[best[better]]

    def kept_for(self, documents: Index) -> Index:
        rank = self.rank[self.number[documents]]
        partner = self.partner[rank]
        return self.order[np.where(partner < 0, rank, partner)].astype(np.int64)

    def similarity(self, documents: Index) -> F64:
        rank = self.rank[self.number[documents]]
        is_copy = (self.partner[rank] < 0) & (self.order[rank] != documents)
        return np.where(is_copy, 1, self.best_similarity[rank])

    def pairs_here(self, _seen: Flags) -> tuple[int, int]:
        return self.halves, self.wholes

    def figures(self, _there: Flags, _seen: Flags) -> list[str]:
        similarity = self.similarity(self.order.astype(np.int64))
        return similarity_figures(similarity[similarity > NO_SIMILARITY], self.others)


class DedupOnDisk(DedupCollector):
    """Does the same as DedupCollector, but all documents wait in a scratch file.

    Memory: the limit, a byte a document, and the memory of the decisions.
    """

    decisions: ByPairsOnDisk

    def __init__(
        self, spec: DedupSpec, memory: Memory, context: CollectorContext, limits: DiskLimits = DEFAULT
    ) -> None:
        similar = SimilarPairsOnDisk(spec, memory, limits)
        similar.read("--pairs", spec.pairs, context)
        none = kernel.new_ids()
        super().__init__(spec, none, ByPairsOnDisk(similar, memory, limits, spec.annotate), ArchivePartners(none))
        self.claimed = SeenIds(memory, limits)
        self.aside = LineSpool(memory.folder)
        self.back = 0  # documents that were read again

    def claim(self, ids: bytes, sizes: bytes) -> tuple[Index, Flags]:
        new = self.claimed.claim(0, ids, np.frombuffer(sizes, np.int64))
        self.decisions.ids.mention(self.decisions.ids.number(ids, sizes)[new])
        self.seen.extend(bytes(int(np.count_nonzero(new))))
        return len(self.seen) - int(np.count_nonzero(new)) + np.cumsum(new) - 1, ~new

    def decide(self) -> None:
        self.claimed.close()
        self.decisions.settle()
        self.preference.leave(self.decisions.concerns(np.arange(len(self.seen))))
        super().decide()
        seen = np.zeros(len(self.decisions.ids), np.bool_)
        seen[self.decisions.number] = True
        self.seen = bytearray(seen)

    def number(self, _ids: bytes, sizes: bytes) -> Index:
        """Numbers documents that have waited, which come again in their order."""
        start = self.back
        self.back += len(sizes) // 8
        return np.arange(start, self.back)

    def names(self, numbers: Index) -> SelectedIds:
        return self.decisions.ids.names(self.decisions.number[numbers].astype(np.int64))
