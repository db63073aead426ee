"""Events: what a step gives to the loop of a run, beside batches. The loop hands each on to whoever wants it."""

from collections.abc import Mapping
from typing import NamedTuple


class Lines(NamedTuple):
    """Whole lines of the output, which a collector makes."""

    data: bytes


class RemovedLines(NamedTuple):
    """Bytes of a command's second file: removed lines, or a page."""

    data: bytes


class Message(NamedTuple):
    """A message for standard error, without the command's name."""

    text: str
    verbose: bool = False  # whether only -v shows it


class Reject(NamedTuple):
    """A bad record."""

    file: str
    line: int | None  # from 1; None if the record is the file, or is in no file of lines
    cause: str
    record: bytes  # as it is in the input
    late: bool = False  # whether it was taken, and counted as a good one, before it was found to be bad
    repeated_id: bool = False  # whether only its id is to blame, which an earlier record has
    side: int = 0  # of the file
    is_file: bool = False  # whether the record is a whole file
    made: bool = False  # whether an earlier command changed the record, so that the step read other bytes


class ReadFigures(NamedTuple):
    """Figures of what was read."""

    size: int = 0  # bytes of input, as they were read
    again: int = 0  # bytes of input that are to be read again
    lines: int = 0
    records: int = 0  # good ones
    made: int = 0  # lines written, by a filter that makes several of one
    counted: Mapping[str, int] = {}  # what a filter counted, or a format, by description
    file: str = ""  # empty if each file is a document
    side: int = 0


class Progress(NamedTuple):
    """How far the work behind the reading is."""

    share: float  # of this work that is done
    candidates: int  # so far


Event = Lines | RemovedLines | Message | Reject | ReadFigures | Progress


def written(output: bytes = b"", removed: bytes = b"") -> list[Event]:
    """Returns the events of lines for the output and of bytes for the second file, of which some may be empty."""
    return [*([RemovedLines(removed)] if removed else ()), *([Lines(output)] if output else ())]
