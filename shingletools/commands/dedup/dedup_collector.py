"""Takes documents, and gives those that are kept, unchanged and in order."""

import os
from collections.abc import Iterator

import numpy as np
import orjson

from shingletools.commands.dedup.archive_pairs import ArchivePartners, UnwantedIds
from shingletools.commands.dedup.decisions_by_groups import ByGroups, GroupMembers
from shingletools.commands.dedup.decisions_by_pairs import ByPairs, SimilarPairs
from shingletools.commands.dedup.document_arrays import DocumentArrays
from shingletools.commands.dedup.document_fields import DocumentFields
from shingletools.commands.dedup.duplicate_marks import Mark, annotated_all, cut, joined, mark
from shingletools.commands.dedup.preference import Preference
from shingletools.commands.dedup.removal_decisions import ARCHIVE, RemovalDecisions, flagged
from shingletools.commands.dedup.spec import KNOWN, NONE, DedupSpec, doubtful_side
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids, SelectedIds, each_id, split_ids
from shingletools.kernel.types import Flags, Index
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.events import Event, written
from shingletools.record.labels import different_figures
from shingletools.record.record_batch import RecordBatch, Schema, read_batch
from shingletools.record.stage import FEWEST_REMARKED
from shingletools.system.errors import Failed, IdRepeated, names_none, seen_before
from shingletools.system.line_spool import LineSpool


def chooser(spec: DedupSpec, context: CollectorContext) -> "DedupCollector":
    """Makes the collector, and reads the side files of the spec. Raises Failed."""
    return DedupCollector(spec, *deciding(spec, context))


def deciding(spec: DedupSpec, context: CollectorContext) -> tuple[Ids, RemovalDecisions, ArchivePartners]:
    """Reads the side files. Returns the ids, what decides on documents, and what removes those of an archive."""
    ids = kernel.new_ids()
    similar, members, known = SimilarPairs(ids, spec.least), GroupMembers(ids), ArchivePartners(ids)
    decisions: RemovalDecisions
    if spec.pairs:
        similar.read("--pairs", spec.pairs, context)
        decisions = ByPairs(similar)
    else:
        members.read("--groups", spec.groups, context)
        decisions = ByGroups(members, spec.larger_than or 1)
    known.read("--known", spec.known, context)
    unwanted = UnwantedIds(known, spec.unwanted_id or spec.id_field, spec.unwanted, spec.format is None)
    unwanted.read("--without", spec.without, context)
    return ids, decisions, known


