"""Rows of Parquet as records of their columns, some rows at a time."""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

from shingletools import kernel
from shingletools.reading.formats.arrow_lines import Fields, LineColumn, line_columns, lines_of
from shingletools.reading.formats.numbered_records import with_numbers
from shingletools.reading.formats.parquet_batches import batches, parquet_file
from shingletools.record.document_format import Decisions, Document, FileDocuments, KeptAndRemoved, ReadyDocuments
from shingletools.record.wire import is_utf8
from shingletools.system.interruptible_reads import READ_BYTES, gathered


class Parquet(NamedTuple):
    """Files of Parquet. Bytes are text in the fields `texts`."""

    texts: Sequence[str]
    needed: Sequence[str]  # fields that must be there
    every: bool  # whether records have all columns, or only those of the texts
    numbered: str = ""  # the column of ids; without it, rows get their numbers. Empty if it must be there
    option: str = "--parquet"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        fields = Fields(self.needed, self.texts, None if self.every else self.texts)
        number = 1
        for name in files:
            with parquet_file(name) as file:
                columns = line_columns(file.parquet.schema_arrow, fields, name)
                names = file.parquet.schema_arrow.names  # once: this makes a list of all
                row, counted, all_rows = 1, 0, file.parquet.metadata.num_rows
                for _, batch in batches(file, [names[place] for place in columns]):
                    rows = documents([*columns.values()], batch, row)
                    for made in gathered(rows, lambda document: len(document.raw), READ_BYTES):
                        row += len(made)
                        size = file.size * (row - 1) // all_rows - counted  # the share of these rows
                        yield with_numbers(ReadyDocuments(name, number, size, made), self.numbered, names)
                        number, counted = number + len(made), counted + size

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        from shingletools.reading.formats.parquet_rewriter import kept_columns  # late: canon does not need it

        return kept_columns(files, decisions, self.texts[0])


def documents(columns: Sequence[LineColumn], batch: Any, row: int) -> Iterator[Document]:
    """Yields the documents of a batch; `row` is the number of the first."""
    for lines in lines_of(columns, batch):
        for line in kernel.split_lines(lines):
            cause = "" if is_utf8(line) else "not UTF-8"
            yield Document(line, row, b"" if cause else line, cause)
            row += 1
