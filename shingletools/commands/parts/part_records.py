"""Makes the records of a document's parts."""

from collections.abc import Iterator, Sequence

from shingletools.commands.parts.part_places import Cut
from shingletools.record import wire
from shingletools.record.json_members import member_of, members, parse
from shingletools.system.lazy_imports import orjson

LINE = b'{%b:%b%d","of":%b,"part":%d,"place":[%d,%d],"before":%b,%b:%b%b'


class PartLines:
    """Makes the lines of a document's parts. It can be pickled for worker processes.

    Text between two parts goes with the second one, as `before`. Text after the last part goes with it, as `behind`;
    no other part has this field. A text without parts becomes one empty part with the whole text as `before`.
    """

    def __init__(self, places: Cut, text_field: str, carried: Sequence[str], recipe: str, named: str) -> None:
        """named: what the parts say of the names of the id and the text; empty if nothing."""
        self.places = places
        self.text_field = text_field
        self.carried: Sequence[str] = tuple(carried)
        self.recipe = recipe
        self.named = named

    def summary(self, lines: int, /) -> list[str]:
        return [f"{lines} parts"]

    def __call__(self, id_field: str, line: bytes, /) -> bytes:
        """Returns the lines for a document's line, each ended by a line feed. Raises Rejected."""
        record = parse(line, (id_field, self.text_field, "via", *self.carried))
        name = wire.take_id(record, id_field)
        text = wire.take_string(record, self.text_field)
        via = wire.take_recipe(record)
        dumps = orjson.dumps
        of, numbered = dumps(name), dumps(f"{name}#")[:-1]
        id_name, text_name = dumps(id_field), dumps(self.text_field)
        tail = b"".join(self.carry(line)) if self.carried else b""
        tail += b",%b:%b" % (dumps(wire.NAMED), dumps(self.named)) if self.named else b""
        tail += b',"via":%b}\n' % dumps(wire.extended_recipe(via, self.recipe))
        lines = []
        places = list(self.places(text)) or [(len(text), len(text))]
        at, last = 0, len(places)
        for number, (start, end) in enumerate(places, 1):
            before, part = dumps(text[at:start]), dumps(text[start:end])
            at = end
            if number == last:
                tail = b',"behind":%b%b' % (dumps(text[at:]), tail)
            lines.append(LINE % (id_name, numbered, number, of, number, start, end, before, text_name, part, tail))
        return b"".join(lines)

    def carry(self, line: bytes) -> Iterator[bytes]:
        """Yields the members that parts take over from their document, in the document's order."""
        every = members(line)
        places = [(member, field) for field in self.carried if (member := member_of(line, every, field)) is not None]
        for member, field in sorted(places, key=lambda place: place[0].start):
            yield b",%b:%b" % (orjson.dumps(field), line[member.value : member.end])