class DedupCollector(Collector):
    """Removes documents that an archive has, and of the others those that pairs or groups decide to remove.

    Only documents of the input that no archive has are kept in place of others. A document whose id no side file has
    is kept, however often its id comes. Memory: the ids of side files, about 50 bytes for each, and what the decisions
    need.
    """

    def __init__(self, spec: DedupSpec, ids: Ids, decisions: RemovalDecisions, known: ArchivePartners) -> None:
        """Takes the ids of the side files: those of `decisions`, then of `known`."""
        self.spec, self.ids, self.decisions, self.known = spec, ids, decisions, known
        self.waits = spec.waits or decisions.waits
        self.seen = np.zeros(len(ids), np.bool_)  # for each id of the side files, whether a document has used it
        self.reader = DocumentFields(spec)
        self.preference, self.aside = Preference(spec), LineSpool()  # of documents that wait
        self.kept = self.removed = self.repeated = 0  # documents; the last are those that an archive has

    def schema(self, _side: int, _file: str = "", /) -> Schema:
        return self.reader.schema

    def take(self, batch: RecordBatch, _side: int, /) -> Iterator[Event]:
        ids = self.reader.ids(batch)
        numbers, again = self.claim(ids.data, ids.sizes)
        doubted = np.flatnonzero(self.known.doubted(numbers) & ~again)
        stop = int(doubted[0]) if len(doubted) else batch.rows
        repeated = np.flatnonzero(again[:stop])
        names = list(split_ids(ids.data, ids.sizes)) if len(repeated) or len(doubted) else []
        block, start = self.reader.block(batch, numbers), 0
        for end in (*repeated.tolist(), stop):
            if start < end:
                part = block.part(start, end)
                self.seen[part.numbers[part.numbers < len(self.seen)]] = True
                yield from self.accept(part)
            if end < stop:
                self.left_out()
                yield batch.reject(end, IdRepeated(seen_before(orjson.loads(names[end]))))
            start = end + 1
        if len(doubted) and stop == doubted[0]:
            raise batch.failure(stop, Failed(doubtful_side(orjson.loads(names[stop]))))

    def claim(self, ids: bytes, sizes: bytes) -> tuple[Index, Flags]:
        """Returns the numbers of ids, and which of the side files' an earlier document has, even one of these rows."""
        numbers = self.number(ids, sizes)
        again, ordered = flagged(self.seen, numbers), np.sort(numbers)
        if ((ordered[1:] == ordered[:-1]) & (ordered[1:] < len(self.seen))).any():
            again[np.delete(np.arange(len(numbers)), np.unique(numbers, return_index=True)[1])] = True
            again &= numbers < len(self.seen)
        return numbers, again

    def number(self, ids: bytes, sizes: bytes) -> Index:
        """Returns the number of each id; of those that no side file has, the next one. sizes: bytes of each, int64."""
        numbers = np.frombuffer(self.ids.find(ids, sizes), np.int64)
        return np.where(numbers < 0, len(self.seen), numbers)

    def accept(self, documents: DocumentArrays) -> list[Event]:
        """Takes documents with new ids. Returns what can be written already."""
        self.meet(documents)
        if not self.waits:
            return self.write(documents)
        self.aside.add(documents.lines[documents.places[0] : documents.places[-1]].removesuffix(b"\n"))
        return written()

    def meet(self, documents: DocumentArrays) -> None:
        """Takes documents with new ids, and writes none of them yet."""
        if self.spec.counted is not None:
            self.decisions.learn(documents)
        concerned = self.decisions.concerns(documents.numbers) & ~self.known.has(documents.numbers)
        if self.waits:
            self.preference.add(documents, concerned)
        elif self.spec.keep != NONE:
            self.decisions.take(documents.numbers[concerned])

    def decide(self) -> None:
        """Chooses among documents that wait, after all have come."""
        if self.waits and self.spec.keep != NONE:
            order = self.preference.order()
            self.decisions.take(order[self.decisions.concerns(order)])

    def finish(self) -> Iterator[Event]:
        self.decide()
        self.preference.check()
        for lines in self.aside.chunks() if self.waits else ():
            at = 0
            while at < len(lines):
                batch = read_batch(lines, at, self.reader.ids_only)
                at = batch.next
                ids = self.reader.ids(batch)
                yield from self.write(self.reader.block(batch, self.number(ids.data, ids.sizes), has_values=False))

    def choose(self, numbers: Index) -> Index:
        """Returns for each document the one that is kept in its place: itself, another, NOBODY or ARCHIVE."""
        kept = numbers.copy()
        concerned, known = self.decisions.concerns(numbers), self.known.has(numbers)
        kept[concerned] = self.decisions.kept_for(numbers[concerned])
        kept[known] = ARCHIVE
        repeated, gone = int(np.count_nonzero(known)), int(np.count_nonzero(kept != numbers))
        self.repeated += repeated
        self.removed += gone - repeated
        self.kept += len(numbers) - gone
        return kept

    def write(self, documents: DocumentArrays) -> list[Event]:
        """Returns the documents that are kept, and those that are removed, unchanged but for marks."""
        numbers = documents.numbers
        kept = self.choose(numbers)
        if self.spec.dry:
            return written()
        removed = kept != numbers
        if self.spec.marks_alone:
            return self.write_marks(numbers[removed], kept[removed])
        if not self.spec.annotate:
            gone = np.flatnonzero((kept == ARCHIVE) & bool(self.spec.marks))
            return cut(documents, removed, zip(gone.tolist(), self.marks(numbers[gone], kept[gone]), strict=True))
        marks = self.marks(numbers[removed], kept[removed])
        every = np.flatnonzero(removed | (documents.lasts < 0))
        return annotated_all(documents, ((row, next(marks) if removed[row] else None) for row in every.tolist()))

    def write_marks(self, numbers: Index, kept: Index) -> list[Event]:
        """Returns a record for each of some documents that would go, whose id is in the field `id`, as canon has it."""
        marked = zip(each_id(self.names(numbers)), self.marks(numbers, kept), strict=True)
        return written(b"".join(b'{"id":%b%b}\n' % (name, joined(says)) for name, says in marked))

    def marks(self, numbers: Index, kept: Index) -> Iterator[Mark]:
        """Yields the marks of documents that are removed: which document is kept in their place, and why."""
        known = kept == ARCHIVE
        archived = numbers[known]
        similarity = np.empty(len(numbers))
        similarity[known] = np.frombuffer(self.known.similarity)[archived]
        similarity[~known] = self.decisions.similarity(numbers[~known])
        best = np.frombuffer(self.known.best, np.int64)[archived]
        of_archive = each_id(SelectedIds(self.known.archive.data, self.known.archive.ends, best))
        of_input = each_id(self.names(kept[~known]))
        for alike, by_known in zip(similarity.tolist(), known.tolist(), strict=True):
            name, rule = (next(of_archive), KNOWN) if by_known else (next(of_input), self.spec.keep)
            yield mark(name, rule, alike)

    def names(self, numbers: Index) -> SelectedIds:
        """Returns the ids of documents."""
        return SelectedIds(self.ids.data, self.ids.ends, numbers)

    def remarks(self) -> list[str]:
        """Returns remarks: side files that name no document, or no pair, and a field of --keep that none has."""
        seen, documents = self.seen, self.kept + self.removed + self.repeated
        if not documents:
            return []
        known = np.frombuffer(self.known.known, np.bool_)
        named = {self.decisions.option: seen[: len(self.decisions)], self.spec.known_by: seen[: len(known)][known]}
        messages = [names_none(option) for option, there in named.items() if len(there) and not there.any()]
        wanted = {*self.spec.pairs} - {os.devnull} and not self.spec.known  # else it is known that there may be none
        if wanted and not len(self.decisions) and documents >= FEWEST_REMARKED:
            messages.append("--pairs has no pair, so no document goes")
        halves, wholes = self.decisions.pairs_here(seen)
        if halves > wholes:
            messages.append(
                f"--pairs: {halves} pairs have one document in the input, and {wholes} have both: the pairs cover "
                "files that are not given, and a document stays if all that it resembles is there; name these, too"
            )
        return messages + self.preference.remarks()

    def summary(self) -> list[str]:
        there = self.seen & ~self.known.has(np.arange(len(self.seen)))
        rules = self.spec.figures(self.kept, self.removed, self.repeated)
        figures = [*rules, *self.decisions.figures(there, self.seen)]
        different = different_figures(self.decisions.different + self.known.different)
        return figures + [f"{count} {what}" for what, count in different.items()]
