"""Joins the parts of documents again: takes parts in order, writes each document at its end."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from shingletools.commands.parts.spec import PART_FIELDS, TogetherSpec
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, written
from shingletools.record.json_members import escaped, members, parse
from shingletools.record.wire import AT, NAMED, REPEATS, SOURCE, Record
from shingletools.system.errors import Rejected, shown

APART = re.compile(r"(?:(.*) \| )?parts(?:/2)? by=\S+", re.DOTALL)  # the recipe of a part that no stage has changed
# Of one whose words may have places
CANONIZED = re.compile(r"((?:.* \| )?parts(?:/2)? by=\S+) \| canon\b.*", re.DOTALL)
TOGETHER = "parts together"
# Strings that orjson would write the same way, since they are copied. The caller checks that they are UTF-8
TEXT = rb'(?:[^"\\\x00-\x1f]++|\\["\\bfnrt]|\\u000[0-7bef]|\\u001[0-9a-f])*+'
PLAIN = rb'"[^"\\\x00-\x1f]*+"'
NUMBER = rb"(?:0|[1-9][0-9]{0,17})"


class OrdinaryPart(NamedTuple):
    """A part; its texts are JSON without the quotes."""

    of: bytes  # as JSON
    number: int
    before: bytes
    text: bytes
    behind: bytes | None
    rest: bytes  # of the line, from where carried fields may begin; it is not checked


class OrdinaryParts:
    """Reads parts. The names of their id and text are given as JSON without the quotes, and have no backslashes."""

    def __init__(self, id_name: bytes, text_name: bytes) -> None:
        self.pattern = re.compile(
            rb'\{"%b":(?:"%b"|-?%b),"of":(%b|0|-?[1-9][0-9]{0,17}),"part":([1-9][0-9]{0,17}),"place":\[%b,%b\],'
            rb'"before":"(%b)","%b":"(%b)"(?:,"behind":"(%b)"|(?!,"behind":"))([,}].*)'
            % (re.escape(id_name), TEXT, NUMBER, PLAIN, NUMBER, NUMBER, TEXT, re.escape(text_name), TEXT, TEXT),
            re.DOTALL,
        )

    def __call__(self, line: bytes) -> OrdinaryPart | None:
        """Returns the part on a line; None for a line that looks different."""
        match = self.pattern.fullmatch(line)
        if match is None or not (line.isascii() or wire.is_utf8(line)):
            return None
        of, number, before, text, behind, rest = match.groups()
        return OrdinaryPart(of, int(number), before, text, behind, rest)


class PartJoiner(RecordCollector):
    """Takes the parts of one document after the other. Writes each document when the next one begins.

    Before each part except the first it puts the text that stood between the two parts; before the first part only if
    it is the document's first. For parts with places of canon, it takes the text that canon read. Memory: a document,
    and the ids of all.
    """

    def __init__(self, spec: TogetherSpec) -> None:
        self.spec = spec
        self.names = [orjson.dumps(name) for name in (spec.id_field, spec.text_field)]
        self.seen: set[bytes] = set()  # ids of documents, as JSON
        self.name = b""  # the id of the current document, as JSON; b"" before the first
        self.text: list[bytes] = []  # its pieces, as JSON between quotes
        self.rest = b""  # its other members, after a comma
        self.last = 0  # the number of its last part so far
        self.ended = False  # whether that is the last part that the document had
        self.gaps = False  # whether parts are missing
        self.parts = 0  # of all documents
        self.incomplete = 0  # documents with parts missing
        names = [escaped(name) for name in (spec.id_field, spec.text_field)]
        self.reader = None if any(b"\\" in name for name in names) else OrdinaryParts(*names)
        self.known = b""  # the end of an ordinary line, and what the document takes over from it
        self.known_rest = b""

    def parsed(self, side: int, line: bytes, start: int) -> OrdinaryPart | Record:
        return (self.reader and self.reader(line)) or super().parsed(side, line, start)

    def take_record(self, part: OrdinaryPart | Record, line: bytes, _side: int, /) -> list[Event] | None:
        if isinstance(part, OrdinaryPart) and part.rest == self.known:
            written = self.next(part.of, part.number, self.known_rest)
            self.add(part.number, part.before, part.text, part.behind)
            return written
        record = parse(line, self.once(0)) if isinstance(part, OrdinaryPart) else part
        name = wire.take_id(record, "of")
        number = take_number(record)
        before, text = (wire.take_string(record, field) for field in ("before", self.spec.text_field))
        behind = wire.take_string(record, "behind") if "behind" in record else None
        via = wire.take_recipe(record)
        placed = CANONIZED.fullmatch(via) if AT in record else None
        if placed:
            text, via = wire.take_string(record, SOURCE), placed[1]
        via = document_recipe(via)
        written = self.next(
            orjson.dumps(name), number, self.carried(line, via, (SOURCE, AT, REPEATS) if placed else ())
        )
        self.add(number, in_json(before), in_json(text), None if behind is None else in_json(behind))
        if not placed and isinstance(part, OrdinaryPart) and (part.behind is None) == (behind is None):
            self.known, self.known_rest = part.rest, self.carried(line, via)
        return written

    def next(self, of: bytes, number: int, rest: bytes) -> list[Event] | None:
        """Begins the document of a part with this number, unless it has begun. Returns the line of the document before.

        Raises Rejected for a part that does not come next.
        """
        written = None
        if of != self.name:
            if of in self.seen:
                raise Rejected(f"other parts of {shown(orjson.loads(of))} came before those of another document")
            written = self.document()
            self.seen.add(of)
            self.name, self.rest, self.last, self.ended, self.gaps = of, rest, 0, False, False
        elif number <= self.last or self.ended:
            last = f"part {self.last}" if number <= self.last else f"the last, {self.last}"
            raise Rejected(f"part {number} of {shown(orjson.loads(of))} comes after {last}")
        return written

    def add(self, number: int, before: bytes, text: bytes, behind: bytes | None) -> None:
        """Adds a part to the document. Its texts are JSON without the quotes."""
        self.parts += 1
        self.gaps |= number != self.last + 1
        if self.text or number == 1:
            self.text.append(before)
        self.text += text, behind or b""
        self.last, self.ended = number, behind is not None

    def carried(self, line: bytes, via: str, more: Sequence[str] = ()) -> bytes:
        """Returns the other members of a document's record, taken from one of its parts.

        more: other fields of a part.
        """
        own = {*PART_FIELDS, *more, NAMED, self.spec.id_field, self.spec.text_field}
        rest = [
            (orjson.dumps(member.name), line[member.value : member.end])
            for member in members(line)
            if member.name not in own
        ]
        if via:
            rest.append((b'"via"', orjson.dumps(via)))
        return b"".join(b",%b:%b" % member for member in rest)

    def document(self) -> list[Event]:
        """Returns the line of the current document, if there is one."""
        if not self.name:
            return written()
        self.incomplete += self.gaps or not self.ended
        text, self.text = b"".join(self.text), []
        return written(b'{%b:%b,%b:"%b"%b}\n' % (self.names[0], self.name, self.names[1], text, self.rest))

    def finish(self) -> Iterator[Event]:
        yield from self.document()

    def summary(self) -> list[str]:
        return [f"{self.parts} parts", f"{len(self.seen)} documents", f"{self.incomplete} with parts missing"]


def in_json(text: str) -> bytes:
    """Returns a string as JSON, without the quotes."""
    return orjson.dumps(text)[1:-1]


def take_number(record: Record) -> int:
    """Returns the number of a part. Raises Rejected unless the field part is a number from 1 on."""
    value = record.get("part")
    if type(value) is int and value > 0:
        return value
    raise Rejected('field "part" is missing' if "part" not in record else 'field "part" is not a number from 1 on')


def document_recipe(via: str) -> str:
    """Returns the recipe of a document, from the recipe of its parts.

    This is the recipe before `parts`, or, if stages have changed the parts, that of the parts.

    >>> document_recipe("canon --sentences | parts by=line"), document_recipe("parts by=line")
    ('canon --sentences', '')
    >>> document_recipe("parts by=line | canon"), document_recipe("")
    ('parts by=line | canon | parts together', 'parts together')
    """
    if match := APART.fullmatch(via):
        return match[1] or ""
    return wire.extended_recipe(via, TOGETHER)
