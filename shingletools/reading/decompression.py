"""Reads files that may be compressed; the first bytes show the format.

As in gzip(1), members of one format may follow one another, and zeros may follow. A limit bounds what is held at once,
since a few kilobytes may expand to gigabytes.
"""

from collections.abc import Generator, Iterable, Iterator
from itertools import chain
from typing import Literal

from shingletools.reading.compression_formats import Codec, Decompressor, missing, recognised
from shingletools.system.errors import Failed

BLOCK_BYTES = 1 << 18  # bytes of a block, about
FEED_BYTES = 1 << 15  # compressed bytes that are fed at once: those after the end of a member are copied
MAX_BYTES = 1 << 26  # decompressed bytes of a line, or of a file that is held as a whole

Held = Literal["line", "file", "nothing"]  # what the reader has to hold at once


def plain(blocks: Iterator[bytes], where: str, held: Held = "line") -> Generator[bytes]:
    """Yields the blocks of a file, decompressed if need be.

    A line of compressed data may have MAX_BYTES bytes, and so may a file that is held as a whole. Raises Failed, which
    begins with `where`, for data that are damaged, end too early, or are too long, after the data before the fault.
    """
    head = b""
    codec = None
    for block in blocks:
        head += block
        codec, sure = recognised(head)
        if sure:
            break
    if codec is not None:
        yield from limited(expanded(codec, chain((head,), blocks), where), where, held)
        return
    if head:
        yield head
    yield from blocks


def limited(blocks: Iterable[bytes], where: str, held: Held) -> Generator[bytes]:
    """Yields blocks until more than MAX_BYTES bytes would have to be held. Raises Failed."""
    size = 0
    for block in blocks:
        cut = block.rfind(b"\n") + 1 if held == "line" else 0
        size = len(block) - cut if cut else size + len(block)
        if held != "nothing" and size > MAX_BYTES:
            what = "one line" if held == "line" else "it"
            raise Failed(f"{where}: compressed, with more than {MAX_BYTES} bytes in {what}: give it decompressed")
        yield block


def expanded(codec: Codec, blocks: Iterable[bytes], where: str) -> Generator[bytes]:
    """Decompresses blocks as they come. Raises Failed, after the data before the fault."""
    parts = Concatenated(codec, where)
    for block in blocks:
        steps = (block[at : at + FEED_BYTES] for at in range(0, len(block), FEED_BYTES))
        yield from joined(piece for step in steps for piece in parts.feed(step))
    parts.end()


def members(codec: Codec, blocks: Iterable[bytes], where: str) -> Generator[tuple[int, bytes]]:
    """Decompresses blocks; yields pieces with the place where their member begins. Raises Failed, as `expanded`."""
    parts = Concatenated(codec, where)
    for block in blocks:
        for at in range(0, len(block), FEED_BYTES):
            for piece in parts.feed(block[at : at + FEED_BYTES]):
                yield parts.start, piece
    parts.end()


def joined(pieces: Iterable[bytes]) -> Generator[bytes]:
    """Joins pieces to blocks; also those before a Failed that they raise."""
    held: list[bytes] = []
    size = 0
    try:
        for piece in pieces:
            held.append(piece)
            size += len(piece)
            if size >= BLOCK_BYTES:
                yield b"".join(held)
                held, size = [], 0
    except Failed:
        if size:
            yield b"".join(held)
        raise
    if size:
        yield b"".join(held)


class Concatenated:
    """Decompresses the members of one format, one after the other."""

    def __init__(self, codec: Codec, where: str) -> None:
        self.codec = codec
        self.where = where
        self.member: Decompressor | None = None
        self.start = 0  # of the member in the data
        self.fed = 0  # bytes
        self.before = b""  # data after a member, too short to show whether another one begins

    def feed(self, data: bytes) -> Generator[bytes]:
        """Yields what more data expand to, at most BLOCK_BYTES bytes at once. Raises Failed."""
        self.fed += len(data)
        data, self.before = self.before + data, b""
        while self.member is not None or self._begin(data := data.lstrip(b"\0")):
            assert self.member is not None
            try:
                piece = self.member.decompress(data, BLOCK_BYTES)
            except self.codec.error() as error:
                raise Failed(f"{self.where}: the {self.codec.name} data cannot be read ({error})") from None
            yield piece
            data = b""
            if self.member.eof:
                data, self.member = self.member.unused_data, None
            elif self.member.needs_input:
                return

    def _begin(self, data: bytes) -> bool:
        """Begins a member if these data do, and returns whether; too few data are kept for later. Raises Failed."""
        codec, sure = recognised(data)
        if not sure:
            self.before = data
            return False
        if codec is not self.codec:
            raise Failed(f"{self.where}: other data follow the {self.codec.name} data")
        try:
            self.member = codec.decompressor()
        except ImportError:
            raise missing(codec, self.where) from None
        self.start = self.fed - len(data)
        return True

    def end(self) -> None:
        """Raises Failed if the data end within a member."""
        if self.member is not None or self.before:
            raise Failed(f"{self.where}: the {self.codec.name} data end too early")
