"""A limit of memory, and where the scratch files are that hold the rest: one rule for all commands."""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from shingletools.system.errors import Broken, printable


class Memory(NamedTuple):
    """How many bytes of memory some work may use, and the folder for the rest. None in its place is no limit."""

    size: int
    folder: str
    jobs: int = 1  # workers that share it

    def share(self, divisor: int, least: int) -> int:
        """A part of the memory, in bytes, but never less than `least`."""
        return max(self.size // divisor, least)


def scratch_folder(given: str | None = None) -> str:
    """The folder that is given, else that of TMPDIR, else /tmp.

    tempfile would choose another one, and say nothing, where that is missing or cannot be written.
    """
    return given or os.environ.get("TMPDIR") or "/tmp"


@contextlib.contextmanager
def scratch_errors(folder: str) -> Iterator[None]:
    """An OSError inside becomes a Broken that names the folder of scratch files."""
    try:
        yield
    except OSError as error:
        raise Broken(f"{printable(folder)}: {error.strerror}") from None
