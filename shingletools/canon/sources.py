"""What a document is: a record, a line or a file."""

import argparse
from functools import partial

from shingletools import errors, wire


def add_options(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--lines", action="store_true", help="each line is a document, its number the id")
    source.add_argument("--whole", action="store_true", help="each FILE is a document, its name the id")
    source.add_argument("--number", action="store_true", help="a record without an id gets its line's number")


def parse(options: argparse.Namespace) -> wire.Parse:
    """How a document is read."""
    if options.lines:
        return partial(parse_line, id_field=options.id, text_field=options.text)
    if options.whole:
        return partial(parse_file, id_field=options.id, text_field=options.text)
    if options.number:
        return partial(parse_numbered, id_field=options.id)
    return wire.parse_json


def parse_line(line: bytes, number: int, _name: str, id_field: str, text_field: str) -> wire.Record:
    return {id_field: number, text_field: wire.decode(line)}


def parse_file(content: bytes, _number: int, name: str, id_field: str, text_field: str) -> wire.Record:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise errors.Rejected("a name that is not UTF-8 cannot be an id") from None
    return {id_field: name, text_field: wire.decode(content)}


def parse_numbered(line: bytes, number: int, name: str, id_field: str) -> wire.Record:
    record = wire.parse_json(line, number, name)
    return record if id_field in record else {id_field: number, **record}
