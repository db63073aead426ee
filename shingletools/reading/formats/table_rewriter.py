"""Writes tables and lines with fewer rows; the bytes of the header and of the rows that are kept stay."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from shingletools import kernel
from shingletools.reading import streams
from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.table_rows import Dialect, RowsOfFile
from shingletools.record import wire
from shingletools.record.document_format import Decision, Decisions, DuplicateInfo, KeptAndRemoved
from shingletools.system.errors import Failed, printable, shown


class KeptRows:
    """Writes the rows of one file. The last row of a file may lack a line feed; it gets one if another row follows."""

    def __init__(self) -> None:
        self.rows: list[bytes] = []
        self.end = b"\n"
        self.open = False

    def add(self, row: bytes) -> None:
        if self.open:
            self.rows.append(self.end)
        self.rows.append(row)
        self.open = not row.endswith(b"\n")
        if not self.open:
            self.end = end_of(row)

    def taken(self) -> bytes:
        rows, self.rows = self.rows, []
        return b"".join(rows)


def end_of(row: bytes) -> bytes:
    return b"\r\n" if row.endswith(b"\r\n") else b"\n" if row.endswith(b"\n") else b""


def kept_rows(
    form: Dialect, files: Sequence[str], decisions: Decisions, read: Callable[[str], streams.Blocks]
) -> Iterator[KeptAndRemoved]:
    """Writes the rows of some tables to one; their columns must be equal. Raises Failed."""
    sides = KeptRows(), KeptRows()
    columns: Sequence[str] = ()
    for name in files:
        with closing(read(name)) as blocks:
            table = RowsOfFile(form, name, blocks)
            for rows in table.rows():
                if form.header and not columns:
                    columns = table.names
                    for side, first in zip(sides, header(form, table, decisions), strict=True):
                        side.add(first)
                elif form.header and columns != table.names:
                    raise Failed(f"{printable(name)}: its columns are not those of {printable(files[0])}")
                for row, decision in zip(rows, decisions.take(len(rows)), strict=True):
                    if decision.kept is not None:
                        sides[not decision.kept].add(with_info(form, row.raw, decision, decisions))
                yield sides[0].taken(), sides[1].taken()


def header(form: Dialect, table: RowsOfFile, decisions: Decisions) -> Iterator[bytes]:
    """Returns the first row of both files."""
    for wanted in decisions.wants_info:
        if wanted and (there := {*DuplicateInfo._fields}.intersection(table.names)):
            raise Failed(f"{printable(table.name)}: it has a column {shown(min(there))} already")
        row = appended(form, table.header, DuplicateInfo._fields) if wanted else table.header
        yield wire.BOM * table.marked + row


def with_info(form: Dialect, row: bytes, decision: Decision, decisions: Decisions) -> bytes:
    if not decisions.wants_info[not decision.kept]:
        return row
    return appended(form, row, decision.duplicate_info or [""] * len(DuplicateInfo._fields))


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


def kept_lines(files: Sequence[str], decisions: Decisions, encoding: Encoding | None) -> Iterator[KeptAndRemoved]:
    """Writes lines of text, or of JSON."""
    sides = KeptRows(), KeptRows()
    with closing(streams.read_batches(files, None, encoding)) as batches:
        for batch in batches:
            lines = kernel.split_lines(batch.lines)
            for place, (line, decision) in enumerate(zip(lines, decisions.take(len(lines)), strict=True), 1):
                if decision.kept is not None:
                    ended = place < len(lines) or batch.lines.endswith(b"\n")
                    sides[not decision.kept].add(line + b"\n" * ended)
            yield sides[0].taken(), sides[1].taken()
