"""Keeps the first document of each group, or none: that can be decided at once."""

from collections.abc import Iterator

from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.choice import Dedup
from shingletools.kernel.types import Index
from shingletools.record.stage import Written
from shingletools.record.wire import Record


class First(Dedup):
    """Keeps the first document of each group. Documents are written as they come."""

    def take(self, record: Record, line: bytes, _side: int, /) -> Written:
        number = self.take_name(record)
        self.keep_first(number)
        return self.write_one(number, line)

    def accept(self, documents: Block) -> Written:
        self.meet(documents)
        return self.write(documents)

    def meet(self, documents: Block) -> None:
        self.keep_first(documents.numbers)

    def keep_first(self, numbers: Index) -> None:
        """Keeps the first of these documents for each group that has none yet."""
        member = numbers[self.members(numbers)]
        groups = self.group[member]
        new = self.kept[groups] < 0
        self.kept[groups[new][::-1]] = member[new][::-1]  # backwards, so that the first stays

    def finish(self) -> Iterator[Written]:
        return iter(())


class NoneStays(Dedup):
    """Removes all documents of each group. Documents are written as they come."""

    def take(self, record: Record, line: bytes, _side: int, /) -> Written:
        return self.write_one(self.take_name(record), line)

    def accept(self, documents: Block) -> Written:
        return self.write(documents)

    def meet(self, documents: Block) -> None:
        """Keeps none of them."""

    def finish(self) -> Iterator[Written]:
        return iter(())
