"""Readers of records with signatures, for joins and archives."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import orjson

from shingletools.commands.simjoin.comparable import fields_before
from shingletools.commands.simjoin.signature import FIELDS, Signature
from shingletools.commands.simjoin.signatures import LONG_SHINGLES, SHINGLE_SETS, signature_of
from shingletools.kernel.line_columns import Field, Kind
from shingletools.record import wire
from shingletools.record.json_members import escaped, parse
from shingletools.record.labels import label_on
from shingletools.record.record_batch import Schema
from shingletools.record.wire import Record
from shingletools.system.errors import Rejected, shown


class Signed(NamedTuple):
    """The parts of a record that a join needs."""

    name: str | int
    via: str
    signature: Signature
    data: bytes  # of the signature; empty if it pairs with none


def take_signed(record: Record, id_field: str) -> Signed:
    """Returns the id, recipe and signature of a record. Raises Rejected unless it has an id and a signature."""
    name = wire.take_id(record, id_field)
    signature = signature_of(record)
    data = signature.read(wire.take_string(record, signature.field))
    via = wire.take_recipe(record)
    if data is None:
        raise Rejected(f"field {shown(signature.field)} is not {signature.form}")
    return Signed(name, via, signature, data)


def take_shingles(record: Record) -> bytes:
    """Returns the shingles of a record. Raises Rejected unless it has at least one."""
    signature = signature_of(record, SHINGLE_SETS)
    data = signature.read(wire.take_string(record, signature.field))
    if not data:
        raise Rejected(f"field {shown(signature.field)} is not {signature.form}")
    return data


class Needed(NamedTuple):
    """What a join or an archive needs of records."""

    id_field: str
    once: Sequence[str]  # fields that may not stand twice
    verify: bool = False  # whether shingles are read, too
    labels: Sequence[str] = ()  # fields of labels


class SignedRecords:
    """Reads records with signatures: ids, signatures, shingles to verify by, and labels.

    The first signature says what the kernel looks for (`schema_of`). Until it has come, a batch has one row.
    """

    def __init__(self, needed: Needed, check: Callable[[Signed], object], lines: bool = False) -> None:
        """Takes what checks each record that the definition reads; it raises Failed or Rejected. lines: see Schema."""
        self.needed, self.check = needed, check
        payloads = [Field(b"", Kind.GROUPS, 16)] * (1 + needed.verify)
        self.schema = Schema(
            self.parse_line,
            (Field(b"", Kind.ID), *payloads, *self.label_fields(1 + len(payloads))),
            max_rows=1,
            provisional=True,
            ordinary=False,
            lines=lines,
        )
        self.last: Signed | None = None  # that the definition has read

    def parse_line(self, line: bytes, _start: int) -> Sequence[bytes]:
        """Returns the id, the signature, shingles and labels of a record. Raises Rejected and Failed."""
        record = parse(line, self.needed.once)
        signed = take_signed(record, self.needed.id_field)
        self.check(signed)
        self.last = signed
        shingles = [take_shingles(record) if signed.data else b""] if self.needed.verify else []
        labels = [label_on(record, line, field) for field in self.needed.labels]
        return orjson.dumps(signed.name), signed.data, *shingles, *labels

    def schema_of(self, via: str, signature: Signature, size: int) -> Schema:
        """Returns the schema of lines whose signatures have this recipe, kind and size in bytes."""
        signatures = [(signature, size), (LONG_SHINGLES, 0)][: 1 + self.needed.verify]
        payloads = [Field(each.field.encode(), Kind.GROUPS, each.digits, each.fixed(size)) for each, size in signatures]
        fields = [
            Field(escaped(self.needed.id_field), Kind.ID),
            Field(b"via", Kind.EQUAL, text=escaped(via) if via else None),
            *payloads,
            *(Field(field.encode(), Kind.NONE) for field in fields_before(signature)),
            *(Field(field.encode(), Kind.AT_MOST_ONCE) for field in FIELDS),
        ]
        fields += self.label_fields(len(fields))
        return Schema(self.parse_line, tuple(fields), lines=self.schema.lines)

    def label_fields(self, first: int) -> list[Field]:
        """Returns the fields of labels, which have one column. first: the place of the first one."""
        names = map(escaped, self.needed.labels)
        return [Field(name, Kind.LABEL, shared=first if number else -1, must=True) for number, name in enumerate(names)]
