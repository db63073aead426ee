"""The best document of a group stays: which one that is, is known only when all were there."""

import contextlib
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from shingletools import signals, wire
from shingletools.dedup.blocks import Block
from shingletools.dedup.choice import NOBODY, Dedup
from shingletools.dedup.given import Given
from shingletools.dedup.spec import LONGEST, MOST, DedupSpec
from shingletools.dedup.values import Value, value_in, value_of
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.records import line_at
from shingletools.scratch import scratch_errors, scratch_folder
from shingletools.stage import Written
from shingletools.wire import Record

BLOCK = 1 << 18  # bytes of the scratch file that are read together


class Best(Dedup):
    """What both ways have in common: documents wait in a scratch file."""

    def __init__(self, spec: DedupSpec, given: Given) -> None:
        super().__init__(spec, given)
        self.waiting = contextlib.ExitStack()
        self.folder = scratch_folder()
        with scratch_errors(self.folder), signals.held():
            import tempfile  # which the first of a group does without

            self.scratch = self.waiting.enter_context(tempfile.TemporaryFile(dir=self.folder))

    def accept(self, documents: Block) -> Written:
        self.meet(documents)
        self.wait(documents.lines[documents.places[0] : documents.places[-1]].removesuffix(b"\n"))
        return Written()

    @abstractmethod
    def meet(self, documents: Block, /) -> None:
        """Documents, of which the best of each group stays."""

    def wait(self, lines: bytes) -> None:
        with scratch_errors(self.folder):
            self.scratch.write(lines + b"\n")

    def finish(self) -> Iterator[Written]:
        with self.waiting, scratch_errors(self.folder):
            self.scratch.seek(0)
            while lines := self.scratch.read(BLOCK) + self.scratch.readline():
                at = 0
                while at < len(lines):
                    if self.fields is not None:
                        read = kernel.read_documents(lines, at, self.fields._replace(text=None, value=None))
                        at = read.end
                        if read.lines:
                            numbers = self.number(read.ids, read.id_sizes)
                            yield self.write(Block.of(lines, read, numbers, numbers[:0]))
                    if at < len(lines):
                        line, at = line_at(lines, at)
                        number = self.number_of(wire.take_id(wire.parse_json(line), self.spec.id_field))
                        yield self.write_one(number, line)


class ByLength(Best):
    """The longest or the shortest document of a group stays, of equals the first."""

    def __init__(self, spec: DedupSpec, given: Given) -> None:
        super().__init__(spec, given)
        self.sign = 1 if spec.keep == LONGEST else -1
        self.best = np.full(len(self.kept), np.iinfo(np.int64).min)  # of each group: signed length in characters

    def take(self, record: Record, line: bytes, _side: int, /) -> None:
        length = len(wire.take_string(record, self.spec.text_field))
        self.compare(self.take_name(record), np.array([length]))
        self.wait(line)

    def meet(self, documents: Block) -> None:
        self.compare(documents.numbers, documents.lengths)

    def compare(self, numbers: Index, lengths: Index) -> None:
        """Documents, of which the best of each group stays."""
        member = self.members(numbers)
        numbers, lengths = numbers[member], self.sign * lengths[member]
        groups = self.group[numbers]
        order = np.lexsort((-lengths, groups))
        group, first = np.unique(groups[order], return_index=True)
        place = order[first]
        better = lengths[place] > self.best[group]
        group, place = group[better], place[better]
        self.best[group], self.kept[group] = lengths[place], numbers[place]


class ByValue(Best):
    """The document with the least or the greatest value stays, of equals the first; one without a value loses.

    Memory: some 150 bytes and the value for each group.
    """

    def __init__(self, spec: DedupSpec, given: Given) -> None:
        super().__init__(spec, given)
        self.greatest = spec.keep.startswith(MOST)
        self.field = spec.valued or ""
        self.best: dict[int, Value] = {}  # of groups that have one

    def take(self, record: Record, line: bytes, _side: int, /) -> None:
        number = self.take_name(record)
        if self.members(number)[0]:
            self.compare(int(number[0]), value_in(line, self.field))
        self.wait(line)

    def meet(self, documents: Block) -> None:
        member = self.members(documents.numbers)
        places = documents.values[member].tolist()
        for number, (start, end) in zip(documents.numbers[member].tolist(), places, strict=True):
            self.compare(number, value_of(documents.lines[start:end]))

    def compare(self, number: int, value: Value | None) -> None:
        """One document of a group that is looked at."""
        group = int(self.group[number])
        best = self.best.get(group)
        if value is None:
            better = self.kept[group] == NOBODY
        else:
            better = best is None or (value > best if self.greatest else value < best)
            if better:
                self.best[group] = value
        if better:
            self.kept[group] = number
