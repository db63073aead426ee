"""Makes one segment of many, without dropped records: in order, part by part, for segments of any size."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.archive_files import GRAMS, NAMES, TABLE, band_name
from shingletools.archive.archive_writer import ArchiveWriter, SegmentWriter
from shingletools.archive.key_lookup import SortedKeys
from shingletools.archive.manifest import Entry
from shingletools.archive.segment import Segment
from shingletools.archive.segment_builder import entries_of
from shingletools.kernel.ids import split_ids
from shingletools.kernel.types import U64, Flags, Index
from shingletools.numbers.sorter import ascending

COPY_ROWS = 1 << 14  # rows that are copied together
READ_ENTRIES = 1 << 16  # entries of each table that are held at a time
MAX_SHARED_FRAMES = 1 << 10  # frames of a segment: if it has more, most belong to one record each, and are not compared
MAX_SHARED_BYTES = 1 << 20  # bytes of such few frames, at most


class RowMapping:
    """A segment that is merged, and the new numbers of its rows."""

    def __init__(self, segment: Segment, first: int) -> None:
        self.segment, self.first = segment, first
        self.live = segment.rows - len(segment.removed)

    def moved(self, rows: Index) -> Index:
        """Returns the new numbers of rows, all of which must be live."""
        return self.first + rows - np.searchsorted(self.segment.removed, rows)

    def rows(self) -> Iterator[Index]:
        """Yields the live rows, in blocks."""
        for start in range(0, self.segment.rows, COPY_ROWS):
            live = self.segment.live(start, min(start + COPY_ROWS, self.segment.rows))
            if len(live):
                yield live


def merge(writer: ArchiveWriter, segments: Sequence[Segment]) -> Entry | None:
    """Writes the live rows of segments, in order, as one segment; None if there are none. Raises Failed."""
    firsts = np.cumsum([0, *(segment.rows - len(segment.removed) for segment in segments)]).tolist()
    parts = [RowMapping(segment, first) for segment, first in zip(segments, firsts, strict=False)]
    rows = firsts[-1]
    if not rows:
        return None
    with writer.segment() as new:
        _merge_signatures(new, parts, rows)
        _merge_grams(new, [part for part in parts if GRAMS in part.segment.entry.columns])
        _merge_ids(new, parts, rows)
        _merge_frames(new, parts, rows)
        return new.finish(rows, additions(parts))


def additions(parts: Sequence[RowMapping]) -> list[tuple[int, int]]:
    """Returns the new segment's additions, as in manifest.Entry: (first row, number)."""
    added: list[tuple[int, int]] = []
    for part in parts:
        for row, number in part.segment.entry.adds:
            first = int(part.moved(np.array([row]))[0])
            if added and added[-1][0] == first:
                added.pop()  # no row of that addition is left
            if first < part.first + part.live:
                added.append((first, number))
    return added


def _merge_signatures(new: SegmentWriter, parts: Sequence[RowMapping], rows: int) -> None:
    signed = [part for part in parts if "signature" in part.segment.entry.columns]
    if not signed:
        return
    _, dtype, (_, words) = signed[0].segment.entry.columns["signature"]

    def values() -> Iterator[NDArray[np.generic]]:
        for part in parts:
            for live in part.rows():
                yield part.segment.values("signature", live) if part in signed else np.zeros((len(live), words), dtype)

    new.add("signature", dtype, (rows, words), values())
    entries = _entries(band_name(0), signed)
    band = 0
    while band_name(band) in signed[0].segment.entry.columns:
        _merge_table(new, band_name(band), signed, entries)
        band += 1


def _merge_grams(new: SegmentWriter, parts: Sequence[RowMapping]) -> None:
    if parts:
        _merge_table(new, GRAMS, parts, _entries(GRAMS, parts))


def _entries(name: str, parts: Sequence[RowMapping]) -> int:
    """Returns the number of a table's entries for live rows."""
    return sum(len(keys) for keys, _ in merged(name, parts))


def _merge_ids(new: SegmentWriter, parts: Sequence[RowMapping], rows: int) -> None:
    def texts() -> Iterator[tuple[bytes, Index]]:
        return (part.segment.ids(live) for part in parts for live in part.rows())

    total = sum(len(data) for data, _ in texts())
    new.add("ids", "|u1", (total,), (np.frombuffer(data, np.uint8) for data, _ in texts()))
    new.add("bounds", "<i8", (rows + 1,), _ends(sizes for _, sizes in texts()))
    _merge_table(new, NAMES, parts, rows)


