"""dedup in one task: the shell's choice among documents whose names and figures many tasks send."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.choice import Dedup
from shingletools.commands.dedup.group_members import ByGroups, Members
from shingletools.commands.dedup.marks import mark
from shingletools.commands.dedup.pairs import Archived
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.commands.dedup.verdicts import ARCHIVE
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Flags, Index
from shingletools.spark.decided import Decisions
from shingletools.spark.gathered import COLUMNS, Mentioned
from shingletools.spark.packed_names import Named, Row, by_turns, numbers_of
from shingletools.spark.tally import Key

NOTHING = np.empty(0, np.int64)
DOCUMENT = 160  # bytes for each id and document, besides the id's own


class MetDocuments(NamedTuple):
    """Consecutive documents of a split."""

    places: Index
    numbers: Index  # of their ids
    again: Flags  # whether an earlier document had the id


class Deciding:
    """The shell's choice by names and figures of many tasks. Those of files besides the documents come first."""

    def __init__(self, spec: DedupSpec, inputs: int) -> None:
        self.spec = spec
        self.parts = inputs, inputs + len(spec.groups)
        self.ids = kernel.new_ids()
        self.members, self.known = Members(self.ids), Archived(self.ids)
        self.documents = self.repeated = 0
        self.met: dict[Key, list[MetDocuments]] = {}  # by split

    @cached_property
    def choice(self) -> Dedup:
        """The shell's collector; used after all but the documents has come."""
        return Dedup(self.spec, self.ids, ByGroups(self.members, 1), self.known)

    def take(self, some: Mentioned) -> None:
        """Takes names and figures of lines. Raises Wrong."""
        documents, groups = (some.split[0] < end for end in self.parts)
        if documents:
            self.take_documents(some)
        elif groups:
            self.members.add(some.names, some.sizes, some.figures.tobytes())
        else:
            a, b = ((each.names, each.sizes.tobytes()) for each in by_turns(Named(some.names, numbers_of(some.sizes))))
            similarity = some.figures.view(np.float64)
            self.known.add(a, b, similarity, np.ones(len(similarity), np.bool_))

    def take_documents(self, some: Mentioned) -> None:
        named, values = Named(some.names, numbers_of(some.sizes)), Named(b"", np.zeros(len(some.places), np.int64))
        if self.spec.valued is not None:
            named, values = by_turns(named)
        numbers = self.choice.number(named.names, named.sizes.tobytes())
        again = self.choice.again(numbers)
        np.frombuffer(self.choice.seen, np.bool_)[numbers] = True
        ends = np.cumsum(values.sizes)
        spans = np.stack([ends - values.sizes, ends], axis=1)
        fresh, lengths = ~again, np.abs(some.figures)
        block = Block(values.names, NOTHING, NOTHING, numbers[fresh], lengths[fresh], spans[fresh], NOTHING, NOTHING)
        self.choice.meet(block)
        self.documents += len(numbers)
        self.repeated += int(np.count_nonzero(again))
        self.met.setdefault(some.split, []).append(MetDocuments(some.places, numbers, again))

    def memory(self) -> int:
        """The bytes that it takes now, and will need."""
        archive = self.known.archive
        named = len(self.ids.data) + len(archive.data)
        return named + DOCUMENT * (self.documents + len(self.ids) + len(archive))

    def decided(self, out: Mapping[Key, list[int]]) -> Iterator[Row]:
        """The decisions on each split. out: the places that are left out, too."""
        self.choice.decide()
        for split in {**self.met, **out}:
            some = self.met.pop(split, [MetDocuments(NOTHING, NOTHING, np.empty(0, np.bool_))])
            places, numbers = (np.concatenate(column) for column in list(zip(*some, strict=True))[:2])
            again = np.concatenate([each.again for each in some])
            left_out = np.sort(np.append(places[again], np.array(out.get(split, []), np.int64)))
            decided = Decisions(out=left_out.tobytes(), again=places[again].tobytes(),
                                **self.marked(places[~again], numbers[~again]))  # fmt: skip
            if any(decided):
                yield dict(zip(COLUMNS[:3], split, strict=True)) | decided._asdict()

    def marked(self, places: Index, numbers: Index) -> dict[str, bytes]:
        """The numbers of documents that go, and their marks."""
        kept = self.choice.choose(numbers)
        goes = kept != numbers
        marked = goes if self.spec.annotate else kept == ARCHIVE
        if not self.spec.marks or not marked.any():
            return {"goes": places[goes].tobytes()}
        says = list(zip(*self.choice.marks(numbers[marked], kept[marked]), strict=True))
        found = {"goes": places[goes].tobytes()}
        for name, of, texts in zip(("names", "reasons"), ("sizes", "reasons_sizes"), says, strict=True):
            sizes = np.zeros(np.count_nonzero(goes), np.int64)
            sizes[marked[goes]] = [*map(len, texts)]
            if name == "names" or set(texts) != {mark(b"", self.spec.keep)[1]}:
                found |= {name: b"".join(texts), of: sizes.tobytes()}
        return found
