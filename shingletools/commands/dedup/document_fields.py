"""The fields of documents that dedup reads: ids, and the values by which it chooses among documents."""

from collections.abc import Sequence

import numpy as np
import orjson

from shingletools.commands.dedup.document_arrays import DocumentArrays
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel.line_columns import ColumnData, Field, Kind
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.record.json_members import escaped, member_of, members, parse
from shingletools.record.record_batch import RecordBatch, Schema
from shingletools.record.wire import Record

NO_VALUES = np.empty(0, np.int64)


class DocumentFields:
    """Says which fields are read, and makes DocumentArrays of the rows: ids, and the values that dedup decides by."""

    def __init__(self, spec: DedupSpec) -> None:
        self.spec, self.unrepeated = spec, spec.once(0)
        self.read_fields = [  # in the order in which they are checked
            (spec.measured, Kind.LENGTH),
            (spec.valued, Kind.SPAN),
            (spec.counted, Kind.SPAN),
            (spec.id_field, Kind.ID),
        ]
        fields = [Field(escaped(name), kind) for name, kind in self.read_fields if name is not None]
        marks = [Field(name.encode(), Kind.NONE) for name in spec.marks]
        self.schema = Schema(self.parse_line, (*fields, *marks))
        self.ids_only = Schema(self.parse_id, (*fields[-1:], *marks))  # of documents that were read before

    def parse_line(self, line: bytes, start: int) -> Sequence[object]:
        """Returns the values of the fields of a line. Raises Rejected."""
        record = parse(line, self.unrepeated)
        return [self.value(record, line, start, name, kind) for name, kind in self.read_fields if name is not None]

    def value(self, record: Record, line: bytes, start: int, name: str, kind: Kind) -> object:
        if kind == Kind.LENGTH:
            return len(wire.take_string(record, name))
        if kind == Kind.ID:
            return orjson.dumps(wire.take_id(record, name))
        found = member_of(line, members(line), name)
        return (0, 0) if found is None else (start + found.value, start + found.end)

    def parse_id(self, line: bytes, _start: int) -> Sequence[bytes]:
        return [orjson.dumps(wire.take_id(wire.parse_json(line), self.spec.id_field))]

    def ids(self, batch: RecordBatch) -> ColumnData:
        """Returns the ids of a batch's documents."""
        return batch.columns[-1]

    def block(self, batch: RecordBatch, numbers: Index, has_values: bool = True) -> DocumentArrays:
        """Returns the documents of a batch. has_values: not only ids, but also the fields that dedup decides by."""
        columns = iter(batch.columns)
        lengths, values, wholes = (
            np.frombuffer(next(columns).data, np.int64) if has_values and name is not None else NO_VALUES
            for name, _ in self.read_fields[:-1]
        )
        places = np.append(np.frombuffer(batch.starts, np.int64), batch.end)
        lasts = np.frombuffer(batch.lasts, np.int64)
        return DocumentArrays(
            batch.lines, places, lasts, numbers, lengths, values.reshape(-1, 2), wholes.reshape(-1, 2)
        )
