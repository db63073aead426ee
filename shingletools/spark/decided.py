"""Which documents of groups stay, by their numbers; and lines of documents of which that was decided."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shingletools.dedup.marks import annotated, joined, mark
from shingletools.dedup.spec import DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Flags, Index
from shingletools.records import line_at
from shingletools.spark.batches import Packed
from shingletools.spark.mentions import document_fields, marks_of
from shingletools.spark.names import Named, numbers_of

NO_GROUP = np.iinfo(np.int64).max


def ranks_of(names: Index, counts: Index, larger_than: int) -> Index:
    """For the members of groups, of so many names each, their places in it, doubled, and odd if it is too small."""
    groups = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((names, groups))
    name, group = names[order], groups[order]
    new = np.ones(len(name), np.bool_)
    new[1:] = (name[1:] != name[:-1]) | (group[1:] != group[:-1])
    different = np.bincount(group[new], minlength=len(counts))
    places = np.arange(len(names)) - np.repeat(np.cumsum(counts) - counts, counts)
    return 2 * places + (different <= larger_than)[groups]


class Met(NamedTuple):
    """Documents and members of groups whose names are numbered alike."""

    twice: Index  # the place of a member that an earlier group has, of the first such, among all; or nothing
    again: Flags  # for each document whether one before it has its name
    group: Index  # for each document the group that it is in, or NO_GROUP


def met(names: int, members: tuple[Index, Index, Index], documents: tuple[Index, Index]) -> Met:
    """Of so many names: of members the name, the group and the rank, of documents the name and the number."""
    name, group, rank = members
    group_of = np.full(names, NO_GROUP)
    np.minimum.at(group_of, name, group)
    wrong = np.flatnonzero(group != group_of[name])
    first = wrong[np.lexsort((rank[wrong], group[wrong]))[:1]]
    group_of[name[rank % 2 == 1]] = NO_GROUP
    document, number = documents
    first_of = np.full(names, np.iinfo(np.int64).max)
    np.minimum.at(first_of, document, number)
    return Met(first, number != first_of[document], group_of[document])


def chosen(number: Index, rank: Index, group: Index, every: bool) -> tuple[Index, Index]:
    """Places of documents of groups that go, by their numbers, and of those that stay in the place of each.

    Of each group one of the least rank stays, of these the first; or `every` one goes.
    """
    order = np.lexsort((number, rank, group))
    firsts = np.append(True, np.diff(group[order]) != 0)[: len(order)]
    best = order[np.flatnonzero(firsts)[np.cumsum(firsts) - 1]]
    goes, stays = (order, order) if every else (order[~firsts], best[~firsts])
    ascending = np.argsort(number[goes])
    return goes[ascending], stays[ascending]


class Decisions(NamedTuple):
    """What was decided of some documents, as bytes; numbers are int64, and ascend."""

    goes: bytes = b""  # those of documents that go
    names: bytes = b""  # of those that stay in the place of each; or nothing, where nobody asks
    sizes: bytes = b""
    out: bytes = b""  # those of documents that are left out
    again: bytes = b""  # and of these, which were seen before

    def of(self, some: Packed) -> "DecidedBlock":
        """Of some lines."""
        goes, sizes, out, again = map(numbers_of, (self.goes, self.sizes, self.out, self.again))
        if not len(some.numbers):
            return DecidedBlock(some, goes[:0], out[:0], again[:0], Named(b"", sizes[:0]))
        ends = int(some.numbers[0]), int(some.numbers[-1]) + 1
        here, left, seen = (slice(*np.searchsorted(each, ends).tolist()) for each in (goes, out, again))
        names = b""
        if len(sizes):
            before = int(sizes[: here.start].sum())
            names = self.names[before : before + int(sizes[here].sum())]
        return DecidedBlock(some, goes[here], out[left], again[seen], Named(names, sizes[here]))


class DecidedBlock(NamedTuple):
    """Some documents, and what was decided of them."""

    some: Packed
    goes: Index  # their numbers
    out: Index  # of those that are left out
    again: Index  # of those of them whose ids were seen before
    stay: Named  # the names of those that stay in place of those that go

    def seen_before(self) -> Packed:
        return only(self.some, np.isin(self.some.numbers, self.again))


def only(some: Packed, wanted: Flags) -> Packed:
    """Some of the lines."""
    if wanted.all():
        return some
    ends = np.flatnonzero(np.frombuffer(some.lines, np.uint8) == ord("\n")) + 1
    edges = np.flatnonzero(np.diff(wanted.astype(np.int8), prepend=0, append=0))
    bounds = np.append(0, ends)[edges].tolist()
    view = memoryview(some.lines)
    lines = b"".join(view[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    return Packed(some.numbers[wanted], lines)


@dataclass(frozen=True)
class Cut:
    """Of some documents those that stay in the output, or that go; with `annotate`, all of them."""

    gone: bool
    spec: DedupSpec

    def __call__(self, block: DecidedBlock) -> Packed:
        numbers = block.some.numbers
        if self.gone:
            return only(block.some, np.isin(numbers, block.goes))
        wanted = ~np.isin(numbers, block.out)
        if not self.spec.annotate:
            wanted &= ~np.isin(numbers, block.goes)
        some = only(block.some, wanted)
        return some._replace(lines=b"".join(self.marked(some, block))) if self.spec.annotate else some

    def marked(self, some: Packed, block: DecidedBlock) -> Iterator[bytes | memoryview]:
        """Documents, those that go with the name of the one that stays."""
        fields = document_fields(self.spec.id_field, None, **marks_of(self.spec), marked=False)
        ends = np.append(0, np.cumsum(block.stay.sizes)).tolist()
        view = memoryview(some.lines)
        places = np.searchsorted(block.goes, some.numbers)
        goes = np.isin(some.numbers, block.goes)
        at = place = 0
        while at < len(some.lines):
            if fields is not None:
                read = kernel.read_documents(some.lines, at, fields)
                lasts = numbers_of(read.lasts)
                for line in np.flatnonzero(goes[place : place + read.lines]).tolist():
                    yield view[at : int(lasts[line])]
                    at = int(lasts[line])
                    kept = int(places[place + line])
                    yield joined(mark(block.stay.names[ends[kept] : ends[kept + 1]], self.spec.keep))
                yield view[at : read.end]
                at, place = read.end, place + read.lines
            if at < len(some.lines):
                document, at = line_at(some.lines, at)
                kept = int(places[place])
                says = mark(block.stay.names[ends[kept] : ends[kept + 1]], self.spec.keep) if goes[place] else None
                yield annotated(document, says)
                yield b"\n"
                place += 1
