"""The mark of a removed document: which document is kept in its place, and by which rule."""

import orjson

from shingletools.commands.dedup.removal_decisions import NO_SIMILARITY
from shingletools.commands.dedup.spec import DUPLICATE_BY, DUPLICATE_OF
from shingletools.record import wire
from shingletools.record.json_members import members

OF_PREFIX, BY_PREFIX = (b"," + orjson.dumps(name) + b":" for name in (DUPLICATE_OF, DUPLICATE_BY))

Mark = tuple[bytes, bytes]  # the values of the two fields, as JSON


def mark(kept: bytes, rule: str, similarity: float = NO_SIMILARITY) -> Mark:
    """Returns the mark of a removed document. kept: the id, as JSON, of the one that the rule keeps in its place.

    >>> mark(b'"x"', "first", 0.75)
    (b'"x"', b'{"rule":"first","similarity":0.75}')
    """
    measured = {} if similarity == NO_SIMILARITY else {"similarity": similarity}
    return kept, orjson.dumps({"rule": rule, **measured})


def joined(says: Mark) -> bytes:
    """Returns the members to append to a document that has no mark yet.

    >>> joined(mark(b"7", "first"))
    b',"duplicate_of":7,"duplicate_by":{"rule":"first"}'
    """
    return OF_PREFIX + says[0] + BY_PREFIX + says[1]


def annotated(line: bytes, says: Mark | None) -> bytes:
    """Returns a document with this mark instead of any that it has; without a mark for None.

    >>> says = mark(b"7", "first")
    >>> annotated(b'{"id": 1, "n": 1.0}', says)
    b'{"id": 1, "n": 1.0,"duplicate_of":7,"duplicate_by":{"rule":"first"}}'
    >>> annotated(b'{"id": 1, "duplicate_of": 5, "n": 1.0}', says)
    b'{"id": 1, "duplicate_of": 7, "n": 1.0,"duplicate_by":{"rule":"first"}}'
    >>> annotated(b'{"id": 1, "duplicate_of": 5, "n": 1.0}', None)
    b'{"id": 1, "n": 1.0}'
    """
    for name, value in zip((DUPLICATE_OF, DUPLICATE_BY), says or (None, None), strict=True):
        line = with_member(line, name, value)
    return line


def with_member(line: bytes, name: str, value: bytes | None) -> bytes:
    """Returns a record with a member set to a value, which is JSON: in place of the old value, or as a new last member.

    None removes the member. The record must also have another one.
    """
    found = members(line)
    place = next((place for place, member in enumerate(found) if member.name == name), None)
    if value is None and place is None:
        return line
    if place is None:
        start, end, new = found[-1].end, found[-1].end, b"," + orjson.dumps(name) + b":" + (value or b"")
    elif value is not None:
        start, end, new = found[place].value, found[place].end, value
    elif place:
        start, end, new = found[place - 1].end, found[place].end, b""
    else:
        start, end, new = found[place].start, found[place + 1].start, b""
    return (line[:start] + new + line[end:]).removeprefix(wire.BOM)
