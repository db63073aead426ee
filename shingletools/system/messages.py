"""Lines on standard error."""

import contextlib
import io
import os

SHOWN_AS: dict[str, str] = {}  # how paths of scratch files begin, and what messages show instead


class StandardError(io.TextIOBase):
    """Standard error that ignores errors of writing: then only the exit status shows a failure."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


def say(message: str) -> None:
    """Writes a line to standard error."""
    StandardError().write(f"{with_shown_paths(message)}\n")


def with_shown_paths(message: str) -> str:
    """Returns a message without the paths of scratch files."""
    for start, shown in [*SHOWN_AS.items()]:  # at once: other threads may change it
        message = message.replace(start, shown)
    return message
