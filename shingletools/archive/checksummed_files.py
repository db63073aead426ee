"""Files with a checksum for each block: written once, from front to back; read anywhere, and checked at each read.

They are read by system calls, not mapped: if a disk fails or a file was cut short, a call returns an error, but a map
ends the process. A sum is the first eight bytes, little-endian, of a block's BLAKE3. Damage stays unseen with a
probability of 2^-64.
"""

import contextlib
import os
from functools import lru_cache

import numpy as np

from shingletools.kernel.types import U64
from shingletools.system.errors import Failed
from shingletools.system.files import flush
from shingletools.system.lazy_imports import blake3

BLOCK_BYTES = 1 << 16  # bytes of a block
WRITE_BYTES = 1 << 20  # bytes that are written at once
CACHED_BLOCKS = 256  # blocks, of all files, that are kept in memory
OTHER = "damaged (what it holds is not what was written)"


class Unreadable(Failed):
    """A file of an archive cannot be read. file: its name in messages; cause: why."""

    def __init__(self, file: str, cause: str) -> None:
        super().__init__(f"{file}: {cause}")
        self.file, self.cause = file, cause


class Damaged(Unreadable):
    """A file of an archive does not hold what was written."""


def hexdigest(data: bytes | bytearray | memoryview) -> str:
    """Returns the BLAKE3 of bytes, as 64 hex digits."""
    return blake3.blake3(data).hexdigest()


def sums_of(data: memoryview) -> bytes:
    """Returns the sum of each block, as bytes. The data begin where a block does."""
    return b"".join(blake3.blake3(data[at : at + BLOCK_BYTES]).digest(8) for at in range(0, len(data), BLOCK_BYTES))


def close(file: "SummedWriter | SummedFile") -> None:
    """Closes the descriptor of a file, once."""
    descriptor, file.descriptor = file.descriptor, -1
    if descriptor >= 0:
        with contextlib.suppress(OSError):  # nobody uses the file after this
            os.close(descriptor)


class SummedWriter:
    """Writes a new file from front to back, and computes its sums. Raises OSError.

    It has no tell or seek, so that code that writes a container into it cannot go back.
    """

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self.held = bytearray()
        self.position = 0  # bytes written so far
        self.sums: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> int:
        view = memoryview(data).cast("B")
        self.held += view
        self.position += len(view)
        if len(self.held) >= WRITE_BYTES:
            self._put(len(self.held) // BLOCK_BYTES * BLOCK_BYTES)
        return len(view)

    def _put(self, size: int) -> None:
        with memoryview(self.held) as held, held[:size] as view:
            self.sums.append(sums_of(view))
            at = 0
            while at < size:
                at += os.write(self.descriptor, view[at:])
        del self.held[:size]

    def flush(self) -> None:
        """Does nothing. Writers of containers call it; held bytes are written later."""

    def finish(self) -> U64:
        """Writes the rest, and waits until all is on the disk. Gives the sums, shape (blocks,)."""
        self._put(len(self.held))
        flush(self.descriptor)
        descriptor, self.descriptor = self.descriptor, -1
        os.close(descriptor)
        return np.frombuffer(b"".join(self.sums), "<u8").astype(np.uint64)

    def close(self) -> None:
        """Closes the file, finished or not."""
        close(self)


class Cache:
    """The blocks that were read last, of several files."""

    def __init__(self) -> None:
        self.block = lru_cache(CACHED_BLOCKS)(SummedFile.read_block)


class SummedFile:
    """A file with sums, for reading. Raises Damaged, and Unreadable if the system cannot read it."""

    def __init__(self, path: str, name: str, size: int, sums: U64, cache: Cache) -> None:
        """Opens a file. name: for messages; size (bytes) and sums: of what was written. Raises OSError."""
        self.name, self.size = name, size
        self.sums = sums.astype("<u8").tobytes()
        self.cache = cache
        self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        here = os.fstat(self.descriptor).st_size
        if here != size or 8 * -(-size // BLOCK_BYTES) != len(self.sums):
            self.close()
            raise Damaged(name, f"damaged ({here} bytes, not {size})")

    def read(self, start: int, size: int) -> memoryview:
        """Reads `size` bytes from `start` on."""
        if start < 0 or size < 0 or start + size > self.size:
            raise Damaged(self.name, "damaged (a place outside of the file)")
        if self.descriptor < 0:
            raise Unreadable(self.name, "closed while it was read")
        first, last = start // BLOCK_BYTES, (start + size - 1) // BLOCK_BYTES
        few = last <= first + 1  # as in a search, which will read these blocks again
        data = memoryview(
            b"".join(self.cache.block(self, number) for number in range(first, last + 1))
            if few
            else self._blocks(first, last)
        )
        return data[start - first * BLOCK_BYTES : start - first * BLOCK_BYTES + size]

    def read_block(self, number: int) -> bytes:
        return self._blocks(number, number)

    def _blocks(self, first: int, last: int) -> bytes:
        start, end = first * BLOCK_BYTES, min((last + 1) * BLOCK_BYTES, self.size)
        parts = []
        try:
            while start < end and (part := os.pread(self.descriptor, end - start, start)):
                parts.append(part)
                start += len(part)
        except OSError as error:
            raise Unreadable(self.name, str(error.strerror)) from None
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        if start < end:
            raise Damaged(self.name, "damaged (cut short)")
        if sums_of(memoryview(data)) != self.sums[8 * first : 8 * last + 8]:
            raise Damaged(self.name, OTHER)
        return data

    def check(self) -> None:
        """Reads the whole file, to check it."""
        several = WRITE_BYTES // BLOCK_BYTES
        for first in range(0, -(-self.size // BLOCK_BYTES), several):
            self._blocks(first, min(first + several, -(-self.size // BLOCK_BYTES)) - 1)

    def close(self) -> None:
        close(self)
