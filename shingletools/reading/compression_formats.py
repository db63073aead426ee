"""Formats of compressed files, known by their first bytes or by the ends of their names; and how they are written."""

import sys
from collections.abc import Callable
from typing import NamedTuple, Protocol

from shingletools.system.errors import Failed, printable
from shingletools.system.lazy_imports import bz2, lzma, zlib, zstd

COMPRESS_BYTES = 1 << 18  # bytes that are compressed at once
MAX_DECODER_BYTES = 1 << 27  # bytes that a decompressor may take: twice what xz -9 asks for
MAX_ZSTD_WINDOW = 31  # a window of 2 GB, as zstd --ultra --long=31 writes, and dumps of Reddit have
SKIPPED = bytes(range(0x50, 0x60))  # the first bytes of zstd's skippable frames


class Decompressor(Protocol):
    """Decompresses one member; has the methods of bz2.BZ2Decompressor."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class Compressor(Protocol):
    def compress(self, data: memoryview, /) -> bytes: ...
    def flush(self) -> bytes: ...


class Codec(NamedTuple):
    """A format. Each of its functions loads the module for it, and raises ImportError if that is missing."""

    name: str
    suffix: str
    module: str  # in messages
    starts: tuple[tuple[bytes, ...], ...]  # how a member may begin: for each place, the bytes that are possible
    error: Callable[[], type[Exception]]  # that its decompressors raise
    decompressor: Callable[[], Decompressor]
    compressor: Callable[[], Compressor]  # at the default level of the format's own program


class Inflating:
    """Adapts zlib's decompressor to Decompressor."""

    def __init__(self) -> None:
        self.inner = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self.inner.eof

    @property
    def unused_data(self) -> bytes:
        return self.inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        output = self.inner.decompress(self.inner.unconsumed_tail + data, max_length)
        # Output of full length may be followed by more, from input that was consumed
        self.needs_input = len(output) < max_length and not self.inner.unconsumed_tail
        return output


def zstd_decompressor() -> Decompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: MAX_ZSTD_WINDOW})


def zstd_compressor() -> Compressor:
    what = zstd.CompressionParameter
    return zstd.ZstdCompressor(options={what.compression_level: 3, what.checksum_flag: 1})


def bzip2_decompressor() -> Decompressor:
    return bz2.BZ2Decompressor()


GZIP = ((b"\x1f", b"\x8b", b"\x08"),)
ZSTD = ((b"\x28", b"\xb5", b"\x2f", b"\xfd"), (SKIPPED, b"\x2a", b"\x4d", b"\x18"))
BZIP2 = tuple(
    (b"B", b"Z", b"h", b"123456789", *(bytes((byte,)) for byte in block))
    for block in (b"1AY&SY", b"\x17rE8P\x90")  # the first block, or the end of an empty file
)
XZ = ((b"\xfd", b"7", b"z", b"X", b"Z", b"\x00"),)
CODECS = (
    Codec(
        *("gzip", ".gz", "zlib", GZIP, lambda: zlib.error, Inflating),
        lambda: zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS),  # its header has neither a name nor a time
    ),
    Codec("zstd", ".zst", "backports.zstd", ZSTD, lambda: zstd.ZstdError, zstd_decompressor, zstd_compressor),
    Codec("bzip2", ".bz2", "bz2", BZIP2, lambda: OSError, bzip2_decompressor, lambda: bz2.BZ2Compressor(9)),
    Codec(
        *("xz", ".xz", "lzma", XZ, lambda: lzma.LZMAError),
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_DECODER_BYTES),
        lambda: lzma.LZMACompressor(lzma.FORMAT_XZ, preset=6),
    ),
)


def recognised(head: bytes) -> tuple[Codec | None, bool]:
    """Returns the format of data by their first bytes, None if they are not compressed; and whether that is certain.

    >>> [codec and codec.name for codec, _ in map(recognised, (b"{", b"BZh91AY&SY", b"BZh, a text"))]
    [None, 'bzip2', None]
    >>> recognised(b"BZ")[1]
    False
    """
    possible = [
        (codec, len(head) >= len(start))
        for codec in CODECS
        for start in codec.starts
        if all(byte in allowed for byte, allowed in zip(head, start, strict=False))
    ]
    if not possible:
        return None, True
    return next(((codec, True) for codec, sure in possible if sure), (None, False))


def missing(codec: Codec, where: str) -> Failed:
    if codec.module != "backports.zstd" or sys.version_info >= (3, 14):
        return Failed(f"{where}: {codec.name} data need Python's own module for them, without which this one was built")
    every = "pip install '.[zstd]' in a clone of the source"
    return Failed(f"{where}: {codec.name} data need {codec.module}: pip install {codec.module} (or {every})")


def suffixed(path: str) -> Codec | None:
    """Returns the format that the suffix of a file says; None if it is not compressed."""
    return next((codec for codec in CODECS if path.endswith(codec.suffix)), None)


class Compressing:
    """Compresses bytes. The libraries get blocks of one size, so that the result depends on the bytes alone."""

    def __init__(self, codec: Codec, path: str) -> None:
        """Raises Failed if the module for the format is missing."""
        try:
            self.compressor = codec.compressor()
        except ImportError:
            raise missing(codec, printable(path)) from None
        self.held = bytearray()

    def add(self, data: bytes) -> bytes:
        """Takes data; returns the compressed bytes that are ready."""
        self.held += data
        whole = len(self.held) - len(self.held) % COMPRESS_BYTES
        with memoryview(self.held) as view:
            blocks = (view[at : at + COMPRESS_BYTES] for at in range(0, whole, COMPRESS_BYTES))
            compressed = b"".join(map(self.compressor.compress, blocks))
        del self.held[:whole]
        return compressed

    def finish(self) -> bytes:
        """Returns the rest of the compressed bytes; nothing can be added after it."""
        return self.compressor.compress(memoryview(bytes(self.held))) + self.compressor.flush()
