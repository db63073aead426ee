"""Keeps the best document of each group. Which one is best is known only after all have come."""

import contextlib
from collections.abc import Iterator
from functools import cached_property
from typing import IO

import numpy as np

from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.choice import NOBODY, Dedup
from shingletools.commands.dedup.given import Given
from shingletools.commands.dedup.spec import LONGEST, MOST, DedupSpec
from shingletools.commands.dedup.values import (
    Value,
    are_alike,
    are_numbers,
    form_of,
    in_doubt,
    number_of,
    value_in,
    value_of,
)
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.record.json_members import line_at
from shingletools.record.stage import Written
from shingletools.record.wire import Record
from shingletools.system import signals
from shingletools.system.errors import shown
from shingletools.system.scratch import scratch_errors, scratch_folder

BLOCK = 1 << 18  # bytes of the scratch file that are read at once


class Best(Dedup):
    """The common part of both ways: documents wait in a scratch file."""

    def __init__(self, spec: DedupSpec, given: Given) -> None:
        super().__init__(spec, given)
        self.waiting = contextlib.ExitStack()
        self.folder = scratch_folder()

    @cached_property
    def scratch(self) -> IO[bytes]:
        with scratch_errors(self.folder), signals.held():
            import tempfile  # imported late: --keep first does not need it

            return self.waiting.enter_context(tempfile.TemporaryFile(dir=self.folder))

    def accept(self, documents: Block) -> Written:
        self.meet(documents)
        self.wait(documents.lines[documents.places[0] : documents.places[-1]].removesuffix(b"\n"))
        return Written()

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
    """Keeps the longest or the shortest document of each group; of equals the first."""

    def __init__(self, spec: DedupSpec, given: Given) -> None:
        super().__init__(spec, given)
        self.sign = 1 if spec.keep == LONGEST else -1
        self.best = np.full(len(self.kept), np.iinfo(np.int64).min)  # for each group, signed length in characters

    def take(self, record: Record, line: bytes, _side: int, /) -> None:
        length = len(wire.take_string(record, self.spec.text_field))
        self.compare(self.take_name(record), np.array([length]))
        self.wait(line)

    def meet(self, documents: Block) -> None:
        self.compare(documents.numbers, documents.lengths)

    def compare(self, numbers: Index, lengths: Index) -> None:
        """Keeps the best of these documents, and of those before, for each group."""
        member = self.members(numbers)
        numbers, lengths = numbers[member], self.sign * lengths[member]
        groups = self.group[numbers]
        order = np.lexsort((-lengths, groups))
        group, first = np.unique(groups[order], return_index=True)
        place = order[first]
        better = lengths[place] > self.best[group]
        group, place = group[better], place[better]
        self.best[group], self.kept[group] = lengths[place], numbers[place]


class Order:
    """The best document of each group, in one order of values."""

    def __init__(self, groups: int, greatest: bool) -> None:
        self.greatest = greatest
        self.kept = np.full(groups, NOBODY)
        self.best: dict[int, Value] = {}  # the best value of each group that has one

    def compare(self, group: int, number: int, value: Value | None) -> None:
        """Keeps a document if its value is the best of its group so far."""
        best = self.best.get(group)
        if value is None:
            better = self.kept[group] == NOBODY
        else:
            better = best is None or (value > best if self.greatest else value < best)
            if better:
                self.best[group] = value
        if better:
            self.kept[group] = number


class ByValue(Best):
    """Keeps the document with the least or greatest value of each group; of equals the first. No value is the worst.

    Until a value is no number, it has the best in both orders. Memory: about 150 bytes and the value for each group,
    or twice that.
    """

    def __init__(self, spec: DedupSpec, given: Given) -> None:
        super().__init__(spec, given)
        greatest = spec.keep.startswith(MOST)
        self.field = spec.valued or ""
        self.forms: set[str] = set()  # what the values read as
        self.numbers, self.mixed = Order(len(self.kept), greatest), Order(len(self.kept), greatest)
        self.kept = self.numbers.kept

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

    def remarks(self) -> list[str]:
        """And whether no value decided anything, although there are documents to choose among; or how they did."""
        said = super().remarks() + [in_doubt(self.field)] * self.unlike
        if not self.mixed.best and (self.kept != NOBODY).any():
            field = f"a number or a string in the field {shown(self.field)}"
            said.append(f"--keep: no document of the groups has {field}, so the first of each group stays")
        return said

    def compare(self, number: int, value: Value | None) -> None:
        """Keeps a document if its value is the best of its group so far."""
        group = int(self.group[number])
        if value is not None and not self.unlike:
            self.forms.add(form_of(value))
            self.unlike = not are_alike(self.forms)
        if are_numbers(self.forms):
            self.numbers.compare(group, number, None if value is None else number_of(value))
        else:
            self.kept = self.mixed.kept
        self.mixed.compare(group, number, value)
