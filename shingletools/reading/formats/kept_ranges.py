"""WARC with fewer pages: the bytes of a file as it is stored, but for the ranges of those that are not kept."""

from collections.abc import Iterator
from contextlib import closing

from shingletools.reading import streams
from shingletools.record.framing import Both, Fate
from shingletools.system.errors import Failed, printable


def kept_ranges(name: str, ranges: Iterator[tuple[int, int | None, Fate]]) -> Iterator[Both]:
    """A file with only the ranges that are kept, and all that is between them; and those that are removed.

    Ranges ascend; the last may have no end. Raises Failed for one that is compressed together with what stands before
    or after it, which begins or ends at -1.
    """
    with closing(streams.read_raw(name)) as blocks:
        file = Forward(blocks)
        for begin, end, fate in ranges:
            if fate.kept:
                continue
            if -1 in (begin, end):
                raise Failed(f"{printable(name)}: compressed as a whole, not record by record: decompress it first")
            for data in file.until(begin):
                yield data, b""
            for data in file.until(end):
                yield b"", data if fate.kept is not None else b""
        for data in file.until(None):
            yield data, b""


class Forward:
    """The bytes of a file, from its beginning on."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.data = b""  # read, but not given
        self.at = 0  # how many were given

    def until(self, end: int | None) -> Iterator[bytes]:
        """The bytes up to a place, or all."""
        while end is None or self.at < end:
            self.data = self.data or next(self.blocks, b"")
            if not self.data:
                return
            some = self.data if end is None else self.data[: end - self.at]
            self.data = self.data[len(some) :]
            self.at += len(some)
            yield some
