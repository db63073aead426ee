"""Takes documents, and gives those that stay, unchanged and in order: the common part of all ways to choose."""

import sys
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import orjson

from shingletools.commands.dedup.beside import Name
from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.given import Given
from shingletools.commands.dedup.marks import Mark, annotated, joined, mark
from shingletools.commands.dedup.pairs import UNSAID
from shingletools.commands.dedup.spec import KNOWN, DedupSpec, in_doubt
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DocumentFields, ReadDocuments
from shingletools.kernel.ids import Ids
from shingletools.kernel.types import F64, Flags, Index
from shingletools.record import wire
from shingletools.record.json_members import in_quotes
from shingletools.record.stage import Collector, Written
from shingletools.record.wire import Record
from shingletools.system.errors import Failed, IdRepeated, names_none, seen_before

NOBODY, ARCHIVE = -1, -2  # in place of the number of the document that stays: none, or one of the archive


class Dedup(Collector):
    """The common part of all ways to choose.

    A document that an archive has is removed. Of the others, a document in no group, or in a group that is too small,
    stays. Of each other group, one document stays, or none. It is one of those that have come and that no archive has;
    other members of the group do not matter. Memory: the ids of groups, pairs and documents, and about 50 bytes for
    each.
    """

    unlike = False  # whether values that it compares are neither all numbers nor all dates of one form

    def __init__(self, spec: DedupSpec, given: Given) -> None:
        self.spec = spec
        self.ids, members, known, self.alike = given
        self.alike.settle()
        self.group = np.array(members.group)  # of each member
        # For each of the first ids: the number of the archive's document, and the similarity
        self.known, self.similarity = np.array(known.best), np.array(known.similarity)
        self.archive = known.archive
        self.doubtful = np.zeros(len(self.ids) if known.doubtful else 0, np.bool_)  # for each of the first ids
        for numbers in known.doubtful:
            self.doubtful[numbers] = True
        sizes = np.bincount(self.group, minlength=members.groups)
        self.counts = (sizes > spec.larger_than)[self.group]  # for each member, whether its group is to be thinned
        found = np.flatnonzero(self.known >= 0)
        self.counts[found[found < len(self.counts)]] = False
        self.kept = np.full(members.groups, NOBODY)  # for each group, the document that stays
        self.seen = bytearray()  # for each id, whether a document has used it
        self.fields = fields_of(spec)
        self.unsaid = mark(b"", spec.keep)[1]  # the reason if no similarity is given
        self.block: Block | None = None
        self.stay = self.grouped = self.repeated = 0

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
        """The block of documents that were read, with those whose ids were used before or fail the run."""
        numbers = self.number(read.ids, read.id_sizes)
        apart = np.flatnonzero(self.again(numbers) | self.doubted(numbers))
        return Block.of(lines, read, numbers, np.append(apart, read.lines))

    def doubted(self, numbers: Index) -> Flags:
        """Which documents are b in pairs of --known that do not say that b is another document, of an archive."""
        found = numbers < len(self.doubtful)
        found[found] = self.doubtful[numbers[found]]
        return found

    def again(self, numbers: Index) -> Flags:
        """Which documents have ids that were used before, by documents in the block, too."""
        found: Flags = np.ones(len(numbers), np.bool_)
        found[np.unique(numbers, return_index=True)[1]] = False
        return found | np.frombuffer(self.seen, np.bool_)[numbers]

    def number(self, ids: bytes, sizes: bytes) -> Index:
        """The number of each id, int64. sizes: the bytes of each id, int64."""
        numbers = np.frombuffer(self.ids.number(ids, sizes), np.int64)
        self.seen.extend(bytes(len(self.ids) - len(self.seen)))
        return numbers

    def number_of(self, name: Name) -> Index:
        """The number of one id, shape (1,)."""
        text = orjson.dumps(name)
        return self.number(text, len(text).to_bytes(8, sys.byteorder))

    def take_name(self, record: Record) -> Index:
        """Takes a record's id, and returns its number. Raises Rejected or Failed.

        This is the last step that may reject a record: an id of a rejected record counts as unused.
        """
        name = wire.take_id(record, self.spec.id_field)
        number = self.number_of(name)
        if self.seen[number[0]]:
            raise IdRepeated(seen_before(name))
        if self.doubted(number)[0]:
            raise Failed(in_doubt(name))
        self.seen[number[0]] = True
        return number

    @abstractmethod
    def accept(self, documents: Block) -> Written:
        """Takes documents with new ids. Gives what can be written already."""

    @abstractmethod
    def meet(self, documents: Block, /) -> None:
        """Takes documents with new ids, some of which may stay for their groups."""

    def members(self, numbers: Index) -> Flags:
        """Which documents may stay for their groups."""
        member = numbers < len(self.group)
        member[member] = self.counts[numbers[member]]
        return member

    def choose(self, numbers: Index) -> Index:
        """For each document the one that is kept in its place: itself if it stays, else another, NOBODY or ARCHIVE."""
        kept = numbers.copy()
        member = self.members(numbers)
        kept[member] = self.kept[self.group[numbers[member]]]
        if len(self.known):
            some = numbers < len(self.known)
            some[some] = self.known[numbers[some]] >= 0
            kept[some] = ARCHIVE
            repeated = int(np.count_nonzero(some))
            self.repeated += repeated
            self.grouped -= repeated
        goes = int(np.count_nonzero(kept != numbers))
        self.grouped += goes
        self.stay += len(numbers) - goes
        return kept

    def write(self, documents: Block) -> Written:
        """The documents that stay, and those that go, unchanged but for marks."""
        lines, places, numbers = documents.lines, documents.places, documents.numbers
        kept = self.choose(numbers)
        if self.spec.dry:
            return Written()
        goes = kept != numbers
        feed = b"" if lines[places[-1] - 1 : places[-1]] == b"\n" else b"\n"
        if self.spec.annotate:
            whole = [(int(places[0]), int(places[-1]))]
            return Written(b"".join((*self.marked(documents, kept, whole), feed)))
        edges = [0, *(np.flatnonzero(goes[1:] != goes[:-1]) + 1).tolist(), len(goes)]
        runs = list(pairwise(places[edges].tolist()))
        first = int(goes[0])
        written = [self.cut(documents, kept, runs[(first + gone) % 2 :: 2], gone) for gone in (0, 1)]
        written[int(goes[-1])].append(feed)
        return Written(*map(b"".join, written))

    def cut(
        self, documents: Block, kept: Index, runs: Sequence[tuple[int, int]], gone: int
    ) -> list[bytes | memoryview]:
        """The documents in these runs of bytes, which all stay or all go, perhaps with marks."""
        if gone and self.spec.marks:
            return list(self.marked(documents, kept, runs))
        view = memoryview(documents.lines)
        return [view[start:end] for start, end in runs]

    def marked(
        self, documents: Block, kept: Index, runs: Sequence[tuple[int, int]]
    ) -> Iterator[bytes | memoryview]:  # fmt: skip
        """The documents in these runs of bytes, with the marks that they get. None may have marks yet."""
        view = memoryview(documents.lines)
        marked = np.flatnonzero(kept != documents.numbers if self.spec.annotate else kept == ARCHIVE)
        says = self.marks(documents.numbers[marked], kept[marked])
        marks = iter(zip(documents.lasts[marked].tolist(), says, strict=True))
        last, says_it = next(marks, (len(view), None))
        for start, end in runs:
            at = start
            while last < end and says_it is not None:
                yield view[at:last]
                yield joined(says_it)
                at = last
                last, says_it = next(marks, (len(view), None))
            yield view[at:end]

    def marks(self, numbers: Index, kept: Index) -> Iterator[Mark]:
        """The marks of documents that go: which document is kept in their place, and why."""
        similarities = self.alike_to(numbers, kept).tolist()
        for number, other, similarity in zip(numbers.tolist(), kept.tolist(), similarities, strict=True):
            if other == ARCHIVE:
                yield mark(id_of(self.archive, int(self.known[number])), KNOWN, similarity)
            elif similarity == UNSAID:
                yield id_of(self.ids, other), self.unsaid
            else:
                yield mark(id_of(self.ids, other), self.spec.keep, similarity)

    def alike_to(self, numbers: Index, kept: Index) -> F64:
        """The similarity of each document and the one kept in its place; UNSAID if no pair gives it."""
        similarity = np.full(len(numbers), UNSAID)
        known = kept == ARCHIVE
        similarity[known] = self.similarity[numbers[known]]
        if self.spec.pairs:
            similarity[~known] = self.alike.of(numbers[~known], kept[~known])
        return similarity

    def write_one(self, number: Index, line: bytes) -> Written:
        """Writes one document, by the definition."""
        kept = self.choose(number)
        if self.spec.dry:
            return Written()
        stays = kept[0] == number[0]
        if self.spec.annotate or (self.spec.marks and kept[0] == ARCHIVE):
            line = annotated(line, None if stays else next(self.marks(number, kept)))
        return Written(line + b"\n") if stays or self.spec.annotate else Written(b"", line + b"\n")

    def remarks(self) -> list[str]:
        """Which options name no document of the input, if there is one."""
        seen = np.frombuffer(self.seen, np.bool_)
        if not seen.any():
            return []
        named = {"--groups": seen[: len(self.group)], "--known": seen[: len(self.known)][self.known >= 0]}
        return [names_none(option) for option, there in named.items() if len(there) and not there.any()]

    def summary(self) -> list[str]:
        return self.spec.figures(self.stay, self.grouped, self.repeated)


def fields_of(spec: DedupSpec) -> DocumentFields | None:
    """The fields that the kernel reads; None if it cannot, because JSON escapes one of their names."""
    names = [None if name is None else in_quotes(name) for name in (spec.id_field, spec.measured, spec.valued)]
    if any(b"\\" in (name or b"") for name in names):
        return None
    id_field, text, value = names
    first, second = (name.encode() for name in spec.marks) if spec.marks else (None, None)
    return DocumentFields(id_field or b"", text, not spec.marks, first, second, value)


def id_of(ids: Ids, number: int) -> bytes:
    """The id with this number, as JSON."""
    ends = np.frombuffer(ids.ends, np.int64)
    return bytes(ids.data[int(ends[number - 1]) if number else 0 : int(ends[number])])
