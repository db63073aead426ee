"""The documents of a batch, as arrays: their ids, and the fields by which dedup chooses among them."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel.line_columns import ColumnData, Field, Kind
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread
from shingletools.record import wire
from shingletools.record.json_members import escaped, member_of, members, parse
from shingletools.record.record_batch import RecordBatch, Schema, parse_id
from shingletools.record.wire import Record

NO_COLUMN = ColumnData(b"", b"", b"")


class DocumentArrays(NamedTuple):
    """Documents on consecutive lines."""

    lines: bytes
    places: Index  # the start of each line, and the end of the last
    lasts: Index  # the end of each document's last value; below 0 for documents that may have marks
    numbers: Index  # numbers of the ids
    lengths: Index  # of the texts, in characters, if they count
    values: Index  # start and end of each value that counts, 0 and 0 if there is none; shape (documents, 2)
    wholes: Index  # likewise, the id of the whole of which a document is a part

    def spelled(self, spans: Index) -> tuple[bytes, bytes]:
        """Returns the values between these starts and ends, one after the other, and the bytes of each, int64."""
        starts, ends = spans.T
        text = np.frombuffer(self.lines, np.uint8)[spread(starts, ends - starts)[0]]
        return text.tobytes(), (ends - starts).tobytes()


class DocumentReader:
    """The schemas of documents; makes DocumentArrays of the rows."""

    def __init__(self, spec: DedupSpec) -> None:
        self.unrepeated, self.id_field = spec.once(0), spec.id_field
        self.chosen_by = (spec.measured, Kind.LENGTH), (spec.valued, Kind.SPAN), (spec.counted, Kind.SPAN)
        fields = [Field(escaped(name), kind) for name, kind in self.chosen_by if name is not None]
        last = Field(escaped(spec.id_field), Kind.ID), *(Field(name.encode(), Kind.NONE) for name in spec.marks)
        self.schema = Schema(self.parse_line, (*fields, *last))
        self.ids_only = Schema(partial(parse_id, spec.id_field), last)  # of documents that come again

    def parse_line(self, line: bytes, start: int) -> Sequence[object]:
        """Returns the values of the fields of a line. Raises Rejected."""
        record = parse(line, self.unrepeated)
        values = [self.value(record, line, start, name, kind) for name, kind in self.chosen_by if name is not None]
        return [*values, orjson.dumps(wire.take_id(record, self.id_field))]

    def value(self, record: Record, line: bytes, start: int, name: str, kind: Kind) -> object:
        if kind == Kind.LENGTH:
            return len(wire.take_string(record, name))
        member = member_of(line, members(line), name)
        return (0, 0) if member is None else (start + member.value, start + member.end)

    def arrays(self, batch: RecordBatch, numbers: Index) -> DocumentArrays:
        """Returns the documents of a batch by one of the schemas. numbers: those of their ids."""
        columns = iter(batch.columns[:-1])
        lengths, values, wholes = (
            np.frombuffer((NO_COLUMN if name is None else next(columns, NO_COLUMN)).data, np.int64)
            for name, _ in self.chosen_by
        )
        places = np.append(np.frombuffer(batch.starts, np.int64), batch.end)
        lasts = np.frombuffer(batch.lasts, np.int64)
        return DocumentArrays(
            batch.lines, places, lasts, numbers, lengths, values.reshape(-1, 2), wholes.reshape(-1, 2)
        )
