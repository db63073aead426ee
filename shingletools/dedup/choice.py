"""Which document of a group stays: documents in, those that stay out, as they came, in their order."""

import contextlib
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import orjson

from shingletools import errors, signals, wire
from shingletools.dedup.spec import DUPLICATE_OF, LONGEST, DedupSpec, in_two_groups
from shingletools.errors import Failed, Rejected, seen_before
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DocumentFields, ReadDocuments
from shingletools.kernel.types import Flags, Index
from shingletools.records import in_quotes, line_at, members
from shingletools.scratch import scratch_errors, scratch_folder
from shingletools.stage import Collector, Written
from shingletools.wire import Record

Name = str | int

MARK = orjson.dumps(DUPLICATE_OF) + b":"
BLOCK = 1 << 18  # bytes of the scratch file that are read together


class Members:
    """The documents that groups name."""

    def __init__(self) -> None:
        self.ids = kernel.new_ids()
        self.group = array("q")  # the number of each one's
        self.groups = 0

    def add(self, ids: bytes, sizes: bytes, counts: bytes) -> tuple[int, Name] | None:
        """Groups: their ids, the bytes of each id, and how many ids each group has; both int64.

        Returns the first id that is in another group already, behind the number of groups before it; else None.
        """
        numbers = np.frombuffer(self.ids.number(ids, sizes), np.int64)
        places = np.repeat(np.arange(len(counts) // 8), np.frombuffer(counts, np.int64))
        groups = places + self.groups
        known = len(self.group)
        self.group.frombytes(bytes(8 * (len(self.ids) - known)))
        group = np.frombuffer(self.group, np.int64)
        new = numbers >= known
        group[numbers[new][::-1]] = groups[new][::-1]  # backwards, so that the first that names it has it
        self.groups += len(counts) // 8
        wrong = np.flatnonzero(group[numbers] != groups)
        if not len(wrong):
            return None
        ends = np.cumsum(np.frombuffer(sizes, np.int64))
        start = ends[wrong[0] - 1] if wrong[0] else 0
        return int(places[wrong[0]]), orjson.loads(ids[start : ends[wrong[0]]])


def read_groups(paths: Sequence[str]) -> Members:
    """Lines {"members": [...]}; raises Failed for a line that is none, and for a document in two groups.

    A fault here is not one record's: it would decide what is removed.
    """
    groups = Members()
    for path in paths:
        for line, *some in read_blocks(path):
            if (wrong := groups.add(*some)) is not None:
                before, name = wrong
                raise Failed(f"{errors.printable(path)}:{line + before}: {in_two_groups(name)}")
    return groups


def read_blocks(path: str) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Some groups: the line of the first, and what `Members.add` takes. Raises Failed."""
    line = 1
    for lines in wire.read_chunks("--groups", path):
        at = 0
        while at < len(lines):
            read = kernel.read_members(lines, at)
            at = read.end
            if read.lines:
                yield line, read.ids, read.id_sizes, read.counts
                line += read.lines
            if at < len(lines):
                document, at = line_at(lines, at)
                try:
                    ids = [orjson.dumps(name) for name in take_members(wire.parse_json(document))]
                except Rejected as error:
                    raise Failed(f"{errors.printable(path)}:{line}: {error}") from None
                yield (
                    line,
                    b"".join(ids),
                    np.array([*map(len, ids)], np.int64).tobytes(),
                    np.array([len(ids)]).tobytes(),
                )
                line += 1


def take_members(record: Record) -> list[Name]:
    """Raises Rejected unless the field members is a list of ids."""
    names = record.get("members")
    if type(names) is not list or not all(type(name) in (str, int) for name in names):
        raise Rejected('field "members" is not a list of strings and integers')
    return names


class Block(NamedTuple):
    """Documents of some lines that are taken at once, but for those whose ids were seen before."""

    lines: bytes
    places: Index  # where each begins, and where the line behind the last does
    lasts: Index  # where the last value of each ends
    numbers: Index  # of the ids
    lengths: Index  # of the texts in characters, where they count
    again: Index  # places in the block of those that were seen before, and its length

    def part(self, start: int, end: int) -> "Block":
        places, none = self.places[start : end + 1], self.again[:0]
        lasts, numbers, lengths = (each[start:end] for each in (self.lasts, self.numbers, self.lengths))
        return Block(self.lines, places, lasts, numbers, lengths, none)


class Dedup(Collector):
    """What all ways to choose have in common.

    A document in no group stays, nor are groups looked at that are too small. Of each other group one of the documents
    that are really there stays, whatever members the group may name besides, or none. Memory: the ids of groups and
    documents, and some 50 bytes for each.
    """

    def __init__(self, spec: DedupSpec) -> None:
        self.spec = spec
        found = read_groups(spec.reads)
        self.ids = found.ids  # of members of groups, then of other documents
        self.group = np.array(found.group)  # of each member
        sizes = np.bincount(self.group, minlength=found.groups)
        self.counts = (sizes > spec.larger_than)[self.group]  # for each member whether its group is looked at
        self.kept = np.full(found.groups, -1)  # of each group the document that stays, once there is one
        self.seen = bytearray()  # for each id whether a document had it
        names = [in_quotes(name) for name in (spec.id_field, spec.text_field)]
        self.fields: DocumentFields | None = None
        if not any(b"\\" in name for name in names):
            text = None if spec.measured is None else names[1]
            self.fields = DocumentFields(names[0], text, DUPLICATE_OF.encode(), not spec.annotate)
        self.block: Block | None = None
        self.stay = self.go = 0

    def take_lines(self, lines: bytes, at: int, _side: int, /) -> tuple[int, int, Written]:
        if self.fields is None:
            return 0, at, Written()
        block = self.block
        if block is None or block.lines is not lines or not block.places[0] <= at < block.places[-1]:
            read = kernel.read_documents(lines, at, self.fields)
            if not read.lines:
                return 0, at, Written()
            self.block = block = self.met(lines, read)
        start = int(np.searchsorted(block.places, at))
        end = int(block.again[np.searchsorted(block.again, start)])
        part = block.part(start, end)
        np.frombuffer(self.seen, np.bool_)[part.numbers] = True
        return end - start, int(block.places[end]), self.accept(part) if end > start else Written()

    def met(self, lines: bytes, read: ReadDocuments) -> Block:
        """Documents that were read, and which of them have ids that others had."""
        numbers = self.number(read.ids, read.id_sizes)
        again = np.array(np.frombuffer(self.seen, np.bool_)[numbers])
        others = np.ones(len(numbers), np.bool_)
        others[np.unique(numbers, return_index=True)[1]] = False
        return block_of(lines, read, numbers, np.append(np.flatnonzero(again | others), read.lines))

    def number(self, ids: bytes, sizes: bytes) -> Index:
        """The number of each id, int64, from `sizes`, the bytes of each."""
        numbers = np.frombuffer(self.ids.number(ids, sizes), np.int64)
        self.seen.extend(bytes(len(self.ids) - len(self.seen)))
        return numbers

    def number_of(self, name: Name) -> Index:
        """Of one id, as an array."""
        text = orjson.dumps(name)
        return self.number(text, np.array([len(text)]).tobytes())

    def take_name(self, record: Record) -> Index:
        """The id's number, taken; raises Rejected. The last step that may, so that what is rejected leaves no trace."""
        name = wire.take_id(record, self.spec.id_field)
        number = self.number_of(name)
        if self.seen[number[0]]:
            raise Rejected(seen_before(name))
        self.seen[number[0]] = True
        return number

    @abstractmethod
    def accept(self, documents: Block) -> Written:
        """Takes documents whose ids are new; gives what can be written already."""

    def members(self, numbers: Index) -> Flags:
        """Which documents are in groups that are looked at."""
        member = numbers < len(self.group)
        member[member] = self.counts[numbers[member]]
        return member

    def choose(self, numbers: Index) -> Index:
        """For each document the one that is kept in its place; itself, if it stays; -1, if none does."""
        kept = numbers.copy()
        member = self.members(numbers)
        kept[member] = self.kept[self.group[numbers[member]]]
        goes = int(np.count_nonzero(kept != numbers))
        self.go += goes
        self.stay += len(numbers) - goes
        return kept

    def write(self, documents: Block) -> Written:
        """Documents that stay, or go, as they came."""
        lines, places, numbers = documents.lines, documents.places, documents.numbers
        kept = self.choose(numbers)
        goes = kept != numbers
        feed = b"" if lines[places[-1] - 1 : places[-1]] == b"\n" else b"\n"
        if self.spec.annotate:
            return Written(b"".join((*self.marked(documents, kept, np.flatnonzero(goes)), feed)))
        written: tuple[list[bytes | memoryview], ...] = [], []
        edges = [0, *(np.flatnonzero(goes[1:] != goes[:-1]) + 1).tolist(), len(goes)]
        runs = places[edges].tolist()
        view = memoryview(lines)
        for run, (start, end) in enumerate(pairwise(runs)):
            written[(run + goes[0]) % 2].append(view[start:end])
        written[int(goes[-1])].append(feed)
        return Written(*map(b"".join, written))

    def marked(self, documents: Block, kept: Index, goes: Index) -> Iterator[bytes | memoryview]:
        """Documents, those that go with a mark; none has one yet."""
        view = memoryview(documents.lines)
        at = int(documents.places[0])
        for end, number in zip(documents.lasts[goes].tolist(), kept[goes].tolist(), strict=True):
            yield view[at:end]
            yield b"," + MARK + self.id_of(number)
            at = end
        yield view[at : int(documents.places[-1])]

    def id_of(self, number: int) -> bytes:
        """The id of a number, as JSON."""
        ends = np.frombuffer(self.ids.ends, np.int64)
        return bytes(self.ids.data[int(ends[number - 1]) if number else 0 : int(ends[number])])

    def write_one(self, number: Index, line: bytes) -> Written:
        """A document by the definition."""
        (kept,) = self.choose(number).tolist()
        stays = kept == number[0]
        if self.spec.annotate:
            return Written(annotated(line, None if stays else self.id_of(kept)) + b"\n")
        return Written(line + b"\n") if stays else Written(b"", line + b"\n")

    def summary(self) -> list[str]:
        return [f"{self.stay} stay", f"{self.go} {'marked' if self.spec.annotate else 'removed'}"]


def block_of(lines: bytes, read: ReadDocuments, numbers: Index, again: Index) -> Block:
    places, lasts, lengths = (np.frombuffer(part, np.int64) for part in read[4:])
    return Block(lines, np.append(places, read.end), lasts, numbers, lengths, again)


def annotated(line: bytes, kept: bytes | None) -> bytes:
    """A document that stays, without a mark, or one with the id, as JSON, of the one that is kept in its place.

    >>> annotated(b'{"id": 1, "n": 1.0}', b"7"), annotated(b'{"id": 1, "duplicate_of": 5, "n": 1.0}', b"7")
    (b'{"id": 1, "n": 1.0,"duplicate_of":7}', b'{"id": 1, "duplicate_of": 7, "n": 1.0}')
    >>> annotated(b'{"id": 1, "duplicate_of": 5, "n": 1.0}', None)
    b'{"id": 1, "n": 1.0}'
    """
    found = members(line)
    place = next((place for place, member in enumerate(found) if member.name == DUPLICATE_OF), None)
    if kept is None and place is None:
        return line
    if place is None:
        start, end, new = found[-1].end, found[-1].end, b"," + MARK + (kept or b"")
    elif kept is not None:
        start, end, new = found[place].value, found[place].end, kept
    elif place:
        start, end, new = found[place - 1].end, found[place].end, b""
    else:  # there is another, which has the id
        start, end, new = found[place].start, found[place + 1].start, b""
    return (line[:start] + new + line[end:]).removeprefix(wire.BOM)


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


class ByLength(Dedup):
    """The longest or the shortest document of a group stays, of equals the first; documents wait in a scratch file."""

    def __init__(self, spec: DedupSpec) -> None:
        super().__init__(spec)
        self.sign = 1 if spec.keep == LONGEST else -1
        self.best = np.full(len(self.kept), np.iinfo(np.int64).min)  # of each group: signed length in characters
        self.waiting = contextlib.ExitStack()
        self.folder = scratch_folder()
        with scratch_errors(self.folder), signals.held():
            import tempfile  # which the first of a group does without

            self.scratch = self.waiting.enter_context(tempfile.TemporaryFile(dir=self.folder))

    def take(self, record: Record, line: bytes, _side: int, /) -> None:
        length = len(wire.take_string(record, self.spec.text_field))
        self.meet(self.take_name(record), np.array([length]))
        self.wait(line)

    def accept(self, documents: Block) -> Written:
        self.meet(documents.numbers, documents.lengths)
        self.wait(documents.lines[documents.places[0] : documents.places[-1]].removesuffix(b"\n"))
        return Written()

    def meet(self, numbers: Index, lengths: Index) -> None:
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
                        read = kernel.read_documents(lines, at, self.fields._replace(text=None))
                        at = read.end
                        if read.lines:
                            numbers = self.number(read.ids, read.id_sizes)
                            yield self.write(block_of(lines, read, numbers, numbers[:0]))
                    if at < len(lines):
                        line, at = line_at(lines, at)
                        number = self.number_of(wire.take_id(wire.parse_json(line), self.spec.id_field))
                        yield self.write_one(number, line)
