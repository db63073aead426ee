"""The line that a filter makes of a record; all other bytes stay as they came.

This is the definition. It takes any line, one at a time. The kernel does the same with many ordinary lines at once, and
leaves all others to it (kernel/json_members.h says which lines are ordinary).
"""

from collections.abc import Container, Iterator, Sequence
from typing import Any

from shingletools.kernel.line_columns import Kind
from shingletools.kernel.lines import FilterFields, SignatureLayout
from shingletools.record import wire
from shingletools.record.json_members import (
    BLANKS_BEHIND,
    SCALAR,
    Member,
    check_once,
    end_of_match,
    escaped,
    member_of,
    members,
)
from shingletools.record.record_batch import Signatures
from shingletools.record.stage import Filter
from shingletools.system.errors import Rejected, shown


def filter_line(stage: Filter, id_field: str, line: bytes) -> bytes:
    """Returns the line that a filter makes of a record: a new payload, a longer recipe, all other bytes unchanged.

    If the payload changes its name, it stands where the old one stood. A member that has the new name already is
    overwritten, or removed if the old payload is there, too. A payload that was inside another object is removed from
    it, and the new one comes after all other members. Members that the filter adds replace members of the same name, or
    come after all others. Raises Rejected.
    """
    original = record = wire.parse_json(line)
    if stage.made_of:
        line = with_text(line, original, stage.made_of.fields, stage.consumes)
        record = wire.parse_json(line)
    edits = LineEdits(line)
    named = edits.named
    check_once(line, edits.members, (id_field, stage.consumes, stage.produces, *stage.adds, "via"))
    wire.take_id(record, id_field)
    text = wire.take_string(record, stage.consumes)
    via = wire.take_recipe(record)
    check_given(stage, id_field, named, via)
    payload = stage.function(text)  # last, since it may count the texts
    if stage.made_of:
        stage.made_of.count(original)
    value = wire.json_of(payload.words if stage.placed else payload)
    if (consumed := member_of(line, edits.members, stage.consumes)) is None:
        raise Rejected(f"field {shown(stage.consumes)} has several values")
    put_payload(edits, stage, consumed, value)
    for name, added in _added_fields(stage, line[consumed.value : consumed.end], payload):
        edits.set(name, added)
    recipe = wire.json_of(stage.recipe)[1:-1]
    if "via" in named:
        end = named["via"].end - 1
        edits.add(end, end, b" | " + recipe if via else recipe)
    else:
        edits.set("via", b'"' + recipe + b'"')
    return edits.applied().removeprefix(wire.BOM) + b"\n"


def check_given(stage: Filter, id_field: str, names: Container[str], via: str) -> None:
    """Raises Rejected if a filter does not take a record with these members and this recipe."""
    for field in (id_field, stage.consumes):
        if field not in names and wire.steps_of(field)[0] in (stage.produces, *stage.adds):
            raise Rejected(f"field {shown(field)} is within one that is overwritten")
    if stage.after not in (None, via):
        raise Rejected(f"made by {wire.shown_recipe(via)}, not by {wire.shown_recipe(stage.after or '')} as the table")


def put_payload(edits: "LineEdits", stage: Filter, consumed: Member, value: bytes) -> None:
    """Puts the new payload, as JSON, where it belongs."""
    line, every, named = edits.line, edits.members, edits.named
    if stage.produces == stage.consumes:
        edits.add(consumed.value, consumed.end, value)
    elif stage.keep or stage.consumes not in named:
        edits.set(stage.produces, value)
        if not stage.keep:
            edits.remove(consumed)
    else:
        first, second = sorted((consumed, named.get(stage.produces, consumed)), key=lambda member: member.start)
        edits.add(first.start, end_of_match(SCALAR, line, first.start), wire.json_of(stage.produces))
        edits.add(first.value, first.end, value)
        if second is not first:
            edits.add(every[every.index(second) - 1].end, second.end, b"")


def _added_fields(stage: Filter, consumed: bytes, payload: Any) -> Iterator[tuple[str, bytes]]:
    """Yields the fields that a filter adds, with their values as JSON."""
    if stage.placed:
        yield wire.SOURCE, consumed
        yield wire.AT, wire.json_of(payload.at)
    if stage.named:
        yield wire.NAMED, wire.json_of(stage.named.spelled())


def with_text(line: bytes, record: wire.Record, fields: Sequence[str], name: str) -> bytes:
    """Returns a record's line with the joined texts of several fields in one member. Raises Rejected.

    The member is replaced if it is there, and added after all others if not.

    >>> with_text(b'{"a": "A", "b": "B" }', {"a": "A", "b": "B"}, ["b", "a"], "text")
    b'{"a": "A", "b": "B","text":"B\\\\nA" }'
    """
    text = wire.json_of(wire.take_text(record, fields))
    edits = LineEdits(line)
    check_once(line, edits.members, (*fields, name))
    edits.set(name, text)
    return edits.applied()


