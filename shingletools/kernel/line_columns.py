"""The columns that fields of ordinary lines become. Only C reads many lines at once (see columns.c)."""

from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """What a column holds of a field; the last three kinds make no column."""

    ID = 0  # an id, as it is spelled
    LABEL = 1  # a string, a number, true, false or null, as it is spelled
    SPAN = 2  # where the value starts and ends in the lines, int64 each; 0 and 0 for a missing field
    LENGTH = 3  # the number of characters of a text, int64
    UNITS = 4  # a number from 0 to 9.99… in units of 10^-DECIMALS, int64; -1 for a missing field
    DOUBLE = 5  # a number as in UNITS, float64; minus infinity for a missing field
    FLAG = 6  # a byte: 1 for true, 0 for a missing field and null
    IDS = 7  # the ids of a list, as they are spelled
    GROUPS = 8  # the bytes of a payload of digit groups; for a set, its distinct numbers, uint64, ascending
    AT_MOST_ONCE = 9  # the field may have any value, but may not occur twice
    NONE = 10  # the field must be missing
    EQUAL = 11  # the field must have a given text, or be missing if that is None


DECIMALS = 12  # of numbers in ordinary lines


class Field(NamedTuple):
    """A field of a line, and the form that it has on an ordinary line. Names and text are JSON without the quotes."""

    name: bytes
    kind: Kind
    digits: int = 0  # of GROUPS: the hex digits of a group
    size: int = 0  # of GROUPS: the bytes of each payload; 0 for a set
    shared: int = -1  # the place of an earlier field whose column it shares
    must: bool = False  # of UNITS and DOUBLE: whether the field may not be missing; of FLAG: not null
    other: int = -1  # of an ID: the place of a field whose id must differ
    text: bytes | None = None  # of EQUAL


class ColumnData(NamedTuple):
    """The values of a field, row by row."""

    data: bytes = b""  # one after the other
    sizes: bytes = b""  # the bytes of each value, int64; only of ID, LABEL, IDS and GROUPS
    # Where each value starts in the lines, int64; for IDS, the number of ids in each row. For GROUPS, -1 if the digits
    # are not in lower case
    starts: bytes = b""


class ReadColumns(NamedTuple):
    """The columns of ordinary lines that follow one another."""

    rows: int
    next: int  # the start of the next line
    starts: bytes  # of each row, int64
    lasts: bytes  # the end of each row's last value, int64
    columns: tuple[ColumnData, ...]  # of each field that has one


def compiled_columns(lines: bytes, at: int, fields: tuple[Field, ...], /) -> ReadColumns:
    """Reads ordinary lines from `at` on, up to the first other line. Releases the GIL. Raises ValueError."""
    from shingletools.kernel import _kernel  # it exists only with a C compiler

    rows, end, starts, lasts, columns = _kernel.read_columns(lines, at, fields)
    return ReadColumns(rows, end, starts, lasts, tuple(ColumnData(*column) for column in columns))


def read_columns(_lines: bytes, at: int, fields: tuple[Field, ...], /) -> ReadColumns:
    """Reads no lines: all lines from `at` on are left to the schema's definition."""
    columns = sum(field.kind < Kind.AT_MOST_ONCE and field.shared < 0 for field in fields)
    return ReadColumns(0, at, b"", b"", (ColumnData(),) * columns)
