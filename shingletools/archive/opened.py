"""An archive as a reader has it: one state of it, whatever a writer does meanwhile."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from shingletools import deferred
from shingletools.archive import manifest
from shingletools.archive.blocks import Cache, Damaged
from shingletools.archive.frames import line_of
from shingletools.archive.lookup import Sorted
from shingletools.archive.segment import NAMES, Segment
from shingletools.errors import Failed, printable
from shingletools.kernel.ids import split
from shingletools.kernel.types import U64, Index

if TYPE_CHECKING:
    import blake3
else:
    blake3 = deferred.module("blake3")

LINES = 4096  # records that are made together


class Archive:
    """Its manifest, and its segments, all of whose files are open: what a merge removes, it still has.

    Raises Failed.
    """

    def __init__(self, path: str, state: manifest.Manifest, segments: list[Segment]) -> None:
        self.path, self.manifest, self.segments = path, state, segments
        rows = [segment.rows for segment in segments]
        self.firsts: Index = np.cumsum([0, *rows], dtype=np.int64)  # each segment's first row, and how many there are

    @property
    def name(self) -> str:
        """As messages have it."""
        return printable(self.path)

    def part(self, rows: Index) -> Iterator[tuple[Segment, Index, slice]]:
        """Rows of the archive, which ascend, by segment: rows there, and which of them these are."""
        edges = np.searchsorted(rows, self.firsts)
        for segment, first, start, stop in zip(self.segments, self.firsts, edges, edges[1:], strict=False):
            if stop > start:
                yield segment, rows[start:stop] - first, slice(int(start), int(stop))

    def ids(self, rows: Index) -> tuple[bytes, Index]:
        """The ids of rows, which ascend, one behind the other, and the bytes of each."""
        found = [segment.ids(some) for segment, some, _ in self.part(rows)]
        sizes = np.concatenate([np.empty(0, np.int64), *(sizes for _, sizes in found)])
        return b"".join(data for data, _ in found), sizes

    def additions(self, rows: Index) -> Index:
        """The number of the addition that each row came with; rows ascend."""
        return np.concatenate([np.empty(0, np.int64), *(each.addition(some) for each, some, _ in self.part(rows))])

    def lines(self, rows: Index) -> Iterator[bytes]:
        """The records of rows, which ascend, as they came, without line feeds."""
        for segment, some, _ in self.part(rows):
            data, sizes = segment.ids(some)
            size = self.manifest.size if "signature" in segment.entry.columns else 0
            signatures = segment.signatures(some).tobytes() if size else b""
            names = split(data, sizes)
            for number, (frame, name) in enumerate(zip(segment.frames(some), names, strict=True)):
                signature = signatures[number * size : (number + 1) * size]
                yield line_of(frame, name, signature, self.manifest.digits or 8)

    def live_rows(self, start: int, stop: int) -> Index:
        """The rows from start to stop that are there."""
        rows = np.arange(start, min(stop, int(self.firsts[-1])))
        removed = [segment.is_removed(some) for segment, some, _ in self.part(rows)]
        live: Index = rows[~np.concatenate([np.empty(0, np.bool_), *removed])]
        return live

    def hide(self, rows: Index) -> None:
        """Takes rows, which ascend, for removed as long as this is open."""
        for segment, some, _ in self.part(rows):
            segment.removed = np.union1d(segment.removed, some)

    def live(self) -> Iterator[Index]:
        """All rows that are there, some at a time."""
        for segment, first in zip(self.segments, self.firsts.tolist(), strict=False):
            for start in range(0, segment.rows, LINES):
                yield first + segment.live(start, min(start + LINES, segment.rows))

    def find(self, data: bytes, sizes: Index, keys: U64 | None = None) -> Index:
        """The row of each of some ids, -1 if it is not there. Shape (ids,)."""
        found = np.full(len(sizes), -1)
        keys = id_keys(data, sizes) if keys is None else keys
        names = list(split(data, sizes))
        distinct, which = np.unique(keys, return_inverse=True)
        order = np.argsort(which, kind="stable")
        starts = np.searchsorted(which[order], np.arange(len(distinct) + 1))
        for segment, first in zip(self.segments, self.firsts.tolist(), strict=False):
            for places, rows in Sorted(segment, NAMES).meetings(distinct):
                there = ~segment.is_removed(rows)
                some, by_row = rows[there], np.argsort(rows[there])
                texts = split(*segment.ids(some[by_row]))
                for row, place, text in zip(some[by_row].tolist(), places[there][by_row].tolist(), texts, strict=True):
                    for each in order[starts[place] : starts[place + 1]].tolist():
                        if names[each] == text:
                            found[each] = first + row
        return found

    def check(self) -> Iterator[tuple[str, int, str]]:
        """Reads all of it: of each segment the file, its bytes, and what is wrong with it, empty if nothing is."""
        for segment in self.segments:
            wrong = ""
            try:
                segment.file.check()
            except Failed as error:
                wrong = str(error)
            yield segment.file.name, segment.file.size, wrong

    def close(self) -> None:
        for segment in self.segments:
            segment.close()


def id_keys(data: bytes, sizes: Index) -> U64:
    """By what ids are looked up: the first eight bytes of the BLAKE3 of each, as JSON. Shapes: (ids,), (ids,)."""
    digests = b"".join(blake3.blake3(name).digest(8) for name in split(data, sizes))
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def open_archive(path: str) -> Archive:
    """The archive in a folder, in the state that it has now. Raises Failed.

    A writer may remove files between the reading of the manifest and the opening of what it names: then there is a new
    manifest, which is read.
    """
    before = b""
    while True:
        state, data = manifest.read(path)
        segments: list[Segment] = []
        cache = Cache()
        try:
            for entry in state.segments:
                segments.append(Segment(path, entry, cache))  # noqa: PERF401  # those before one that fails are closed
            return Archive(path, state, segments)
        except OSError as error:
            for segment in segments:
                segment.close()
            if data == before or not isinstance(error, FileNotFoundError):
                raise Damaged(f"{printable(str(error.filename))}: {error.strerror}") from None
            before = data
        except BaseException:
            for segment in segments:
                segment.close()
            raise