class FrameUnion:
    """The frames of several segments that live records have. Those of segments with few frames are kept only once."""

    def __init__(self, parts: Sequence[RowMapping]) -> None:
        self.known: dict[bytes, int] = {}
        self.held = 0  # bytes of these
        self.count = self.size = 0
        self.wanted: list[tuple[RowMapping, Index]] = []  # frames to be written, by their numbers in their segments
        self.numbers: list[Index] = []  # new numbers of each segment's frames; -1 if no live record has it
        for part in parts:
            self._add(part)

    def _add(self, part: RowMapping) -> None:
        is_used = _used(part)
        used = np.flatnonzero(is_used)
        sizes = np.diff(part.segment.numbers("cuts", 0, len(is_used) + 1))[used]
        is_new = np.ones(len(used), np.bool_)
        if len(used) <= MAX_SHARED_FRAMES and sizes.sum() <= MAX_SHARED_BYTES and self.held <= MAX_SHARED_BYTES:
            frames = split_ids(part.segment.texts("frames", "cuts", used)[0], sizes)
            numbers = np.empty(len(used), np.int64)
            for place, frame in enumerate(frames):
                numbers[place] = number = self.known.setdefault(frame, self.count)
                is_new[place] = number == self.count
                self.count += int(is_new[place])
            self.held += int(sizes[is_new].sum())
        else:
            numbers = self.count + np.arange(len(used))
            self.count += len(used)
        self.wanted.append((part, used[is_new]))
        self.numbers.append(np.full(len(is_used), -1))
        self.numbers[-1][used] = numbers
        self.size += int(sizes[is_new].sum())

    def texts(self) -> Iterator[tuple[bytes, Index]]:
        """Yields the frames, in blocks, and the bytes of each."""
        for part, there in self.wanted:
            for start in range(0, len(there), COPY_ROWS):
                yield part.segment.texts("frames", "cuts", there[start : start + COPY_ROWS])


def _merge_frames(new: SegmentWriter, parts: Sequence[RowMapping], rows: int) -> None:
    union = FrameUnion(parts)

    def which() -> Iterator[NDArray[np.generic]]:
        for part, number in zip(parts, union.numbers, strict=True):
            for live in part.rows():
                yield number[part.segment.frame_numbers(live)]

    new.add("frames", "|u1", (union.size,), (np.frombuffer(data, np.uint8) for data, _ in union.texts()))
    new.add("cuts", "<i8", (union.count + 1,), _ends(sizes for _, sizes in union.texts()))
    new.add("frame", np.min_scalar_type(union.count).newbyteorder("<").str, (rows,), which())


def _ends(sizes: Iterable[Index]) -> Iterator[Index]:
    """Yields 0, then the end of each value. sizes: of the values, in blocks."""
    end = 0
    yield np.zeros(1, np.int64)
    for block in sizes:
        yield end + np.cumsum(block)
        end += int(block.sum())


def _used(part: RowMapping) -> Flags:
    """Returns which frames of a segment live records have. Shape (frames,)."""
    used = np.zeros(max(part.segment.length("cuts") - 1, 0), np.bool_)
    for live in part.rows():
        used[part.segment.frame_numbers(live)] = True
    return used


def _merge_table(new: SegmentWriter, name: str, parts: Sequence[RowMapping], entries: int) -> None:
    new.add(name, TABLE, (entries,), (entries_of(*block) for block in merged(name, parts)))


class EntryRun:
    """The entries of one table of one segment, in order, without those of dropped records."""

    def __init__(self, part: RowMapping, name: str) -> None:
        self.part, self.table = part, SortedKeys(part.segment, name)
        self.read = 0
        self.keys, self.rows = np.empty(0, np.uint64), np.empty(0, np.int64)

    def fill(self) -> bool:
        """Reads on if no entries are held. Returns whether there are any."""
        while not len(self.keys) and self.read < self.table.length:
            stop = min(self.read + READ_ENTRIES, self.table.length)
            keys, rows = self.table.entries(self.read, stop)
            there = ~self.part.segment.is_removed(rows)
            self.keys, self.rows, self.read = keys[there], self.part.moved(rows[there]), stop
        return len(self.keys) > 0

    def take(self, key: np.uint64, side: str) -> tuple[U64, Index]:
        """Takes the held entries below a key ("left"), or up to it ("right")."""
        cut = int(np.searchsorted(self.keys, key, "right" if side == "right" else "left"))
        taken = self.keys[:cut], self.rows[:cut]
        self.keys, self.rows = self.keys[cut:], self.rows[cut:]
        return taken


def merged(name: str, parts: Sequence[RowMapping]) -> Iterator[tuple[U64, Index]]:
    """Yields the entries of one table of all segments, with new rows, by key, then row, in blocks."""
    runs = [EntryRun(part, name) for part in parts]
    while held := [run for run in runs if run.fill()]:
        last = min(run.keys[-1] for run in held)  # below this key, all entries are held
        taken = [run.take(last, "left") for run in held]
        together, places = (np.concatenate(column) for column in zip(*taken, strict=True))
        order = ascending(together)
        yield together[order], places[order]
        for run in runs:  # for one key, all entries of a segment before those of the next
            while run.fill() and run.keys[0] == last:
                yield run.take(last, "right")
