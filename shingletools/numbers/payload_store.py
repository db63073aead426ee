"""Payloads, or other bytes of each document, on disk."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shingletools.kernel.types import U8, Index
from shingletools.numbers.ranges import spread, stretches
from shingletools.numbers.sorter import SortingLimits
from shingletools.system.disk_array import DiskArray
from shingletools.system.memory_limit import Memory


@dataclass(frozen=True)
class DiskLimits(SortingLimits):
    """Limits of the work that is done at once on data on disk."""

    # Bytes that the system maps to read one byte of a file: each scattered row counts as so many
    touched: int = 1 << 16
    # Rows whose sizes are looked up together: 8 bytes each
    sizes: int = 1 << 16


DEFAULT = DiskLimits()


class PayloadStore:
    """One payload of each document. Sizes that differ are multiples of `unit` bytes."""

    def __init__(self, memory: Memory, unit: int, limits: DiskLimits) -> None:
        self.unit = unit
        self.scattered = max(memory.share(4, limits.least_share) // limits.touched, 1)  # rows read together
        self.data = DiskArray(memory.folder)
        self.ends = DiskArray(memory.folder)
        self.end = self.documents = 0

    def append(self, payload: bytes) -> None:
        self.documents += 1
        self.end += len(payload)
        self.data.append(payload)
        self.ends.append(self.end.to_bytes(8, sys.byteorder))

    def extend(self, data: bytes | bytearray | memoryview, sizes: bytes) -> None:
        """Appends several payloads: their bytes, one after the other, and the size of each, int64."""
        ends = self.end + np.cumsum(np.frombuffer(sizes, np.int64))
        self.documents += len(ends)
        self.end += len(data)
        self.data.append(data)
        self.ends.append(ends.tobytes())

    def sizes(self, rows: Index) -> Index:
        """Returns the sizes of the payloads of these rows, int64, in their order."""
        return self._limits(rows)[1]

    def _limits(self, rows: Index) -> tuple[Index, Index]:
        ends = self.ends.view(np.int64)
        starts: Index = np.where(rows, ends[rows - 1], 0)
        return starts, ends[rows] - starts

    def load(self, rows: Index) -> tuple[U8, Index]:
        """Returns the payloads of these rows, which ascend; at least one. All rows of a range are not copied."""
        starts, sizes = self._limits(rows)
        data = self.data.view(np.uint8)
        if rows[-1] - rows[0] == len(rows) - 1:
            return data[starts[0] : starts[-1] + sizes[-1]], sizes
        size = int(sizes[0])
        alike = (sizes == size).all() and len(data) % size == 0 and not (starts % size).any()
        unit = size if alike else self.unit
        units = data.view(np.dtype((np.void, unit)))
        loaded = []
        for start in range(0, len(rows), self.scattered):
            part = slice(start, start + self.scattered)
            loaded.append(units[spread(starts[part] // unit, sizes[part] // unit)[0]].view(np.uint8))
            self.data.forget()
        return np.concatenate(loaded), sizes

    def forget(self) -> None:
        """Releases the memory of payloads that were read."""
        self.data.forget()
        self.ends.forget()


def portions_of(payloads: Sequence[PayloadStore], most: int, limits: DiskLimits) -> Iterator[Index]:
    """Yields all rows, int64, ascending, in portions of at most `most` bytes, or of one row."""
    for first in range(0, payloads[0].documents, limits.sizes):
        rows = np.arange(first, min(first + limits.sizes, payloads[0].documents))
        for part in stretches(np.sum([payload.sizes(rows) for payload in payloads], axis=0), most):
            yield rows[part]
