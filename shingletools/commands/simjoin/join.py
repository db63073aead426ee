"""The exact join: every pair of documents that are similar enough, and no other.

A table puts documents into buckets so that the two documents of a pair share at least one. Only documents that share
a bucket are compared. So no pair is missed, unless buckets were made for a recall below 1. Some tables find pairs
without buckets, by counting.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from shingletools.commands.simjoin.buckets import Alive, Portion, bands, by_size, copies, mixed
from shingletools.commands.simjoin.candidates import BucketCandidates, weigh
from shingletools.commands.simjoin.found_pairs import ALL_PAIRS, FoundPairs, WhichPairs
from shingletools.commands.simjoin.limits import DEFAULT, Limits, Resources
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.split_buckets import SplitBands, split_portion
from shingletools.commands.simjoin.table import Candidates, Documents
from shingletools.kernel.types import U64, Flags, Index
from shingletools.numbers.sorter import Entries, Sorter, distinct_keys
from shingletools.record.events import Progress
from shingletools.system.memory_limit import Memory
from shingletools.system.workers import in_threads


class Join:
    """Finds all pairs of documents; with `cross`, of a document before `cross` and one from `cross` on.

    Identical rows of one side, with equal labels, are collapsed: the first, the *original*, stands for its copies.
    Originals that share a bucket are candidates. Those that are pairs are kept, and become pairs of documents one
    document after the other. With `copies_once`, a copy has one pair, with its original. With `best`, each pair comes
    in both orders; of a partner and its copies, only the first `best`, and the original.

    Memory, besides the documents: with a limit, that, two bytes for each document, and for each document of the largest
    bucket 300, or 8 for each band if it is split. Without one, 100 bytes for each document, 40 for each pair of
    originals, twice with `best`, and 32 for each copy. In both cases, about 50 MB for each portion at work.
    """

    def __init__(
        self,
        documents: Documents,
        cross: int | None = None,
        memory: Memory | None = None,
        limits: Limits = DEFAULT,
        which: WhichPairs = ALL_PAIRS,
    ) -> None:
        self.table = documents
        self.which, self.scope = which, which.scope
        self.documents = len(documents)
        self.cross = cross
        self.memory = memory
        self.limits = limits
        self.bands, self.recall = documents.bands, documents.recall
        self.candidates = self.band = 0

    def search(self, jobs: int = 1) -> Generator[Progress, None, FoundPairs]:
        """Yields progress, and returns the pairs; to be called once. `candidates` counts the comparisons."""
        self.jobs = jobs
        original, copied = self._collapse()
        found = Sorter(self.memory, 4, self.limits)
        for compared, pairs in self._found(original) if np.count_nonzero(original) > 1 else ():
            self.candidates += compared
            yield Progress(self.band / self.bands, self.candidates)
            found.add(self._keys(pairs.a, pairs.b), pairs.agreeing)
            # A copy may come before its original's partner
            some = (copied[pairs.a] | copied[pairs.b]) & (not self.which.copies_once) | (self.which.best is not None)
            some &= self.cross is None
            found.add(self._keys(pairs.b[some], pairs.a[some]), pairs.agreeing[some])
        partners = Entries(self._noted(found.distinct(self.limits.candidates), copied), self.memory)
        copies_pair = self.cross is None and (self.scope is None or not self.scope.across)
        whole = self.table.whole if copies_pair else None
        del self.table  # whose documents need not be compared again
        yield Progress(1, self.candidates)
        return FoundPairs(
            documents=self.documents,
            cross=self.cross,
            which=self.which,
            copies=self.copies,
            originals=self.originals,
            partners=partners,
            paired=copied,  # and all that have partners
            whole=whole,
            limits=self.limits,
            jobs=jobs,
        )

    def _noted(self, entries: Iterator[tuple[U64, Index]], paired: Flags) -> Iterator[tuple[U64, Index]]:
        """Yields entries of keys, and sets the flags of the first rows of their pairs. paired: shape (documents,)."""
        for keys, values in entries:
            paired[(keys // np.uint64(self.documents)).astype(np.int64)] = True
            yield keys, values

    def _found(self, original: Flags) -> Iterator[tuple[int, Pairs]]:
        """Yields blocks: the number of candidates, and the pairs of originals among them."""
        counted = self.table.counted(original)
        if counted is not None:
            for met, pairs in counted.pairs(self.cross, self.limits.meetings, self.jobs):
                yield met, pairs if self.scope is None else self.scope.allowed(pairs)
            return
        parts = self._parts(original)
        if self.memory is not None:
            keys = in_threads(lambda part: self._keys(*self._candidates(part)), parts, self.jobs)
            # By row and each once: so rows on disk are read in order, not anew for each band
            sorter = partial(Sorter, self.memory, 8, self.limits, columns=0)
            together = min(self.limits.sorted_on_disk, self.memory.share(8, self.limits.candidates))  # 8 bytes each
            by_row = distinct_keys(keys, sorter, together, self.limits.candidates)
            candidates = (Candidates(*np.divmod(each.astype(np.int64), self.documents)) for each in by_row)
            yield from in_threads(self._compare, candidates, self.jobs)
        else:
            yield from in_threads(lambda part: self._compare(self._candidates(part), band=part[2]), parts, self.jobs)

    def _keys(self, one: Index, two: Index) -> U64:
        """Returns rows one[i] and two[i] as one number that sorts as the pair does. Shapes: (n,), (n,) in; (n,) out."""
        return (one * self.documents + two).astype(np.uint64)

    def _collapse(self) -> tuple[Flags, Flags]:
        """Returns whether each row is an original, and whether it has copies. Shapes (documents,), (documents,)."""
        original, copied = np.ones(self.documents, np.bool_), np.zeros(self.documents, np.bool_)
        by_original, by_copy = Sorter(self.memory, 8, self.limits), Sorter(self.memory, 8, self.limits)
        for first, copy in copies(self.table, self.cross, self.scope, Resources(self.memory, self.limits, self.jobs)):
            original[copy] = False
            copied[first] = True
            by_original.add(self._keys(first, copy), copy)
            by_copy.add(copy.astype(np.uint64), first)
        self.copies = Entries(by_original.sorted(), self.memory)  # original * documents + copy, and copy
        self.originals = Entries(by_copy.sorted(), self.memory)  # copy, and original
        return original, copied

    def _parts(self, original: Flags) -> Iterator[tuple[BucketCandidates, slice, int, Sequence[SplitBands]]]:
        """Yields the candidates of all bands in parts, each with its band, and the bands into which it was split."""
        alive = Alive(original, self.scope)
        for number, band in enumerate(bands(self.table, alive, Resources(self.memory, self.limits, self.jobs))):
            self.band = number
            for bucketed in in_threads(self._bucketed, band, self.jobs):
                for candidates, before in bucketed:
                    for part in candidates.parts(self.limits.candidates):
                        yield candidates, part, number, before

    def _bucketed(self, portion: Portion) -> Iterable[tuple[BucketCandidates, Sequence[SplitBands]]]:
        """Returns the candidates of a portion, and the bands into which it was split; of sets, made at once."""
        whole = mixed(by_size(self.table, portion), self.scope)
        if self.table.components is None:
            return [(BucketCandidates(whole, self.cross, self.table), ())]
        split = split_portion(self.table, whole, partial(weigh, cross=self.cross), self.limits)
        return ((BucketCandidates(buckets, self.cross, self.table), before) for buckets, before in split)

    def _candidates(self, item: tuple[BucketCandidates, slice, int, Sequence[SplitBands]]) -> Candidates:
        """Returns the candidates of a part."""
        buckets, part, _, before = item
        candidates = buckets.within(part)
        if self.scope is not None:
            candidates = candidates.at(self.scope.has(candidates.left, candidates.right))
        for bands_before in before:
            candidates = candidates.at(~bands_before.share(candidates.left, candidates.right))
        return candidates

    def _compare(self, candidates: Candidates, band: int = 0) -> tuple[int, Pairs]:
        """Returns how many candidates were compared, and the pairs among them.

        A pair that shares several buckets is compared in the first one; on disk, once by its rows.
        """
        agreeing, compared = self.table.compare(candidates, band)
        return compared, Pairs(candidates.left, candidates.right, agreeing).at(agreeing > 0)
