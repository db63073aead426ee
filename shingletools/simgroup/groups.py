"""Pairs in, groups out."""

from array import array
from collections.abc import Iterator
from fractions import Fraction
from typing import Protocol

from shingletools import errors, wire
from shingletools.errors import Rejected
from shingletools.simgroup.spec import GroupSpec
from shingletools.stage import Collector, Written
from shingletools.unionfind import UnionFind
from shingletools.wire import Record


class Method(Protocol):
    """How pairs become groups. Documents are numbers, from 0 in the order in which they are first seen."""

    def add(self) -> None:
        """One more document."""

    def join(self, a: int, b: int) -> object:
        """A pair of two different documents."""

    def representatives(self) -> "array[int]":
        """For each document, the first of its group."""


class Stars:
    """Every member has a pair with its representative.

    Document by document: one that no representative has taken becomes a representative, and takes those of its partners
    that none has taken. Memory: 16 bytes a pair.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.left, self.right = array("q"), array("q")

    def add(self) -> None:
        self.documents += 1

    def join(self, a: int, b: int) -> None:
        self.left.append(min(a, b))
        self.right.append(max(a, b))

    def representatives(self) -> "array[int]":
        import numpy as np  # which only stars need

        left, right = np.frombuffer(self.left, np.int64), np.frombuffer(self.right, np.int64)
        order = np.argsort(left, kind="stable")
        ends = np.searchsorted(left[order], np.arange(self.documents + 1))
        partners = right[order]
        taken_by = np.full(self.documents, -1)
        for document in range(self.documents):
            # Those before it that are representatives have taken it if they could
            if taken_by[document] < 0:
                taken_by[document] = document
                mine = partners[ends[document] : ends[document + 1]]
                taken_by[mine[taken_by[mine] < 0]] = document
        return array("q", taken_by.tobytes())


class Groups(Collector):
    """Takes pairs {"a", "b"}; then gives the groups of two or more, groups and documents in the order first seen.

    With `singletons`, files of documents, also groups of one for those in no group. Memory: some 150 bytes for each id
    that occurs, and what the method needs.
    """

    def __init__(self, spec: GroupSpec) -> None:
        self.spec = spec
        self.method: Method = Stars() if spec.star else UnionFind()  # all that pairs connect, however long the chain
        self.numbers: dict[str | int, int] = {}
        self.nearest = array("q")  # for each document the first of its partners
        self.others: dict[str | int, None] = {}  # documents of which no pair was seen, in order
        self.groups = self.grouped = self.largest = self.chained = 0

    def take(self, record: Record, _line: bytes, side: int, /) -> None:
        if side:
            name = wire.take_id(record, self.spec.id_field)
            if name not in self.numbers:
                self.others[name] = None
            return
        pair = take_pair(record, self.spec.least)
        if pair is None:
            return
        a, b = map(self.number, pair)
        self.method.join(a, b)
        self.nearest[a] = min(self.nearest[a], b)
        self.nearest[b] = min(self.nearest[b], a)

    def number(self, name: str | int) -> int:
        number = self.numbers.setdefault(name, len(self.numbers))
        if number == len(self.nearest):
            self.nearest.append(number)  # none yet
            self.method.add()
        return number

    def finish(self) -> Iterator[Written]:
        names = list(self.numbers)
        representatives = self.method.representatives()
        members: dict[int, list[str | int]] = {}
        for number, representative in enumerate(representatives):
            members.setdefault(representative, []).append(names[number])
            self.chained += self.nearest[number] > representative
        whole = [group for group in members.values() if len(group) > 1]
        self.groups = len(whole)
        self.grouped = sum(map(len, whole))
        self.largest = max(map(len, whole), default=0)
        single = ([name] for name in (*(group[0] for group in members.values() if len(group) == 1), *self.others))
        yield from self.lines(iter(whole))
        if self.spec.against:
            yield from self.lines(single)

    def lines(self, groups: Iterator[list[str | int]]) -> Iterator[Written]:
        lines = (wire.format_json({"group": group[0], "size": len(group), "members": group}) for group in groups)
        yield from map(Written, wire.batches(lines))

    def summary(self) -> list[str]:
        return [
            f"{self.groups} groups",
            f"{self.grouped} documents in them",
            f"{self.largest} in the largest",
            f"{self.chained} without a pair with their first",
        ]


def take_pair(record: Record, least: Fraction | None) -> tuple[str | int, str | int] | None:
    """The ids of a pair, or None if it is not similar enough; raises Rejected for what is no pair."""
    one, two = wire.take_id(record, "a"), wire.take_id(record, "b")
    if type(one) is type(two) and one == two:
        raise Rejected(f"pairs {errors.shown(one)} with itself")
    return None if least is not None and similarity(record) < least else (one, two)


def similarity(record: Record) -> Fraction:
    """The pair's similarity, exactly as it is written; raises Rejected unless it is a number."""
    value = record.get("similarity")
    if type(value) not in (int, float):
        cause = "is not a number" if "similarity" in record else "is missing"
        raise Rejected(f'field "similarity" {cause}')
    return Fraction(str(value))
