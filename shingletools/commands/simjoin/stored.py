"""Documents on disk as a table: rows are loaded to be compared."""

from collections.abc import Iterator, Sequence

import numpy as np

from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.sets import SetTable, entries_of, exactly
from shingletools.commands.simjoin.signatures import ShingleSets
from shingletools.commands.simjoin.table import Candidates, Compared, Components, Table
from shingletools.kernel.types import U64, BoundedSets, Flags, Index
from shingletools.numbers.payload_store import PayloadStore, portions_of
from shingletools.numbers.ranges import stretches
from shingletools.system.disk_array import DiskArray
from shingletools.system.memory_limit import Memory


class Stored:
    """A table on disk. Only rows that are being compared are in memory."""

    def __init__(self, payloads: Sequence[PayloadStore], factory: TableFactory, memory: Memory, limits: Limits) -> None:
        self.payloads = payloads
        self.factory = factory
        self.limits = limits
        # Bytes that are loaded together; a table of sets takes six times as many, with weights twelve times
        self.most = memory.share((16 if factory.weighed is None else 32) * memory.jobs, limits.least_share)
        first = self._load(np.arange(1))
        self.bands, self.recall = first.bands, first.recall
        self.components: Components | None = None
        if first.components is not None:
            self.components = StoredComponents(first.components, payloads[0], factory, self.most)
        self.weights: DiskArray | None = None  # of each document, if its shingles have some: 8 bytes on disk
        if factory.weighed is not None:
            self.weights = DiskArray(memory.folder)
            for part in self.parts():
                self.weights.append(self.load(part).whole(np.arange(len(part))).tobytes())
        self.parities: DiskArray | None = None  # of each document, if it is a set without weights: 16 bytes on disk
        if factory.weighed is None and self.components is None:
            self.parities = DiskArray(memory.folder)
            for part in self.parts():
                table = self.load(part)
                assert isinstance(table, SetTable)
                self.parities.append(table.parities.tobytes())

    def __len__(self) -> int:
        return self.payloads[-1].documents

    def _load(self, rows: Index) -> Table:
        return self.factory.table([payload.load(rows) for payload in self.payloads])

    def _forget(self) -> None:
        for payload in self.payloads:
            payload.forget()

    def parts(self) -> Iterator[range]:
        return (range(rows[0], rows[-1] + 1) for rows in portions_of(self.payloads, self.most, self.limits))

    def load(self, part: range, /) -> Table:
        self._forget()  # what was loaded before
        return self._load(np.arange(part.start, part.stop))

    def equal(self, left: Index, right: Index) -> Flags:
        flags = [table.equal(one, two) for table, one, two in self._loaded(left, right)]
        return np.concatenate([np.empty(0, np.bool_), *flags])

    def compare(self, some: Candidates, band: int = 0) -> Compared:
        parts = [Compared(np.empty(0, np.int64), 0)]
        for table, one, two in self._loaded(some.left, some.right):
            parts.append(table.compare(Candidates(one, two), band))
        agreeing, numbers = zip(*parts, strict=True)
        return Compared(np.concatenate(agreeing), sum(numbers))

    def bounds(self, row: Index, place: Index, /) -> BoundedSets:
        """Returns bounds by the sizes of sets and their parities, since prefixes are not in memory."""
        size = self.whole(row)
        signature = self.factory.signatures[-1]
        assert isinstance(signature, ShingleSets)
        if self.parities is None:
            entries = entries_of(size, size)
        else:
            entries = entries_of(size, size - place, self.parities.view(np.uint64).reshape(-1, 2)[row])
            self.parities.forget()
        return BoundedSets(signature.measure(self.factory.wanted).bound, entries, entries)

    def whole(self, rows: Index) -> Index:
        if self.weights is not None:
            weights: Index = self.weights.view(np.int64)[rows]
            self.weights.forget()
            return weights
        sizes = self.payloads[-1].sizes(rows)
        self.payloads[-1].forget()
        return exactly(sizes, self.factory.signatures[-1].components)

    def counted(self, _alive: Flags, /) -> None:
        return None  # its index would be in memory

    def _loaded(self, left: Index, right: Index) -> Iterator[tuple[Table, Index, Index]]:
        """Yields stretches of the pairs, in their order: a table with their rows, and the places of the rows in it.

        Shapes: (pairs,), (pairs,) in; (stretch,), (stretch,) out. All int64.
        """
        sizes = np.sum([payload.sizes(rows) for payload in self.payloads for rows in (left, right)], axis=0)
        for part in stretches(sizes, self.most):
            rows, place = np.unique(np.concatenate([left[part], right[part]]), return_inverse=True)
            half = part.stop - part.start
            yield self._load(rows), place[:half], place[half:]
            self._forget()


class StoredComponents:
    """The components of the payload that proposes pairs; only this payload is loaded."""

    def __init__(self, first: Components, payload: PayloadStore, factory: TableFactory, most: int) -> None:
        self.n, self.least = first.n, first.least
        self.payload = payload
        self.factory = factory
        self.most = most

    def keys_of(self, rows: Index, components: Index) -> U64:
        keys = [np.empty(0, np.uint64)]
        for part in stretches(self.payload.sizes(rows), self.most):
            table = self.factory.table([self.payload.load(rows[part])]).components
            assert table is not None
            keys.append(table.keys_of(np.arange(part.stop - part.start), components))
            self.payload.forget()
        return np.concatenate(keys)
