"""A scratch file of lines that wait until all have come."""

import contextlib
from collections.abc import Iterator
from functools import cached_property
from typing import IO

from shingletools.system.files import folder_errors
from shingletools.system.memory_limit import scratch_folder

READ_BYTES = 1 << 18  # bytes that are read at once


class LineSpool:
    """Lines that are written to a scratch file, and read once."""

    def __init__(self, folder: str | None = None) -> None:
        self.open = contextlib.ExitStack()
        self.folder = scratch_folder(folder)

    @cached_property
    def file(self) -> IO[bytes]:
        with folder_errors(self.folder):
            import tempfile  # late: most runs do not need it

            return self.open.enter_context(tempfile.TemporaryFile(dir=self.folder))

    def add(self, lines: bytes) -> None:
        with folder_errors(self.folder):
            self.file.write(lines + b"\n")

    def chunks(self) -> Iterator[bytes]:
        """Yields whole lines."""
        with self.open, folder_errors(self.folder):
            self.file.seek(0)
            while lines := self.file.read(READ_BYTES) + self.file.readline():
                yield lines
