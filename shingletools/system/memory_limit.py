"""The limit on the memory of some work, and the folder of scratch files for what does not fit."""

import os
from typing import NamedTuple

from shingletools.system.errors import EnvironmentFailure, printable
from shingletools.system.files import folder_errors

MB = 1_000_000


class Memory(NamedTuple):
    """The bytes of memory that some work may use, and the folder of its scratch files. None in its place: no limit."""

    size: int
    folder: str
    jobs: int = 1  # workers that share it

    def share(self, divisor: int, least: int) -> int:
        """Returns the bytes of memory divided by `divisor`, but at least `least`."""
        return max(self.size // divisor, least)

    def require(self, size: int) -> None:
        """Raises EnvironmentFailure if fewer than `size` bytes are free in the folder."""
        with folder_errors(self.folder):
            about = os.statvfs(self.folder)
        if (free := about.f_bavail * about.f_frsize) < size:
            needed = f"{shown_size(size)} of scratch space needed"
            raise EnvironmentFailure(f"{printable(self.folder)}: {needed}, {free // MB} MB free")


def shown_size(size: int) -> str:
    """Returns a number of bytes for messages, rounded up.

    >>> shown_size(1), shown_size(2_345_678_901)
    ('1 MB', '2346 MB')
    """
    return f"{-(-size // MB)} MB"


def scratch_folder(given: str | None = None) -> str:
    """Returns the given folder, else TMPDIR, else /tmp.

    tempfile would silently use another folder if this one is missing or cannot be written.
    """
    return given or os.environ.get("TMPDIR") or "/tmp"
