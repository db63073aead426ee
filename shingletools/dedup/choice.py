"""Which document of a group stays: documents in, those that stay out, as they came, in their order."""

import contextlib
import itertools
import tempfile
from collections.abc import Iterator, Sequence

from shingletools import errors, signals, wire
from shingletools.dedup.spec import DUPLICATE_OF, LONGEST, DedupSpec, in_two_groups
from shingletools.errors import Failed, Rejected, seen_before
from shingletools.scratch import scratch_errors, scratch_folder
from shingletools.stage import Collector, Written
from shingletools.wire import Record

Name = str | int
GroupOf = dict[Name, int]  # a document: the number of its group


def read_groups(paths: Sequence[str]) -> GroupOf:
    """Lines {"members": [...]}; raises Failed for a line that is none, and for a document in two groups.

    A fault here is not one record's: it would decide what is removed.
    """
    groups: GroupOf = {}
    numbers = itertools.count()
    for path in paths:
        for number, line in enumerate(wire.read_lines("--groups", path), 1):
            try:
                add_group(groups, next(numbers), take_members(wire.parse_json(line)))
            except Rejected as error:
                raise Failed(f"{errors.printable(path)}:{number}: {error}") from None
    return groups


def add_group(groups: GroupOf, number: int, members: list[Name]) -> None:
    """Raises Rejected for a document that is in a group already."""
    for name in members:
        if groups.setdefault(name, number) != number:
            raise Rejected(in_two_groups(name))


def take_members(record: Record) -> list[Name]:
    """Raises Rejected unless the field members is a list of ids."""
    members = record.get("members")
    if type(members) is not list or not all(type(name) in (str, int) for name in members):
        raise Rejected('field "members" is not a list of strings and integers')
    return members


class Dedup(Collector):
    """What all ways to choose have in common.

    A document in no group stays. Of each group one of the documents that are really there stays, whatever members the
    group may name besides. Memory: the ids of groups and documents, some 100 bytes each.
    """

    def __init__(self, spec: DedupSpec) -> None:
        self.spec = spec
        self.groups = read_groups(spec.reads)
        self.seen: set[Name] = set()
        self.stay = self.go = 0

    def check_writable(self, record: Record) -> None:
        """Raises Rejected if it could not be marked: now, before others are marked as its duplicates."""
        if self.spec.annotate:
            wire.format_json(record)

    def take_name(self, record: Record) -> Name:
        """The id, taken; raises Rejected. The last step that may, so that what is rejected leaves no trace."""
        name = wire.take_id(record, self.spec.id_field)
        if name in self.seen:
            raise Rejected(seen_before(name))
        self.seen.add(name)
        return name

    def written(self, record: Record, line: bytes, kept: Name | None) -> Written:
        """A document that stays (kept is None), or goes because of the one that is kept."""
        out = annotated(record, line, kept) if self.spec.annotate else line + b"\n"
        self.stay += kept is None
        self.go += kept is not None
        return Written(out) if kept is None or self.spec.annotate else Written(b"", out)

    def summary(self) -> list[str]:
        return [f"{self.stay} stay", f"{self.go} {'marked' if self.spec.annotate else 'removed'}"]


def annotated(record: Record, line: bytes, kept: Name | None) -> bytes:
    """A document that stays, or one that says which is kept in its place."""
    if kept is not None:
        record[DUPLICATE_OF] = kept
    elif record.pop(DUPLICATE_OF, None) is None:  # of an earlier run
        return line + b"\n"
    return wire.format_json(record)


class First(Dedup):
    """The first of a group stays; documents are written as they come."""

    def __init__(self, spec: DedupSpec) -> None:
        super().__init__(spec)
        self.kept: dict[int, Name] = {}  # of each group of which a document was seen

    def take(self, record: Record, line: bytes, _side: int, /) -> Written:
        self.check_writable(record)
        name = self.take_name(record)
        group = self.groups.get(name)
        kept = None if group is None else self.kept.setdefault(group, name)
        return self.written(record, line, None if kept is None or same(kept, name) else kept)

    def finish(self) -> Iterator[Written]:
        return iter(())


class ByLength(Dedup):
    """The longest or the shortest document of a group stays, of equals the first; documents wait in a scratch file."""

    def __init__(self, spec: DedupSpec) -> None:
        super().__init__(spec)
        self.sign = 1 if spec.keep == LONGEST else -1
        self.best: dict[int, tuple[int, Name]] = {}  # of each group: signed length in characters, document
        self.waiting = contextlib.ExitStack()
        self.folder = scratch_folder()
        with scratch_errors(self.folder), signals.held():
            self.scratch = self.waiting.enter_context(tempfile.TemporaryFile(dir=self.folder))

    def take(self, record: Record, line: bytes, _side: int, /) -> None:
        self.check_writable(record)
        length = self.sign * len(wire.take_string(record, self.spec.text_field))
        name = self.take_name(record)
        group = self.groups.get(name)
        if group is not None and (group not in self.best or length > self.best[group][0]):
            self.best[group] = length, name
        with scratch_errors(self.folder):
            self.scratch.write(line + b"\n")

    def finish(self) -> Iterator[Written]:
        with self.waiting, scratch_errors(self.folder):
            self.scratch.seek(0)
            for line in self.scratch:
                record = wire.parse_json(line)
                name = wire.take_id(record, self.spec.id_field)
                group = self.groups.get(name)
                kept = None if group is None else self.best[group][1]
                yield self.written(record, line[:-1], None if kept is None or same(kept, name) else kept)


def same(one: Name, two: Name) -> bool:
    """Whether two ids are one; 1 and "1" are different."""
    return type(one) is type(two) and one == two
