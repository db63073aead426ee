"""A segment: documents in the order in which they were added, in one file that never changes.

The file is an uncompressed .npz of numpy, which `numpy.load` can read:

    signature  a row for each document, zeros if it has none; big-endian words, in the order of the digits
    ids        the ids as JSON, one after the other
    bounds     where each id begins, and the end of the last
    names      a table of ids: the first eight bytes of each id's BLAKE3, little-endian, ascending, with the id's row
    frames     the frames, one after the other
    cuts       where each frame begins, and the end of the last
    frame      the number of each document's frame
    band0 ...  a table for each band: the keys of all documents that have a signature, ascending, with the document's
               row; for equal keys, the rows ascend
    grams      in place of signatures and bands, if passages are kept: a table of the winnowed grams of all documents
"""

import os
from collections.abc import Iterator
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.archive_files import removed_file, segment_file, sums_file
from shingletools.archive.checksummed_files import BLOCK_BYTES, OTHER, Cache, Damaged, SummedFile, Unreadable, hexdigest
from shingletools.archive.manifest import Entry
from shingletools.archive.record_frames import EMPTY
from shingletools.kernel.ids import split_ids
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.ranges import are_among, spread
from shingletools.system.errors import printable

READ_BYTES = 1 << 23  # bytes that are read together if rows are far apart


