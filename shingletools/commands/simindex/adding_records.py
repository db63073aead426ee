"""Adds records with signatures to an archive: all good ones, or none if the run fails."""

from collections.abc import Iterator, Sequence

import numpy as np

from shingletools.archive.archive_reader import Archive
from shingletools.archive.archive_writer import ArchiveWriter
from shingletools.archive.checksummed_files import Cache
from shingletools.archive.manifest import Entry
from shingletools.archive.record_frames import FRAME_BYTES, RecordForm, frames_of
from shingletools.archive.segment import Segment
from shingletools.archive.segment_builder import ROW_BYTES, SegmentBuilder
from shingletools.commands.simindex.known_ids import KnownIds
from shingletools.commands.simindex.spec import REPLACE, IndexSpec
from shingletools.commands.simindex.unless_known import KnownBefore, keys_by
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.indexed import component_table, least_of, not_made_for, signature_in
from shingletools.commands.simjoin.signatures import SHINGLE_SETS
from shingletools.commands.simjoin.signed_records import Needed, Signed, SignedRecords
from shingletools.record.collector import Collector
from shingletools.record.events import Event, Lines
from shingletools.record.record_batch import RecordBatch, Schema
from shingletools.record.wire import recipes_differ
from shingletools.system.errors import Failed
from shingletools.system.files import folder_errors
from shingletools.system.memory_limit import Memory
from shingletools.system.spilling_list import SpillingList