class LineEdits:
    """Changes of a record's line, all at once; every other byte stays."""

    def __init__(self, line: bytes) -> None:
        self.line, self.members = line, members(line)
        self.named = {member.name: member for member in self.members}
        self.edits: list[tuple[int, int, bytes]] = []
        self.behind = b""  # new members

    def add(self, start: int, end: int, new: bytes) -> None:
        """Replaces bytes."""
        self.edits.append((start, end, new))

    def set(self, name: str, value: bytes) -> None:
        """Replaces the value of a member, or adds a member after all others."""
        if name in self.named:
            self.add(self.named[name].value, self.named[name].end, value)
        else:
            self.behind += b",%b:%b" % (wire.json_of(name), value)

    def remove(self, member: Member) -> None:
        """Removes a member, which may be within an object, and the comma before it, or else the one after it."""
        start, end, before = member.start, member.end, self.line[: member.start].rstrip(b" \t\r\n")
        if before.endswith(b","):
            start = len(before[:-1].rstrip(b" \t\r\n"))
        else:
            behind = end_of_match(BLANKS_BEHIND, self.line, end)
            if self.line[behind : behind + 1] == b",":
                end = end_of_match(BLANKS_BEHIND, self.line, behind + 1)
        self.add(start, end, b"")

    def applied(self) -> bytes:
        """Returns the new line."""
        pieces, at, last = list[bytes](), 0, self.members[-1].end
        for start, end, new in sorted((*self.edits, (last, last, self.behind)), key=lambda edit: edit[:2]):
            pieces += self.line[at:start], new
            at = end
        return b"".join((*pieces, self.line[at:]))


def fields_of(stages: Sequence[Filter], id_field: str) -> FilterFields | None:
    """Returns the fields that the kernel needs to run filters, each of which consumes what the one before it makes.

    None if the kernel cannot run them: a name has characters that JSON escapes, or no line can have the recipes that
    they need.
    """
    first, last = stages[0], stages[-1]
    if any(stage.named for stage in stages[1:]):
        return None
    if "." in first.consumes and first.produces == first.consumes != last.produces:
        return None  # it may be within another object; then via, which the first adds, stands before what the last adds
    between = {stage.consumes for stage in stages} - {first.consumes, last.produces}
    names = [escaped(name) for name in (id_field, first.consumes, last.produces, *sorted(between))]
    joined = tuple(map(escaped, first.made_of.fields if first.made_of else ()))
    if any(b"\\" in name for name in (*names, *joined)) or any(wire.EACH.encode() in name for name in names):
        return None
    steps = [step for field in first.read if wire.EACH in field for step in wire.steps_of(field)]
    if not all(step == wire.EACH or (step and step[0] != wire.EACH[0]) for step in steps):
        return None
    befores, recipe = set[bytes | None](), b""
    for stage in stages:
        if stage.after is not None:
            befores.add(recipe_before(escaped(stage.after), recipe))
        recipe = b" | ".join(filter(None, (recipe, escaped(stage.recipe))))
    if None in befores or len(befores) > 1:
        return None
    before = befores.pop() if befores else None
    counts = first.made_of.counts if first.made_of else bytearray()
    named = escaped(first.named.spelled()) if first.named else None
    id_name, consumed, produced, *others = names
    return FilterFields(
        id_name, consumed, produced, last.keep, recipe, tuple(others), last.placed, before, joined, counts, named
    )


def fields_for_signatures(fields: FilterFields, wanted: Signatures) -> tuple[FilterFields, SignatureLayout] | None:
    """Returns the fields and the layout by which the kernel gives signatures instead of lines; None if it cannot."""
    of_kind = {kind: [field for field in wanted if field.kind == kind] for kind in Kind}
    others = {field.name for kind in (Kind.NONE, Kind.AT_MOST_ONCE) for field in of_kind.pop(kind)}
    if {kind: len(some) for kind, some in of_kind.items() if some} != {Kind.ID: 1, Kind.GROUPS: 1, Kind.EQUAL: 1}:
        return None
    ((its_id,), (payload,), (made_by,)) = (of_kind[kind] for kind in (Kind.ID, Kind.GROUPS, Kind.EQUAL))
    via = made_by.text or b""
    before = recipe_before(via, fields.recipe)
    if (
        before is None
        or fields.keep
        or fields.placed
        or (its_id.name, payload.name) != (fields.id, fields.produced)
        or b"\\" in via
        or fields.before not in (None, before)
    ):
        return None
    between = tuple(sorted({*fields.between, *others} - {fields.consumed}))
    return fields._replace(between=between, before=before), (payload.digits, payload.size)


def recipe_before(after: bytes, added: bytes) -> bytes | None:
    """Returns the recipe of a line before some filters, by its recipe after them; None if they cannot have made it.

    added: their recipes.

    >>> [recipe_before(after, b"canon") for after in (b"parts | canon", b"canon", b"parts")]
    [b'parts', b'', None]
    """
    if not added or after == added:
        return after.removesuffix(added)
    before = after.removesuffix(b" | " + added)
    return before if before not in (b"", after) else None