class Segment:
    """A segment, for reading. Rows are int64. Raises Damaged if anything is not as it was written."""

    def __init__(self, folder: str, entry: Entry, cache: Cache) -> None:
        """Raises FileNotFoundError, Unreadable."""
        self.entry, self.rows = entry, entry.rows
        self.file = summed(folder, entry, cache)
        try:
            self.removed = removed_rows(folder, entry)
        except BaseException:
            self.file.close()
            raise

    def length(self, name: str) -> int:
        """Returns the number of rows or values of a column; 0 if there is no such column."""
        return self.entry.columns[name].shape[0] if name in self.entry.columns else 0

    def column(self, name: str, start: int, stop: int) -> NDArray[np.generic]:
        """Returns the values of a column from start to stop."""
        offset, dtype, shape = self.entry.columns[name]
        width = int(np.prod(shape[1:], dtype=np.int64))
        item = np.dtype(dtype).itemsize * width
        data = self.file.read(offset + start * item, (stop - start) * item)
        return np.frombuffer(data, dtype).reshape(-1, *shape[1:])

    def numbers(self, name: str, start: int, stop: int) -> Index:
        """Returns the values of a column of numbers from start to stop, as int64."""
        return self.column(name, start, stop).astype(np.int64)

    def _stretches(self, first: Index, last: Index, size: int) -> Iterator[slice]:
        """Divides ranges, from first[i] to last[i], ascending, into slices that are each read in one piece."""
        gap, window = max(BLOCK_BYTES // size, 1), max(READ_BYTES // size, 1)
        apart = (first[1:] - last[:-1] > gap) | (first[1:] // window != first[:-1] // window)
        edges = [0, *(np.flatnonzero(apart) + 1).tolist(), len(first)]
        yield from map(slice, edges[:-1], edges[1:])

    def values(self, name: str, rows: Index) -> NDArray[np.generic]:
        """Returns the values of these rows, which ascend."""
        _, dtype, shape = self.entry.columns[name]
        item = max(np.dtype(dtype).itemsize * int(np.prod(shape[1:], dtype=np.int64)), 1)
        parts = [np.empty((0, *shape[1:]), dtype)]
        for part in self._stretches(rows, rows, item) if len(rows) else ():
            chosen = rows[part]
            parts.append(self.column(name, int(chosen[0]), int(chosen[-1]) + 1)[chosen - chosen[0]])
        return np.concatenate(parts, dtype=np.dtype(dtype))  # without dtype it would swap the bytes

    def texts(self, name: str, bounds: str, rows: Index) -> tuple[bytes, Index]:
        """Returns the values of these rows, which ascend, from a heap: one after the other, and the bytes of each."""
        starts, stops = (self.values(bounds, rows + each).astype(np.int64) for each in (0, 1))
        if np.any(stops < starts) or np.any(starts[1:] < stops[:-1]):
            raise Damaged(self.file.name, "damaged (places that do not ascend)")
        parts = []
        for part in self._stretches(starts, stops, 1) if len(rows) else ():
            first, sizes = int(starts[part][0]), stops[part] - starts[part]
            heap = self.column(name, first, int(stops[part][-1]))
            parts.append(heap[spread(starts[part] - first, sizes)[0]].tobytes())
        return b"".join(parts), stops - starts

    def signatures(self, rows: Index) -> NDArray[np.uint8]:
        """Returns the signatures of these rows, which ascend, one after the other. Shape (rows * bytes of one,)."""
        return np.ascontiguousarray(self.values("signature", rows)).view(np.uint8).reshape(-1)

    def ids(self, rows: Index) -> tuple[bytes, Index]:
        """Returns the ids of these rows, which ascend, one after the other, and the bytes of each."""
        return self.texts("ids", "bounds", rows)

    def frames(self, rows: Index) -> list[bytes]:
        """Returns the frame of each of these rows, which ascend."""
        frames, place = self._distinct_frames(rows)
        return [frames[number] for number in place.tolist()]

    def signed(self, rows: Index) -> Flags:
        """Returns which of these rows have a signature. rows: ascending."""
        frames, place = self._distinct_frames(rows)
        flags: Flags = np.array([not frame.endswith(EMPTY) for frame in frames], np.bool_)[place]
        return flags

    def frame_numbers(self, rows: Index) -> Index:
        """Returns the number of the frame of each of these rows, which ascend."""
        numbers = self.values("frame", rows).astype(np.int64)
        if np.any((numbers < 0) | (numbers >= self.length("cuts") - 1)):
            raise Damaged(self.file.name, "damaged (a frame that does not exist)")
        return numbers

    def _distinct_frames(self, rows: Index) -> tuple[list[bytes], Index]:
        """Returns the distinct frames of these rows, which ascend, and the number of each row's frame among these."""
        distinct, place = np.unique(self.frame_numbers(rows), return_inverse=True)
        return list(split_ids(*self.texts("frames", "cuts", distinct))), place

    def is_removed(self, rows: Index) -> Flags:
        """Returns whether each row was dropped."""
        return are_among(rows, self.removed)

    def live(self, start: int, stop: int) -> Index:
        """Returns the rows from start to stop that were not dropped."""
        rows = np.arange(start, stop)
        return rows[~self.is_removed(rows)]

    def addition(self, rows: Index) -> Index:
        """Returns the number of the addition that each row came with."""
        firsts, numbers = np.array(self.entry.adds, np.int64).reshape(-1, 2).T
        added: Index = numbers[np.searchsorted(firsts, rows, "right") - 1]
        return added

    def close(self) -> None:
        self.file.close()


def npy(array: NDArray[np.generic]) -> bytes:
    """Returns an array as the bytes of an .npy file, little-endian."""
    file = BytesIO()
    np.save(file, array.astype(array.dtype.newbyteorder("<")), allow_pickle=False)
    return file.getvalue()


def summed(folder: str, entry: Entry, cache: Cache) -> SummedFile:
    """Opens the file of a segment. Raises FileNotFoundError, Unreadable."""
    sums = _load(folder, sums_file(entry.number), entry.sums, "<u8", -(-entry.size // BLOCK_BYTES))
    path = os.path.join(folder, segment_file(entry.number))
    try:
        return SummedFile(path, printable(path), entry.size, sums.astype(np.uint64), cache)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(printable(path), str(error.strerror)) from None


def removed_rows(folder: str, entry: Entry) -> Index:
    """Returns the dropped rows of a segment, ascending. Raises FileNotFoundError, Unreadable."""
    if entry.removed is None:
        return np.empty(0, np.int64)
    name = removed_file(entry.removed.number)
    rows: Index = _load(folder, name, entry.removed.sum, "<u4", entry.removed.rows).astype(np.int64)
    if np.any(rows[1:] <= rows[:-1]) or np.any(rows >= entry.rows):
        raise Damaged(printable(os.path.join(folder, name)), "damaged (rows that do not ascend)")
    return rows


def _load(folder: str, name: str, digest: str, dtype: str, length: int) -> NDArray[np.generic]:
    """Returns the array in a small file, which must have this BLAKE3. Raises FileNotFoundError, Unreadable."""
    path = os.path.join(folder, name)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(printable(path), str(error.strerror)) from None
    if hexdigest(data) != digest:
        raise Damaged(printable(path), OTHER)
    content = BytesIO(data)
    try:
        version = np.lib.format.read_magic(content)
        header = np.lib.format.read_array_header_1_0(content)
    except ValueError:
        version, header = (0, 0), ((), False, np.dtype("O"))
    rest = data[content.tell() :]
    if (version, header) != ((1, 0), ((length,), False, np.dtype(dtype))) or len(rest) != length * header[2].itemsize:
        raise Damaged(printable(path), f"damaged (no array of {length} numbers)")
    return np.frombuffer(rest, dtype)
