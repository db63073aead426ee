"""Lines on standard error."""

import contextlib
import io
import os


class StandardError(io.TextIOBase):
    """Standard error that ignores errors of writing: then only the exit status shows a failure."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


def say(message: str) -> None:
    """Writes a line to standard error."""
    StandardError().write(f"{message}\n")
