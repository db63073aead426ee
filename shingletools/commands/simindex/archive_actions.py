"""The actions on an archive other than add."""

from collections.abc import Iterator

import numpy as np
import orjson

from shingletools.archive.archive_reader import open_archive
from shingletools.archive.archive_writer import ArchiveWriter
from shingletools.archive.damage_check import faults
from shingletools.archive.segment_merging import merge
from shingletools.commands.simindex.spec import CHECK, DROP, DUMP, LIST, MERGE, IndexSpec
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, written
from shingletools.record.wire import Record
from shingletools.system.errors import Failed

BATCH_IDS = 1 << 16  # ids that are looked up together


class ArchiveAction(RecordCollector):
    """An action that takes no records."""

    def __init__(self, spec: IndexSpec) -> None:
        self.spec = spec

    def take_record(self, _record: Record, _line: bytes, _side: int, /) -> None:
        raise TypeError("no records are read")


class ReadingAction(ArchiveAction):
    """An action that only reads the archive."""

    def __init__(self, spec: IndexSpec) -> None:
        super().__init__(spec)
        self.archive = open_archive(spec.archive)

    def close(self) -> None:
        self.archive.close()


class Listing(ReadingAction):
    """list: gives one record that describes the archive."""

    def finish(self) -> Iterator[Event]:
        state = self.archive.manifest
        components = 2 * state.size // state.digits if state.digits else None
        segments = [
            {"segment": entry.number, "documents": entry.live, "dropped": entry.rows - entry.live, "bytes": entry.size}
            for entry in state.segments
        ]
        record = {
            "archive": self.archive.name,
            "documents": sum(entry.live for entry in state.segments),
            "dropped": sum(entry.rows - entry.live for entry in state.segments),
            "bytes": sum(entry.size for entry in state.segments),
            "via": state.recipe,
            "field": state.field or None,
            "components": 64 if state.field == "simhash" else components,
            "agreeing": state.least or None,
            **({"k": state.passages[-1]} if state.passages else {}),
            "segments": segments,
        }
        yield from written(wire.format_json(record))


class Checking(ArchiveAction):
    """check: reads all files; gives one record for each damaged file, then fails the run."""

    def finish(self) -> Iterator[Event]:
        first, count = "", 0
        for fault in faults(self.spec.archive):
            first, count = first or f"{fault.file}: {fault.cause}", count + 1
            record: dict[str, object] = {"file": fault.file, "fault": fault.cause}
            if fault.entry is not None:
                record |= {"segment": fault.entry.number, "documents": fault.entry.live}
            yield from written(wire.format_json(record))
        if count:
            raise Failed(first if count == 1 else f"{first} (files with faults: {count})")


class Dumping(ReadingAction):
    """dump: gives the records as they came, in the order in which they were added."""

    def finish(self) -> Iterator[Event]:
        for rows in self.archive.live():
            yield from written(b"".join(line + b"\n" for line in self.archive.lines(rows)))


class ChangingAction(ArchiveAction):
    """An action that changes the archive, after its output has its place."""

    def __init__(self, spec: IndexSpec) -> None:
        super().__init__(spec)
        self.writer = ArchiveWriter(spec.archive)

    def close(self) -> None:
        self.writer.close()


class Merging(ChangingAction):
    """merge: makes one segment of all, without dropped records."""

    def finish(self) -> Iterator[Event]:
        archive = self.writer.archive
        state = archive.manifest
        self.state = state
        if len(state.segments) > 1 or any(entry.removed for entry in state.segments):
            merged = merge(self.writer, archive.segments)
            self.state = state._replace(segments=() if merged is None else (merged,))
        yield from ()

    def settle(self) -> None:
        if self.state is not self.writer.archive.manifest:
            self.writer.commit(self.state)


class Dropping(ChangingAction):
    """drop: removes the documents with some ids. Ids that the archive does not have are no error."""

    def __init__(self, spec: IndexSpec) -> None:
        super().__init__(spec)
        self.ids: list[bytes] = []
        self.rows: Index = np.empty(0, np.int64)  # rows to drop
        self.entries = self.writer.archive.manifest.segments
        self.dropped = self.missing = 0

    def take_record(self, record: Record, _line: bytes, _side: int, /) -> None:
        self.ids.append(orjson.dumps(wire.take_id(record, self.spec.id_field)))
        if len(self.ids) >= BATCH_IDS:
            self.look_up()

    def look_up(self) -> None:
        ids, self.ids = self.ids, []
        found = self.writer.archive.find(b"".join(ids), np.array([len(name) for name in ids], np.int64))
        self.missing += int(np.count_nonzero(found < 0))
        self.rows = np.union1d(self.rows, found[found >= 0])

    def finish(self) -> Iterator[Event]:
        self.look_up()
        self.dropped = len(self.rows)
        self.entries = self.writer.without(self.rows)
        yield from ()

    def settle(self) -> None:
        if self.dropped:
            self.writer.commit(self.writer.archive.manifest._replace(segments=self.entries))

    def summary(self) -> list[str]:
        return [f"{self.dropped} dropped", f"{self.missing} not there"]


COLLECTORS: dict[str, type[ArchiveAction]] = {
    LIST: Listing,
    CHECK: Checking,
    DUMP: Dumping,
    MERGE: Merging,
    DROP: Dropping,
}