class RecordAdder(Collector):
    """Takes records. A record whose id the archive has is left out if it is the same record; else it is bad.

    Memory: the limit of the run; half of it is for records, half for the work on them.
    """

    def __init__(self, spec: IndexSpec) -> None:
        self.spec = spec
        self.writer = ArchiveWriter(spec.archive, create=True)
        self.state = self.writer.archive.manifest
        self.who = "the records before" if self.state.recipe is None else "the archive"  # with a recipe
        self.comparable = Comparable(spec.wanted)
        self.known: KnownBefore | None = None
        self.records = SignedRecords(Needed(spec.id_field, spec.once(0)), self.check, lines=True)
        self.next_schema = self.records.schema
        self.batch = SegmentBuilder()
        self.new: list[Segment] = []  # segments that this run has written
        self.repeats = KnownIds(self.writer.archive, spec)
        # Pairs are written as they are found, and what records replace must be known before any is compared
        self.aside = SpillingList[SegmentBuilder](Memory(0, spec.archive)) if spec.unless_known else None
        self.before: Sequence[Entry] = ()  # the earlier segments, without replaced records
        self.added = self.alike = 0
        self.cache = Cache()
        try:
            self.begin()
        except BaseException:
            self.writer.close()
            raise

    def begin(self) -> None:
        """Compares all signatures with those of the archive, if it has any. Raises Failed."""
        signature = signature_in(self.writer.archive)
        if signature is None:
            return
        state = self.state
        if not self.spec.wanted.threshold():
            self.comparable.wanted = least_of(state)
        try:
            self.comparable.accept(signature, state.size, state.recipe or "")
            least = self.least()
            if least < state.least or (least > state.least and not self.spec.unless_known):
                raise Failed(not_made_for(state, self.comparable.wanted, signature.components(state.size), least))
        except Failed as error:
            raise Failed(f"{self.writer.archive.name}: {error}") from None
        self.comparable.first = "the archive has"
        self.ready()

    def least(self) -> int:
        """Returns the number of components in which pairs agree."""
        signature = self.comparable.signature
        assert signature is not None
        blank = np.zeros(self.comparable.size, np.uint8)
        return component_table(signature, self.comparable.wanted, blank, self.comparable.size).least

    def ready(self) -> None:
        """Decides the schema of lines, and prepares the join with the archive, by the first signature."""
        signature = self.comparable.signature
        assert signature is not None
        self.next_schema = self.records.schema_of(self.state.recipe or "", signature, self.comparable.size)
        if self.spec.unless_known:
            self.known = KnownBefore(self.writer.archive, signature, self.comparable.wanted, self.repeats.own)

    def check(self, signed: Signed) -> None:
        """Raises Failed for a record that cannot go with those before it, or into an archive."""
        if self.state.recipe is not None and signed.via != self.state.recipe:
            raise Failed(recipes_differ(signed.via, self.state.recipe, self.who))
        if signed.signature in SHINGLE_SETS:
            raise Failed("the record has shingles, but no sketch; archives do not keep sets of shingles")
        if signed.data:
            self.comparable.check(signed.signature, len(signed.data), signed.via)

    def schema(self, _side: int, _file: str = "", /) -> Schema:
        return self.next_schema

    def take(self, batch: RecordBatch, _side: int, /) -> Iterator[Event]:
        """Takes records. A segment ends with the record that fills it, however the lines are parted."""
        if self.next_schema.provisional:
            self.infer_schema()
        ids, payloads = batch.columns
        spelled = RecordForm(self.spec.id_field, self.state.field, self.state.digits or 8)
        frames, lengths = frames_of(batch, spelled)
        names, sizes = (np.frombuffer(column.sizes, np.int64) for column in (ids, payloads))
        to_id, to_data, to_frame = (np.append(0, np.cumsum(counts)) for counts in (names, sizes, lengths))
        most = np.arange(batch.rows + 1) * (ROW_BYTES + FRAME_BYTES) + to_id + to_data + to_frame
        start = 0
        while start < batch.rows:
            left = self.spec.size // 2 - self.batch.memory
            end = max(start + 1, int(np.searchsorted(most, most[start] + left)) - 1)
            self.batch.place(batch.file, batch.line_numbers(start, end))
            numbers = self.batch.frames.numbers(frames[to_frame[start] : to_frame[end]], lengths[start:end])
            data = payloads.data[to_data[start] : to_data[end]]
            self.batch.extend(
                ids.data[to_id[start] : to_id[end]], names[start:end], data, numbers, sizes[start:end] > 0
            )
            self.add_if_full()
            start = end
        return iter(())

    def infer_schema(self) -> None:
        """Takes the recipe of the record just read. The first signature that is not empty decides the schema."""
        assert self.records.last is not None
        _, via, signature, data = self.records.last
        self.state = self.state._replace(recipe=via)
        if data:
            self.comparable.accept(signature, len(data), via)
            self.state = self.state._replace(
                field=signature.field,
                digits=signature.digits,
                size=len(data),
                least=self.least(),
                threshold=self.comparable.wanted.threshold(),
            )
            self.ready()

    def add_if_full(self) -> None:
        if self.batch.memory < self.spec.size // 2:
            return
        if self.aside is not None:
            self.aside.add(self.taken(), self.spec.size)
            return
        for _ in self.add(self.taken()):
            pass  # only records that are put aside have pairs

    def taken(self) -> SegmentBuilder:
        """Returns the held records. What they replace is hidden in the archive."""
        batch, self.batch = self.batch, SegmentBuilder()
        batch.size, batch.digits = self.state.size, self.state.digits or batch.digits
        if self.spec.edited == REPLACE:
            self.repeats.note_replaced(batch)
            self.writer.archive.hide(self.repeats.replaced)
        return batch

    def add(self, batch: SegmentBuilder) -> Iterator[Event]:
        """Writes a segment of records that are new. Gives the pairs of those that are known."""
        if not len(batch):
            return
        batch.size, batch.digits = self.state.size, self.state.digits or batch.digits  # known only now, perhaps
        sorting = self.repeats.sorted_out(batch, self.in_this_run())
        alike = np.zeros(len(batch), np.bool_)
        if self.known is not None:
            yield from map(Lines, self.known.pairs(batch, sorting, alike))
        self.alike += int(np.count_nonzero(alike & (sorting.fresh | sorting.again)))
        fresh = sorting.fresh & ~alike
        self.repeats.remember(batch, np.flatnonzero(sorting.asks & ~fresh))
        rows = np.flatnonzero(fresh)
        self.added += len(rows)
        if len(rows):
            state = self.state
            keys = keys_by(self.comparable.signature, self.comparable, state.least)
            entry = batch.write(self.writer, rows, keys, state.additions + 1)
            with folder_errors(self.writer.path):
                self.new.append(Segment(self.writer.path, entry, self.cache))

    def in_this_run(self) -> Archive:
        """Returns the segments that this run has written so far, as an archive."""
        return Archive(self.writer.path, self.state, self.new)

    def finish(self) -> Iterator[Event]:
        last = self.taken()
        if self.aside is not None:
            for batch in self.aside:
                yield from self.add(batch)
        yield from self.add(last)
        yield from self.repeats.deferred
        self.before = self.writer.without(self.repeats.replaced)

    def settle(self) -> None:
        """Puts the new segments into the archive."""
        before = self.writer.archive.manifest
        new = [segment.entry for segment in self.new]
        if new or self.before != before.segments or not before.numbers:
            number, name = before.additions + 1, self.spec.named
            names = before.names if name is None or not new else (*before.names, (number, name))
            self.writer.commit(self.state._replace(segments=(*self.before, *new), additions=number, names=names))

    def close(self) -> None:
        for segment in self.new:
            segment.close()
        self.writer.close()

    def summary(self) -> list[str]:
        counted = [f"{self.added} added", f"{self.repeats.there} there already"]
        if self.spec.edited == REPLACE:
            counted.append(f"{len(self.repeats.replaced)} replaced")
        return [*counted, f"{self.alike} known"] if self.spec.unless_known else counted
