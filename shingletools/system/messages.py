"""Lines on standard error."""

import contextlib
import io
import os
import re
from collections.abc import Callable

from shingletools.system.errors import shown_place

Place = tuple[str, int | None]  # a file, and a line of it

SHOWN_AS: dict[str, str] = {}  # how paths of scratch files begin, and what messages show instead
# Scratch files, each with the function that returns where in the input one of its lines comes from
ORIGINS: dict[str, Callable[[int], Place]] = {}


class StandardError(io.TextIOBase):
    """Standard error that ignores errors of writing: then only the exit status shows a failure."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


def say(message: str) -> None:
    """Writes a line to standard error."""
    StandardError().write(f"{with_shown_paths(message)}\n")


def origin(file: str, line: int) -> Place:
    """Returns the place in the input where a line of a scratch file comes from; for other files the line itself."""
    place: Place = file, line
    while place[1] is not None and (find := ORIGINS.get(place[0])) is not None:
        place = find(place[1])
    return place


def with_shown_paths(message: str) -> str:
    """Returns a message with places in the input instead of those in scratch files, whose paths nobody knows."""
    if files := "|".join(map(re.escape, [*ORIGINS])):  # at once, as below: other threads may change it
        message = re.sub(f"({files}):([0-9]+)", lambda at: shown_place(*origin(at[1], int(at[2]))), message)
    for start, shown in [*SHOWN_AS.items()]:
        message = message.replace(start, shown)
    return message
