"""Pairs in, groups out."""

from array import array
from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Protocol

import numpy as np
import orjson

from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS, DocumentFields
from shingletools.kernel.ids import IdsAt
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.unionfind import UnionFind
from shingletools.record import wire
from shingletools.record.collector import Collector, Written
from shingletools.record.json_members import in_quotes
from shingletools.record.wire import Record
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected

MEMBERS = 1 << 16  # members of groups that are written together; a larger group is written alone
PLACE = 32  # bits of a number, where it stands beside that of its group
WAITING = 1 << 16  # bytes of ids, plus 16 for each, that are numbered together if lines come one by one
MANY = 1000  # documents from which on a large group is told; among fewer, a tenth may well be copies of one text
TENTH = 10


class Method(Protocol):
    """How pairs become groups. Documents are numbers from 0 on, in the order in which they first come."""

    def __len__(self) -> int:
        """How many documents there are."""

    def grow(self, documents: int, /) -> None:
        """There are `documents` documents now."""

    def join(self, left: Index, right: Index, /) -> object:
        """Takes pairs, each of two different documents. Shapes (pairs,), (pairs,)."""

    def representatives(self) -> Index:
        """The first document of each document's group. Shape (documents,)."""


class Stars:
    """Groups in which every member has a pair with the representative.

    In the order of the documents, a document that no representative has taken becomes one itself, and takes those of
    its partners that are not taken yet. Memory: 16 bytes a pair.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.left, self.right = array("q"), array("q")

    def __len__(self) -> int:
        return self.documents

    def grow(self, documents: int) -> None:
        self.documents = documents

    def join(self, left: Index, right: Index) -> None:
        self.left.frombytes(np.minimum(left, right).tobytes())
        self.right.frombytes(np.maximum(left, right).tobytes())

    def representatives(self) -> Index:
        left, right = np.frombuffer(self.left, np.int64), np.frombuffer(self.right, np.int64)
        order = np.argsort(left, kind="stable")
        starts = np.searchsorted(left[order], np.arange(self.documents + 1))
        partners = right[order]
        taken_by = np.full(self.documents, -1)
        ends = starts[1:].tolist()
        start = 0
        for document, end in enumerate(ends):
            # Earlier representatives that have a pair with it have taken it already
            if taken_by[document] < 0:
                taken_by[document] = document
                mine = partners[start:end]
                taken_by[mine[taken_by[mine] < 0]] = document
            start = end
        return taken_by


class Groups(Collector):
    """Takes pairs {"a", "b"}. Then gives groups of two or more; groups and members stand in the order of first mention.

    With files of documents it also gives groups of one, for documents in no group. Memory: about 40 bytes for each id
    besides its own bytes, and what the method needs.
    """

    def __init__(self, spec: GroupSpec) -> None:
        self.spec = spec
        self.method: Method = Stars() if spec.star else UnionFind()
        self.ids = kernel.new_ids()  # first the ids in pairs, then those of other documents
        self.nearest = array("q")  # for each document in a pair, the first of its partners
        self.least = -1 if spec.least is None else ceil(spec.least * 10**DECIMALS)
        self.waiting: tuple[list[bytes], list[bytes]] = [], []  # ids that `take` has taken: of pairs, of documents
        self.waiting_size = 0  # bytes
        self.id_name = in_quotes(spec.id_field)
        self.groups = self.grouped = self.largest = self.chained = 0
        self.doubts: list[str] = []

    def take(self, record: Record, _line: bytes, side: int, /) -> None:
        names = (wire.take_id(record, self.spec.id_field),) if side else take_pair(record, self.spec.least)
        for name in names or ():
            self.waiting[side].append(orjson.dumps(name))
            self.waiting_size += len(self.waiting[side][-1]) + 16
        if self.waiting_size >= WAITING:
            self.take_waiting()

    def take_lines(self, lines: bytes, at: int, side: int, /) -> tuple[int, int, Written]:
        if side and b"\\" in self.id_name:
            return 0, at, Written()
        if side:
            named = kernel.read_documents(lines, at, DocumentFields(self.id_name))
            taken, end, ids, sizes = named[:4]
        else:
            taken, end, ids, sizes = kernel.read_pairs(lines, at, self.least)
        if taken:
            self.take_waiting()
            self.take_ids(ids, np.frombuffer(sizes, np.int64), side)
        return taken, end, Written()

    def take_waiting(self) -> None:
        for side, ids in enumerate(self.waiting):
            if ids:
                self.take_ids(b"".join(ids), np.array([*map(len, ids)]), side)
                ids.clear()
        self.waiting_size = 0

    def take_ids(self, ids: bytes, sizes: Index, side: int) -> None:
        """Numbers ids: of pairs, two each, or of documents."""
        numbers = np.frombuffer(self.ids.number(ids, sizes), np.int64)
        if not side:
            self.join(numbers)

    def join(self, numbers: Index) -> None:
        """Takes pairs, each as two numbers one after the other."""
        documents = len(self.ids)
        self.nearest.frombytes(np.arange(len(self.nearest), documents).tobytes())  # itself: it has no partner yet
        self.method.grow(documents)
        a, b = numbers[::2], numbers[1::2]
        self.method.join(a, b)
        nearest = np.frombuffer(self.nearest, np.int64)
        np.minimum.at(nearest, a, b)
        np.minimum.at(nearest, b, a)

    def finish(self) -> Iterator[Written]:
        self.take_waiting()
        self.ids.close()  # its table takes as much as the arrays below
        if len(self.ids) > 1 << PLACE:
            raise Failed(f"more than {1 << PLACE} ids")
        representatives = self.method.representatives()
        sizes = np.bincount(representatives, minlength=len(representatives))
        apart = np.frombuffer(self.nearest, np.int64) > representatives  # from the first of the group
        self.chained = int(np.count_nonzero(apart))
        self.doubts = [*self.doubt(sizes, apart, representatives)]
        self.nearest = array("q")
        singles = np.flatnonzero(sizes == 1) if self.spec.against else None
        members = np.flatnonzero(sizes[representatives] > 1)
        keys = representatives[members].view(np.uint64)
        keys <<= np.uint64(PLACE)
        keys |= members.view(np.uint64)
        del apart, representatives, members
        keys.sort()  # by groups, of which each begins with its representative
        keys &= np.uint64((1 << PLACE) - 1)
        members, sizes = keys.view(np.int64), sizes[sizes > 1]
        self.groups, self.grouped, self.largest = len(sizes), len(members), int(max(sizes, default=0))
        yield from self.lines(members, sizes)
        if singles is not None:
            others = np.append(singles, np.arange(len(self.method), len(self.ids)))
            yield from self.lines(others, np.ones(len(others), np.int64))

    def lines(self, members: Index, sizes: Index) -> Iterator[Written]:
        """The lines of groups, whose members stand group by group."""
        ends = np.cumsum(sizes)
        group = start = 0
        while group < len(sizes):
            next_group = max(group + 1, int(np.searchsorted(ends, start + MEMBERS, "right")))
            end = int(ends[next_group - 1])
            named = IdsAt(self.ids.data, self.ids.ends, members[start:end])
            yield Written(kernel.group_lines(named, sizes[group:next_group]))
            group, start = next_group, end

    def doubt(self, sizes: Index, apart: Flags, representatives: Index) -> Iterator[str]:
        """What to say of the largest group, if it has a tenth of many documents, most of which its first does not know.

        Groups by their first document: how many they have. Documents: whether they have no pair with their first one.
        """
        every = len(self.ids)
        first = int(np.argmax(sizes)) if len(sizes) else 0
        if every < MANY or sizes[first] * TENTH <= every:
            return
        without = int(np.count_nonzero(apart & (representatives == first)))
        if without * 2 > sizes[first]:
            start, end = [0, *np.frombuffer(self.ids.ends, np.int64)[: first + 1]][-2:]
            name = errors.shown(orjson.loads(bytes(self.ids.data[start:end])))
            yield (
                f"the group of {name} has {sizes[first]} of {every} documents, {without} of them without a pair"
                " with it: chains join what differs, so remove by pairs"
            )

    def remarks(self) -> list[str]:
        return self.doubts

    def summary(self) -> list[str]:
        return [
            f"{self.groups} groups",
            f"{self.grouped} documents in them",
            f"{self.largest} in the largest",
            f"{self.chained} without a pair with their first",
        ]


def take_pair(record: Record, least: Fraction | None) -> tuple[str | int, str | int] | None:
    """The ids of a pair, or None if it is not similar enough. Raises Rejected if the record is no pair.

    Raises Failed for a pair of two sides: to reject it would lose the pairs that --against was to find.
    """
    wire.check_one_side(record)
    one, two, _ = wire.take_pair(record)
    return None if least is not None and similarity(record) < least else (one, two)


def similarity(record: Record) -> Fraction:
    """The pair's similarity, exactly as written. Raises Rejected unless it is a number."""
    value = record.get("similarity")
    if type(value) not in (int, float):
        cause = "is not a number" if "similarity" in record else "is missing"
        raise Rejected(f'field "similarity" {cause}')
    return Fraction(str(value))
