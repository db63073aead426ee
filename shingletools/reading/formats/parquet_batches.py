"""Opens files of Parquet, and reads them with pyarrow in small batches of rows."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from shingletools.reading import compression_detection
from shingletools.reading.compression_detection import HEAD_BYTES
from shingletools.reading.formats.thrift import Struct, read_struct
from shingletools.record.error_hints import file_start_hint
from shingletools.system.errors import Failed, printable
from shingletools.system.lazy_imports import needs

pa = needs("--parquet", "pyarrow", "parquet")
pq = needs("--parquet", "pyarrow.parquet", "parquet")

BATCH_ROWS = 64  # rows read together: few, since a page may have one copy of a long text for many rows
BUFFER_BYTES = 1 << 16  # bytes of a column read together; by default, pyarrow reads all of a row group
MAX_EXPANDED_BYTES = 1 << 26  # bytes that a page, or rows with values in a dictionary, may always become
MAX_EXPANSION = 1000  # beyond that, bytes or rows for each byte of a file; gzip reaches as many

# Fields of Parquet's structs, by their names in parquet.thrift
ROW_GROUPS, ENCRYPTION = 4, 8  # FileMetaData
COLUMNS = 1  # RowGroup
META_DATA = 3  # ColumnChunk
NUM_VALUES, COMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11  # ColumnMetaData
UNCOMPRESSED_SIZE, COMPRESSED_SIZE = 2, 3  # PageHeader
DATA_PAGE_HEADER, DICTIONARY_PAGE_HEADER, DATA_PAGE_HEADER_V2 = 5, 7, 8  # PageHeader, too
DELTA_BYTE_ARRAY = 7  # Encoding
# What reading metadata raises where fields are missing or have other types
METADATA_ERRORS = AttributeError, LookupError, RecursionError, TypeError, ValueError


class OpenParquet(NamedTuple):
    name: str
    file: BinaryIO
    parquet: Any  # a pyarrow.parquet.ParquetFile
    size: int


@contextlib.contextmanager
def parquet_file(name: str) -> Iterator[OpenParquet]:
    """Opens a file. Raises Failed if that fails, or if reading the file inside does."""
    with seekable_file(name) as file, damage_named(name, start_of(name, file)):
        parquet = pq.ParquetFile(
            file,
            pre_buffer=False,
            buffer_size=BUFFER_BYTES,
            coerce_int96_timestamp_unit="us",  # nanoseconds would wrap beyond 2262
        )
        yield OpenParquet(name, file, parquet, os.fstat(file.fileno()).st_size)


def batches(file: OpenParquet, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Any]]:
    """Yields small batches of rows with these columns, or all, and the numbers of their row groups.

    Raises Failed if the rows are too many for the file.
    """
    together, rows, wanted = rows_together(file), 0, None if columns is None else {*columns}
    for group in range(file.parquet.num_row_groups):
        for batch in file.parquet.iter_batches(together, row_groups=[group], columns=columns, use_threads=False):
            rows += len(batch)
            if rows > MAX_EXPANSION * file.size:
                most = f"{MAX_EXPANSION} rows for each of its {file.size} bytes"
                raise Failed(f"{printable(file.name)}: more than {most}")
            # pyarrow also reads columns whose names are one of these, a dot, and more
            names = enumerate(batch.schema.names)
            yield group, batch.select([place for place, name in names if wanted is None or name in wanted])


def rows_together(file: OpenParquet) -> int:
    """Returns the number of rows to read together: fewer if a few bytes of the file may become many long values.

    Raises Failed for a page that expands too much, and for an encrypted file.
    """
    largest, described = 1, footer(file.file)
    if ENCRYPTION in described:  # of some columns
        raise encrypted(file.name)
    for group in described[ROW_GROUPS]:
        for column in group[COLUMNS]:
            for size, stored, repeats in pages(file.file, column[META_DATA]):
                if size > max(MAX_EXPANDED_BYTES, MAX_EXPANSION * stored):
                    raise Failed(
                        f"{printable(file.name)}: a page of {stored} bytes would become {size}: write it uncompressed"
                    )
                if repeats or size > MAX_EXPANSION * stored:
                    largest = max(largest, size)
    return max(1, min(BATCH_ROWS, MAX_EXPANDED_BYTES // largest))


def pages(file: BinaryIO, column: Struct) -> Iterator[tuple[int, int, bool]]:
    """Yields the pages of a column: bytes in memory and in the file, and whether values may share bytes."""
    at = min(column[place] for place in (DATA_PAGE, DICTIONARY_PAGE) if column.get(place, 0) > 0)
    end, values = at + column[COMPRESSED], column[NUM_VALUES]
    while values > 0 and at < end:
        file.seek(at)
        page = read_struct(file)
        repeats = DICTIONARY_PAGE_HEADER in page
        for header, encoding in ((DATA_PAGE_HEADER, 2), (DATA_PAGE_HEADER_V2, 4)):
            if header in page:
                values -= page[header][1]
                repeats = page[header][encoding] == DELTA_BYTE_ARRAY
        stored = abs(page[COMPRESSED_SIZE])
        at = file.tell() + stored
        yield page[UNCOMPRESSED_SIZE], stored, repeats


def footer(file: BinaryIO) -> Struct:
    """Reads the metadata at the end of a file."""
    file.seek(-8, os.SEEK_END)
    size = int.from_bytes(file.read(4), "little")
    file.seek(-8 - size, os.SEEK_END)
    return read_struct(BytesIO(file.read(size)))


@contextlib.contextmanager
def seekable_file(name: str) -> Iterator[BinaryIO]:
    """Opens a file. Raises Failed, also for one that is not seekable."""
    try:
        with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
            if not file.seekable():
                raise Failed(f"{printable(name)}: Parquet is read from its end, which a pipe does not allow")
            yield file
    except OSError as error:
        raise Failed(f"{printable(name)}: {error.strerror or error}") from None


def start_of(name: str, file: BinaryIO) -> bytes:
    """Reads the first bytes of a file. Raises Failed if they show that it is compressed or encrypted as a whole."""
    start = file.read(HEAD_BYTES)
    if codec := compression_detection.recognised(start):
        raise Failed(f"{printable(name)}: {codec.name} data, not Parquet: decompress it first")
    if start.startswith(b"PARE"):
        raise encrypted(name)
    return start


def encrypted(name: str) -> Failed:
    return Failed(f"{printable(name)}: encrypted Parquet: decrypt it first")


@contextlib.contextmanager
def damage_named(name: str, start: bytes) -> Iterator[None]:
    """Turns errors of pyarrow and thrift.py into a Failed that names the file, with a hint by its first bytes."""
    try:
        yield
    except pa.ArrowMemoryError:
        raise MemoryError from None
    except (pa.ArrowException, OSError, *METADATA_ERRORS) as error:
        message = printable(" ".join(str(error).split())[:200])  # some end with line feeds
        cause = (
            "pyarrow cannot read it" if isinstance(error, pa.ArrowNotImplementedError) else "not Parquet, or damaged"
        )
        raise Failed(f"{printable(name)}: {cause}: {message}{file_start_hint(start, '--parquet')}") from None
