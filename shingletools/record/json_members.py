"""A record as the bytes that it came as: where its members stand, and values as JSON spells them."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from shingletools.record import wire
from shingletools.system.errors import Rejected, shown
from shingletools.system.lazy_imports import lazy, orjson

STRING = rb'"(?:[^"\\]++|\\.)*+"'
BLANKS = rb"[ \t\r\n]*+"
NAME = lazy(lambda: re.compile(rb"[{,]" + BLANKS + rb"(" + STRING + rb")" + BLANKS + rb":" + BLANKS, re.DOTALL))
SCALAR = lazy(lambda: re.compile(STRING + rb"|[^ \t\r\n,}]++", re.DOTALL))
BRACKET = lazy(lambda: re.compile(STRING + rb"|([\[{])|([\]}])", re.DOTALL))
BLANKS_BEHIND = lazy(lambda: re.compile(BLANKS))


class Member(NamedTuple):
    """A member of a record, and where it stands in the line."""

    name: str
    start: int  # of its name
    value: int  # its start
    end: int


def members(line: bytes, start: int = 0) -> list[Member]:
    """The members of a line that is known to be a JSON object, or of the first object in it from a place on.

    >>> members(b' {"id": [1, "]"], "via":"x"}')
    [Member(name='id', start=2, value=8, end=16), Member(name='via', start=18, value=24, end=27)]
    """
    found = []
    place = line.index(b"{", start)
    while name := NAME.match(line, place):
        end = _end_of_value(line, name.end())
        found.append(Member(orjson.loads(name[1]), name.start(1), name.end(), end))
        place = end_of_match(BLANKS_BEHIND, line, end)
    return found


def _end_of_value(line: bytes, start: int) -> int:
    if line[start : start + 1] not in b"[{":
        return end_of_match(SCALAR, line, start)
    depth = 0
    for bracket in BRACKET.finditer(line, start):
        depth += (bracket[1] is not None) - (bracket[2] is not None)
        if not depth:
            return bracket.end()
    raise ValueError("a value without an end")


def end_of_match(pattern: re.Pattern[bytes], line: bytes, start: int) -> int:
    """Where what stands in a line from a place on ends, by a pattern that it has."""
    found = pattern.match(line, start)
    assert found is not None
    return found.end()


def member_of(line: bytes, found: list[Member], field: str) -> Member | None:
    """The member of a line that is a field, as `wire.find` finds it, if it is there.

    Raises Rejected if the member, or one on the way to it, occurs twice: which of the two is meant, nobody can know.

    >>> line = b'{"meta": {"url": 7}}'
    >>> member_of(line, members(line), "meta.url")
    Member(name='url', start=10, value=17, end=18)
    """
    if "." not in field or any(member.name == field for member in found):
        return _single_member(found, field, field)
    path = field.split(".")
    for depth, name in enumerate(path, 1):
        member = _single_member(found, name, ".".join(path[:depth]))
        if member is None or depth == len(path):
            return member
        if line[member.value : member.value + 1] != b"{":
            return None
        found = members(line, member.value)
    return None


def _single_member(found: list[Member], name: str, field: str) -> Member | None:
    named = [member for member in found if member.name == name]
    if len(named) > 1:
        raise Rejected(f"field {shown(field)} occurs twice")
    return named[0] if named else None


def parse(line: bytes, once: Iterable[str]) -> wire.Record:
    """The record on a line; raises Rejected, also if one of those fields occurs twice in it."""
    record = wire.parse_json(line)
    check_line_once(line, once)
    return record


def check_line_once(line: bytes, once: Iterable[str]) -> None:
    """Raises Rejected if one of the fields occurs twice in a line that is known to be a record."""
    escaped = b"\\u" in line
    for field in once:
        if escaped or (not is_plain(field) and b"\\" in line) or any(line.count(name) > 1 for name in quoted(field)):
            check_once(line, members(line), once)
            return


@cache
def is_plain(name: str) -> bool:
    """Whether JSON can spell a name otherwise only by escapes with numbers.

    >>> is_plain("meta.url_1"), is_plain("a/b"), is_plain("\\n")
    (True, False, False)
    """
    return name.isascii() and all(letter.isalnum() or letter in "._-" for letter in name)


@cache
def quoted(field: str) -> Sequence[bytes]:
    """The names that a member may have that is this field, or on the way to it, in quotes."""
    names = (field, *field.split(".")) if "." in field else (field,)
    return [b'"%b"' % name.encode() for name in names]


def check_once(line: bytes, found: list[Member], once: Iterable[str]) -> None:
    """Raises Rejected if one of the fields occurs twice."""
    for field in once:
        member_of(line, found, field)


def escaped(text: str) -> bytes:
    """A string as JSON has it between its quotes; raises Rejected for text that UTF-8 cannot write."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text.encode()  # without orjson, which ordinary lines do not need
    return wire.json_of(text)[1:-1]


def line_at(lines: bytes, start: int) -> tuple[bytes, int]:
    """The line that begins there, without its line feed, and where the next one begins."""
    feed = lines.find(b"\n", start)
    end = feed if feed >= 0 else len(lines)
    return lines[start:end], min(end + 1, len(lines))
