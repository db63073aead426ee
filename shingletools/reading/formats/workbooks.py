"""A sheet of a workbook (XLSX), as a table of CSV, which is also what is written.

(python-calamine is ten times as fast as openpyxl, but holds a sheet as one rectangle: two cells in opposite corners,
in a file of 5 kB, take 550 GB, and end the process.)
"""

import csv
import io
import zipfile
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from xml.etree.ElementTree import ParseError

from shingletools.reading.formats.separated_values import Tables
from shingletools.reading.streams import Blocks
from shingletools.system.errors import Failed, printable, shown
from shingletools.system.interruptible_reads import READ_BYTES
from shingletools.system.lazy_imports import needs

MAX_UNPACKED_BYTES = 1 << 30  # bytes of a workbook; zipfile reads no more than a member says it has
# What openpyxl raises for damaged workbooks
DAMAGE = zipfile.BadZipFile, ParseError, LookupError, ValueError, TypeError, AttributeError, EOFError, RuntimeError


@dataclass(frozen=True)
class Workbooks(Tables):
    """Workbooks of which one sheet is read: the first, or that of a name."""

    sheet: str | None = None
    option = "--xlsx"

    def blocks(self, name: str, /) -> Blocks:
        return Blocks(self.as_csv(name), printable(name), "nothing")

    def as_csv(self, name: str) -> Generator[bytes]:
        """Yields the rows of the sheet that have a value, some together. Raises Failed."""
        openpyxl, made = needs("--xlsx", "openpyxl", "xlsx"), io.StringIO()
        writer, width = csv.writer(made, lineterminator="\n"), 0
        try:
            with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
                if (size := sum(each.file_size for each in zipfile.ZipFile(file).infolist())) > MAX_UNPACKED_BYTES:
                    raise Failed(f"{printable(name)}: would become {size} bytes: save the sheet as CSV")
                book = openpyxl.load_workbook(file, read_only=True, data_only=True)
                if self.sheet not in (None, *book.sheetnames):
                    there = ", ".join(map(shown, book.sheetnames))
                    raise Failed(f"{printable(name)}: no sheet {shown(self.sheet or '')} among {there}")
                sheet = book.worksheets[0] if self.sheet is None else book[self.sheet]
                sheet.reset_dimensions()  # so that rows end with their last cells, whatever the sheet says
                for row in sheet.iter_rows(values_only=True):
                    values = [*map(spelled, row)]
                    while values and not values[-1]:
                        values.pop()
                    width = width or len(values)
                    if values:
                        writer.writerow(values + [""] * (width - len(values)))
                    if made.tell() >= READ_BYTES:
                        yield made.getvalue().encode()
                        made.seek(made.truncate(0))
                yield made.getvalue().encode()
        except OSError as error:
            raise Failed(f"{printable(name)}: {error.strerror or error}") from None
        except DAMAGE as error:
            raise Failed(f"{printable(name)}: not XLSX, or damaged: {printable(str(error)[:200])}") from None


def spelled(value: Any) -> str:
    """Returns a cell's value as text.

    >>> [*map(spelled, [None, True, 3.0, 0.5, datetime(2024, 5, 6), datetime(2024, 5, 6, 7)])]
    ['', 'TRUE', '3', '0.5', '2024-05-06', '2024-05-06T07:00:00']
    """
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case float() if value.is_integer() and abs(value) < 1 << 53:
            return str(int(value))
        case datetime():
            return (value.date() if value.time() == time() else value).isoformat()
    return str(value)
