"""Writes WARC with fewer pages: the stored bytes of a file without some ranges."""

from collections.abc import Iterator
from contextlib import closing

from shingletools.reading import streams
from shingletools.record.document_format import Decision, KeptAndRemoved
from shingletools.system.errors import Failed, printable


def kept_ranges(name: str, ranges: Iterator[tuple[int, int | None, Decision]]) -> Iterator[KeptAndRemoved]:
    """Yields the bytes that are kept, which include those between ranges, and those that are removed.

    Ranges ascend; the last may have no end. Raises Failed for a range that is to be removed, but begins or ends at -1,
    since it is compressed together with its neighbours.
    """
    with closing(streams.read_raw(name)) as blocks:
        file = Forward(blocks)
        for begin, end, decision in ranges:
            if decision.kept:
                continue
            if -1 in (begin, end):
                raise Failed(f"{printable(name)}: compressed as a whole, not record by record: decompress it first")
            for data in file.until(begin):
                yield data, b""
            for data in file.until(end):
                yield b"", data if decision.kept is not None else b""
        for data in file.until(None):
            yield data, b""


class Forward:
    """Reads the bytes of a file up to given places."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.data = b""  # read ahead
        self.at = 0  # bytes that were yielded

    def until(self, end: int | None) -> Iterator[bytes]:
        """Yields the bytes up to a place, or all."""
        while end is None or self.at < end:
            self.data = self.data or next(self.blocks, b"")
            if not self.data:
                return
            some = self.data if end is None else self.data[: end - self.at]
            self.data = self.data[len(some) :]
            self.at += len(some)
            yield some
