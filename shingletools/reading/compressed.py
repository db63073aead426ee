"""Whether a file is compressed, by its first bytes or the end of its name. Formats are loaded only where it may be."""

from collections.abc import Generator, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from shingletools.system.errors import Failed, printable

if TYPE_CHECKING:
    from shingletools.reading.compression import Codec, Compressing
    from shingletools.reading.decompression import Held

SUFFIXES = (".gz", ".zst", ".bz2", ".xz")
UNWRITTEN = (".lz4", ".lzma", ".lzo", ".Z", ".br", ".zip", ".7z", ".rar", ".parquet")  # formats that others write
FIRST = b"\x1f(B\xfd" + bytes(range(0x50, 0x60))  # bytes with which compressed data may begin
HEAD = 16  # bytes that tell whether they are compressed


def plain(blocks: Iterator[bytes], where: str, held: "Held" = "line") -> Generator[bytes]:
    """What blocks of a file hold: themselves, or what `decompression.plain` finds in them, which raises Failed."""
    head = next(blocks, b"")
    if head and head[0] in FIRST:
        from shingletools.reading import decompression  # here and below: plain files do without

        yield from decompression.plain(chain((head,), blocks), where, held)
        return
    if head:
        yield head
    yield from blocks


def recognised(head: bytes) -> "Codec | None":
    """The format of data that begin so, with HEAD bytes at least unless they are fewer; None if they are plain."""
    if not head or head[0] not in FIRST:
        return None
    from shingletools.reading import compression  # as above

    return compression.recognised(head)[0]


def suffixed(path: str) -> "Codec | None":
    """The format in which a file of this name is written, None if it is not compressed."""
    if not path.endswith(SUFFIXES):
        return None
    from shingletools.reading import compression  # as above

    return compression.suffixed(path)


def is_packed(path: str) -> bool:
    """Whether a name says a format that is not plain lines, be it one that is not written here."""
    return path.endswith((*SUFFIXES, *UNWRITTEN))


def compressing(path: str) -> "Compressing | None":
    """What compresses a file of this name, None if nothing does.

    Raises Failed where the module for it is missing, and for a name that says a format that is not written here.
    """
    if path.endswith(UNWRITTEN):
        raise Failed(f"{printable(path)}: cannot write {path.rpartition('.')[2]}, only {', '.join(SUFFIXES)}")
    codec = suffixed(path)
    if codec is None:
        return None
    from shingletools.reading import compression  # as above

    return compression.Compressing(codec, path)
