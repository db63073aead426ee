"""The exact join: every pair of documents that are alike enough, and no other.

A table says in which buckets its rows lie, such that two rows that are a pair share one at least, and whether two rows
are a pair. Only rows that share a bucket are compared. So nothing is missed, unless the table says that it has buckets
for a part of the pairs only.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Index
from shingletools.simjoin.arrays import CANDIDATES, Pairs, spread, stretches
from shingletools.simjoin.table import Table
from shingletools.workers import in_threads

DOCUMENTS = 1 << 13  # looked up together
REMEMBERED = 1 << 22  # pairs of originals kept for later copies; where there are more, some are found anew


class Found(NamedTuple):
    """What `Join._find` knows of the documents from first to last (not included)."""

    first: int
    last: int
    compared: int
    asked: Index  # for each document, its place among the originals asked for
    pair_end: Index  # for each original asked for, the end of its pairs in the next two
    partner: Index  # originals
    agreeing: Index


class Join:
    """All pairs of a table's rows, one row at least; the join uses the table up.

    With `cross`, only pairs of a row before `cross` with a row from `cross` on.

    Identical rows are collapsed first: an *original* is one of the distinct rows, its *copies* are the documents that
    have it. Originals are numbered by their last copies, so that those with a copy behind a given document are all
    from some number on.

    Memory beside the rows: 64 bytes a document, and 20 for each band in which it agrees with another (twice that while
    the join is set up); 64 MB for what is remembered of copied originals; some 50 MB for each portion at work, or 100
    bytes for each pair of a single document where that is more.
    """

    def __init__(self, table: Table, cross: int | None = None) -> None:
        self.table = table
        self.documents = len(table)
        self.cross = cross
        self.bands, self.recall = table.bands, table.recall
        self.candidates = 0
        self.remembered: dict[int, tuple[Index, Index]] = {}  # partners of copied originals, and their agreement
        self.room = REMEMBERED
        self._collapse()
        self._index()

    def _collapse(self) -> None:
        """Finds the originals and leaves only their rows."""
        keys = self.table.keys()
        order = np.argsort(keys, kind="stable")
        new = np.ones(self.documents, np.bool_)
        same_key = np.flatnonzero(keys[order[1:]] == keys[order[:-1]]) + 1
        new[same_key] = ~self.table.equal(order[same_key], order[same_key - 1])
        lasts = order[np.append(np.flatnonzero(new)[1:], self.documents) - 1]
        rank = np.argsort(np.argsort(lasts))
        self.original = np.empty(self.documents, np.int64)  # of each document
        self.original[order] = rank[np.cumsum(new) - 1]
        self.last = np.sort(lasts)  # the last copy of each original
        copies = np.argsort(self.original, kind="stable")
        self.copy_key = self.original[copies] * self.documents + copies  # ascending
        self.copy_count = np.bincount(self.original)
        self.copy_end = np.cumsum(self.copy_count)
        if len(self.last) < self.documents:
            self.table.keep(self.last)

    def _index(self) -> None:
        """Finds the buckets of two or more originals that agree in a band.

        `members` holds one bucket after the other, as bucket number * originals + original, so it ascends throughout;
        `postings` the places of the first original in it, then of the second, and so on. `weight` bounds the candidates
        of each original.
        """
        originals = len(self.last)
        parts = [np.empty(0, np.int64)]
        buckets = 0
        for keys, row in self.table.buckets(range(self.bands)) if originals > 1 else ():
            order = np.argsort(keys, kind="stable")
            starts = np.append(True, keys[order[1:]] != keys[order[:-1]])
            shared = ~(starts & np.append(starts[1:], True))
            number = np.cumsum(starts[shared]) - 1 + buckets
            parts.append(number * originals + row[order[shared]])
            buckets += int(np.count_nonzero(starts[shared]))
        self.members = np.concatenate(parts)
        del parts
        self.bucket_end = np.searchsorted(self.members, np.arange(1, buckets + 1) * originals)
        owner = self.members % originals
        sizes = np.diff(self.bucket_end, prepend=0)
        self.weight = np.bincount(owner, np.repeat(sizes.astype(np.float64), sizes), originals).astype(np.int64)
        self.posting_count = np.bincount(owner, minlength=originals)
        self.posting_end = np.cumsum(self.posting_count)
        self.postings = np.argsort(owner, kind="stable")

    def pairs(self, jobs: int = 1) -> Iterator[Pairs]:
        """The pairs in blocks, sorted throughout; `candidates` counts the comparisons made for them."""
        for found in in_threads(self._find, self._portions(), jobs):
            self.candidates += found.compared
            yield from self._expand(found)

    def _portions(self) -> Iterator[tuple[int, int]]:
        """The documents a, in portions that bring a bounded number of candidates."""
        end = self.documents if self.cross is None else self.cross
        for first in range(0, end, DOCUMENTS):
            last = min(first + DOCUMENTS, end)
            for part in stretches(self.weight[self.original[first:last]], CANDIDATES):
                yield first + part.start, first + part.stop

    def _behind(self, documents: Index) -> Index:
        """For each document, the one behind which its partners are."""
        return documents if self.cross is None else np.full(len(documents), self.cross - 1)

    def _find(self, portion: tuple[int, int]) -> Found:
        """The originals that agree with each original in a portion and have a copy behind it."""
        first, last = portion
        originals = len(self.last)
        mine, place, asked = np.unique(self.original[first:last], return_index=True, return_inverse=True)
        behind = self._behind(first + place)
        least_partner = np.searchsorted(self.last, behind, "right")

        copied = np.flatnonzero(self.copy_count[mine] > 1)
        numbers = mine[copied].tolist()
        known = {
            place: self.remembered[number]
            for place, number in zip(copied.tolist(), numbers, strict=True)
            if number in self.remembered
        }
        unknown = self.posting_count[mine]
        unknown[list(known)] = 0

        postings, owner = spread((self.posting_end - self.posting_count)[mine], unknown)
        bucket = self.members[self.postings[postings]] // originals
        start = np.searchsorted(self.members, bucket * originals + least_partner[owner])
        count = self.bucket_end[bucket] - start
        end = np.cumsum(count)
        total = int(end[-1]) if len(end) else 0

        fresh = np.setdiff1d(copied, list(known))
        key = fresh * originals + mine[fresh]  # its copies are pairs too
        agreeing = self.table.whole(mine[fresh])
        for place_of_known, (partner, agree) in known.items():
            key = np.append(key, place_of_known * originals + partner)
            agreeing = np.append(agreeing, agree)
        compared = 0
        for begin in range(0, total, CANDIDATES):
            index = np.arange(begin, min(begin + CANDIDATES, total))
            entry = np.searchsorted(end, index, "right")
            partner = self.members[start[entry] + index - (end - count)[entry]] % originals
            candidate = owner[entry] * originals + partner
            candidate = np.unique(candidate[partner != mine[owner[entry]]])  # met in several bands, compared once
            compared += len(candidate)
            enough, agree = self.table.compare(mine[candidate // originals], candidate % originals)
            # Merged at once: a document with many partners may meet them again in the next block
            key, where = np.unique(np.append(key, candidate[enough]), return_index=True)
            agreeing = np.append(agreeing, agree[enough])[where]
        order = np.argsort(key)
        key, agreeing = key[order], agreeing[order]
        pair_end = np.searchsorted(key, np.arange(1, len(mine) + 1) * originals)
        found = Found(first, last, compared, asked, pair_end, key % originals, agreeing)
        self._remember(found, mine, fresh.tolist())
        return found

    def _remember(self, found: Found, mine: Index, places: list[int]) -> None:
        """Keeps the partners of originals that have copies in portions to come, so that they are not compared again."""
        for place in places:
            if self.last[mine[place]] >= found.last:
                start, end = int(found.pair_end[place - 1]) if place else 0, int(found.pair_end[place])
                if end - start <= self.room:
                    self.room -= end - start
                    partners = found.partner[start:end].copy(), found.agreeing[start:end].copy()
                    self.remembered[int(mine[place])] = partners

    def _expand(self, found: Found) -> Iterator[Pairs]:
        """The pairs of originals as pairs of documents."""
        documents = np.arange(found.first, found.last)
        pairs = np.diff(found.pair_end, prepend=0)[found.asked]
        for part in stretches(pairs, CANDIDATES):
            pair, owner = spread((found.pair_end[found.asked] - pairs)[part], pairs[part])
            document = documents[part][owner]
            partner = found.partner[pair]
            start = np.searchsorted(self.copy_key, partner * self.documents + self._behind(document), "right")
            count = self.copy_end[partner] - start
            by_document = np.bincount(owner, count, len(pairs[part])).astype(np.int64)
            for some in stretches(by_document, CANDIDATES):
                chosen = slice(*np.searchsorted(owner, [some.start, some.stop]))
                copy, index = spread(start[chosen], count[chosen])
                a = document[chosen][index]
                b = self.copy_key[copy] % self.documents
                order = np.argsort(a * self.documents + b)
                yield Pairs(a[order], b[order], found.agreeing[pair[chosen][index]][order])
