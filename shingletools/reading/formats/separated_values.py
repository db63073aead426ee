"""Files of rows, as CSV or TSV; their values are strings."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.numbered_records import with_numbers
from shingletools.reading.formats.table_rows import Dialect, RowsOfFile
from shingletools.reading.streams import Blocks, read_blocks
from shingletools.record.document_format import Decisions, FileDocuments, KeptAndRemoved, ReadyDocuments


class Separated(NamedTuple):
    """Files of rows."""

    dialect: Dialect
    encoding: Encoding | None = None

    @property
    def option(self) -> str:
        return self.dialect.option

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        yield from documents_of(self.dialect, files, self.blocks)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        from shingletools.reading.formats.table_rewriter import kept_rows  # late: canon does not need it

        return kept_rows(self.dialect, files, decisions, self.blocks)

    def blocks(self, name: str) -> Blocks:
        return read_blocks(name, "nothing", self.encoding)


def documents_of(dialect: Dialect, files: Sequence[str], read: Callable[[str], Blocks]) -> Generator[FileDocuments]:
    """Yields the rows of tables, whose bytes the function `read` reads. Raises Failed."""
    number = 1
    for name in files:
        with closing(read(name)) as blocks:
            rows = RowsOfFile(dialect, name, blocks)
            for size, made in rows.documents():
                yield with_numbers(ReadyDocuments(name, number, size, made), dialect.numbered, rows.names)
                number += len(made)
