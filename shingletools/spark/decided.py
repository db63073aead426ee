"""Which documents of groups stay, by number; and how decisions are applied to lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np

from shingletools.commands.dedup.marks import Mark, annotated, joined, mark
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split
from shingletools.kernel.types import Flags, Index
from shingletools.record.json_members import line_at
from shingletools.spark.batches import Packed
from shingletools.spark.mentions import document_fields, marks_of
from shingletools.spark.packed_names import Named, numbers_of

NO_GROUP = np.iinfo(np.int64).max


def ranks_of(names: Index, counts: Index, larger_than: int) -> Index:
    """For members of groups: twice the place in the group, plus 1 if it is too small to be thinned."""
    groups = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((names, groups))
    name, group = names[order], groups[order]
    new = np.ones(len(name), np.bool_)
    new[1:] = (name[1:] != name[:-1]) | (group[1:] != group[:-1])
    different = np.bincount(group[new], minlength=len(counts))
    places = np.arange(len(names)) - np.repeat(np.cumsum(counts) - counts, counts)
    return 2 * places + (different <= larger_than)[groups]


class Met(NamedTuple):
    """What is found where the names of documents and of members meet."""

    twice: Index  # the place of the first member that an earlier group has; empty if there is none
    again: Flags  # for each document, whether an earlier one has its name
    group: Index  # for each document, its group, or NO_GROUP


def met(names: int, members: tuple[Index, Index, Index], documents: tuple[Index, Index]) -> Met:
    """names: their number. members: name, group and rank of each. documents: name and number of each."""
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
    """The places of documents that go, by their numbers, and of the documents kept in their place.

    Of each group the document with the least rank stays; of equals the first. With `every`, all go.
    """
    order = np.lexsort((number, rank, group))
    firsts = np.append(True, np.diff(group[order]) != 0)[: len(order)]
    best = order[np.flatnonzero(firsts)[np.cumsum(firsts) - 1]]
    goes, stays = (order, order) if every else (order[~firsts], best[~firsts])
    ascending = np.argsort(number[goes])
    return goes[ascending], stays[ascending]


class Decisions(NamedTuple):
    """Decisions on documents, as bytes. Numbers are int64, and ascend."""

    goes: bytes = b""  # numbers of documents that go
    names: bytes = b""  # names of the documents kept in their place, and the bytes of each; empty if not needed
    sizes: bytes = b""
    out: bytes = b""  # numbers of documents that are left out
    again: bytes = b""  # numbers of those of them whose ids were used before
    reasons: bytes = b""  # the reason for each that goes; empty if the rule alone is the reason
    reasons_sizes: bytes = b""

    def of(self, some: Packed) -> "DecidedBlock":
        """The decisions on these lines."""
        goes, out, again = map(numbers_of, (self.goes, self.out, self.again))
        every = Named(self.names, numbers_of(self.sizes)), Named(self.reasons, numbers_of(self.reasons_sizes))
        ends = (int(some.numbers[0]), int(some.numbers[-1]) + 1) if len(some.numbers) else (0, 0)
        here, left, seen = (slice(*np.searchsorted(each, ends).tolist()) for each in (goes, out, again))
        return DecidedBlock(some, goes[here], out[left], again[seen], *(part(each, here) for each in every))


def part(named: Named, some: slice) -> Named:
    """The names at some places; none if there are no names at all."""
    if not len(named.sizes):
        return named
    before = int(named.sizes[: some.start].sum())
    return Named(named.names[before : before + int(named.sizes[some].sum())], named.sizes[some])


class DecidedBlock(NamedTuple):
    """Documents, and the decisions on them."""

    some: Packed
    goes: Index  # numbers of those that go
    out: Index  # numbers of those that are left out
    again: Index  # numbers of those of them whose ids were used before
    stay: Named  # names of the documents kept in place of those that go; empty if not needed
    reasons: Named  # the reason for each that goes; empty if the rule alone is the reason

    def marks(self, rule: str) -> Iterator[Mark]:
        """The mark of each document that gets one."""
        unsaid = mark(b"", rule)[1]
        says = split(self.reasons.names, self.reasons.sizes) if len(self.reasons.sizes) else repeat(unsaid)
        for name, reason in zip(split(self.stay.names, self.stay.sizes), says, strict=False):
            if name:
                yield name, reason

    def marked(self) -> Index:
        """The numbers of documents that get marks."""
        return self.goes[self.stay.sizes > 0] if len(self.stay.sizes) else self.goes[:0]

    def seen_before(self) -> Packed:
        return only(self.some, np.isin(self.some.numbers, self.again))


def only(some: Packed, wanted: Flags) -> Packed:
    """The lines whose flags are set."""
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
    """Takes the documents that stay, or those that go, from a block; with `annotate`, all of them."""

    gone: bool
    spec: DedupSpec

    def __call__(self, block: DecidedBlock) -> Packed:
        numbers = block.some.numbers
        wanted = np.isin(numbers, block.goes)
        if not self.gone:
            wanted = ~np.isin(numbers, block.out) & (self.spec.annotate | ~wanted)
        some = only(block.some, wanted)
        marks = self.spec.annotate or (self.gone and len(self.spec.marks) > 0)
        return some._replace(lines=b"".join(self.marked(some, block))) if marks else some

    def marked(self, some: Packed, block: DecidedBlock) -> Iterator[bytes | memoryview]:
        """Documents with the marks that they get. With `annotate`, no other document has marks."""
        fields = document_fields(self.spec.id_field, **marks_of(self.spec), marked=False)
        view = memoryview(some.lines)
        marked = np.isin(some.numbers, block.marked())
        marks = block.marks(self.spec.keep)
        at = place = 0
        while at < len(some.lines):
            if fields is not None:
                read = kernel.read_documents(some.lines, at, fields)
                lasts = numbers_of(read.lasts)
                for line in np.flatnonzero(marked[place : place + read.lines]).tolist():
                    yield view[at : int(lasts[line])]
                    at = int(lasts[line])
                    yield joined(next(marks))
                yield view[at : read.end]
                at, place = read.end, place + read.lines
            if at < len(some.lines):
                document, at = line_at(some.lines, at)
                says = next(marks) if marked[place] else None
                yield annotated(document, says) if says is not None or self.spec.annotate else document
                yield b"\n"
                place += 1
