"""The documents of a join, numbered as they come: their ids and payloads, in memory or on disk."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from shingletools.commands.simjoin.buckets import ENTRY_BYTES
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.forest import Forest
from shingletools.commands.simjoin.found_pairs import WhichPairs
from shingletools.commands.simjoin.join import Join
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.label_filter import LabelFilter
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.signature import Data
from shingletools.commands.simjoin.stored import Stored
from shingletools.commands.simjoin.table import Documents
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds
from shingletools.kernel.line_columns import ColumnData
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.payload_store import PayloadStore, portions_of
from shingletools.numbers.ranges import spread
from shingletools.numbers.seen_ids import SeenIds
from shingletools.system.growing_bytes import GrowingBytes
from shingletools.system.memory_limit import Memory, shown_size
from shingletools.system.workers import InTurn

END_BYTES = 8  # bytes of the place where a payload ends
SMALL_BYTES = 1 << 18  # bytes of payloads of which another thread would be no help


class Store(Protocol):
    """Keeps documents with one payload, or with two of which the second decides."""

    limits: Limits
    in_turn: InTurn  # keeps payloads while ids are numbered
    weighed: Documents | None = None  # those of the join, if their shingles have weights

    def claim(self, side: int, ids: ColumnData) -> tuple[Index, Flags]:
        """Numbers ids. Returns their numbers, and whether the side has not used each before. Shapes (ids,)."""

    def add(self, side: int, columns: Sequence[ColumnData], numbers: Index, part: slice) -> None:
        """Adds documents of a part of the rows. columns: ids and payloads; numbers: of the ids, none used before.

        Payloads of different sizes are shingles, 8 bytes each.
        """

    def let_go(self) -> None:
        """Waits until no columns that were added are needed any more."""
        self.in_turn.wait()

    def claimed(self, data: bytes, sizes: Index) -> Flags:
        """Returns whether side 1 has used each id. data: ids as JSON, one after the other. Shape (ids,)."""

    def loaded(self, stop: int) -> Iterator[tuple[int, Data]]:
        """Yields parts of the last payloads of the documents before `stop`, each with its first document's number."""

    def join(self, factory: TableFactory, cross: int | None, scope: LabelFilter | None) -> Join | Forest:
        """Returns the join of all documents, at least one, as tables of this factory. None are added after this."""

    def messages(self) -> Sequence[str]:
        """Returns messages for -v about the scratch files of a join, once."""
        return ()

    def names(self, side: int, rows: Index) -> SelectedIds:
        """Returns the ids of rows on one side."""

    def sizes(self, rows: Index) -> Index:
        """Returns the bytes of each row's last payload; if its shingles have weights, their total."""


def join_of(
    wanted: JoinOptions, scope: LabelFilter | None
) -> Callable[[Documents, int | None, Memory | None, Limits], Join | Forest]:
    """Returns what makes the join of a table, with `cross`, memory and limits."""
    if wanted.forest:
        return partial(Forest, scope=scope)
    return partial(Join, which=WhichPairs(scope, wanted.best, wanted.copies_once))


def part_of(column: ColumnData, part: slice) -> tuple[memoryview, bytes]:
    """Returns the values of some rows, one after the other, and the bytes of each, int64."""
    ends = np.cumsum(np.frombuffer(column.sizes, np.int64))
    start, stop = (int(ends[place - 1]) if place else 0 for place in (part.start, part.stop))
    return memoryview(column.data)[start:stop], column.sizes[8 * part.start : 8 * part.stop]


