"""Lines in bytes, and elements of JSON arrays: the definition.

A line ends with a line feed; the last line may lack it. A carriage return ends no line.
"""

import re
from typing import NamedTuple

Link = tuple[object, ...]  # a filter's function in C; empty if it has none
# A factor, fingerprints in slots (see fingerprint_slots.h), and whether only these are kept, or only these left out;
# if empty, all fingerprints are kept
FingerprintFilter = tuple[int, bytes, bool] | tuple[()]
# A factor, the weights of fingerprints in slots (see weighted_simhash.c), the weight of all others, and the
# digits of a fingerprint
WeightSlots = tuple[int, bytes, int, int]
# The fields of line_columns.ReadColumns
RawColumns = tuple[int, int, bytes, bytes, tuple[tuple[bytes, bytes, bytes], ...]]
SignatureLayout = tuple[int, int]  # digits of a component, and bytes of a signature; 0 bytes for sets
# Lines, or the columns of their ids and signatures; their number, the start of the next one, its exception
LinkOutput = tuple[bytes | RawColumns, int, int, Exception | None]
MARK = re.compile(rb'"[^"\\]*"|["\[\]{},]')  # a string without escapes, or the quote of another one
STRING_END = re.compile(rb'"|\\.', re.DOTALL)  # a quote that is escaped ends no string


class FilterFields(NamedTuple):
    """What the kernel needs to know about the lines of filters. Names and recipes are JSON without the quotes."""

    id: bytes
    consumed: bytes
    produced: bytes
    keep: bool  # whether the consumed value stays
    recipe: bytes
    between: tuple[bytes, ...] = ()  # names that an ordinary line does not have
    # Whether the work makes words, a line feed and their places: the consumed text and the places become members, which
    # an ordinary line does not have before
    placed: bool = False
    before: bytes | None = None  # the recipe that an ordinary line has so far; None for any
    # Names of members whose texts, joined, take the place of the consumed text, which an ordinary line need not have
    # then; and how many lines have each, int64, to which the kernel adds
    joined: tuple[bytes, ...] = ()
    counts: bytearray = bytearray()
    named: bytes | None = None  # the value of a new member, which an ordinary line does not have yet


def no_rows(_lines: bytes, at: int, *_numbers: int) -> tuple[int, int, bytes, bytes]:
    """Reads no lines of a table: all are left to the definition in shingle_tables.py. See frequencies.c."""
    return 0, at, b"", b""


def no_slots(_fingerprints: bytes, _others: bytes, _factor: int, /) -> bytes:
    """Returns no slots of fingerprints, since no link needs them without C. See fingerprint_slots.h."""
    return b""


def no_link(*_arguments: object) -> Link:
    """Returns the link of a filter that has no function in C."""
    return ()


def count_lines(data: bytes, /) -> int:
    """Returns the number of lines.

    >>> count_lines(b"one\\ntwo"), count_lines(b"one\\n\\n"), count_lines(b"")
    (2, 2, 0)
    """
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def split_lines(data: bytes, /) -> list[bytes]:
    """Returns the lines, without their line feeds.

    >>> split_lines(b"one\\r\\n\\ntwo"), split_lines(b"")
    ([b'one\\r', b'', b'two'], [])
    """
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def element_end(data: bytes, at: int, deepest: int, /) -> int:
    r"""Returns the place of the comma or bracket that ends an element of an array; -1 if it is missing.

    -2 if the element has more than `deepest` levels of brackets.

    >>> element_end(b'[{"a":[1,2]} , 3]', 1, 9), element_end(b'["a]', 1, 9), element_end(b"[[]]", 0, 1)
    (13, -1, -2)
    """
    depth = 0
    while mark := MARK.search(data, at):
        at = mark.end()
        if mark[0] == b'"':
            while (end := STRING_END.search(data, at)) and end[0] != b'"':
                at = end.end()
            at = end.end() if end else len(data)
        elif mark[0] in b"[{":
            depth += 1
            if depth > deepest:
                return -2
        elif not depth and mark[0] in b",]":
            return mark.start()
        elif depth and mark[0] in b"]}":
            depth -= 1
    return -1


class ColumnValues(NamedTuple):
    """The values of a column."""

    head: bytes  # bytes before each value: a brace or a comma, the name and a colon
    data: bytes | memoryview  # one after the other
    starts: bytes | memoryview  # where each begins, and the end of the last, int64
    text: bool  # whether they are text in UTF-8; if not, they are JSON


def record_lines(columns: tuple[ColumnValues, ...], rows: int, /) -> bytes:
    r"""Returns rows of at least one column as lines of JSON objects. Raises ValueError.

    >>> from array import array
    >>> record_lines((ColumnValues(b'{"text":', b'a"b', array("q", [0, 3]).tobytes(), True),), 1)
    b'{"text":"a\\"b"}\n'
    """
    lines = []
    views = [(each.head, memoryview(each.data), memoryview(each.starts).cast("q"), each.text) for each in columns]
    if any(len(starts) <= rows for _, _, starts, _ in views):
        raise ValueError("no values of these rows")
    for row in range(rows):
        for head, data, starts, text in views:
            start, end = starts[row], starts[row + 1]
            if not 0 <= start <= end <= len(data):
                raise ValueError("no values of these rows")
            value = bytes(data[start:end])
            lines += [head, quoted(value) if text else value]
        lines.append(b"}\n")
    return b"".join(lines)


def quoted(text: bytes) -> bytes:
    """Returns text as a JSON string, with the escapes that orjson makes; what is not UTF-8 stays."""
    import json  # late: C does this

    return json.dumps(text.decode(errors="surrogateescape"), ensure_ascii=False).encode(errors="surrogateescape")
