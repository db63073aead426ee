"""Where scratch files are: one rule for all commands."""

import contextlib
import os
from collections.abc import Iterator

from shingletools.system.errors import Broken, printable


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
