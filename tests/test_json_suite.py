"""A public suite of JSON texts: records with them are taken or rejected as orjson takes them, by kernel and definition.

The texts are those of JSONTestSuite; `data/json_suite.LICENSE` says whose they are. Each line of
`data/json_suite.jsonl` has one of them, its bytes as characters; one that only repeats a part has that part.
"""

import json
from collections.abc import Iterator
from functools import cache
from zlib import crc32

import orjson
import pytest

from agreement import WAYS, Reject, by_definition, check_lines, filter_of
from documents import TOP

GOOD = b'{"id":1,"text":"A b","shingles":"0123456789abcdef","words":"C"'


@cache
def suite() -> dict[str, bytes]:
    """The texts by their names."""
    found = {}
    for line in (TOP / "tests" / "data" / "json_suite.jsonl").read_bytes().splitlines():
        entry = json.loads(line)
        text = entry["text"] * entry.get("times", 1) + entry.get("end", "")
        found[entry["name"]] = text.encode("latin-1")
    return found


def as_records(text: bytes) -> Iterator[bytes]:
    """Records that have a text, on one line, as a value in several places, or its members; and the text alone."""
    text = text.removesuffix(b"\n").replace(b"\n", b" ")
    yield GOOD + b',"x":' + text + b"}"
    yield b'{"x" : ' + text + b" ," + GOOD[1:] + b"}"
    yield GOOD + b',"x":[{"y":' + text + b"}]}"
    if text.lstrip().startswith(b"{") and b'"id"' not in text:  # which would stand twice
        yield GOOD + b"," + text.lstrip()[1:]
    yield text


def judged(line: bytes) -> object:
    """What orjson reads, or the class of its error."""
    try:
        return orjson.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        return orjson.JSONDecodeError


def test_the_suite_is_whole() -> None:
    """Its names say what must be taken (y), must not (n), and is left to each parser (i)."""
    assert len(suite()) == 318
    for name, text in suite().items():
        if name[0] != "i":
            assert (judged(text) is orjson.JSONDecodeError) == (name[0] == "n"), name


@pytest.mark.parametrize("kind", ["i", "n", "y"])
def test_records_are_taken_as_orjson_takes_them(kind: str) -> None:
    stage = filter_of("canon")
    for name, text in suite().items():
        if name[0] != kind:
            continue
        for line in as_records(text):
            check_lines(line, ["canon", WAYS[crc32(line) % len(WAYS)]])  # all ways share the reader
            made, read = by_definition(stage, line), judged(line)
            if isinstance(read, dict) and "text" in read:
                assert isinstance(made, bytes), name
                assert orjson.loads(made) == {**read, "text": "a b", "via": stage.recipe}, name
                continue
            assert isinstance(made, Reject), name
            unread = made.cause.startswith(("not JSON", "not UTF-8", "nested too deeply"))
            assert unread == (read is orjson.JSONDecodeError), (name, made.cause)
