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
    found = members(line)
    check_once(line, found, (id_field, stage.consumes, stage.produces, *stage.adds, "via"))
    wire.take_id(record, id_field)
    given = wire.take_string(record, stage.consumes)
    via = wire.take_recipe(record)
    named = {member.name: member for member in found}
    check_given(stage, id_field, named, via)
    made = stage.function(given)  # last, since it may count the texts
    if stage.made_of:
        stage.made_of.count(original)
    payload = wire.json_of(made.words if stage.placed else made)
    edits: list[tuple[int, int, bytes]] = []
    added: list[bytes] = []

    consumed = consumed_member(line, found, stage.consumes)
    moves = stage.produces != stage.consumes and stage.consumes not in named
    produced = consumed if stage.produces == stage.consumes else named.get(stage.produces)
    if (stage.keep or moves) and produced is None:
        added.append(wire.json_of(stage.produces) + b":" + payload)
    elif stage.keep or moves or produced is consumed:
        place = produced or consumed
        edits.append((place.value, place.end, payload))
    else:
        first, second = sorted((consumed, produced or consumed), key=lambda member: member.start)
        edits.append((first.start, _after_name(line, first), wire.json_of(stage.produces)))
        edits.append((first.value, first.end, payload))
        if second is not first:
            edits.append((found[found.index(second) - 1].end, second.end, b""))
    if moves and not stage.keep:
        edits.append((*_span_with_comma(line, consumed), b""))
    for name, value in _added_fields(stage, line[consumed.value : consumed.end], made):
        if name in named:
            edits.append((named[name].value, named[name].end, value))
        else:
            added.append(wire.json_of(name) + b":" + value)
    recipe = wire.json_of(stage.recipe)[1:-1]
    if "via" in named:
        edits.append((named["via"].end - 1, named["via"].end - 1, b" | " + recipe if via else recipe))
    else:
        added.append(b'"via":"' + recipe + b'"')
    end = found[-1].end
    edits.append((end, end, b"".join(b"," + member for member in added)))
    return b"".join(_edited(line, edits)).removeprefix(wire.BOM) + b"\n"


def consumed_member(line: bytes, found: list[Member], field: str) -> Member:
    """Returns the member that holds the payload. Raises Rejected for a path into lists with several values."""
    if (consumed := member_of(line, found, field)) is None:
        raise Rejected(f"field {shown(field)} has several values")
    return consumed


def _added_fields(stage: Filter, consumed: bytes, made: Any) -> Iterator[tuple[str, bytes]]:
    """Yields the fields that a filter adds, with their values as JSON."""
    if stage.placed:
        yield wire.SOURCE, consumed
        yield wire.AT, wire.json_of(made.at)
    if stage.named:
        yield wire.NAMED, wire.json_of(stage.named.spelled())


def with_text(line: bytes, record: wire.Record, fields: Sequence[str], name: str) -> bytes:
    """Returns a record's line with the joined texts of several fields in one member. Raises Rejected.

    The member is replaced if it is there, and added after all others if not.

    >>> with_text(b'{"a": "A", "b": "B" }', {"a": "A", "b": "B"}, ["b", "a"], "text")
    b'{"a": "A", "b": "B","text":"B\\\\nA" }'
    """
    text = wire.json_of(wire.take_text(record, fields))
    found = members(line)
    check_once(line, found, (*fields, name))
    there = next((member for member in found if member.name == name), None)
    edit = (there.value, there.end, text) if there else (found[-1].end,) * 2 + (b",%b:%b" % (wire.json_of(name), text),)
    return b"".join(_edited(line, [edit]))


def check_given(stage: Filter, id_field: str, names: Container[str], via: str) -> None:
    """Raises Rejected if a filter does not take a record with these members and this recipe."""
    for field in (id_field, stage.consumes):
        if field not in names and wire.steps_of(field)[0] in (stage.produces, *stage.adds):
            raise Rejected(f"field {shown(field)} is within one that is overwritten")
    if stage.after not in (None, via):
        raise Rejected(f"made by {wire.shown_recipe(via)}, not by {wire.shown_recipe(stage.after or '')} as the table")


def _span_with_comma(line: bytes, member: Member) -> tuple[int, int]:
    """Returns where a member stands, with the comma before it, or after it if it is the first of several."""
    before = _before_blanks(line, member.start)
    if line[before - 1 : before] == b",":
        return _before_blanks(line, before - 1), member.end
    behind = end_of_match(BLANKS_BEHIND, line, member.end)
    has_comma = line[behind : behind + 1] == b","
    return member.start, end_of_match(BLANKS_BEHIND, line, behind + 1) if has_comma else member.end


def _before_blanks(line: bytes, end: int) -> int:
    while line[end - 1] in b" \t\r\n":
        end -= 1
    return end


def _after_name(line: bytes, member: Member) -> int:
    return end_of_match(SCALAR, line, member.start)


def _edited(line: bytes, edits: list[tuple[int, int, bytes]]) -> Iterator[bytes]:
    """Yields the parts of the line, with each edit (start, end, new bytes) applied."""
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        yield line[at:start]
        yield new
        at = end
    yield line[at:]


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
    recipes = [
        recipe_before(stage.after, stages[:step]) for step, stage in enumerate(stages) if stage.after is not None
    ]
    if None in recipes or len(set(recipes)) > 1:
        return None
    recipe = escaped(" | ".join(stage.recipe for stage in stages))
    before = escaped(recipes[0] or "") if recipes else None
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
    before = b"" if via == fields.recipe else via.removesuffix(b" | " + fields.recipe)
    if (
        fields.keep
        or fields.placed
        or (its_id.name, payload.name) != (fields.id, fields.produced)
        or before == via
        or (not before and via != fields.recipe)
        or b"\\" in via
        or fields.before not in (None, before)
    ):
        return None
    between = tuple(sorted({*fields.between, *others} - {fields.consumed}))
    return fields._replace(between=between, before=before), (payload.digits, payload.size)


def recipe_before(after: str, stages: Sequence[Filter]) -> str | None:
    """Returns the recipe of a line before these stages, by its recipe after them; None if they cannot have made it.

    >>> canon = Filter("text", "text", "canon", str)
    >>> [recipe_before(after, [canon]) for after in ("parts | canon", "canon", "parts")]
    ['parts', '', None]
    """
    done = " | ".join(stage.recipe for stage in stages)
    if not done:
        return after
    before = after.removesuffix(f" | {done}")
    return "" if after == done else before if before not in ("", after) else None
