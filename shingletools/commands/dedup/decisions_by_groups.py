"""Reads groups, and decides by them: one document of each group is kept."""

from array import array
from collections.abc import Sequence

import numpy as np
import orjson

from shingletools.commands.dedup.documents import DocumentArrays
from shingletools.commands.dedup.pair_input import NO_SIMILARITY
from shingletools.commands.dedup.side_input import LineFailed, SideInput
from shingletools.commands.dedup.spec import in_two_groups
from shingletools.kernel.ids import Ids, split_ids
from shingletools.kernel.line_columns import Field, Kind
from shingletools.kernel.types import F64, Flags, Index
from shingletools.record import wire
from shingletools.record.json_members import parse
from shingletools.record.record_batch import RecordBatch, Schema
from shingletools.record.wire import Name, Record
from shingletools.system.errors import Rejected


class GroupMembers(SideInput):
    """Takes groups, {"members": [...]}. The ids of members get the first numbers.

    Raises Failed for a record that is no group, and for a document in two groups.
    """

    def __init__(self, ids: Ids) -> None:
        self.schema = Schema(self.parse_line, (Field(b"members", Kind.IDS),))
        self.ids = ids
        self.group = array("q")  # the number of each member's group
        self.groups = 0

    def parse_line(self, line: bytes, _start: int) -> Sequence[Sequence[bytes]]:
        """Returns the members of a group. Raises Rejected."""
        return [[orjson.dumps(name) for name in take_members(parse(line, ["members"]))]]

    def add(self, batch: RecordBatch, /) -> None:
        ((ids, sizes, counts),) = batch.columns
        numbers = np.frombuffer(self.ids.number(ids, sizes), np.int64)
        places = np.repeat(np.arange(len(counts) // 8), np.frombuffer(counts, np.int64))
        groups = places + self.groups
        before = len(self.group)
        self.group.frombytes(bytes(8 * (len(self.ids) - before)))
        group = np.frombuffer(self.group, np.int64)
        new = numbers >= before
        group[numbers[new][::-1]] = groups[new][::-1]  # backwards, so that the first group that names a member wins
        self.groups += len(counts) // 8
        wrong = np.flatnonzero(group[numbers] != groups)
        if len(wrong):
            name = orjson.loads([*split_ids(ids, sizes)][wrong[0]])
            raise LineFailed(in_two_groups(name), int(places[wrong[0]]))


def take_members(record: Record) -> list[Name]:
    """Returns the members of a group. Raises Rejected unless the field members is a list of ids."""
    if "members" not in record and record.get(wire.AGAINST) is True:
        raise Rejected(wire.TWO_SIDES)
    return wire.take_ids(record, "members")


class ByGroups:
    """Keeps the first document of each group that is taken. Leaves groups alone that are too small.

    It is used as ByPairs is, but says nothing of similarities.
    """

    option = "--groups"
    different = 0
    waits = False

    def __init__(self, members: GroupMembers, larger_than: int) -> None:
        self.group = np.array(members.group)  # of each member
        self.sizes = np.bincount(self.group, minlength=members.groups)
        self.larger_than = larger_than
        self.wholes: dict[bytes, int] = {}  # by their JSON
        self.parts_of: set[tuple[int, int]] = set()  # (group, whole of which it has a part)
        self.named = len(self.group)
        self.kept = np.zeros(members.groups, np.int64)  # for each group, the document that is kept
        self.has_kept = np.zeros(members.groups, np.bool_)  # whether there is one

    def learn(self, documents: DocumentArrays) -> None:
        """Counts the wholes that documents are parts of, instead of the documents; null is no whole."""
        concerned = documents.numbers < self.named
        names = split_ids(*documents.spelled(documents.wholes[concerned]))
        for group, name in zip(self.group[documents.numbers[concerned]].tolist(), names, strict=True):
            if name and (whole := orjson.loads(name)) is not None:
                part_of = group, self.wholes.setdefault(orjson.dumps(whole), len(self.wholes))
                self.sizes[group] -= part_of in self.parts_of
                self.parts_of.add(part_of)

    def concerns(self, documents: Index) -> Flags:
        concerned = documents < self.named
        concerned[concerned] = self.sizes[self.group[documents[concerned]]] > self.larger_than
        return concerned

    def take(self, documents: Index) -> None:
        groups = self.group[documents]
        new = ~self.has_kept[groups]
        self.kept[groups[new][::-1]] = documents[new][::-1]  # backwards, so that the first is kept
        self.has_kept[groups[new]] = True

    def decided(self, documents: Index) -> tuple[Flags, Index]:
        groups = self.group[documents]
        kept = self.kept[groups]
        return ~self.has_kept[groups] | (kept != documents), kept

    def similarity(self, documents: Index) -> F64:
        return np.full(len(documents), NO_SIMILARITY)

    def remarks(self, _seen: Flags) -> list[str]:
        return []

    def figures(self, _there: Flags, _seen: Flags) -> list[str]:
        return []
