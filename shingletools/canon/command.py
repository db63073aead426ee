"""turn documents into their canonical words"""

import argparse
from functools import partial
from importlib import resources
from pathlib import Path

from shingletools import wire
from shingletools.canon.folding import fold
from shingletools.canon.words import Canonizer
from shingletools.filter import Filter, Stage
from shingletools.options import text

STOP_LISTS = resources.files("shingletools.canon") / "stop"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", metavar="NAME", type=text, default="text", help="the field that holds the text (default text)"
    )
    parser.add_argument(
        "--stop", metavar="LIST", action="append", default=[],
        help="drop stop words: en, ru or zh, or a FILE of one word a line; may be repeated",
    )  # fmt: skip
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--lines", action="store_true", help="each line is a document, its number the id")
    source.add_argument("--whole", action="store_true", help="each FILE is a document, its name the id")
    source.add_argument("--number", action="store_true", help="a record without an id gets its line's number")


def build(options: argparse.Namespace) -> Stage:
    stop: set[str] = set()
    names = set()
    for name in options.stop:
        words, label = read_stop_list(name)
        stop |= words
        names.add(label)
    via = wire.recipe("canon", ("stop", ",".join(sorted(names)) or None))
    return Filter(
        consumes=options.text,
        produces=options.text,
        recipe=via,
        function=Canonizer(frozenset(stop)),
        parse=source(options),
        whole=options.whole,
        reads=tuple(options.stop),
    )


def source(options: argparse.Namespace) -> wire.Parse:
    """How a document is read: as a record, a line or a file."""
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
        raise wire.Rejected("a name that is not UTF-8 cannot be an id") from None
    return {id_field: name, text_field: wire.decode(content)}


def parse_numbered(line: bytes, number: int, name: str, id_field: str) -> wire.Record:
    record = wire.parse_json(line, number, name)
    return record if id_field in record else {id_field: number, **record}


def read_stop_list(name: str) -> tuple[set[str], str]:
    """The folded words of a shipped list or a file, and how a recipe names them.

    Empty lines and lines that begin with # are skipped. Raises Failed if there is no such list or it is not UTF-8.
    """
    shipped = {entry.name.removesuffix(".txt"): entry for entry in STOP_LISTS.iterdir()}
    try:
        content = shipped[name].read_bytes() if name in shipped else Path(name).read_bytes()
    except OSError as error:
        known = ", ".join(sorted(shipped))
        raise wire.Failed(f"--stop: {wire.printable(name)}: {error.strerror} (shipped lists: {known})") from None
    label = name if name in shipped else wire.file_label(name, content)
    words = set()
    for number, line in enumerate(content.removeprefix(wire.BOM).split(b"\n"), 1):
        try:
            word = wire.decode(line).strip()
        except wire.Rejected as error:
            raise wire.Failed(f"{wire.printable(name)}:{number}: {error}") from None
        if word and not word.startswith("#"):
            words.add(fold(word))
    return words, label
