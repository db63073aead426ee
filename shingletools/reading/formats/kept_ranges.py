"""WARC with fewer pages: the bytes of a file as it is stored, but for the ranges of those that are not kept."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from shingletools.reading import compressed, streams
from shingletools.reading.compressed import HEAD
from shingletools.record.framing import Both, Fate
from shingletools.system.errors import Failed, printable

MAGIC = 3  # bytes with which each record of a file begins, as the file does


def kept_ranges(name: str, ranges: Iterator[tuple[int, int | None, Fate]], known: Sequence[str]) -> Iterator[Both]:
    """A file with only the ranges that are kept, and all that is between them; and those that are removed.

    Ranges ascend. known: formats in which records may be compressed one by one. Raises Failed for a file in which they
    are not.
    """
    whole = Failed(f"{printable(name)}: compressed as a whole, not record by record: decompress it first")
    with closing(streams.read_raw(name)) as blocks:
        file = Forward(blocks)
        start = file.ahead(HEAD)
        if (codec := compressed.recognised(start)) is not None and codec.name not in known:
            raise whole
        for begin, end, fate in ranges:
            if fate.kept:
                continue
            for data in file.until(begin):
                yield data, b""
            if file.ahead(MAGIC) != start[:MAGIC]:
                raise whole
            for data in file.until(end):
                yield b"", data if fate.kept is not None else b""
            if file.ahead(MAGIC) not in (start[:MAGIC], b""):
                raise whole
        for data in file.until(None):
            yield data, b""


class Forward:
    """The bytes of a file, from its beginning on."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.data = b""  # read, but not given
        self.at = 0  # how many were given

    def ahead(self, size: int) -> bytes:
        """So many of the next bytes, which stay the next."""
        while len(self.data) < size and (block := next(self.blocks, b"")):
            self.data += block
        return self.data[:size]

    def until(self, end: int | None) -> Iterator[bytes]:
        """The bytes up to a place, or all."""
        while (end is None or self.at < end) and (some := self.ahead(1) and self.data):
            some = some if end is None else some[: end - self.at]
            self.data = self.data[len(some) :]
            self.at += len(some)
            yield some
