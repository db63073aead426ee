"""Bytes in memory that grow at their end, in large pages where the system has them."""

import mmap

import numpy as np

from shingletools.kernel.types import U8

LARGE_BYTES = 1 << 21  # of a large page
MORE = 8  # there is room for one in so many bytes more


class GrowingBytes:
    """Bytes to which others are appended. Large pages come by fewer page faults, and rows in any order are read sooner.

    >>> data = GrowingBytes()
    >>> data.extend(b"ab"), data.extend(b"c"), data.view().tobytes()
    (None, None, b'abc')
    """

    def __init__(self) -> None:
        self.map = self._mapped(LARGE_BYTES)
        self.end = 0

    def extend(self, data: bytes | memoryview) -> None:
        """Raises MemoryError."""
        start, self.end = self.end, self.end + len(data)
        if self.end > len(self.map):
            self._enlarge(-(-(self.end + self.end // MORE) // LARGE_BYTES) * LARGE_BYTES)
        np.frombuffer(self.map, np.uint8)[start : self.end] = np.frombuffer(data, np.uint8)  # without Python's lock

    def view(self) -> U8:
        """Returns all bytes. Nothing may be appended while they are used."""
        return np.frombuffer(self.map, np.uint8, self.end)

    def _mapped(self, size: int) -> mmap.mmap:
        try:
            return mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError:
            raise MemoryError from None

    def _enlarge(self, size: int) -> None:
        if hasattr(mmap, "MADV_HUGEPAGE"):  # Linux, which moves pages without a copy
            try:
                self.map.resize(size)
            except OSError:
                raise MemoryError from None
            self.map.madvise(mmap.MADV_HUGEPAGE)
            return
        before, self.map = self.map, self._mapped(size)
        self.map[: len(before)] = before[:]
        before.close()
