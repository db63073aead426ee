"""Makes groups of pairs."""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import orjson

from shingletools.commands.simgroup.id_readers import DocumentIds, PairIds
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds, each_id
from shingletools.kernel.types import I32, U64, Flags, Index
from shingletools.numbers.ranges import stretches
from shingletools.numbers.union_find import MAX_NUMBERS, UnionFind
from shingletools.record.collector import Collector
from shingletools.record.events import Event, written
from shingletools.record.record_batch import RecordBatch, Schema
from shingletools.record.wire import COPY_TWICE
from shingletools.system import errors
from shingletools.system.errors import Failed

BATCH_MEMBERS = 1 << 13  # members of groups that are written together; a larger group is written alone
ROW_BITS = 32  # bits of a row; two are packed into one integer
BATCH_DOCUMENTS = 1 << 20  # documents that are put into groups together
LARGE_GROUP = 1000  # documents of an input whose largest group is checked; in a smaller one, a tenth may be copies
TENTH = 10


class Stars:
    """Groups in which every member has a pair with the representative. It is used as UnionFind is.

    In the order of the documents, a document that no representative has taken becomes one itself, and takes those of
    its partners that are not taken yet. Memory: 4 bytes a document, and 8 a pair.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.pairs = array("Q")  # lesser document << ROW_BITS | greater one

    def __len__(self) -> int:
        return self.documents

    def grow(self, documents: int) -> None:
        self.documents = documents

    def join(self, left: Index, right: Index) -> None:
        keys = np.minimum(left, right) << ROW_BITS | np.maximum(left, right)
        self.pairs.frombytes(keys.tobytes())

    def representatives(self) -> I32:
        taken_by = np.full(self.documents, -1, np.int32)
        pairs: U64 = np.frombuffer(self.pairs, np.uint64)
        pairs.sort()
        kernel.greedy_independent_set_of_pairs(pairs, taken_by)
        return np.where(taken_by < 0, np.arange(self.documents, dtype=np.int32), taken_by)


class Groups(Collector):
    """Takes pairs {"a", "b"}, then writes groups of two or more. Groups and members are in the order of first mention.

    With files of documents it also writes groups of one, for documents in no group. Memory: the ids and about 30 bytes
    for each; 4 for each document in a pair, 8 for each copy, and what the method needs.
    """

    def __init__(self, spec: GroupSpec) -> None:
        self.spec = spec
        self.method: Stars | UnionFind = Stars() if spec.star else UnionFind()
        # The ids in pairs come first, then those of other documents
        self.ids = kernel.new_ids()
        self.nearest = array("i")  # for each document in a pair, the first of its partners
        self.pair_reader = PairIds(spec.least, spec.once(0))
        self.readers: Sequence[PairIds | DocumentIds] = self.pair_reader, DocumentIds(spec.id_field)
        self.copied = array("q")  # the documents that are b, a copy of a, in a pair
        self.copies = UnionFind()  # documents and their copies, if there are any
        self.paired = bytearray()  # with --star, whether each document is in a pair other than as a copy
        self.groups = self.grouped = self.largest = self.chained = self.pairs = 0
        self.forest = False  # whether every pair connects two groups, as with simjoin --forest
        self.doubts: list[str] = []

    def schema(self, side: int, _file: str = "", /) -> Schema:
        return self.readers[side > 0].schema

    def take(self, batch: RecordBatch, side: int, /) -> Iterator[Event]:
        numbers = np.frombuffer(self.ids.number(*self.readers[side > 0].ids(batch)), np.int64)
        if len(self.ids) > MAX_NUMBERS:
            raise Failed(f"more than {MAX_NUMBERS} ids")
        if not side:
            self.join(numbers, np.flatnonzero(self.pair_reader.copied(batch)))
        return iter(())

    def join(self, numbers: Index, copied: Index) -> None:
        """Adds pairs, each two numbers one after the other. copied: the places of pairs of an original and a copy."""
        documents = max(len(self.method), int(numbers.max(initial=-1)) + 1)
        self.method.grow(documents)
        # Without a partner, a document is its own nearest
        self.nearest.frombytes(np.arange(len(self.nearest), documents, dtype=np.int32).tobytes())
        a, b = numbers[::2], numbers[1::2]
        self.pairs += len(a)
        if len(copied):
            self.copies.grow(documents)
            self.copies.join(a[copied], b[copied])
            self.copied.frombytes(b[copied].tobytes())
        others = np.delete(np.arange(len(a)), copied) if self.spec.star and len(copied) else slice(None)
        self.method.join(a[others], b[others])
        if self.spec.star:
            self.paired.extend(bytes(documents - len(self.paired)))
            paired = np.frombuffer(self.paired, np.bool_)
            paired[a] = paired[b[others]] = True
        nearest = np.frombuffer(self.nearest, np.int32)
        np.minimum.at(nearest, a, b.astype(np.int32))
        np.minimum.at(nearest, b, a.astype(np.int32))

    def finish(self) -> Iterator[Event]:
        self.ids.close()  # its table takes as much as the arrays below
        representatives = self.method.representatives()
        if len(self.copies):
            representatives = self.as_originals(representatives)
        apart = np.frombuffer(self.nearest, np.int32) > representatives  # in no pair with the first of the group
        self.nearest = array("i")
        self.chained = int(np.count_nonzero(apart))
        alone, first = np.zeros(len(representatives), np.bool_), 0
        for every, counts in by_group(representatives):
            several = np.repeat(counts > 1, counts)
            alone[every[~several]] = True
            members, sizes = every[several], counts[counts > 1]
            if max(sizes, default=0) > self.largest:
                place = int(np.argmax(sizes))
                self.largest, first = int(sizes[place]), int(members[sizes[:place].sum()])
            self.groups, self.grouped = self.groups + len(sizes), self.grouped + len(members)
            yield from self.lines(members, sizes)
        trees = np.count_nonzero(representatives == np.arange(len(representatives)))
        self.forest = bool(self.pairs == len(representatives) - trees)
        self.doubts = [*self.doubt(first, apart & (representatives == first))]
        for start in range(0, len(self.ids) if self.spec.against else 0, BATCH_MEMBERS):
            beyond = np.arange(max(start, len(alone)), min(start + BATCH_MEMBERS, len(self.ids)))
            singles = np.append(np.flatnonzero(alone[start : start + BATCH_MEMBERS]) + start, beyond)
            yield from self.lines(singles, np.ones(len(singles), np.int64))

    def as_originals(self, representatives: I32) -> I32:
        """Puts copies into the groups of their originals, whose partners are theirs. Shape (documents,) in and out."""
        copied = np.frombuffer(self.copied, np.int64)
        if self.spec.star and (
            np.frombuffer(self.paired, np.bool_)[copied].any() or len(np.unique(copied)) < len(copied)
        ):
            raise Failed(COPY_TWICE)
        self.copies.grow(len(representatives))
        original = self.copies.representatives()
        nearest = np.frombuffer(self.nearest, np.int32)
        np.minimum.at(nearest, original, nearest.copy())
        nearest[:] = nearest[original]
        return representatives[original]

    def lines(self, members: Index, sizes: Index) -> Iterator[Event]:
        """Yields the lines of groups. members: group by group."""
        ends = np.append(0, np.cumsum(sizes))
        for part in stretches(sizes, BATCH_MEMBERS):
            ids = self.named(members[ends[part.start] : ends[part.stop]])
            yield from written(kernel.group_lines(ids, sizes[part]))

    def named(self, numbers: Index) -> SelectedIds:
        """Returns the ids with these numbers."""
        return SelectedIds(self.ids.data, self.ids.ends, numbers)

    def doubt(self, first: int, apart: Flags) -> Iterator[str]:
        """Yields a warning if the largest group has a tenth of many documents, most in no pair with its first one.

        first: its first document; apart: which documents are in it and have no pair with that.
        """
        every, without = len(self.ids), int(np.count_nonzero(apart))
        many = every >= LARGE_GROUP and self.largest * TENTH > every and without * 2 > self.largest
        if many and not self.forest:  # which has few pairs, whatever they join
            (name,) = each_id(self.named(np.array([first])))
            yield (
                f"the group of {errors.shown(orjson.loads(name))} has {self.largest} of {every} documents, {without} of"
                " them without a pair with it: chains join what differs, so remove by pairs"
            )

    def remarks(self) -> list[str]:
        return self.doubts

    def summary(self) -> list[str]:
        return [
            f"{self.groups} groups",
            f"{self.grouped} documents in them",
            f"{self.largest} in the largest",
            f"{self.chained} without a pair with their first",
        ]


def by_group(representatives: I32) -> Iterator[tuple[Index, Index]]:
    """Yields the members of groups, group by group, and the size of each group; some groups at a time, in order."""
    every = representatives.astype(np.uint64)
    every <<= np.uint64(ROW_BITS)
    every |= np.arange(len(every), dtype=np.uint32)
    every.sort()
    rest = every[:0]  # of a group that may go on
    for portion in [*(every[at : at + BATCH_DOCUMENTS] for at in range(0, len(every), BATCH_DOCUMENTS)), every[:0]]:
        keys = np.append(rest, portion) if len(rest) else portion
        groups = keys >> np.uint64(ROW_BITS)
        starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1])[: len(keys)])
        end = int(starts[-1]) if len(portion) else len(keys)
        keys, rest = keys[:end], keys[end:]
        yield (keys & np.uint64((1 << ROW_BITS) - 1)).view(np.int64), np.diff(np.append(starts[starts < end], end))
