"""What is done with an archive beside adding."""

from collections.abc import Iterator

import numpy as np
import orjson

from shingletools import wire
from shingletools.archive.merging import merge
from shingletools.archive.opened import open_archive
from shingletools.archive.writing import ArchiveWriter
from shingletools.errors import Failed
from shingletools.kernel.types import Index
from shingletools.simindex.spec import CHECK, DROP, DUMP, LIST, MERGE, IndexSpec
from shingletools.stage import Collector, Written
from shingletools.wire import Record

IDS = 1 << 16  # that are looked up together


class Looking(Collector):
    """What an archive tells; it takes no records."""

    def __init__(self, spec: IndexSpec) -> None:
        self.archive = open_archive(spec.archive)

    def take(self, _record: Record, _line: bytes, _side: int, /) -> None:
        raise TypeError("no records are read")

    def close(self) -> None:
        self.archive.close()


class Listing(Looking):
    """One record of what there is."""

    def finish(self) -> Iterator[Written]:
        state = self.archive.manifest
        components = 2 * state.size // state.digits if state.digits else 0
        segments = [
            {"segment": entry.number, "documents": entry.live, "dropped": entry.rows - entry.live, "bytes": entry.size}
            for entry in state.segments
        ]
        yield Written(wire.format_json({
            "archive": self.archive.name, "documents": sum(entry.live for entry in state.segments),
            "dropped": sum(entry.rows - entry.live for entry in state.segments),
            "bytes": sum(entry.size for entry in state.segments), "via": state.recipe, "field": state.field or None,
            "components": 64 if state.field == "simhash" else components, "agreeing": state.least,
            "segments": segments,
        }))  # fmt: skip


class Checking(Looking):
    """Reads all of it; one record for each file that is damaged, and then the run fails."""

    def finish(self) -> Iterator[Written]:
        faults = []
        for file, size, wrong in self.archive.check():
            if wrong:
                faults.append(wrong)
                yield Written(wire.format_json({"file": file, "bytes": size, "fault": wrong}))
        if faults:
            raise Failed(faults[0])


class Dumping(Looking):
    """The records as they came, in the order in which they were added."""

    def finish(self) -> Iterator[Written]:
        for rows in self.archive.live():
            yield Written(b"".join(line + b"\n" for line in self.archive.lines(rows)))


class Changing(Collector):
    """What changes an archive, once its output has its place."""

    def __init__(self, spec: IndexSpec) -> None:
        self.spec = spec
        self.writer = ArchiveWriter(spec.archive)

    def take(self, _record: Record, _line: bytes, _side: int, /) -> None:
        raise TypeError("no records are read")

    def close(self) -> None:
        self.writer.close()


class Merging(Changing):
    """One segment of all, without what was dropped."""

    def finish(self) -> Iterator[Written]:
        archive = self.writer.archive
        state = archive.manifest
        self.state = state
        if len(state.segments) > 1 or any(entry.removed for entry in state.segments):
            merged = merge(self.writer, archive.segments)
            self.state = state._replace(segments=() if merged is None else (merged,))
        yield Written()

    def settle(self) -> None:
        if self.state is not self.writer.archive.manifest:
            self.writer.commit(self.state)


class Dropping(Changing):
    """The documents of some ids are no longer there; it does not matter whether they were."""

    def __init__(self, spec: IndexSpec) -> None:
        super().__init__(spec)
        self.ids: list[bytes] = []
        self.rows: Index = np.empty(0, np.int64)  # that are dropped
        self.dropped = self.missing = 0

    def take(self, record: Record, _line: bytes, _side: int, /) -> None:
        self.ids.append(orjson.dumps(wire.take_id(record, self.spec.id_field)))
        if len(self.ids) >= IDS:
            self.look_up()

    def look_up(self) -> None:
        ids, self.ids = self.ids, []
        found = self.writer.archive.find(b"".join(ids), np.array([len(name) for name in ids], np.int64))
        self.missing += int(np.count_nonzero(found < 0))
        self.rows = np.union1d(self.rows, found[found >= 0])

    def finish(self) -> Iterator[Written]:
        self.look_up()
        self.dropped = len(self.rows)
        yield Written()

    def settle(self) -> None:
        if not self.dropped:
            return
        archive = self.writer.archive
        entries = list(archive.manifest.segments)
        for segment, some, _ in archive.part(self.rows):
            number = archive.segments.index(segment)
            removed = self.writer.removed(np.union1d(segment.removed, some))
            entries[number] = entries[number]._replace(removed=removed)
        self.writer.commit(archive.manifest._replace(segments=tuple(entries)))

    def summary(self) -> list[str]:
        return [f"{self.dropped} dropped", f"{self.missing} not there"]


COLLECTORS: dict[str, type[Looking] | type[Changing]] = {
    LIST: Listing, CHECK: Checking, DUMP: Dumping, MERGE: Merging, DROP: Dropping,
}  # fmt: skip
