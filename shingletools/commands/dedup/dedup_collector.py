"""Takes documents, and gives those that are kept, unchanged and in order."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.dedup.archive_pairs import ArchivePartners, UnwantedIds
from shingletools.commands.dedup.decisions_by_groups import ByGroups, GroupMembers
from shingletools.commands.dedup.decisions_by_pairs import ByPairs, SimilarPairs
from shingletools.commands.dedup.documents import DocumentArrays, DocumentReader
from shingletools.commands.dedup.duplicate_marks import Mark, annotated_all, cut, joined, mark
from shingletools.commands.dedup.preference import Preference
from shingletools.commands.dedup.spec import KNOWN, NONE, DedupSpec, doubtful_side
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids, SelectedIds, each_id, split_ids
from shingletools.kernel.types import Flags, Index
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.events import Event, written
from shingletools.record.labels import different_figures
from shingletools.record.record_batch import RecordBatch, Schema, read_batch
from shingletools.record.stage import FEWEST_REMARKED
from shingletools.record.wire import COPIES_ALONE, Name
from shingletools.system.errors import Failed, names_none, seen_before, shown_place
from shingletools.system.line_spool import LineSpool


class RemovalChoice(NamedTuple):
    """What is decided on some documents: columns."""

    numbers: Index
    removed: Flags
    archived: Flags  # which ones an archive has; these are removed
    kept: Index  # for each other removed one, the document that is kept in its place

    def only(self, some: Flags | Index) -> "RemovalChoice":
        """Returns what is decided on some of the documents."""
        return RemovalChoice(self.numbers[some], self.removed[some], self.archived[some], self.kept[some])


class DedupCollector(Collector):
    """Removes documents that an archive has, and of the others those that pairs or groups decide to remove.

    Only documents of the input that no archive has are kept in place of others. Pairs and groups are about the first
    document of an id, so others stay; --without is about all of them. Memory: the ids of side files, about 50 bytes for
    each, and what the decisions need.
    """

    reads_ahead = True
    streams = True

    def __init__(self, spec: DedupSpec, context: CollectorContext) -> None:
        """Reads the side files. Raises Failed."""
        self.spec, self.ids = spec, kernel.new_ids()
        self.decisions = decisions_of(spec, self.ids, context)
        self.known = known_of(spec, self.ids, context) if spec.known or spec.without else None
        self.unnamed = len(self.ids)  # the number of all documents that no side file names
        # For each number: whether a document has used it; whether an archive has it; whether that is in doubt
        self.seen, self.archived, self.doubtful = np.zeros((3, len(self.ids) + 1), np.bool_)
        if self.known is not None:
            self.archived[: self.unnamed] = np.frombuffer(self.known.known, np.bool_)
            self.doubtful[: self.unnamed] = np.frombuffer(self.known.doubtful, np.bool_)
        self.reader = DocumentReader(spec)
        self.preference = Preference(spec) if spec.waits or self.decisions.waits else None
        self.aside = LineSpool()  # documents that wait until all have come
        self.kept = self.removed = self.repeating = 0  # documents; the last are those that an archive has
        self.again = 0  # documents whose ids, of the side files, came before
        self.first_again: tuple[str, int | None, Name] = "", None, ""  # file, line and id of the first

    def schema(self, _side: int, _file: str = "", /) -> Schema:
        return self.reader.schema

    def take(self, batch: RecordBatch, _side: int, /) -> Iterator[Event]:
        numbers, again = self.claim(batch)
        if self.doubtful[numbers].any():
            row = int(np.argmax(self.doubtful[numbers]))
            raise batch.failure(row, Failed(doubtful_side(id_of(batch, row))))
        if again.any():
            if not self.again:
                row = int(np.argmax(again))
                self.first_again = *batch.place(row), id_of(batch, row)
            self.again += int(np.count_nonzero(again))
        documents = self.reader.arrays(batch, numbers)
        if self.spec.counted is not None:
            self.decisions.learn(documents)
        concerned = self.decisions.concerns(numbers) & ~self.archived[numbers]
        if self.preference is not None:
            self.preference.add(documents, concerned)
        elif self.spec.keep != NONE:
            self.decisions.take(numbers[concerned])
        yield from self.accept(batch, documents)

    def claim(self, batch: RecordBatch) -> tuple[Index, Flags]:
        """Returns the numbers of documents, and which of them have an id of a side file that an earlier one has.

        Nothing is decided on these, so they are numbered as if no side file named them.
        """
        numbers = np.frombuffer(self.ids.find(*batch.columns[-1][:2]), np.int64)
        numbers = np.where(numbers < 0, self.unnamed, numbers)
        again, ordered = self.seen[numbers], np.sort(numbers)
        if ((ordered[1:] == ordered[:-1]) & (ordered[1:] < self.unnamed)).any():
            again[np.delete(np.arange(len(numbers)), np.unique(numbers, return_index=True)[1])] = True
            again &= numbers < self.unnamed
        if self.spec.without:
            again &= ~self.archived[numbers]
        numbers = np.where(again, self.unnamed, numbers)
        self.seen[numbers] = True
        self.seen[self.unnamed] = False
        return numbers, again

    def accept(self, _batch: RecordBatch, documents: DocumentArrays) -> list[Event]:
        """Returns what can be written already of documents that were taken."""
        if self.preference is None:
            return self.write(documents)
        self.aside.add(documents.lines[documents.places[0] : documents.places[-1]].removesuffix(b"\n"))
        return []

    def decide(self) -> None:
        """Chooses among documents that wait, after all have come. Raises Failed."""
        if self.preference is not None and self.spec.keep != NONE:
            order = self.preference.order()
            self.decisions.take(order[self.decisions.concerns(order)])

    def finish(self) -> Iterator[Event]:
        if self.preference is None:
            return
        self.decide()
        self.seen[:] = False  # since all documents come again
        for lines in self.aside.chunks():
            at = 0
            while at < len(lines):
                batch = read_batch(lines, at, self.reader.ids_only)
                at = batch.next
                yield from self.write(self.reader.arrays(batch, self.claim(batch)[0]))

    def choose(self, numbers: Index) -> RemovalChoice:
        """Decides on documents, and counts them."""
        concerned, archived = self.decisions.concerns(numbers), self.archived[numbers]
        removed, kept = np.zeros(len(numbers), np.bool_), numbers.copy()
        removed[concerned], kept[concerned] = self.decisions.decided(numbers[concerned])
        removed |= archived
        repeating, gone = int(np.count_nonzero(archived)), int(np.count_nonzero(removed))
        self.repeating += repeating
        self.removed += gone - repeating
        self.kept += len(numbers) - gone
        return RemovalChoice(numbers, removed, archived, kept)

    def write(self, documents: DocumentArrays) -> list[Event]:
        """Returns the documents that are kept, and those that are removed, unchanged but for marks."""
        choice = self.choose(documents.numbers)
        if self.spec.dry:
            return []
        if self.spec.marks_alone:
            return self.mark_records(choice.only(choice.removed))
        if self.spec.annotate:
            marks = self.marks(choice.only(choice.removed))
            edited = np.flatnonzero(choice.removed | (documents.lasts < 0)).tolist()
            return annotated_all(documents, ((row, next(marks) if choice.removed[row] else None) for row in edited))
        if not self.spec.marks:
            return cut(documents, choice.removed)
        rows = np.flatnonzero(choice.archived)
        return cut(documents, choice.removed, zip(rows.tolist(), self.marks(choice.only(rows)), strict=True))

    def mark_records(self, choice: RemovalChoice) -> list[Event]:
        """Returns a record for each of some documents that would go, whose id is in the field `id`, as canon has it."""
        marked = zip(each_id(self.names(choice.numbers)), self.marks(choice), strict=True)
        return written(b"".join(b'{"id":%b%b}\n' % (name, joined(says)) for name, says in marked))

    def marks(self, choice: RemovalChoice) -> Iterator[Mark]:
        """Yields the marks of documents that are removed: which document is kept in their place, and why."""
        others = ~choice.archived
        of_input = each_id(self.names(choice.kept[others]))
        similarities = iter(self.decisions.similarity(choice.numbers[others]).tolist())
        if self.known is not None:
            best, best_similarities = self.known.partners(choice.numbers[choice.archived])
            of_archive = zip(each_id(best), best_similarities.tolist(), strict=True)
        for archived in choice.archived.tolist():
            if archived:
                name, similarity = next(of_archive)
                yield mark(name, KNOWN, similarity)
            else:
                yield mark(next(of_input), self.spec.keep, next(similarities))

    def names(self, numbers: Index) -> SelectedIds:
        """Returns the ids of documents."""
        return SelectedIds(self.ids.data, self.ids.ends, numbers)

    def remarks(self) -> list[str]:
        """Returns remarks: files that name no document, or no pair, repeated ids, and a field that none has."""
        documents = self.kept + self.removed + self.repeating
        if not documents:
            return []
        known_by = "--without" if self.spec.without else "--known"
        named = {self.decisions.option: self.seen[: self.decisions.named], known_by: self.seen[self.archived]}
        messages = [names_none(option) for option, there in named.items() if len(there) and not there.any()]
        wanted = {*self.spec.pairs} - {os.devnull} and not self.spec.known  # else it is known that there may be none
        if wanted and not self.decisions.named and documents >= FEWEST_REMARKED:
            messages.append("--pairs has no pair, so no document goes")
        messages += self.decisions.remarks(self.seen)
        if self.again:
            file, line, name = self.first_again
            more = f", like {self.again - 1} more" if self.again > 1 else ""
            messages.append(f"{shown_place(file, line)}: {seen_before(name)}, so the document stays{more}")
        return messages + (self.preference.remarks() if self.preference is not None else [])

    def summary(self) -> list[str]:
        spec, different = self.spec, self.decisions.different
        rules = [f"{self.removed} by --keep {spec.keep}"] if spec.groups or spec.pairs else []
        if self.known is not None:
            rules.append(f"{self.repeating} by {'--without' if spec.without else '--known'}")
            different += self.known.different
        gone = f"{self.removed + self.repeating} {'marked' if spec.annotate else 'removed'} ({', '.join(rules)})"
        figures = [f"{self.kept} kept", gone, *self.decisions.figures(self.seen & ~self.archived, self.seen)]
        return figures + [f"{count} {what}" for what, count in different_figures(different).items()]


def id_of(batch: RecordBatch, row: int) -> Name:
    """Returns the id of a document."""
    name: Name = orjson.loads([*split_ids(*batch.columns[-1][:2])][row])
    return name


def decisions_of(spec: DedupSpec, ids: Ids, context: CollectorContext) -> ByPairs | ByGroups:
    """Reads pairs or groups, whose ids get the first numbers. Raises Failed."""
    if not spec.pairs:
        members = GroupMembers(ids)
        members.read("--groups", spec.groups, context)
        return ByGroups(members, spec.larger_than or 1)
    similar = SimilarPairs(ids, spec.least)
    similar.read("--pairs", spec.pairs, context)
    if similar.copies and len(spec.pairs) > 1:
        raise Failed(f"--pairs: {COPIES_ALONE}, in one file")
    return ByPairs(similar)


def known_of(spec: DedupSpec, ids: Ids, context: CollectorContext) -> ArchivePartners:
    """Reads what an archive has. Raises Failed."""
    known = ArchivePartners(ids)
    known.read("--known", spec.known, context)
    UnwantedIds(known, spec).read("--without", spec.without, context)
    known.extend()
    return known
