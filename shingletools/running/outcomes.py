"""The figures of all input, and the exit status."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from shingletools.record.events import ReadFigures, Reject
from shingletools.system import errors

if TYPE_CHECKING:
    from shingletools.cli.argument_types import Allowance  # argparse, which workers do not need

DONE, SOME_REJECTED, FAILED = 0, 1, 2
MAX_SHOWN_FILES = 10  # files in messages


class Figures:
    """The figures of all that was read so far."""

    def __init__(self) -> None:
        self.size = 0  # bytes, as they were read
        self.records = 0  # good ones
        self.rejected = 0
        self.made = 0  # lines written, by a filter that makes several of one
        self.counted = Counter[str]()  # by a filter, or its format
        self.good = Counter[tuple[int, str]]()  # records of each side and file: good ones, and those with a repeated id

    def add(self, event: ReadFigures) -> None:
        self.size += event.size
        self.records += event.records
        self.made += event.made
        self.counted.update(event.counted)
        if event.lines:
            self.good[event.side, event.file] += event.records

    def reject(self, event: Reject) -> None:
        self.rejected += 1
        self.records -= event.late
        if event.late or event.repeated_id:  # a repeated id is no reason to judge the file
            self.good[event.side, "" if event.is_file else event.file] += event.repeated_id - event.late

    def conclusion(self, allowed: "Allowance | None") -> "Conclusion":
        """Returns the conclusion of a step.

        A file without one good record fails the run, unless so many bad records are allowed.
        """
        status = self.status(allowed)
        if status != DONE and (files := self.without_good()):
            return Conclusion(FAILED, "not one good record", files)
        return Conclusion(status, "" if status == DONE or allowed is None else "too many bad records")

    def status(self, allowed: "Allowance | None") -> int:
        """Returns whether more records were bad than are allowed, as an exit status; by default, none are allowed."""
        if allowed is None:
            return SOME_REJECTED if self.rejected else DONE
        return DONE if allowed.holds(self.rejected, self.records + self.rejected) else SOME_REJECTED

    def counts(self) -> list[str]:
        """Returns the counts, as -v shows them."""
        return [f"{count} {what}" for what, count in self.counted.items()]

    def without_good(self) -> list[str]:
        """Returns the files that are not empty, but have no good record."""
        return [*dict.fromkeys(file for (_, file), good in self.good.items() if good <= 0)]


class Conclusion(NamedTuple):
    """The exit status; if no output is written, also why, and the files to blame."""

    status: int
    why: str = ""
    files: Sequence[str] = ()

    def messages(self, paths: Sequence[str], there: Set[str]) -> Iterator[str]:
        """Yields messages about the files to blame, and about outputs that are not written, so that nobody uses them.

        there: outputs that were there before the run. A reader of messages learns it even if the process that waits for
        the status is killed.
        """
        for file in self.files[:MAX_SHOWN_FILES]:
            yield f"{errors.printable(file)}: {self.why}" if file else self.why
        if len(self.files) > MAX_SHOWN_FILES:
            yield f"{len(self.files) - MAX_SHOWN_FILES} more files: {self.why}"
        for path in paths:
            yield f"{errors.printable(path)} {state_of_uncommitted(path, there)}: {self.why}"


def state_of_uncommitted(path: str, there: Set[str]) -> str:
    """Returns what happens to an output that is not written: it is left as it was, or it is not there."""
    return "is left as it was" if path in there else "is not written"
