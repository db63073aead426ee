"""Takes documents, and gives those that are kept, unchanged and in order."""

import sys
from collections.abc import Iterator

import numpy as np
import orjson

from shingletools.commands.dedup.beside import Name
from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.cutting import annotated_all, cut
from shingletools.commands.dedup.group_members import ByGroups, Members
from shingletools.commands.dedup.marks import Mark, annotated, mark
from shingletools.commands.dedup.neighbours import ByPairs, Neighbours
from shingletools.commands.dedup.pairs import Archived, Unwanted
from shingletools.commands.dedup.preference import Preference
from shingletools.commands.dedup.spec import KNOWN, NONE, DedupSpec, in_doubt
from shingletools.commands.dedup.values import text_in
from shingletools.commands.dedup.verdicts import ARCHIVE, Verdicts
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DocumentFields, ReadDocuments
from shingletools.kernel.ids import Ids, IdsAt, names_of
from shingletools.kernel.types import Flags, Index
from shingletools.record import wire
from shingletools.record.collector import Collector, Means, Written
from shingletools.record.json_members import in_quotes, line_at
from shingletools.record.wire import Record
from shingletools.system.errors import Failed, IdRepeated, names_none, seen_before
from shingletools.system.waiting_lines import WaitingLines


def chooser(spec: DedupSpec, means: Means) -> "Dedup":
    """The collector that chooses by the files that the spec names. Raises Failed."""
    return Dedup(spec, *deciding(spec, means))


def deciding(spec: DedupSpec, means: Means) -> tuple[Ids, Verdicts, Archived]:
    """What decides, by these files. Raises Failed."""
    ids = kernel.new_ids()
    neighbours, members, known = Neighbours(ids, spec.least), Members(ids), Archived(ids)
    verdicts: Verdicts
    if spec.pairs:
        neighbours.read("--pairs", spec.pairs, means)
        verdicts = ByPairs(neighbours)
    else:
        members.read("--groups", spec.groups, means)
        verdicts = ByGroups(members, spec.larger_than or 1)
    known.read("--known", spec.known, means)
    Unwanted(known, spec.id_field).read("--without", spec.without, means)
    return ids, verdicts, known


