"""Lines on standard error, for whoever has something to say."""

import contextlib
import io
import os
from collections.abc import Callable


class StandardError(io.TextIOBase):
    """Standard error for what must not fail the run: if it cannot be written, the exit status must do."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


class _Saying:
    through: Callable[[str], object] = StandardError().write


def say_through(write: Callable[[str], object]) -> None:
    """From now on lines for standard error go there, since bars are on the terminal, for one."""
    _Saying.through = write


def say(message: str) -> None:
    """A line on standard error."""
    _Saying.through(f"{message}\n")
