"""Finds the members of a record in the bytes of its line, and spells values as JSON."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from shingletools.record import wire
from shingletools.system.errors import Rejected, shown
from shingletools.system.lazy_imports import lazy, orjson

STRING = rb'"(?:[^"\\]++|\\.)*+"'
BLANKS = rb"[ \t\r\n]*+"
NAME = lazy(lambda: re.compile(rb"[{,]" + BLANKS + rb"(" + STRING + rb")" + BLANKS + rb":" + BLANKS, re.DOTALL))
SCALAR = lazy(lambda: re.compile(STRING + rb"|[^ \t\r\n,}\]]++", re.DOTALL))
BRACKET = lazy(lambda: re.compile(STRING + rb"|([\[{])|([\]}])", re.DOTALL))
BLANKS_BEHIND = lazy(lambda: re.compile(BLANKS))


class Member(NamedTuple):
    """A member of a record, and where it stands in the line."""

    name: str
    start: int  # of its name
    value: int  # its start
    end: int


def members(line: bytes, start: int = 0) -> list[Member]:
    """Returns the members of the first object that begins at `start` or later in a line known to be a JSON record.

    >>> members(b' {"id": [1, "]"], "via":"x"}')
    [Member(name='id', start=2, value=8, end=16), Member(name='via', start=18, value=24, end=27)]
    """
    every = []
    place = line.index(b"{", start)
    while name := NAME.match(line, place):
        end = _end_of_value(line, name.end())
        every.append(Member(orjson.loads(name[1]), name.start(1), name.end(), end))
        place = end_of_match(BLANKS_BEHIND, line, end)
    return every


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
    """Returns where a pattern that matches at `start` ends."""
    match = pattern.match(line, start)
    assert match is not None
    return match.end()


def member_of(line: bytes, every: list[Member], field: str) -> Member | None:
    """Returns the member, or element of a list, that is a field, as `wire.find` finds it; None if it is not one value.

    Raises Rejected if the member, or an object around it, occurs twice, because nobody can know which of the two is
    meant.

    >>> line = b'{"meta": {"url": 7}}'
    >>> member_of(line, members(line), "meta.url")
    Member(name='url', start=10, value=17, end=18)
    >>> line = b'{"of": [{"id": 7}, {"id": null}]}'
    >>> member_of(line, members(line), "of[].id")
    Member(name='id', start=9, value=15, end=16)
    """
    if not wire.is_path(field) or any(member.name == field for member in every):
        return _single_member(every, field, field)
    path = wire.steps_of(field)
    places = [member for member in [_single_member(every, path[0], path[0])] if member]
    for depth, step in enumerate(path[1:], 2):
        if step == wire.EACH:
            places = [each for place in places for each in _elements(line, place.value)]
            continue
        objects = [members(line, place.value) for place in places if line[place.value : place.value + 1] == b"{"]
        named = ".".join(path[:depth]).replace(f".{wire.EACH}", wire.EACH)
        places = [member for inside in objects if (member := _single_member(inside, step, named))]
    if wire.EACH in path:
        places = [place for place in places if line[place.value : place.end] != b"null"]
    return places[0] if len(places) == 1 else None


def _elements(line: bytes, place: int) -> Iterator[Member]:
    """Yields the elements of a list that begins at a place, without names."""
    mark = b"["
    while line[place : place + 1] == mark:
        start, mark = end_of_match(BLANKS_BEHIND, line, place + 1), b","
        if line[start : start + 1] != b"]":
            end = _end_of_value(line, start)
            yield Member("", start, start, end)
            place = end_of_match(BLANKS_BEHIND, line, end)


def _single_member(every: list[Member], name: str, field: str) -> Member | None:
    named = [member for member in every if member.name == name]
    if len(named) > 1:
        raise Rejected(f"field {shown(field)} occurs twice")
    return named[0] if named else None


def parse(line: bytes, once: Iterable[str]) -> wire.Record:
    """Returns the record on a line. Raises Rejected, also if one of the fields `once` occurs twice."""
    record = wire.parse_json(line)
    check_line_once(line, once)
    return record


def check_line_once(line: bytes, once: Iterable[str]) -> None:
    """Raises Rejected if one of the fields occurs twice in a line that is known to be a record."""
    escaped = b"\\u" in line
    for field in once:
        if escaped or (b"\\" in line and not is_plain(field)) or any(line.count(name) > 1 for name in quoted(field)):
            check_once(line, members(line), once)
            return


@cache
def is_plain(name: str) -> bool:
    """Returns whether JSON can spell a name in another way only with numeric escapes.

    >>> is_plain("meta.url_1"), is_plain("a/b"), is_plain("\\n")
    (True, False, False)
    """
    return name.isascii() and all(letter.isalnum() or letter in "._-" for letter in name)


@cache
def quoted(field: str) -> Sequence[bytes]:
    """Returns a field's name in quotes; for a path, also the names of the objects on the way."""
    names = (field, *wire.steps_of(field)) if wire.is_path(field) else (field,)
    return [b'"%b"' % name.encode() for name in names]


def check_once(line: bytes, every: list[Member], once: Iterable[str]) -> None:
    """Raises Rejected if one of the fields occurs twice."""
    for field in once:
        member_of(line, every, field)


def escaped(text: str) -> bytes:
    """Returns a string as JSON has it between the quotes. Raises Rejected for text that UTF-8 cannot encode."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text.encode()  # without orjson, which ordinary lines do not need
    return wire.json_of(text)[1:-1]


def line_at(lines: bytes, start: int) -> tuple[bytes, int]:
    """Returns the line that begins at `start`, without its line feed, and where the next line begins."""
    feed = lines.find(b"\n", start)
    end = feed if feed >= 0 else len(lines)
    return lines[start:end], min(end + 1, len(lines))
