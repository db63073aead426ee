"""Files of rows, as CSV or TSV; their values are strings. The bytes of the header and of rows that are kept stay."""

import csv
import io
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.kept_lines import KeptLines, end_of
from shingletools.reading.formats.table_rows import Dialect, RowsOfFile
from shingletools.reading.streams import Blocks, read_blocks
from shingletools.record import wire
from shingletools.record.document_format import Decision, Decisions, DuplicateInfo, FilePortion, Format, KeptAndRemoved
from shingletools.system.errors import Failed, printable, shown


@dataclass(frozen=True)
class Tables(Format):
    """Files that are read as rows."""

    dialect: Dialect

    @abstractmethod
    def blocks(self, name: str, /) -> Blocks:
        """Reads a file as CSV or TSV. Raises Failed."""

    def portions(self, name: str, /) -> Generator[FilePortion]:
        with closing(self.blocks(name)) as blocks:
            rows = RowsOfFile(self.dialect, name, blocks)
            for size, made in rows.documents():
                yield FilePortion(size, made, "" if self.dialect.numbered in rows.names else self.dialect.numbered)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes the rows of some tables to one; their columns must be equal. Raises Failed."""
        kept, form = KeptLines(), self.dialect
        columns: Sequence[str] = ()
        for name in files:
            with closing(self.blocks(name)) as blocks:
                table = RowsOfFile(form, name, blocks)
                for rows in table.rows():
                    if form.header and not columns:
                        columns = table.names
                        for side, wanted in enumerate(decisions.wants_info):
                            kept.add(Decision(not side), header(table, wanted))
                    elif form.header and columns != table.names:
                        raise Failed(f"{printable(name)}: its columns are not those of {printable(files[0])}")
                    for row, decision in zip(rows, decisions.take(len(rows)), strict=True):
                        wanted = decision.kept is not None and decisions.wants_info[not decision.kept]
                        info = decision.duplicate_info or [""] * len(DuplicateInfo._fields)
                        kept.add(decision, appended(form, row.raw, info) if wanted else row.raw)
                    yield kept.taken()


@dataclass(frozen=True)
class Separated(Tables):
    """Files of CSV or TSV."""

    encoding: Encoding | None = None

    @property
    def option(self) -> str:
        return self.dialect.option

    def blocks(self, name: str, /) -> Blocks:
        return read_blocks(name, "nothing", self.encoding)


def header(table: RowsOfFile, with_info: bool) -> bytes:
    """Returns the first row of an output."""
    if with_info and (there := {*DuplicateInfo._fields}.intersection(table.names)):
        raise Failed(f"{printable(table.name)}: it has a column {shown(min(there))} already")
    row = appended(table.dialect, table.header, DuplicateInfo._fields) if with_info else table.header
    return wire.BOM * table.marked + row


def appended(form: Dialect, row: bytes, values: Sequence[object]) -> bytes:
    """Appends values to a row; raises Failed for one that TSV cannot have."""
    made, end = io.StringIO(), end_of(row)
    if form.quotes:
        writer = csv.writer(made, delimiter=form.delimiter, lineterminator="")
    else:
        writer = csv.writer(made, delimiter=form.delimiter, lineterminator="", quoting=csv.QUOTE_NONE, quotechar=None)
    try:
        writer.writerow(values)
    except csv.Error:
        raise Failed(f"{shown(str(values[0]))} cannot be written as TSV") from None
    return row.removesuffix(end) + form.delimiter.encode() + made.getvalue().encode() + end
