"""Collects documents in memory, and writes them as a segment."""

from array import array
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.archive_files import GRAMS, NAMES, TABLE, band_name
from shingletools.archive.archive_reader import id_keys
from shingletools.archive.archive_writer import ArchiveWriter
from shingletools.archive.manifest import Entry
from shingletools.archive.record_frames import Frames, line_of
from shingletools.kernel.types import U64, Flags, Index
from shingletools.numbers.ranges import spread
from shingletools.numbers.sorter import ascending

ROW_BYTES = 50  # memory of a record, about, besides its signature, id and frame
COPY_ROWS = 1 << 14  # rows that are copied together

Keys = Callable[[NDArray[np.uint8]], Iterator[U64]]  # from signatures, (rows, bytes), to keys, (rows,) for each band


class SegmentBuilder:
    """Records as columns. Memory: their bytes, about ROW_BYTES more for each, and about FRAME_BYTES for each frame.

    It can be pickled. Records can be added before `size` and `digits` are known.
    """

    size = 0  # bytes of a signature, if there are any
    digits = 8  # hex digits of a payload's group

    def __init__(self) -> None:
        self.data, self.signed = bytearray(), array("b")  # all signatures; whether each record has one
        self.ids, self.sizes = bytearray(), array("q")
        self.frames, self.frame = Frames(), array("q")
        self.grams, self.gram_rows = array("Q"), array("q")  # for passages: fingerprints, and the row of each
        self.files: list[str] = []
        self.file, self.line = array("q"), array("q")  # the origin of each record

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def memory(self) -> int:
        """Returns about how many bytes the records take."""
        return len(self.data) + len(self.ids) + self.frames.memory + ROW_BYTES * len(self) + 16 * len(self.grams)

    def place(self, file: str, lines: Sequence[int]) -> None:
        """Notes where added records came from: lines of a file."""
        if not self.files or self.files[-1] != file:
            self.files.append(file)
        self.file.frombytes(np.full(len(lines), len(self.files) - 1).tobytes())
        self.line.frombytes(np.array(lines, np.int64).tobytes())

    def add(self, name: bytes, data: bytes, frame: bytes) -> None:
        """Adds a record: its id as JSON, its signature, which may be empty, and its frame."""
        self.extend(name, np.array([len(name)]), data, np.array([self.frames.number(frame)]), np.array([bool(data)]))

    def extend(self, ids: bytes, sizes: Index, data: bytes | memoryview, frames: Index, signed: Flags) -> None:
        """Adds records: ids, the bytes of each id, signatures, the numbers of frames, and which records are signed."""
        self.ids += ids
        self.sizes.frombytes(sizes.tobytes())
        self.data += data
        self.frame.frombytes(frames.tobytes())
        self.signed.frombytes(signed.tobytes())

    def add_grams(self, keys: U64) -> None:
        """Adds the grams, each once, of the record that is added next."""
        self.grams.frombytes(keys.tobytes())
        self.gram_rows.frombytes(np.full(len(keys), len(self)).tobytes())

    def names(self) -> tuple[bytes, Index]:
        """Returns the ids, one after the other, and the bytes of each."""
        return bytes(self.ids), np.frombuffer(self.sizes, np.int64)

    def signatures(self) -> tuple[NDArray[np.uint8], Index]:
        """Returns all signatures, shape (signatures, size), and the row of each."""
        rows = np.flatnonzero(self.is_signed())
        return np.frombuffer(self.data, np.uint8).reshape(len(rows), self.size), rows

    def is_signed(self) -> Flags:
        """Returns whether each record has a signature."""
        return np.frombuffer(self.signed, np.bool_)

    def signatures_at(self, rows: Index) -> tuple[NDArray[np.uint8], Flags]:
        """Returns the signatures of these rows, shape (rows, size), zeros for rows without one, and which have one."""
        data, signed = np.frombuffer(self.data, np.uint8).reshape(-1, max(self.size, 1)), self.is_signed()
        have_one = signed[rows]
        signatures = np.zeros((len(rows), self.size), np.uint8)
        signatures[have_one] = data[(np.cumsum(signed) - 1)[rows[have_one]]]
        return signatures, have_one

    def lines(self, rows: Index) -> Iterator[bytes]:
        """Yields the lines of these rows, as they came."""
        ends = np.cumsum(np.frombuffer(self.sizes, np.int64))
        heap, cuts = self.frames.heap()
        number = np.cumsum(np.frombuffer(self.signed, np.int8), dtype=np.int64) - 1
        for row in rows.tolist():
            name = bytes(self.ids[int(ends[row]) - self.sizes[row] : int(ends[row])])
            at = int(number[row]) * self.size
            data = bytes(self.data[at : at + self.size]) if self.signed[row] else b""
            frame = self.frame[row]
            yield line_of(heap[cuts[frame] : cuts[frame + 1]].tobytes(), name, data, self.digits)

    def write(self, writer: ArchiveWriter, rows: Index, keys: Keys, addition: int) -> Entry:
        """Writes a segment of these rows: one or more, ascending."""
        sizes = np.frombuffer(self.sizes, np.int64)
        ids = values_at(np.frombuffer(self.ids, np.uint8), np.append(0, np.cumsum(sizes)), rows)
        frame = np.frombuffer(self.frame, np.int64)[rows]
        is_used = np.zeros(len(self.frames), np.bool_)
        is_used[frame] = True
        used, number = np.flatnonzero(is_used), np.cumsum(is_used) - 1
        heap, cuts = self.frames.heap()
        frames, frame_sizes = values_at(heap, cuts, used), np.diff(cuts)[used]
        with writer.segment() as segment:
            if self.is_signed()[rows].any():
                self._write_signatures(segment.add, rows, keys)
            if self.grams:
                self._write_grams(segment.add, rows)
            segment.add("ids", "|u1", (len(ids),), iter([ids]))
            segment.add("bounds", "<i8", (len(rows) + 1,), iter([np.append(0, np.cumsum(sizes[rows]))]))
            add_table(segment.add, NAMES, np.arange(len(rows)), id_keys(ids.tobytes(), sizes[rows]))
            segment.add("frames", "|u1", (len(frames),), iter([frames]))
            segment.add("cuts", "<i8", (len(used) + 1,), iter([np.append(0, np.cumsum(frame_sizes))]))
            least = np.min_scalar_type(len(used)).newbyteorder("<").str
            segment.add("frame", least, (len(rows),), iter([number[frame]]))
            return segment.finish(len(rows), [(0, addition)])

    def _write_signatures(self, add: "AddColumn", rows: Index, keys: Keys) -> None:
        dtype = f">u{self.digits // 2}"
        blocks = (self.signatures_at(rows[start : start + COPY_ROWS])[0] for start in range(0, len(rows), COPY_ROWS))
        add("signature", dtype, (len(rows), 2 * self.size // self.digits), (block.view(dtype) for block in blocks))
        (signatures, signed), chosen = self.signatures(), np.zeros(len(self), np.bool_)
        chosen[rows] = True
        if not chosen[signed].all():
            signatures = signatures[chosen[signed]]
        there = np.flatnonzero(self.is_signed()[rows])
        for band, of_band in enumerate(keys(signatures)):
            add_table(add, band_name(band), there, of_band)

    def _write_grams(self, add: "AddColumn", rows: Index) -> None:
        number = np.full(len(self), -1)
        number[rows] = np.arange(len(rows))
        row = number[np.frombuffer(self.gram_rows, np.int64)]
        add_table(add, GRAMS, row[row >= 0], np.frombuffer(self.grams, np.uint64)[row >= 0])


def values_at(heap: NDArray[np.uint8], bounds: Index, which: Index) -> NDArray[np.uint8]:
    """Returns the values with these numbers, which ascend, one after the other. bounds: of all values of the heap."""
    if len(which) == len(bounds) - 1:
        return heap
    parts = [np.empty(0, np.uint8)]
    for start in range(0, len(which), COPY_ROWS):
        chosen = which[start : start + COPY_ROWS]
        parts.append(heap[spread(bounds[chosen], bounds[chosen + 1] - bounds[chosen])[0]])
    return np.concatenate(parts)


AddColumn = Callable[[str, str, Sequence[int], Iterator[NDArray[np.generic]]], None]


def add_table(add: AddColumn, name: str, rows: Index, keys: U64) -> None:
    """Adds a table: entries ordered by key, those of equal keys by row. rows: ascending."""
    order = ascending(keys)
    add(name, TABLE, (len(keys),), iter([entries_of(keys[order], rows[order])]))


def entries_of(keys: U64, rows: Index) -> NDArray[np.generic]:
    """Returns keys and their rows as entries of a table."""
    entries = np.empty(len(keys), TABLE)
    entries["f0"], entries["f1"] = keys, rows
    return entries
