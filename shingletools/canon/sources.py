"""What a document is: a record, a line or a file."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from shingletools import deferred, errors, wire
from shingletools.stage import Source

if TYPE_CHECKING:
    import orjson
else:
    orjson = deferred.module("orjson")


def add_options(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--lines", action="store_true", help="each line is a document, its number the id")
    source.add_argument("--whole", action="store_true", help="each FILE is a document, its name the id")
    source.add_argument("--number", action="store_true", help="a record without an id gets its line's number")


def source(options: argparse.Namespace) -> Source | None:
    """What makes a record of a document, unless it is one."""
    if options.lines:
        return partial(record_of_line, id_field=options.id, text_field=options.text)
    if options.whole:
        return partial(record_of_file, id_field=options.id, text_field=options.text)
    if options.number:
        return partial(numbered_record, id_field=options.id)
    return None


def record_of_line(line: bytes, number: int, _name: str, id_field: str, text_field: str) -> bytes:
    return orjson.dumps({id_field: number, text_field: wire.decode(line)})


def record_of_file(content: bytes, _number: int, name: str, id_field: str, text_field: str) -> bytes:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise errors.Rejected("a name that is not UTF-8 cannot be an id") from None
    return orjson.dumps({id_field: name, text_field: wire.decode(content)})


def numbered_record(line: bytes, number: int, _name: str, id_field: str) -> bytes:
    record = wire.parse_json(line)
    if wire.find(record, id_field) is not wire.MISSING:
        return line
    before, _, rest = line.partition(b"{")
    member = orjson.dumps({id_field: number})[:-1]
    return b"".join([before, member, b"," if record else b"", rest])