class InMemory(Store):
    """A store in memory. Memory: the payloads, the ids, and about 40 bytes for each id."""

    def __init__(self, payloads: int, limits: Limits, jobs: int) -> None:
        kernel.part_large_arrays()
        self.limits = limits
        self.in_turn = InTurn(jobs > 1)
        self.ids = (kernel.new_ids(), kernel.new_ids())
        self.runs = (array("q"), array("q"))  # of rows whose ids follow one another: the first one, and how many
        self.payloads = [(GrowingBytes(), GrowingBytes()) for _ in range(payloads)]  # and their lengths

    def claim(self, side: int, ids: ColumnData) -> tuple[Index, Flags]:
        before = len(self.ids[side])
        numbers = np.frombuffer(self.ids[side].number(ids.data, ids.sizes), np.int64)
        # A new id has a greater number than all earlier ones
        greatest = np.maximum.accumulate(np.append(before - 1, numbers))[:-1]
        return numbers, numbers > greatest

    def add(self, side: int, columns: Sequence[ColumnData], numbers: Index, part: slice) -> None:
        self.runs[side].extend((int(numbers[part.start]), part.stop - part.start))  # ids of empty payloads have no row
        for (data, lengths), payload in zip(self.payloads, columns[1:], strict=True):
            some, their_lengths = part_of(payload, part)
            lengths.extend(their_lengths)
            self.in_turn.call(partial(data.extend, some), small=len(some) < SMALL_BYTES)

    def claimed(self, data: bytes, sizes: Index) -> Flags:
        flags: Flags = np.frombuffer(self.ids[1].find(data, sizes), np.int64) >= 0
        return flags

    def loaded(self, stop: int) -> Iterator[tuple[int, Data]]:
        data, lengths = self.payloads[-1]
        self.let_go()
        yield 0, data.view()[: int(lengths.view().view(np.int64)[:stop].sum())]

    def join(self, factory: TableFactory, cross: int | None, scope: LabelFilter | None) -> Join | Forest:
        for ids in self.ids:
            ids.close()
        self.let_go()
        data = [data.view() for data, _ in self.payloads]
        sizes = [lengths.view().view(np.int64) for _, lengths in self.payloads]
        factory.count(([part] for part in data), len(sizes[-1]))
        table = factory.table(list(zip(data, sizes, strict=True)))
        self.weighed = table if factory.weighed else None
        return join_of(factory.wanted, scope)(table, cross, None, self.limits)

    @cached_property
    def numbers(self) -> Sequence[Index]:
        """Returns the number of each row's id, for both sides."""
        return [spread(*np.frombuffer(runs, np.int64).reshape(-1, 2).T)[0] for runs in self.runs]

    def names(self, side: int, rows: Index) -> SelectedIds:
        before = len(self.numbers[0]) if side else 0
        return SelectedIds(self.ids[side].data, self.ids[side].ends, self.numbers[side][rows - before])

    def sizes(self, rows: Index) -> Index:
        if self.weighed is not None:
            return self.weighed.whole(rows)
        sizes: Index = self.payloads[-1][1].view().view(np.int64)[rows]
        return sizes


class OnDisk(Store):
    """A store on disk. Memory: a share of the limit, for any number of documents."""

    def __init__(self, payloads: int, memory: Memory, limits: Limits) -> None:
        self.memory = memory
        self.limits = limits
        self.seen_ids = SeenIds(memory, limits)
        self.ids = PayloadStore(memory, 1, limits)
        self.payloads = [PayloadStore(memory, 8, limits) for _ in range(payloads)]
        self.in_turn = InTurn(memory.jobs > 1)
        self.unsaid: Sequence[str] = ()

    def claim(self, side: int, ids: ColumnData) -> tuple[Index, Flags]:
        new = self.seen_ids.claim(side, ids.data, np.frombuffer(ids.sizes, np.int64))
        return np.zeros(len(new), np.int64), new

    def add(self, _side: int, columns: Sequence[ColumnData], _numbers: Index, part: slice) -> None:
        for payload, column in zip((self.ids, *self.payloads), columns, strict=True):
            some, sizes = part_of(column, part)
            self.in_turn.call(partial(payload.extend, some, sizes), small=len(some) < SMALL_BYTES)

    def claimed(self, data: bytes, sizes: Index) -> Flags:
        return self.seen_ids.has(1, data, sizes)

    def loaded(self, stop: int) -> Iterator[tuple[int, Data]]:
        self.let_go()
        return self._every(self.payloads[-1], stop)

    def join(self, factory: TableFactory, cross: int | None, scope: LabelFilter | None) -> Join | Forest:
        self.seen_ids.close()
        self.let_go()
        self.memory.require(ENTRY_BYTES * self.ids.documents)  # for finding copies
        count = self.payloads[-1].documents
        factory.count(((data for _, data in self._every(payload, count)) for payload in self.payloads), count)
        table = Stored(self.payloads, factory, self.memory, self.limits)
        self.weighed = table if factory.weighed else None
        held = sum(column.end + END_BYTES * column.documents for column in (self.ids, *self.payloads))
        entries = ENTRY_BYTES * table.bands * self.ids.documents
        if table.components is not None:
            self.unsaid = (f"scratch files: {shown_size(held)} of documents, at most {shown_size(entries)} to sort",)
        return join_of(factory.wanted, scope)(table, cross, self.memory, self.limits)

    def messages(self) -> Sequence[str]:
        messages, self.unsaid = self.unsaid, ()
        return messages

    def _every(self, payload: PayloadStore, stop: int) -> Iterator[tuple[int, Data]]:
        for rows in portions_of([payload], self.memory.share(16, self.limits.least_share), self.limits):
            if rows[0] < stop:
                yield int(rows[0]), payload.load(rows[rows < stop])[0]
                payload.forget()

    def names(self, _side: int, rows: Index) -> SelectedIds:
        distinct, numbers = np.unique(rows, return_inverse=True)
        data, sizes = self.ids.load(distinct)
        names = SelectedIds(data.tobytes(), np.cumsum(sizes), numbers)
        self.ids.forget()
        return names

    def sizes(self, rows: Index) -> Index:
        if self.weighed is not None:
            return self.weighed.whole(rows)
        sizes = self.payloads[-1].sizes(rows)
        self.payloads[-1].forget()
        return sizes
