"""Files of records that decide what goes: how they are read, line by line or many lines at once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from shingletools import errors, wire
from shingletools.errors import Failed, Rejected
from shingletools.records import line_at, parse
from shingletools.wire import Record

Name = str | int


class Wrong(Failed):
    """A line among those that are taken at once fails the run; it says how many stand before it."""

    def __init__(self, cause: str, before: int) -> None:
        super().__init__(cause)
        self.before = before


class Beside(ABC):
    """What becomes of such records. A fault here is not one record's: it would decide what is removed."""

    once: Sequence[str] = ()  # fields that may not stand twice

    def read(self, option: str, paths: Sequence[str]) -> None:
        """Takes all records of files that an option names; raises Failed."""
        for path in paths:
            before = 0
            for lines in wire.read_chunks(option, path):
                before += self.take_all(lines, path, before)

    def take_all(self, lines: bytes, source: str, before: int = 0) -> int:
        """Takes lines of a source, of which so many stand before these, and says how many; raises Failed."""
        first = before
        at = 0
        while at < len(lines):
            try:
                taken, at = self.take_lines(lines, at)
                before += taken
                if at < len(lines):
                    line, at = line_at(lines, at)
                    self.take(parse(line, self.once))
                    before += 1
            except (Rejected, Failed) as error:
                if isinstance(error, Wrong):
                    before += error.before
                raise Failed(f"{errors.printable(source)}:{before + 1}: {error}") from None
        return before - first

    @abstractmethod
    def take_lines(self, lines: bytes, at: int, /) -> tuple[int, int]:
        """Takes the ordinary lines from a place on: how many, and where the next line begins. Raises Wrong."""

    @abstractmethod
    def take(self, record: Record, /) -> None:
        """Takes one record. Raises Rejected or Failed."""
