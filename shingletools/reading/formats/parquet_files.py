"""Files of Parquet, opened and read by pyarrow some rows at a time, and what goes wrong with them."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from shingletools.reading import compressed
from shingletools.reading.compressed import HEAD
from shingletools.record.hints import of_start
from shingletools.system.deferred import needs
from shingletools.system.errors import Failed, printable

pa = needs("--parquet", "pyarrow", "parquet")
pq = needs("--parquet", "pyarrow.parquet", "parquet")

ROWS = 64  # read together: of one long text that many rows have, a page holds one copy
BUFFER = 1 << 16  # bytes of a column read together; else all of it that a row group has is


@contextlib.contextmanager
def parquet_file(name: str) -> Iterator[tuple[Any, int]]:
    """A file that is open, and its bytes. Raises Failed, also for what goes wrong inside."""
    with opened(name) as file, explained(name, start_of(name, file)):
        yield pq.ParquetFile(file, pre_buffer=False, buffer_size=BUFFER), os.fstat(file.fileno()).st_size


def batches(parquet: Any) -> Iterator[Any]:
    """Its rows, few together."""
    yield from parquet.iter_batches(ROWS, use_threads=False)


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file that can be searched; raises Failed."""
    try:
        with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
            if not file.seekable():
                raise Failed(f"{printable(name)}: Parquet is read from its end, which a pipe does not allow")
            yield file
    except OSError as error:
        raise Failed(f"{printable(name)}: {error.strerror or error}") from None


def start_of(name: str, file: BinaryIO) -> bytes:
    """The first bytes of a file; raises Failed if it is compressed as a whole."""
    start = file.read(HEAD)
    if codec := compressed.recognised(start):
        raise Failed(f"{printable(name)}: {codec.name} data, not Parquet: decompress it first")
    return start


@contextlib.contextmanager
def explained(name: str, start: bytes) -> Iterator[None]:
    """What pyarrow raises becomes a Failed that names the file, and says what it looks like by its first bytes."""
    try:
        yield
    except pa.ArrowMemoryError:
        raise MemoryError from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        said = printable(" ".join(str(error).split())[:200])  # some end with line feeds
        raise Failed(f"{printable(name)}: not Parquet, or damaged: {said}{of_start(start, '--parquet')}") from None
