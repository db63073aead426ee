"""Lines on standard error."""

import contextlib
import io
import os
from collections.abc import Callable


class StandardError(io.TextIOBase):
    """Standard error that ignores errors of writing: then only the exit status shows a failure."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


class _Saying:
    through: Callable[[str], object] = StandardError().write


def say_through(write: Callable[[str], object]) -> None:
    """Sends lines for standard error to a function from now on, for example above bars on the terminal."""
    _Saying.through = write


def say(message: str) -> None:
    """Writes a line to standard error."""
    _Saying.through(f"{message}\n")
