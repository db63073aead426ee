"""Parquet, which pyarrow reads in small batches of rows."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO

from shingletools.reading.formats import column_files
from shingletools.reading.formats.column_files import Batch, ColumnFiles, check_rows, seekable_file
from shingletools.reading.formats.thrift import Struct, read_struct
from shingletools.system.errors import Failed, printable
from shingletools.system.lazy_imports import needs

pq = needs("--parquet", "pyarrow.parquet", "parquet")

BATCH_ROWS = 64  # rows read together: few, since a page may have one copy of a long text for many rows
BUFFER_BYTES = 1 << 16  # bytes of a column read together; by default, pyarrow reads all of a row group
MAX_EXPANDED_BYTES = 1 << 26  # bytes that a page, or rows with values in a dictionary, may always become

# Fields of Parquet's structs, by their names in parquet.thrift
ROW_GROUPS, ENCRYPTION = 4, 8  # FileMetaData
COLUMNS = 1  # RowGroup
META_DATA = 3  # ColumnChunk
NUM_VALUES, COMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11  # ColumnMetaData
UNCOMPRESSED_SIZE, COMPRESSED_SIZE = 2, 3  # PageHeader
DATA_PAGE_HEADER, DICTIONARY_PAGE_HEADER, DATA_PAGE_HEADER_V2 = 5, 7, 8  # PageHeader, too
DELTA_BYTE_ARRAY = 7  # Encoding


class Parquet(ColumnFiles):
    """Files of Parquet."""

    option = "--parquet"

    @contextmanager
    def opened(self, name: str, /) -> Iterator["OpenParquet"]:
        with seekable_file(name, "Parquet") as (file, start, size):
            if start.startswith(b"PARE"):
                raise encrypted(name)
            yield OpenParquet(name, file, size)


class OpenParquet:
    """An open file."""

    def __init__(self, name: str, file: BinaryIO, size: int) -> None:
        self.name, self.file, self.size = name, file, size
        self.parquet = pq.ParquetFile(
            file,
            pre_buffer=False,
            buffer_size=BUFFER_BYTES,
            coerce_int96_timestamp_unit="us",  # nanoseconds would wrap beyond 2262
        )
        self.schema = self.parquet.schema_arrow

    def batches(self, places: Sequence[int] | None = None, /) -> Iterator[Batch]:
        """Yields small batches, of one row group each. Raises Failed if the rows are too many for the file."""
        together, rows = self.rows_together(), 0
        wanted = None if places is None else [self.schema.names[place] for place in places]
        for group in range(self.parquet.num_row_groups):
            for batch in self.parquet.iter_batches(together, row_groups=[group], columns=wanted, use_threads=False):
                rows += len(batch)
                check_rows(self.name, rows, self.size)
                # pyarrow also reads columns whose names are one of these, a dot, and more
                names = enumerate(batch.schema.names)
                some = batch.select([place for place, name in names if wanted is None or name in wanted])
                yield Batch(group, some, self.size * rows // self.parquet.metadata.num_rows)

    def rows_together(self) -> int:
        """Returns the number of rows to read together: fewer if a few bytes of the file may become many long values.

        Raises Failed for a page that expands too much, and for an encrypted file.
        """
        largest, described = 1, footer(self.file)
        if ENCRYPTION in described:  # of some columns
            raise encrypted(self.name)
        for group in described[ROW_GROUPS]:
            for column in group[COLUMNS]:
                for size, stored, repeats in pages(self.file, column[META_DATA]):
                    expands = size > column_files.MAX_EXPANSION * stored
                    if size > MAX_EXPANDED_BYTES and expands:
                        pages_size = f"a page of {stored} bytes would become {size}"
                        raise Failed(f"{printable(self.name)}: {pages_size}: write it uncompressed")
                    if repeats or expands:
                        largest = max(largest, size)
        return max(1, min(BATCH_ROWS, MAX_EXPANDED_BYTES // largest))

    def writer(self, sink: BytesIO, schema: Any, /) -> Any:
        return pq.ParquetWriter(
            sink,
            schema,
            compression=self.compression(schema),
            use_deprecated_int96_timestamps=self.has_int96(),
            use_compliant_nested_type=False,  # names of elements stay
        )

    def compression(self, schema: Any) -> dict[str, str] | str:
        """Returns the compression of the columns by the paths that pyarrow writes for this schema."""
        if not self.parquet.num_row_groups:
            return "snappy"
        empty = BytesIO()
        pq.write_table(schema.empty_table(), empty, use_compliant_nested_type=False)
        group, written = self.parquet.metadata.row_group(0), pq.read_metadata(empty).schema
        codecs = [group.column(place).compression.replace("UNCOMPRESSED", "NONE") for place in range(group.num_columns)]
        return {written.column(place).path: codec for place, codec in enumerate(codecs)}

    def has_int96(self) -> bool:
        """Returns whether times are INT96. Raises Failed if only some are, since pyarrow writes all in one way."""
        columns = [self.parquet.schema.column(place) for place in range(len(self.parquet.schema))]
        old = any(column.physical_type == "INT96" for column in columns)
        if old and any(column.logical_type.type == "TIMESTAMP" for column in columns):
            name = printable(self.name)
            raise Failed(f"{name}: some of its times are INT96, and some are not: write it with one kind")
        return old


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


def encrypted(name: str) -> Failed:
    return Failed(f"{printable(name)}: encrypted Parquet: decrypt it first")
