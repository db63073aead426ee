"""What stands in a file, compressed or not: a format is known by the first bytes.

Members of one format may follow one another, as gzip(1) takes them, and zeros may stand behind. What is held at once
has a limit, for a few kilobytes may stand for gigabytes.
"""

from collections.abc import Generator, Iterable, Iterator
from itertools import chain
from typing import Literal

from shingletools.reading.compression import Codec, Decompressor, missing, recognised
from shingletools.system.errors import Failed

BLOCK = 1 << 18  # bytes that come at once, more or less
STEP = 1 << 15  # compressed bytes that are given at once: what stands behind a member is copied
LARGEST = 1 << 26  # bytes of a line, or of a file that is held as a whole, when they are decompressed

Held = Literal["line", "file", "nothing"]  # what whoever reads it has to hold at once


def plain(blocks: Iterator[bytes], where: str, held: Held = "line") -> Generator[bytes]:
    """What blocks of a file hold, in blocks: themselves, unless they are compressed.

    Of compressed data, no more than LARGEST bytes come in one line, or at all if the whole file is held. Raises Failed,
    which begins with `where`, for data that are damaged, end too early, or hold too much; after what stands before.
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
    """Blocks up to where more than LARGEST bytes would have to be held. Raises Failed."""
    size = 0
    for block in blocks:
        cut = block.rfind(b"\n") + 1 if held == "line" else 0
        size = len(block) - cut if cut else size + len(block)
        if held != "nothing" and size > LARGEST:
            what = "one line" if held == "line" else "it"
            raise Failed(f"{where}: compressed, with more than {LARGEST} bytes in {what}: give it decompressed")
        yield block


def expanded(codec: Codec, blocks: Iterable[bytes], where: str) -> Generator[bytes]:
    """What compressed blocks hold, as they come. Raises Failed, after what stands before the fault."""
    parts = Concatenated(codec, where)
    for block in blocks:
        steps = (block[at : at + STEP] for at in range(0, len(block), STEP))
        yield from together(piece for step in steps for piece in parts.feed(step))
    parts.end()


def members(codec: Codec, blocks: Iterable[bytes], where: str) -> Generator[tuple[int, bytes]]:
    """What compressed blocks hold, each piece with the place where its member begins. Raises Failed, as `expanded`."""
    parts = Concatenated(codec, where)
    for block in blocks:
        for at in range(0, len(block), STEP):
            for piece in parts.feed(block[at : at + STEP]):
                yield parts.start, piece
    parts.end()


def together(pieces: Iterable[bytes]) -> Generator[bytes]:
    """Pieces as blocks; also those before a Failed that they raise."""
    made: list[bytes] = []
    size = 0
    try:
        for piece in pieces:
            made.append(piece)
            size += len(piece)
            if size >= BLOCK:
                yield b"".join(made)
                made, size = [], 0
    except Failed:
        if size:
            yield b"".join(made)
        raise
    if size:
        yield b"".join(made)


class Concatenated:
    """Compressed data of one format, one member after the other."""

    def __init__(self, codec: Codec, where: str) -> None:
        self.codec = codec
        self.where = where
        self.member: Decompressor | None = None
        self.start = 0  # of the member in the data
        self.fed = 0  # bytes
        self.before = b""  # what stands behind a member, and is too short to tell whether another begins

    def feed(self, data: bytes) -> Generator[bytes]:
        """What some more of them hold, at most BLOCK bytes at once. Raises Failed."""
        self.fed += len(data)
        data, self.before = self.before + data, b""
        while self.member is not None or self._begin(data := data.lstrip(b"\0")):
            assert self.member is not None
            try:
                piece = self.member.decompress(data, BLOCK)
            except self.codec.error() as error:
                raise Failed(f"{self.where}: the {self.codec.name} data cannot be read ({error})") from None
            yield piece
            data = b""
            if self.member.eof:
                data, self.member = self.member.unused_data, None
            elif self.member.needs_input:
                return

    def _begin(self, data: bytes) -> bool:
        """Whether a member begins with these data; too few of them are kept for later. Raises Failed."""
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
        """Raises Failed if they end within a member."""
        if self.member is not None or self.before:
            raise Failed(f"{self.where}: the {self.codec.name} data end too early")
