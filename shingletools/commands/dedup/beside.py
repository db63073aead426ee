"""Reads files of records that decide which documents go: line by line, or many lines at once."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from shingletools.reading import option_files
from shingletools.record.collector import ALONE, Means
from shingletools.record.json_members import line_at, parse
from shingletools.record.wire import Record
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected

Name = str | int


class Wrong(Failed):
    """A line among lines taken at once fails the run. before: how many of these lines stand before it."""

    def __init__(self, cause: str, before: int) -> None:
        super().__init__(cause)
        self.before = before


class Beside(ABC):
    """Takes records that decide which documents go. Any bad record fails the run, since it might decide wrongly."""

    once: Sequence[str] = ()  # fields that a record may have only once

    def read(self, option: str, paths: Sequence[str], means: Means = ALONE) -> None:
        """Takes all records of the files that an option names. Raises Failed."""

        def opened(option: str, path: str) -> Iterator[tuple[str, bytes]]:
            return ((path, lines) for lines in option_files.read_chunks(option, path, means.given))

        for path in paths:
            for source, some in groupby((means.read or opened)(option, path), itemgetter(0)):
                before = 0
                for _, lines in some:
                    before += self.take_all(lines, source, before)

    def take_all(self, lines: bytes, source: str, before: int = 0) -> int:
        """Takes lines of a source that follow `before` others, and returns their number. Raises Failed."""
        try:
            return self.take_some(lines, begins=not before)
        except Wrong as error:
            raise Failed(f"{errors.printable(source)}:{before + error.before + 1}: {error}") from None

    def take_some(self, lines: bytes, begins: bool) -> int:
        """Takes lines, which may begin a file, and returns their number. Raises Wrong."""
        before = at = 0
        line = b""
        while at < len(lines):
            try:
                taken, at = self.take_lines(lines, at)
                before += taken
                if at < len(lines):
                    line, at = line_at(lines, at)
                    self.take(parse(line, self.once))
                    before += 1
            except (Rejected, Failed) as error:
                from shingletools.record.hints import hint  # which a run without faults does not need

                before += error.before if isinstance(error, Wrong) else 0
                found = hint("dedup", str(error), line, begins and not before) if isinstance(error, Rejected) else None
                raise Wrong(f"{error}; {found}" if found else str(error), before) from None
        return before

    @abstractmethod
    def take_lines(self, lines: bytes, at: int, /) -> tuple[int, int]:
        """Takes ordinary lines from `at` on; gives their number and where the next line begins. Raises Wrong."""

    @abstractmethod
    def take(self, record: Record, /) -> None:
        """Takes one record. Raises Rejected or Failed."""
