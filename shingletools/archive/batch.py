"""Documents that are held in memory until they become a segment."""

from array import array
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.frames import Frames, line_of
from shingletools.archive.manifest import Entry
from shingletools.archive.opened import id_keys
from shingletools.archive.segment import NAMES, TABLE, band_name
from shingletools.archive.writing import ArchiveWriter, entry_of, named
from shingletools.kernel.types import U64, Index
from shingletools.ranges import spread

ROWS = 1 << 14  # of which columns are copied together

Keys = Callable[[NDArray[np.uint8]], Iterator[U64]]  # of signatures, (rows, bytes): the keys of each band, (rows,)


class Batch:
    """Records as columns. Memory: their bytes, and some 50 for each."""

    def __init__(self) -> None:
        self.data, self.signed = bytearray(), array("b")  # signatures one behind the other; whether each record has one
        self.ids, self.sizes = bytearray(), array("q")
        self.frames, self.frame = Frames(), array("q")
        self.files: list[str] = []
        self.file, self.line = array("q"), array("q")  # where each came from

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def memory(self) -> int:
        """Bytes that it holds, about."""
        return len(self.data) + len(self.ids) + self.frames.size + 50 * len(self)

    def place(self, file: str, line: int | None, records: int) -> None:
        """Where the records came from that are added: one line after the other."""
        if not self.files or self.files[-1] != file:
            self.files.append(file)
        self.file.frombytes(np.full(records, len(self.files) - 1).tobytes())
        self.line.frombytes(((line or 0) + np.arange(records)).tobytes())

    def add(self, name: bytes, data: bytes, frame: bytes) -> None:
        """A record: its id as JSON, its signature, which may be empty, its frame."""
        self.extend(name, np.array([len(name)]), data, [self.frames.number(frame)], bool(data))

    def extend(self, ids: bytes, sizes: Index, data: bytes | memoryview, frames: Sequence[int], signed: bool) -> None:
        """Several records: their ids and the bytes of each, their signatures, the numbers of their frames."""
        self.ids += ids
        self.sizes.frombytes(sizes.tobytes())
        self.data += data
        self.frame.extend(frames)
        self.signed.frombytes(bytes([signed]) * len(sizes))

    def names(self) -> tuple[bytes, Index]:
        """The ids, and the bytes of each."""
        return bytes(self.ids), np.frombuffer(self.sizes, np.int64)

    def signatures(self, size: int) -> tuple[NDArray[np.uint8], Index]:
        """All that there are, (signatures, size), and the row of each."""
        rows = np.flatnonzero(np.frombuffer(self.signed, np.int8))
        return np.frombuffer(self.data, np.uint8).reshape(len(rows), size), rows

    def lines(self, rows: Index, size: int, digits: int) -> Iterator[bytes]:
        """The records of some rows, as they came."""
        ends, frames = np.cumsum(np.frombuffer(self.sizes, np.int64)), self.frames.all()
        number = np.cumsum(np.frombuffer(self.signed, np.int8), dtype=np.int64) - 1
        for row in rows.tolist():
            name = bytes(self.ids[int(ends[row]) - self.sizes[row] : int(ends[row])])
            at = int(number[row]) * size
            data = bytes(self.data[at : at + size]) if self.signed[row] else b""
            yield line_of(frames[self.frame[row]], name, data, digits)

    def write(self, writer: ArchiveWriter, rows: Index, form: tuple[int, int], keys: Keys, addition: int) -> Entry:
        """A segment of these rows, which ascend, one at least; form: the bytes of signatures, and digits."""
        sizes = np.frombuffer(self.sizes, np.int64)
        starts = np.cumsum(sizes) - sizes
        ids = np.frombuffer(self.ids, np.uint8)[spread(starts[rows], sizes[rows])[0]]
        ends = np.cumsum(sizes[rows])
        used, frame = np.unique(np.frombuffer(self.frame, np.int64)[rows], return_inverse=True)
        every = self.frames.all()
        frames = [every[each] for each in used.tolist()]
        cuts = np.cumsum([0, *map(len, frames)])
        with named(writer.path):
            segment = writer.segment()
            try:
                if np.frombuffer(self.signed, np.int8)[rows].any():
                    self._write_signatures(segment.add, rows, form, keys)
                segment.add("ids", "|u1", (len(ids),), iter([ids]))
                segment.add("bounds", "<i8", (len(rows) + 1,), iter([np.append(0, ends)]))
                add_table(segment.add, NAMES, np.arange(len(rows)), id_keys(ids.tobytes(), sizes[rows]))
                segment.add("frames", "|u1", (int(cuts[-1]),), iter([np.frombuffer(b"".join(frames), np.uint8)]))
                segment.add("cuts", "<i8", (len(cuts),), iter([cuts]))
                segment.add("frame", np.min_scalar_type(len(frames)).str, (len(rows),), iter([frame]))
                return entry_of(segment.number, len(rows), [(0, addition)], segment.finish())
            finally:
                segment.close()

    def _write_signatures(self, add: "Add", rows: Index, form: tuple[int, int], keys: Keys) -> None:
        size, digits = form
        all_signatures, signed = self.signatures(size)
        number = np.full(len(self), -1)
        number[signed] = np.arange(len(signed))
        some = number[rows]  # of the signature of each row, -1 if it has none
        dtype = f">u{digits // 2}"

        def parts() -> Iterator[NDArray[np.generic]]:
            for start in range(0, len(rows), ROWS):
                part = some[start : start + ROWS]
                block = np.zeros((len(part), size), np.uint8)
                block[part >= 0] = all_signatures[part[part >= 0]]
                yield block.view(dtype)

        add("signature", dtype, (len(rows), 2 * size // digits), parts())
        there = np.flatnonzero(some >= 0)
        every = len(there) == len(all_signatures)
        for band, of_band in enumerate(keys(all_signatures if every else all_signatures[some[there]])):
            add_table(add, band_name(band), there, of_band)


Add = Callable[[str, str, Sequence[int], Iterator[NDArray[np.generic]]], None]


def add_table(add: Add, name: str, rows: Index, keys: U64) -> None:
    """The entries of a table by their keys, and of equal keys by their rows, which ascend."""
    order = np.argsort(keys)
    keys = keys[order]
    same = keys[1:] == keys[:-1]
    if same.any():  # a stable sort of all takes three times as long
        among = np.flatnonzero(np.append(same, False) | np.append(False, same))
        order[among] = order[among][np.lexsort((order[among], keys[among]))]
    add(name, TABLE, (len(keys),), iter([entries_of(keys, rows[order])]))


def entries_of(keys: U64, rows: Index) -> NDArray[np.generic]:
    """Keys and the row of each, as a table has them."""
    entries = np.empty(len(keys), TABLE)
    entries["f0"], entries["f1"] = keys, rows
    return entries