class Dedup(Collector):
    """Removes documents that an archive has, and of the others those that the verdicts do not keep.

    Only documents of the input that no archive has are kept in place of others. Memory: the ids of groups, pairs and
    documents, about 50 bytes for each, and what the verdicts need.
    """

    def __init__(self, spec: DedupSpec, ids: Ids, verdicts: Verdicts, known: Archived) -> None:
        """ids: first those that the verdicts are about, then those of `known`; those of other documents are added."""
        self.spec, self.ids, self.verdicts, self.known = spec, ids, verdicts, known
        self.seen = bytearray(len(ids))  # for each id, whether a document has used it
        self.fields = fields_of(spec)
        self.block: Block | None = None
        self.preference, self.aside = Preference(spec), WaitingLines()  # of documents that wait
        self.kept = self.removed = self.repeated = 0  # documents; the last are those that an archive has

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
        apart = np.flatnonzero(self.again(numbers) | self.known.doubted(numbers))
        return Block.of(lines, read, numbers, np.append(apart, read.lines))

    def again(self, numbers: Index) -> Flags:
        """Which documents have ids that were used before, by documents in the block, too."""
        found: Flags = np.frombuffer(self.seen, np.bool_)[numbers]
        ordered = np.sort(numbers)
        if (ordered[1:] == ordered[:-1]).any():
            found[np.delete(np.arange(len(numbers)), np.unique(numbers, return_index=True)[1])] = True
        return found

    def number(self, ids: bytes, sizes: bytes) -> Index:
        """The number of each id, int64. sizes: the bytes of each id, int64."""
        numbers = np.frombuffer(self.ids.number(ids, sizes), np.int64)
        self.seen.extend(bytes(len(self.ids) - len(self.seen)))
        return numbers

    def number_of(self, name: Name) -> Index:
        """The number of one id, shape (1,)."""
        text = orjson.dumps(name)
        return self.number(text, len(text).to_bytes(8, sys.byteorder))

    def take(self, record: Record, line: bytes, _side: int, /) -> Written:
        spec = self.spec
        length = 0 if spec.measured is None else len(wire.take_string(record, spec.measured))
        value, whole = (b"" if field is None else text_in(line, field) for field in (spec.valued, spec.counted))
        number = self.take_name(record)
        self.meet(Block.one(number, length, value, whole))
        return self.accept_one(number, line)

    def take_name(self, record: Record) -> Index:
        """Takes a record's id, and returns its number. Raises Rejected or Failed.

        This is the last step that may reject a record: an id of a rejected record counts as unused.
        """
        name = wire.take_id(record, self.spec.id_field)
        number = self.number_of(name)
        if self.seen[number[0]]:
            raise IdRepeated(seen_before(name))
        if self.known.doubted(number)[0]:
            raise Failed(in_doubt(name))
        self.seen[number[0]] = True
        return number

    def accept(self, documents: Block) -> Written:
        """Takes documents with new ids. Gives what can be written already."""
        self.meet(documents)
        if not self.spec.waits:
            return self.write(documents)
        self.aside.add(documents.lines[documents.places[0] : documents.places[-1]].removesuffix(b"\n"))
        return Written()

    def accept_one(self, number: Index, line: bytes) -> Written:
        """The same of one document, which has been met."""
        if not self.spec.waits:
            return self.write_one(number, line)
        self.aside.add(line)
        return Written()

    def meet(self, documents: Block) -> None:
        """Takes documents with new ids, for the choice alone."""
        if self.spec.counted is not None:
            self.verdicts.learn(documents)
        mine = self.verdicts.concerns(documents.numbers) & ~self.known.has(documents.numbers)
        if self.spec.waits:
            self.preference.add(documents, mine)
        elif self.spec.keep != NONE:
            self.verdicts.take(documents.numbers[mine])

    def decide(self) -> None:
        """Chooses among documents that wait, after all have come."""
        if self.spec.waits and self.spec.keep != NONE:
            order = self.preference.order()
            self.verdicts.take(order[self.verdicts.concerns(order)])

    def finish(self) -> Iterator[Written]:
        self.decide()
        self.preference.check()
        for lines in self.aside.chunks() if self.spec.waits else ():
            at = 0
            while at < len(lines):
                if self.fields is not None:
                    read = kernel.read_documents(lines, at, self.fields._replace(text=None, value=None, whole=None))
                    at = read.end
                    if read.lines:
                        numbers = self.number(read.ids, read.id_sizes)
                        yield self.write(Block.of(lines, read, numbers, numbers[:0]))
                if at < len(lines):
                    line, at = line_at(lines, at)
                    number = self.number_of(wire.take_id(wire.parse_json(line), self.spec.id_field))
                    yield self.write_one(number, line)

    def choose(self, numbers: Index) -> Index:
        """For each document the one that is kept in its place: itself, another, NOBODY or ARCHIVE."""
        kept = numbers.copy()
        mine, known = self.verdicts.concerns(numbers), self.known.has(numbers)
        kept[mine] = self.verdicts.kept_for(numbers[mine])
        kept[known] = ARCHIVE
        repeated, gone = int(np.count_nonzero(known)), int(np.count_nonzero(kept != numbers))
        self.repeated += repeated
        self.removed += gone - repeated
        self.kept += len(numbers) - gone
        return kept

    def write(self, documents: Block) -> Written:
        """The documents that are kept, and those that are removed, unchanged but for marks."""
        numbers = documents.numbers
        kept = self.choose(numbers)
        if self.spec.dry:
            return Written()
        removed = kept != numbers
        marked = np.flatnonzero((removed if self.spec.annotate else kept == ARCHIVE) & bool(self.spec.marks))
        marks = zip(documents.lasts[marked].tolist(), self.marks(numbers[marked], kept[marked]), strict=True)
        return annotated_all(documents, marks) if self.spec.annotate else cut(documents, removed, marks)

    def write_one(self, number: Index, line: bytes) -> Written:
        """Writes one document, by the definition."""
        kept = self.choose(number)
        if self.spec.dry:
            return Written()
        stays = kept[0] == number[0]
        if self.spec.annotate or (self.spec.marks and kept[0] == ARCHIVE):
            line = annotated(line, None if stays else next(self.marks(number, kept)))
        return Written(line + b"\n") if stays or self.spec.annotate else Written(b"", line + b"\n")

    def marks(self, numbers: Index, kept: Index) -> Iterator[Mark]:
        """The marks of documents that are removed: which document is kept in their place, and why."""
        known = kept == ARCHIVE
        archived = numbers[known]
        similarity = np.empty(len(numbers))
        similarity[known] = np.frombuffer(self.known.similarity)[archived]
        similarity[~known] = self.verdicts.similarity(numbers[~known])
        best = np.frombuffer(self.known.best, np.int64)[archived]
        of_archive = names_of(IdsAt(self.known.archive.data, self.known.archive.ends, best))
        of_input = names_of(self.names(kept[~known]))
        for alike, by_known in zip(similarity.tolist(), known.tolist(), strict=True):
            name, rule = (next(of_archive), KNOWN) if by_known else (next(of_input), self.spec.keep)
            yield mark(name, rule, alike)

    def names(self, numbers: Index) -> IdsAt:
        """The ids of documents."""
        return IdsAt(self.ids.data, self.ids.ends, numbers)

    def remarks(self) -> list[str]:
        """Which options name no document of the input, if there is one; and what --keep did not find."""
        seen = np.frombuffer(self.seen, np.bool_)
        if not seen.any():
            return []
        known = np.frombuffer(self.known.known, np.bool_)
        named = {self.verdicts.option: seen[: len(self.verdicts)], self.spec.known_by: seen[: len(known)][known]}
        said = [names_none(option) for option, there in named.items() if len(there) and not there.any()]
        return said + self.preference.remarks()

    def summary(self) -> list[str]:
        seen = np.frombuffer(self.seen, np.bool_)
        there = seen & ~self.known.has(np.arange(len(seen)))
        return [*self.spec.figures(self.kept, self.removed, self.repeated), *self.verdicts.figures(there, seen)]


def fields_of(spec: DedupSpec) -> DocumentFields | None:
    """The fields that the kernel reads; None if it cannot, because JSON escapes one of their names."""
    fields = spec.id_field, spec.measured, spec.valued, spec.counted
    names = [None if name is None else in_quotes(name) for name in fields]
    if any(b"\\" in (name or b"") for name in names):
        return None
    id_field, text, value, whole = names
    first, second = (name.encode() for name in spec.marks) if spec.marks else (None, None)
    return DocumentFields(id_field or b"", text, not spec.marks, first, second, value, whole)
