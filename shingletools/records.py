"""Records as the bytes that they came as: where their members stand, and what a filter makes of a line.

This is the definition, complete but a line at a time. The kernel does the same with ordinary lines, thousands at once,
and leaves all others to it (kernel/records.h says which).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from shingletools import deferred, kernel, wire
from shingletools.deferred import later
from shingletools.errors import Rejected, shown
from shingletools.kernel.lines import Done, Fields
from shingletools.stage import Filter, Several

if TYPE_CHECKING:
    import orjson
else:
    orjson = deferred.module("orjson")

STRING = rb'"(?:[^"\\]++|\\.)*+"'
BLANKS = rb"[ \t\r\n]*+"
NAME = later(lambda: re.compile(rb"[{,]" + BLANKS + rb"(" + STRING + rb")" + BLANKS + rb":" + BLANKS, re.DOTALL))
SCALAR = later(lambda: re.compile(STRING + rb"|[^ \t\r\n,}]++", re.DOTALL))
BRACKET = later(lambda: re.compile(STRING + rb"|([\[{])|([\]}])", re.DOTALL))
BEHIND = later(lambda: re.compile(BLANKS))


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
        place = _after(BEHIND, line, end)
    return found


def _end_of_value(line: bytes, start: int) -> int:
    if line[start : start + 1] not in b"[{":
        return _after(SCALAR, line, start)
    depth = 0
    for bracket in BRACKET.finditer(line, start):
        depth += (bracket[1] is not None) - (bracket[2] is not None)
        if not depth:
            return bracket.end()
    raise ValueError("a value without an end")


def _after(pattern: re.Pattern[bytes], line: bytes, start: int) -> int:
    found = pattern.match(line, start)
    assert found is not None
    return found.end()


def member_of(line: bytes, found: list[Member], field: str) -> Member | None:
    """The member of a line that is a field, as `wire.find` finds it, if it is there.

    Raises Rejected if the member, or one on the way to it, stands twice: which of the two is meant, nobody can know.

    >>> line = b'{"meta": {"url": 7}}'
    >>> member_of(line, members(line), "meta.url")
    Member(name='url', start=10, value=17, end=18)
    """
    if "." not in field or any(member.name == field for member in found):
        return _only(found, field, field)
    path = field.split(".")
    for depth, name in enumerate(path, 1):
        member = _only(found, name, ".".join(path[:depth]))
        if member is None or depth == len(path):
            return member
        if line[member.value : member.value + 1] != b"{":
            return None
        found = members(line, member.value)
    return None


def _only(found: list[Member], name: str, field: str) -> Member | None:
    named = [member for member in found if member.name == name]
    if len(named) > 1:
        raise Rejected(f"field {shown(field)} stands twice")
    return named[0] if named else None


def parse(line: bytes, once: Iterable[str]) -> wire.Record:
    """The record on a line; raises Rejected, also if one of those fields stands twice in it."""
    record = wire.parse_json(line)
    if b"\\" in line or any(line.count(b'"%b"' % name.encode()) > 1 for field in once for name in names_in(field)):
        check_once(line, members(line), once)
    return record


def names_in(field: str) -> Sequence[str]:
    """The names that a member may have that is this field, or on the way to it."""
    return (field, *field.split(".")) if "." in field else (field,)


def check_once(line: bytes, found: list[Member], once: Iterable[str]) -> None:
    """Raises Rejected if one of the fields stands twice."""
    for field in once:
        member_of(line, found, field)


def filter_line(stage: Filter, id_field: str, line: bytes) -> bytes:
    """The line that a filter makes of a record: its payload's value gives way, via grows, all other bytes stay.

    Where the payload changes its name, it stands where the old one stood; a member that has the new name already is
    overwritten, or gone if both are there. One that was within another object leaves that, and comes behind all else.
    What the filter adds overwrites what has such a name, or comes behind all else. Raises Rejected.
    """
    record = wire.parse_json(line)
    found = members(line)
    check_once(line, found, (id_field, stage.consumes, stage.produces, *stage.adds, "via"))
    wire.take_id(record, id_field)
    made = stage.function(wire.take_string(record, stage.consumes))
    payload = json_of(made.words if stage.placed else made)
    named = {member.name: member for member in found}
    for field in (id_field, stage.consumes):
        if field not in named and field.partition(".")[0] in (stage.produces, *stage.adds):
            raise Rejected(f"field {shown(field)} is within one that is overwritten")
    via = wire.take_recipe(record)
    edits: list[tuple[int, int, bytes]] = []
    added: list[bytes] = []

    consumed = member_of(line, found, stage.consumes)
    assert consumed is not None
    moves = stage.produces != stage.consumes and stage.consumes not in named
    produced = consumed if stage.produces == stage.consumes else named.get(stage.produces)
    if (stage.keep or moves) and produced is None:
        added.append(json_of(stage.produces) + b":" + payload)
    elif stage.keep or moves or produced is consumed:
        place = produced or consumed
        edits.append((place.value, place.end, payload))
    else:
        first, second = sorted((consumed, produced or consumed), key=lambda member: member.start)
        edits.append((first.start, _after_name(line, first), json_of(stage.produces)))
        edits.append((first.value, first.end, payload))
        if second is not first:
            edits.append((found[found.index(second) - 1].end, second.end, b""))
    if moves and not stage.keep:
        edits.append((*_with_comma(line, consumed), b""))
    beside = (line[consumed.value : consumed.end], json_of(made.at)) if stage.placed else ()
    for name, value in zip(stage.adds, beside, strict=True):
        if name in named:
            edits.append((named[name].value, named[name].end, value))
        else:
            added.append(json_of(name) + b":" + value)
    recipe = json_of(stage.recipe)[1:-1]
    if "via" in named:
        edits.append((named["via"].end - 1, named["via"].end - 1, b" | " + recipe if via else recipe))
    else:
        added.append(b'"via":"' + recipe + b'"')
    end = found[-1].end
    edits.append((end, end, b"".join(b"," + each for each in added)))
    return b"".join(_edited(line, edits)).removeprefix(wire.BOM) + b"\n"


def _with_comma(line: bytes, member: Member) -> tuple[int, int]:
    """Where a member stands with the comma before it, or behind it if it is the first of several."""
    before = _before_blanks(line, member.start)
    if line[before - 1 : before] == b",":
        return _before_blanks(line, before - 1), member.end
    behind = _after(BEHIND, line, member.end)
    return member.start, _after(BEHIND, line, behind + 1) if line[behind : behind + 1] == b"," else member.end


def _before_blanks(line: bytes, end: int) -> int:
    while line[end - 1] in b" \t\r\n":
        end -= 1
    return end


def _after_name(line: bytes, member: Member) -> int:
    return _after(SCALAR, line, member.start)


def _edited(line: bytes, edits: list[tuple[int, int, bytes]]) -> Iterator[bytes]:
    """The line with each of the parts (start, end, new) replaced."""
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        yield line[at:start]
        yield new
        at = end
    yield line[at:]


def json_of(value: object) -> bytes:
    """A value as JSON; raises Rejected for text that UTF-8 cannot write."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        from shingletools import json_faults  # which most runs do not need

        cause = json_faults.unwritable(value)
        if cause is None:
            raise  # a fault of ours
        raise Rejected(cause) from None


