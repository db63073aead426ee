"""An archive for reading, in the state in which it was opened, even if a writer changes it meanwhile."""

import contextlib
from collections import deque
from collections.abc import Iterator

import numpy as np
import orjson
from numpy.typing import NDArray

from shingletools.archive import manifest
from shingletools.archive.archive_files import NAMES
from shingletools.archive.checksummed_files import Cache, Damaged, Unreadable
from shingletools.archive.key_lookup import SortedKeys
from shingletools.archive.record_frames import line_of
from shingletools.archive.segment import Segment
from shingletools.kernel.ids import split_ids
from shingletools.kernel.types import U64, Flags, Index
from shingletools.system.errors import printable
from shingletools.system.lazy_imports import blake3

BATCH_LINES = 4096  # lines that are made together


class Archive:
    """A manifest and its segments. All their files are open, so they stay readable after a merge removes them.

    Raises Failed.
    """

    def __init__(self, path: str, state: manifest.Manifest, segments: list[Segment]) -> None:
        self.path, self.manifest, self.segments = path, state, segments
        rows = [segment.rows for segment in segments]
        self.firsts: Index = np.cumsum([0, *rows], dtype=np.int64)  # each segment's first row, and the number of rows

    @property
    def name(self) -> str:
        """Returns the archive's name in messages."""
        return printable(self.path)

    def part(self, rows: Index) -> Iterator[tuple[Segment, Index, slice]]:
        """Divides rows, which ascend, by segment: the segment, its own row numbers, and their slice of `rows`."""
        edges = np.searchsorted(rows, self.firsts)
        for segment, first, start, stop in zip(self.segments, self.firsts, edges, edges[1:], strict=False):
            if stop > start:
                yield segment, rows[start:stop] - first, slice(int(start), int(stop))

    def ids(self, rows: Index) -> tuple[bytes, Index]:
        """Returns the ids of rows, which ascend, one after the other, and the bytes of each."""
        texts = []
        for segment, own, _ in self.part(rows):
            texts.append(segment.ids(own))
            try:
                deque(map(orjson.loads, split_ids(*texts[-1])), 0)
            except orjson.JSONDecodeError:
                raise Damaged(segment.file.name, "damaged (an id that is not JSON)") from None
        sizes = np.concatenate([np.empty(0, np.int64), *(sizes for _, sizes in texts)])
        return b"".join(data for data, _ in texts), sizes

    def additions(self, rows: Index) -> Index:
        """Returns the number of the addition that each row came with. rows: ascending."""
        return np.concatenate([np.empty(0, np.int64), *(each.addition(own) for each, own, _ in self.part(rows))])

    def lines(self, rows: Index) -> Iterator[bytes]:
        """Yields the lines of rows, which ascend, as they came, without line feeds."""
        for segment, own, _ in self.part(rows):
            data, sizes = segment.ids(own)
            size = self.manifest.size if "signature" in segment.entry.columns else 0
            signatures = segment.signatures(own).tobytes() if size else b""
            names = split_ids(data, sizes)
            for number, (frame, name) in enumerate(zip(segment.frames(own), names, strict=True)):
                signature = signatures[number * size : (number + 1) * size]
                yield line_of(frame, name, signature, self.manifest.digits or 8)

    def signatures(self, rows: Index) -> tuple[NDArray[np.uint8], Flags]:
        """Returns the signatures of rows, which ascend, zeros where there is none; and whether there is one.

        Shapes: (rows, bytes of a signature), (rows,).
        """
        signatures = np.zeros((len(rows), self.manifest.size), np.uint8)
        for segment, own, place in self.part(rows):
            if "signature" in segment.entry.columns:
                signatures[place] = segment.signatures(own).reshape(len(own), -1)
        return signatures, self.signed(rows)

    def signed(self, rows: Index) -> Flags:
        """Returns which rows have a signature. rows: ascending."""
        flags = [segment.signed(own) for segment, own, _ in self.part(rows)]
        return np.concatenate([np.empty(0, np.bool_), *flags])

    def live_rows(self, start: int, stop: int) -> Index:
        """Returns the rows from start to stop that are live: not dropped."""
        rows = np.arange(start, min(stop, int(self.firsts[-1])))
        removed = [segment.is_removed(own) for segment, own, _ in self.part(rows)]
        live: Index = rows[~np.concatenate([np.empty(0, np.bool_), *removed])]
        return live

    def hide(self, rows: Index) -> None:
        """Treats rows, which ascend, as dropped, in this object only."""
        for segment, own, _ in self.part(rows):
            segment.removed = np.union1d(segment.removed, own)

    def live(self) -> Iterator[Index]:
        """Yields all live rows, in blocks."""
        for segment, first in zip(self.segments, self.firsts.tolist(), strict=False):
            for start in range(0, segment.rows, BATCH_LINES):
                yield first + segment.live(start, min(start + BATCH_LINES, segment.rows))

    def find(self, data: bytes, sizes: Index, keys: U64 | None = None) -> Index:
        """Returns the row of each id, -1 if no live row has it. Shape (ids,). keys: their id_keys, if known."""
        row_of_id = np.full(len(sizes), -1)
        keys = id_keys(data, sizes) if keys is None else keys
        names = list(split_ids(data, sizes))
        distinct, which = np.unique(keys, return_inverse=True)
        order = np.argsort(which, kind="stable")
        starts = np.searchsorted(which[order], np.arange(len(distinct) + 1))
        for segment, first in zip(self.segments, self.firsts.tolist(), strict=False):
            for places, rows in SortedKeys(segment, NAMES).meetings(distinct):
                there = ~segment.is_removed(rows)
                live, by_row = rows[there], np.argsort(rows[there])
                texts = split_ids(*segment.ids(live[by_row]))
                for row, place, text in zip(live[by_row].tolist(), places[there][by_row].tolist(), texts, strict=True):
                    for each in order[starts[place] : starts[place + 1]].tolist():
                        if names[each] == text:
                            row_of_id[each] = first + row
        return row_of_id

    def close(self) -> None:
        for segment in self.segments:
            segment.close()


def id_keys(data: bytes, sizes: Index) -> U64:
    """Returns the keys of ids: the first eight bytes of the BLAKE3 of each, as JSON. Shapes: (ids,) in, (ids,) out."""
    digests = b"".join(blake3.blake3(name).digest(8) for name in split_ids(data, sizes))
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def open_archive(path: str) -> Archive:
    """Opens the archive in a folder, in its current state. Raises Failed; Unreadable for the first bad file.

    A writer may remove files after the manifest was read and before they are opened. Then there is a new manifest,
    which is read instead.
    """
    before = b""
    while True:
        state, data = manifest.read(path)
        segments, cache = list[Segment](), Cache()
        try:
            with contextlib.ExitStack() as closing:  # closes the opened files if one fails
                for entry in state.segments:
                    segments.append(Segment(path, entry, cache))
                    closing.callback(segments[-1].close)
                closing.pop_all()
            return Archive(path, state, segments)
        except OSError as error:
            if data == before or not isinstance(error, FileNotFoundError):
                raise Unreadable(printable(str(error.filename)), str(error.strerror)) from None
            before = data
