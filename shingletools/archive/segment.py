"""A segment: documents in the order in which they were added, in one file that never changes.

The file is an uncompressed .npz of numpy, so that `numpy.load` reads it, too:

    signature  one row for each document, zeros where it has none; big-endian words, as its digits have them
    ids        the ids as JSON, one behind the other
    bounds     where each id begins, and the end of the last
    names      the first eight bytes of each id's BLAKE3, little-endian, ascending, and beside it the id's row
    frames     frames, one behind the other
    cuts       where each of them begins, and the end of the last
    frame      which of them each document has
    band0 ...  of each band the keys of all documents that have a signature, ascending, and beside it the document's
               row; of equal keys the rows ascend
"""

import os
from collections.abc import Iterator
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.blocks import BLOCK, Cache, Damaged, SummedFile, hexdigest
from shingletools.archive.manifest import Entry
from shingletools.archive.names import removed_file, segment_file, sums_file
from shingletools.errors import Failed, printable
from shingletools.kernel.types import Flags, Index
from shingletools.ranges import spread

NAMES, TABLE = "names", "<u8,<u4"  # the table of ids; the dtype of tables
WINDOW = 1 << 23  # bytes that are read together where rows are far apart


class Segment:
    """A segment, for reading. Raises Damaged for all that is not as it was written; rows are int64."""

    def __init__(self, folder: str, entry: Entry, cache: Cache) -> None:
        """Raises FileNotFoundError if a file is not there, Failed."""
        self.entry, self.rows = entry, entry.rows
        sums = _load(folder, sums_file(entry.number), entry.sums)
        path = os.path.join(folder, segment_file(entry.number))
        try:
            self.file = SummedFile(path, printable(path), entry.size, sums.astype(np.uint64), cache)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise Failed(f"{printable(path)}: {error.strerror}") from None
        self.removed: Index = np.empty(0, np.int64)  # rows that are no longer there, ascending
        if entry.removed is not None:
            self.removed = _load(folder, removed_file(entry.removed.number), entry.removed.sum).astype(np.int64)

    def length(self, name: str) -> int:
        """How many rows or values a column has; 0 if it is not there."""
        return self.entry.columns[name].shape[0] if name in self.entry.columns else 0

    def column(self, name: str, start: int, stop: int) -> NDArray[np.generic]:
        """Some values of a column."""
        offset, dtype, shape = self.entry.columns[name]
        width = int(np.prod(shape[1:], dtype=np.int64))
        item = np.dtype(dtype).itemsize * width
        data = self.file.read(offset + start * item, (stop - start) * item)
        return np.frombuffer(data, dtype).reshape(-1, *shape[1:])

    def numbers(self, name: str, start: int, stop: int) -> Index:
        """Some values of a column of numbers, as int64."""
        return self.column(name, start, stop).astype(np.int64)

    def _stretches(self, first: Index, last: Index, size: int) -> Iterator[slice]:
        """Things from first[i] to last[i], which ascend, some together: what lies between them is read, too."""
        gap, window = max(BLOCK // size, 1), max(WINDOW // size, 1)
        apart = (first[1:] - last[:-1] > gap) | (first[1:] // window != first[:-1] // window)
        edges = [0, *(np.flatnonzero(apart) + 1).tolist(), len(first)]
        yield from map(slice, edges[:-1], edges[1:])

    def values(self, name: str, rows: Index) -> NDArray[np.generic]:
        """The values of these rows, which ascend."""
        _, dtype, shape = self.entry.columns[name]
        item = max(np.dtype(dtype).itemsize * int(np.prod(shape[1:], dtype=np.int64)), 1)
        parts = [np.empty((0, *shape[1:]), dtype)]
        for part in self._stretches(rows, rows, item) if len(rows) else ():
            some = rows[part]
            parts.append(self.column(name, int(some[0]), int(some[-1]) + 1)[some - some[0]])
        return np.concatenate(parts, dtype=np.dtype(dtype))  # which otherwise turns the order of bytes

    def texts(self, name: str, bounds: str, rows: Index) -> tuple[bytes, Index]:
        """What stands in a heap for these rows, which ascend, one behind the other, and the bytes of each."""
        starts, stops = (self.values(bounds, rows + each).astype(np.int64) for each in (0, 1))
        if np.any(stops < starts) or np.any(starts[1:] < stops[:-1]):
            raise Damaged(f"{self.file.name}: damaged (places that do not ascend)")
        parts = []
        for part in self._stretches(starts, stops, 1) if len(rows) else ():
            first, sizes = int(starts[part][0]), stops[part] - starts[part]
            heap = self.column(name, first, int(stops[part][-1]))
            parts.append(heap[spread(starts[part] - first, sizes)[0]].tobytes())
        return b"".join(parts), stops - starts

    def signatures(self, rows: Index) -> NDArray[np.uint8]:
        """The signatures of these rows, which ascend, one behind the other. Shape (rows * bytes of one,)."""
        return np.ascontiguousarray(self.values("signature", rows)).view(np.uint8).reshape(-1)

    def ids(self, rows: Index) -> tuple[bytes, Index]:
        """The ids of these rows, which ascend, and the bytes of each."""
        return self.texts("ids", "bounds", rows)

    def frames(self, rows: Index) -> list[bytes]:
        """The frame of each of these rows, which ascend."""
        which = self.values("frame", rows).astype(np.int64)
        distinct, place = np.unique(which, return_inverse=True)
        data, sizes = self.texts("frames", "cuts", distinct)
        found = [data[end - size : end] for end, size in zip(np.cumsum(sizes).tolist(), sizes.tolist(), strict=True)]
        return [found[each] for each in place.tolist()]

    def is_removed(self, rows: Index) -> Flags:
        """Whether each row is no longer there."""
        if not len(self.removed):
            return np.zeros(len(rows), np.bool_)
        place = np.minimum(np.searchsorted(self.removed, rows), len(self.removed) - 1)
        flags: Flags = self.removed[place] == rows
        return flags

    def live(self, start: int, stop: int) -> Index:
        """The rows from start to stop that are there."""
        rows = np.arange(start, stop)
        return rows[~self.is_removed(rows)]

    def addition(self, rows: Index) -> Index:
        """The number of the addition that each row came with."""
        firsts, numbers = np.array(self.entry.adds, np.int64).reshape(-1, 2).T
        added: Index = numbers[np.searchsorted(firsts, rows, "right") - 1]
        return added

    def close(self) -> None:
        self.file.close()


def band_name(number: int) -> str:
    """The table of a band."""
    return f"band{number}"


def npy(array: NDArray[np.generic]) -> bytes:
    """An array as the bytes of an .npy file."""
    file = BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _load(folder: str, name: str, digest: str) -> NDArray[np.generic]:
    """An array of a small file with this BLAKE3. Raises FileNotFoundError, Failed."""
    path = os.path.join(folder, name)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Failed(f"{printable(path)}: {error.strerror}") from None
    if hexdigest(data) != digest:
        raise Damaged(f"{printable(path)}: damaged (what it holds is not what was written)")
    loaded: NDArray[np.generic] = np.load(BytesIO(data), allow_pickle=False)
    return loaded