def fields_of(stages: Sequence[Filter], id_field: str) -> Fields | None:
    """What the kernel must know of a filter, or of some of which each consumes what the one before it produces.

    None if it cannot do their work, for a name has what JSON escapes.
    """
    first, last = stages[0], stages[-1]
    if "." in first.consumes and first.produces == first.consumes != last.produces:
        return None  # it may be within another object; then via, which the first adds, stands before what the last adds
    between = {stage.consumes for stage in stages} - {first.consumes, last.produces}
    names = [in_quotes(name) for name in (id_field, first.consumes, last.produces, *sorted(between))]
    if any(b"\\" in name for name in names):
        return None
    recipe = in_quotes(" | ".join(stage.recipe for stage in stages))
    return names[0], names[1], names[2], last.keep, recipe, tuple(names[3:]), last.placed


def in_quotes(text: str) -> bytes:
    """A string as JSON has it between its quotes; raises Rejected for text that UTF-8 cannot write."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text.encode()  # without orjson, which ordinary lines do not need
    return json_of(text)[1:-1]


def line_at(lines: bytes, start: int) -> tuple[bytes, int]:
    """The line that begins there, without its line feed, and where the next one begins."""
    feed = lines.find(b"\n", start)
    end = feed if feed >= 0 else len(lines)
    return lines[start:end], min(end + 1, len(lines))


class Reject(NamedTuple):
    """A document that is left out, and why."""

    cause: str
    document: bytes


def filter_lines(stage: Filter, id_field: str, lines: bytes) -> Iterator[tuple[int, bytes | Reject]]:
    """What a filter makes of lines: of some together with their number, or of one that it rejects."""
    if stage.lines is not None:
        yield from several_lines(stage.lines, id_field, lines)
        return
    fields = fields_of([stage], id_field)
    link = stage.link()
    if stage.placed and not link:
        fields = None
    work = partial(kernel.linked_lines, (link,)) if link else _each_line(stage)
    at = 0
    while at < len(lines):
        error = None
        if fields is not None:
            made, count, at, error = work(fields, lines, at)
            if count:
                yield count, made
            if at == len(lines):
                return
        line, at = line_at(lines, at)
        try:
            yield 1, _odd_line(stage, id_field, line, error)
        except Rejected as rejected:
            yield 1, Reject(str(rejected), line)


def several_lines(make: Several, id_field: str, lines: bytes) -> Iterator[tuple[int, bytes | Reject]]:
    """The same of a filter that makes several lines of one."""
    at = 0
    while at < len(lines):
        line, at = line_at(lines, at)
        try:
            yield 1, make(id_field, line)
        except Rejected as rejected:
            yield 1, Reject(str(rejected), line)


def _odd_line(stage: Filter, id_field: str, line: bytes, error: Exception | None) -> bytes:
    """A line that the kernel left alone, or its function failed with; not to be worked on again if it rejected it."""
    if isinstance(error, Rejected):
        raise error
    return filter_line(stage, id_field, line)


def _each_line(stage: Filter) -> Callable[[Fields, bytes, int], Done]:
    def work(fields: Fields, lines: bytes, at: int, /) -> Done:
        return kernel.each_line(stage.function, orjson.dumps, fields, lines, at)

    return work
