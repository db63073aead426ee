"""Writes the names of files that are kept, one a line or each ended by a zero byte, or a table of all names."""

import csv
import io
import os
from collections.abc import Iterator

from shingletools.record.document_format import Decisions, DuplicateInfo, KeptAndRemoved
from shingletools.system.errors import Failed, printable
from shingletools.system.files import named

BATCH_NAMES = 1 << 12  # names


def kept_names(decisions: Decisions, zero: bool) -> Iterator[KeptAndRemoved]:
    """Yields names. Raises Failed for one that no line can hold, and for a file that changed after the run began."""
    marked = decisions.wants_info[0]
    sides: tuple[list[bytes], list[bytes]] = [row("name", *DuplicateInfo._fields)] if marked else [], []
    for number, (name, decision) in enumerate(decisions.names(), 1):
        if not zero and not marked and "\n" in str(name):
            raise Failed(f"{printable(str(name))}: a name with a line feed: -0 ends names with zero bytes")
        with named(str(name)):
            if os.stat(str(name)).st_ctime_ns > decisions.begun:  # a time of the system, which no archive sets
                raise Failed(f"{printable(str(name))}: changed while it was compared")
        line = (
            row(name, *decision.duplicate_info or ()) if marked else os.fsencode(str(name)) + (b"\0" if zero else b"\n")
        )
        sides[not decision.kept].append(line)
        if not number % BATCH_NAMES:
            yield b"".join(sides[0]), b"".join(sides[1])
            sides = [], []
    yield b"".join(sides[0]), b"".join(sides[1])


def row(*values: object) -> bytes:
    """Returns a row of CSV, as wide as the header.

    >>> row("a,b.txt"), row("c.txt", "a,b.txt", "first", 0.9)
    (b'"a,b.txt",,,\\n', b'c.txt,"a,b.txt",first,0.9\\n')
    """
    out = io.StringIO()
    empty = [""] * (1 + len(DuplicateInfo._fields) - len(values))
    csv.writer(out, lineterminator="\n").writerow([*values, *empty])
    return os.fsencode(out.getvalue())
