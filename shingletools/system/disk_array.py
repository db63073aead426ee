"""Arrays on disk, beyond a limit of memory. Their files have no names, so none stays behind."""

import mmap
import os
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shingletools.system.files import folder_errors
from shingletools.system.lazy_imports import tempfile

Scalar = TypeVar("Scalar", bound=np.generic)

BUFFER_BYTES = 1 << 16  # bytes of a file that are written at once


class DiskArray:
    """Values on disk: they are appended, then read in any order."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.map: mmap.mmap | None = None
        with folder_errors(folder):
            self.file = tempfile.TemporaryFile(buffering=BUFFER_BYTES, dir=folder)

    def append(self, data: bytes | bytearray | memoryview) -> None:
        with folder_errors(self.folder):
            self.file.write(data)

    def view(self, kind: type[Scalar]) -> NDArray[Scalar]:
        """Returns all values, for reading. Nothing may be appended after this."""
        with folder_errors(self.folder):
            self.file.flush()
            if not os.fstat(self.file.fileno()).st_size:
                return np.empty(0, kind)
            self.map = self.map or mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)
        return np.frombuffer(self.map, kind)

    def forget(self) -> None:
        """Releases the memory of values that were read."""
        if self.map is not None:
            self.map.madvise(mmap.MADV_DONTNEED)
