"""Takes pairs and groups, then documents, then labels; writes scores."""

from collections.abc import Iterator

import numpy as np
import orjson

from shingletools.commands.simscore.numbered_documents import NumberedDocuments
from shingletools.commands.simscore.score_records import APART, BEYOND, DOCUMENTS, ScoreRecords
from shingletools.commands.simscore.score_tables import records, table
from shingletools.commands.simscore.scoring import score
from shingletools.commands.simscore.spec import DOCS, FOUND, TRUTH, ScoreSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split_ids
from shingletools.kernel.line_columns import ColumnData
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.pair_relation import NONE, FrozenRelation, PairRelation, ends_of
from shingletools.record.collector import Collector
from shingletools.record.events import Event, written
from shingletools.record.labels import GROUPS, PAIRS, UNLABELLED, contradiction_message, label_of
from shingletools.record.record_batch import RecordBatch, Schema, row_of
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected


class ScoreCollector(Collector):
    """Takes what was found, documents, and the truth; scores what was found by the truth.

    Memory: that of `NumberedDocuments` and of two `PairRelation`, and then that of `score`.
    """

    of_all = True

    def __init__(self, spec: ScoreSpec) -> None:
        self.spec = spec
        self.universe = NumberedDocuments()
        self.records = [ScoreRecords(spec, side, self.universe.known_as) for side in (FOUND, DOCS, TRUTH)]
        self.sides = {side: PairRelation(bool(spec.edges)) for side in (FOUND, TRUTH)}
        self.groups = dict.fromkeys(self.sides, 0)  # of each side so far
        self.labels = kernel.new_ids()  # values of the field of labels, of the truth
        self.kinds: dict[tuple[int, str], str] = {}  # what each side's files hold: PAIRS or GROUPS
        self.unknown = 0  # records of the truth with documents that --docs lacks
        self.remark_lines: list[str] = []
        self.doubts: list[str] = []

    def kind(self, side: int, file: str) -> str | None:
        """Returns what a file holds; None if no record has shown it yet."""
        if side == DOCS or (side == TRUTH and self.spec.label is not None):
            return DOCUMENTS
        return self.kinds.get((side, file))

    def schema(self, side: int, file: str = "", /) -> Schema:
        kind, records = self.kind(side, file), self.records[side]
        return records.first if kind is None else records.schemas[kind]

    def take(self, batch: RecordBatch, side: int, /) -> Iterator[Event]:
        kind = self.kind(side, batch.file)
        if kind is None:
            (((kind, values), _),) = batch.objects
            batch = batch._replace(columns=row_of(self.records[side].schemas[kind].fields, values, 0).columns)
        take = {PAIRS: self.take_pairs, GROUPS: self.take_groups, DOCUMENTS: self.take_documents}[kind]
        good = True
        for event in take(batch, side):
            good = False
            yield event
        if kind != DOCUMENTS and good:
            self.kinds[side, batch.file] = kind

    def take_pairs(self, batch: RecordBatch, side: int) -> Iterator[Event]:
        ids, sides, *others = batch.columns
        against = np.frombuffer(sides.data, np.bool_)
        of_other_side = np.stack([np.zeros(batch.rows, np.bool_), against], axis=1)
        numbers = self.universe.number(ids.data, ids.sizes, of_other_side.ravel()).reshape(-1, 2)
        one, two = numbers.T
        apart = np.frombuffer(others[0].data, np.uint8) == APART if side == TRUTH else np.zeros(batch.rows, np.bool_)
        bands, beyond = None, np.zeros(batch.rows, np.bool_)
        if self.spec.edges:
            bands, beyond = self.records[side].bands(others[-1])
        strange = self.strangers(numbers, side) & ~of_other_side
        good = ~(beyond | strange.any(axis=1))
        self.universe.note(two[against & good])
        same = good & ~apart
        self.sides[side].add_pairs(one[same], two[same], None if bands is None else bands[same])
        self.sides[side].add_apart(one[good & apart], two[good & apart])
        names = [] if good.all() else [*split_ids(ids.data, ids.sizes)]
        for row in np.flatnonzero(~good).tolist():
            why = Rejected(BEYOND) if beyond[row] else self.stranger(names[2 * row + (not strange[row, 0])])
            yield batch.reject(row, why)

    def take_groups(self, batch: RecordBatch, side: int) -> Iterator[Event]:
        (ids,) = batch.columns
        numbers = self.universe.number(ids.data, ids.sizes)
        rows = np.repeat(np.arange(batch.rows), np.frombuffer(ids.starts, np.int64))
        strange = self.strangers(numbers, side)
        known = np.flatnonzero(~strange)
        wrong = known[self.sides[side].add_classes(numbers[known], (rows + self.groups[side])[known])]
        self.groups[side] += batch.rows
        stop = int(rows[wrong[0]]) if len(wrong) else batch.rows
        names = [*split_ids(ids.data, ids.sizes)] if len(known) < len(strange) or len(wrong) else []
        places = np.flatnonzero(strange & (rows < stop))
        bad, firsts = np.unique(rows[places], return_index=True)
        for row, place in zip(bad.tolist(), places[firsts].tolist(), strict=True):
            yield batch.reject(row, self.stranger(names[place]))
        if len(wrong):
            raise batch.failure(stop, Failed(f"id {shown_id(names[int(wrong[0])])} is in two groups"))

    def take_documents(self, batch: RecordBatch, side: int) -> Iterator[Event]:
        ids, *labels = batch.columns
        numbers = self.universe.number(ids.data, ids.sizes)
        strange = self.strangers(numbers, side) if labels else np.zeros(batch.rows, np.bool_)
        known = np.flatnonzero(~strange)
        wrong = known[self.add_labels(numbers[known], labels[0], known)] if labels else known[:0]
        stop = int(wrong[0]) if len(wrong) else batch.rows
        self.universe.note(numbers[known[known < stop]])
        names = [*split_ids(ids.data, ids.sizes)] if len(known) < len(strange) or len(wrong) else []
        for row in np.flatnonzero(strange[:stop]).tolist():
            yield batch.reject(row, self.stranger(names[row]))
        if len(wrong):
            raise batch.failure(stop, Failed(f"id {shown_id(names[stop])} has two labels"))

    def add_labels(self, numbers: Index, labels: ColumnData, rows: Index) -> Index:
        """Adds documents and their labels. If some have other labels already, adds none, and returns their places."""
        spelled = list(split_ids(labels.data, labels.sizes))
        written = [label_of(spelled[row]) or UNLABELLED for row in rows.tolist()]
        sizes = np.array([*map(len, written)], np.int64)
        labelled = np.flatnonzero(sizes)
        classes = np.frombuffer(self.labels.number(b"".join(written), sizes[labelled]), np.int64)
        return labelled[self.sides[TRUTH].add_classes(numbers[labelled], classes)]

    def strangers(self, numbers: Index, side: int) -> Flags:
        """Returns which documents of labels --docs lacks, if it is given."""
        if side == TRUTH and self.spec.docs:
            return ~self.universe.has(numbers)
        return np.zeros(numbers.shape, np.bool_)

    def stranger(self, name: bytes) -> Rejected:
        """Returns why a record is rejected: it names a document that --docs lacks."""
        self.unknown += 1
        return Rejected(f"no document of --docs has the id {shown_id(name)}")

    def finish(self) -> Iterator[Event]:
        there = self.universe.every()
        named = self.sides[TRUTH].named(len(there))
        if not self.spec.docs:
            there |= named | self.sides[FOUND].named(len(there))
        if len(self.sides[FOUND].keys) or self.groups[FOUND]:
            self.doubts = undecided(np.any(named & self.sides[FOUND].named(len(there))))
        found, truth = (self.sides[side].among(there) for side in (FOUND, TRUTH))
        if self.spec.judged:
            there &= named
            found = found.only(self.judged(truth, there))
        if (pair := self.sides[TRUTH].contradiction(truth)) is not None:
            raise Failed(contradiction_message((self.universe.name(pair[0]), self.universe.name(pair[1]))))
        scores = score(found, truth, there, self.spec.edges, self.spec.cut)
        counts = scores.all.pairs
        self.remark_lines = [
            f"{counts.found} pairs found",
            f"{counts.truth} true",
            f"{counts.right} both",
            f"{scores.documents} documents",
            f"{np.count_nonzero(there & ~named)} without a label",
            f"{found.repeated} pairs repeated",
            f"{found.outside} outside --docs",
            f"{self.unknown} labels of unknown documents",
        ]
        yield from written(table(scores) if self.spec.table else records(scores))

    def judged(self, truth: FrozenRelation, there: Flags) -> Index:
        """Returns the pairs of documents of the run that the truth judges, ascending. Raises Failed for groups."""
        if np.any(truth.classes != NONE):
            raise Failed("--judged needs a truth of pairs, not of groups")
        apart = np.array(self.sides[TRUTH].apart, np.int64)
        one, two = ends_of(apart)
        return np.unique(np.append(truth.keys, apart[there[one] & there[two]]))

    def remarks(self) -> list[str]:
        return self.doubts

    def summary(self) -> list[str]:
        return self.remark_lines


def shown_id(name: bytes) -> str:
    """Returns an id, which is JSON, as messages show it."""
    return errors.shown(orjson.loads(name))


def undecided(common: object) -> list[str]:
    """Returns a warning if the truth labels no document of the input, and so decides nothing."""
    if common:
        return []
    return ['--truth labels no document of the input: are their ids the same? 1 and "1" are two ids']
