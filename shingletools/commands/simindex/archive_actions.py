"""The actions on an archive other than add."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

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


class ReadingAction(RecordCollector):
    """An action that takes no records, and only reads an archive. output: yields what it gives."""

    def __init__(self, output: Callable[[str], Iterator[Event]], spec: IndexSpec) -> None:
        self.output, self.path = output, spec.archive

    def take_record(self, _record: Record, _line: bytes, _side: int, /) -> None:
        raise TypeError("no records are read")

    def finish(self) -> Iterator[Event]:
        return self.output(self.path)


def description(path: str) -> Iterator[Event]:
    """list: gives one record that describes the archive."""
    with closing(open_archive(path)) as archive:
        state = archive.manifest
        components = 2 * state.size // state.digits if state.digits else None
        segments = [
            {"segment": entry.number, "documents": entry.live, "dropped": entry.rows - entry.live, "bytes": entry.size}
            for entry in state.segments
        ]
        record = {
            "archive": archive.name,
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


def damage(path: str) -> Iterator[Event]:
    """check: reads all files; gives one record for each damaged file, then fails the run."""
    first, count = "", 0
    for fault, entry in faults(path):
        first, count = first or f"{fault.file}: {fault.cause}", count + 1
        record: dict[str, object] = {"file": fault.file, "fault": fault.cause}
        if entry is not None:
            record |= {"segment": entry.number, "documents": entry.live}
        yield from written(wire.format_json(record))
    if count:
        raise Failed(first if count == 1 else f"{first} (files with faults: {count})")


def contents(path: str) -> Iterator[Event]:
    """dump: gives the records as they came, in the order in which they were added."""
    with closing(open_archive(path)) as archive:
        for rows in archive.live():
            yield from written(b"".join(line + b"\n" for line in archive.lines(rows)))


class Merging(RecordCollector):
    """merge: makes one segment of all, without dropped records, once the output has its place."""

    def __init__(self, spec: IndexSpec) -> None:
        self.writer = ArchiveWriter(spec.archive)
        self.state = self.writer.archive.manifest

    def take_record(self, _record: Record, _line: bytes, _side: int, /) -> None:
        raise TypeError("no records are read")

    def finish(self) -> Iterator[Event]:
        if len(self.state.segments) > 1 or any(entry.removed for entry in self.state.segments):
            merged = merge(self.writer, self.writer.archive.segments)
            self.state = self.state._replace(segments=() if merged is None else (merged,))
        return iter(())

    def settle(self) -> None:
        if self.state is not self.writer.archive.manifest:
            self.writer.commit(self.state)

    def close(self) -> None:
        self.writer.close()


class Dropping(RecordCollector):
    """drop: removes the documents with some ids, once the output has its place. It needs not have all of these."""

    def __init__(self, spec: IndexSpec) -> None:
        self.id_field, self.writer = spec.id_field, ArchiveWriter(spec.archive)
        self.ids: list[bytes] = []
        self.rows: Index = np.empty(0, np.int64)  # rows to drop
        self.entries = self.writer.archive.manifest.segments
        self.dropped = self.missing = 0

    def take_record(self, record: Record, _line: bytes, _side: int, /) -> None:
        self.ids.append(orjson.dumps(wire.take_id(record, self.id_field)))
        if len(self.ids) >= BATCH_IDS:
            self.look_up()

    def look_up(self) -> None:
        ids, self.ids = self.ids, []
        rows = self.writer.archive.find(b"".join(ids), np.array([len(name) for name in ids], np.int64))
        self.missing += int(np.count_nonzero(rows < 0))
        self.rows = np.union1d(self.rows, rows[rows >= 0])

    def finish(self) -> Iterator[Event]:
        self.look_up()
        self.dropped = len(self.rows)
        self.entries = self.writer.without(self.rows)
        return iter(())

    def settle(self) -> None:
        if self.dropped:
            self.writer.commit(self.writer.archive.manifest._replace(segments=self.entries))

    def close(self) -> None:
        self.writer.close()

    def summary(self) -> list[str]:
        return [f"{self.dropped} dropped", f"{self.missing} not there"]


COLLECTORS: dict[str, Callable[[IndexSpec], RecordCollector]] = {
    LIST: partial(ReadingAction, description),
    CHECK: partial(ReadingAction, damage),
    DUMP: partial(ReadingAction, contents),
    MERGE: Merging,
    DROP: Dropping,
}
