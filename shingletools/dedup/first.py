"""The first document of a group stays, or none: that is known at once."""

from collections.abc import Iterator

from shingletools.dedup.blocks import Block
from shingletools.dedup.choice import Dedup
from shingletools.kernel.types import Index
from shingletools.stage import Written
from shingletools.wire import Record


class First(Dedup):
    """The first of a group stays; documents are written as they come."""

    def take(self, record: Record, line: bytes, _side: int, /) -> Written:
        number = self.take_name(record)
        self.meet(number)
        return self.write_one(number, line)

    def accept(self, documents: Block) -> Written:
        self.meet(documents.numbers)
        return self.write(documents)

    def meet(self, numbers: Index) -> None:
        """Documents, of which the first of each group stays."""
        member = numbers[self.members(numbers)]
        groups = self.group[member]
        new = self.kept[groups] < 0
        self.kept[groups[new][::-1]] = member[new][::-1]  # backwards, so that the first stays

    def finish(self) -> Iterator[Written]:
        return iter(())


class NoneStays(Dedup):
    """All of a group go; documents are written as they come."""

    def take(self, record: Record, line: bytes, _side: int, /) -> Written:
        return self.write_one(self.take_name(record), line)

    def accept(self, documents: Block) -> Written:
        return self.write(documents)

    def finish(self) -> Iterator[Written]:
        return iter(())
