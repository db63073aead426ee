"""Checks whether a file is compressed, by its first bytes or its suffix, before formats are loaded."""

from collections.abc import Generator, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from shingletools.system.errors import Failed, printable

if TYPE_CHECKING:
    from shingletools.reading.compression_formats import Codec, Compressing
    from shingletools.reading.decompression import Held

SUFFIXES = (".gz", ".zst", ".bz2", ".xz")
UNWRITTEN = (".lz4", ".lzma", ".lzo", ".Z", ".br", ".zip", ".7z", ".rar", ".parquet")  # formats that others write
FIRST = b"\x1f(B\xfd" + bytes(range(0x50, 0x60))  # first bytes of compressed data
HEAD_BYTES = 16  # bytes that show whether data are compressed


def plain(blocks: Iterator[bytes], where: str, held: "Held" = "line") -> Generator[bytes]:
    """Yields the blocks of a file, decompressed if need be. Raises Failed, as `decompression.plain` does."""
    head = next(blocks, b"")
    if head and head[0] in FIRST:
        from shingletools.reading import decompression  # late, here and below: plain files do not need it

        yield from decompression.plain(chain((head,), blocks), where, held)
        return
    if head:
        yield head
    yield from blocks


def recognised(head: bytes) -> "Codec | None":
    """Returns the format of data by their first HEAD_BYTES bytes, or all if they are fewer; None if they are plain."""
    if not head or head[0] not in FIRST:
        return None
    from shingletools.reading import compression_formats  # late: as above

    return compression_formats.recognised(head)[0]


def suffixed(path: str) -> "Codec | None":
    """Returns the format that the suffix of a file says; None if it is not compressed."""
    if not path.endswith(SUFFIXES):
        return None
    from shingletools.reading import compression_formats  # late: as above

    return compression_formats.suffixed(path)


def is_packed(path: str) -> bool:
    """Returns whether the suffix of a file says another format than plain lines, even one that cannot be written."""
    return path.endswith((*SUFFIXES, *UNWRITTEN))


def compressing(path: str) -> "Compressing | None":
    """Returns a compressor by the suffix of a file; None if it is not compressed.

    Raises Failed if the module for it is missing, or the format cannot be written.
    """
    if path.endswith(UNWRITTEN):
        raise Failed(f"{printable(path)}: cannot write {path.rpartition('.')[2]}, only {', '.join(SUFFIXES)}")
    codec = suffixed(path)
    if codec is None:
        return None
    from shingletools.reading import compression_formats  # late: as above

    return compression_formats.Compressing(codec, path)
