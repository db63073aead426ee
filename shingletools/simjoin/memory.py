"""A limit of memory, and what is kept on disk beyond it. The files have no names, so that nothing stays behind."""

import contextlib
import errno
import mmap
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shingletools import deferred, signals
from shingletools.errors import Broken, printable
from shingletools.scratch import scratch_errors

if TYPE_CHECKING:
    import sqlite3
    import tempfile
else:
    sqlite3, tempfile = map(deferred.module, ("sqlite3", "tempfile"))  # which no run without a limit needs

Scalar = TypeVar("Scalar", bound=np.generic)

BUFFER = 1 << 16  # bytes of a file that are written at once


class Memory(NamedTuple):
    """How many bytes a join may use, and where the rest goes."""

    size: int
    folder: str
    jobs: int = 1  # workers who share it

    def share(self, divisor: int, least: int) -> int:
        """A part of it, in bytes, and never less than `least`."""
        return max(self.size // divisor, least)

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """An error of the folder or its disk becomes a Broken that names the folder."""
        fault = sqlite3.OperationalError  # loaded now: after an error there may be no descriptors left
        try:
            with scratch_errors(self.folder):
                yield
        except fault as error:
            cause = os.strerror(errno.ENOSPC) if error.sqlite_errorcode == sqlite3.SQLITE_FULL else error
            raise Broken(f"{printable(self.folder)}: {cause}") from None


class DiskArray:
    """Values that are written one after the other, and then read anywhere."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.map: mmap.mmap | None = None
        with memory.errors(), signals.held():
            self.file = tempfile.TemporaryFile(buffering=BUFFER, dir=memory.folder)

    def append(self, data: bytes | memoryview) -> None:
        with self.memory.errors():
            self.file.write(data)

    def view(self, kind: type[Scalar]) -> NDArray[Scalar]:
        """All values written so far, for reading; nothing is written from then on."""
        with self.memory.errors():
            self.file.flush()
            if not os.fstat(self.file.fileno()).st_size:
                return np.empty(0, kind)
            self.map = self.map or mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)
        return np.frombuffer(self.map, kind)

    def forget(self) -> None:
        """Lets go of the memory that holds what was read; the values stay."""
        if self.map is not None:
            self.map.madvise(mmap.MADV_DONTNEED)
