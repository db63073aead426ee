"""Reads the ids of pairs and of documents."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np
import orjson

from shingletools.kernel.ids import selected_values
from shingletools.kernel.line_columns import DECIMALS, Field, Kind
from shingletools.kernel.types import Flags, Index
from shingletools.record import wire
from shingletools.record.json_members import parse
from shingletools.record.labels import LABEL_FIELD, check_judged_same
from shingletools.record.record_batch import RecordBatch, Schema, id_schema
from shingletools.record.wire import AGAINST, COPY, Record
from shingletools.system.errors import Rejected


class PairIds:
    """Reads the ids of pairs that are similar enough, two for each pair."""

    def __init__(self, least: Fraction | None, once: Sequence[str]) -> None:
        self.least, self.once = least, once
        self.units = 0 if least is None else ceil(least * 10**DECIMALS)
        ids = Field(b"a", Kind.ID), Field(b"b", Kind.ID, shared=0, other=0)
        similarity = (Field(b"similarity", Kind.UNITS, must=True),) if least is not None else ()
        others = (Field(AGAINST.encode(), Kind.NONE), Field(COPY.encode(), Kind.FLAG), *similarity)
        self.schema = Schema(self.parse_line, (*ids, *others, Field(LABEL_FIELD.encode(), Kind.NONE)))

    def parse_line(self, line: bytes, _start: int) -> Sequence[bytes | int]:
        """Returns the ids, whether b is a copy, and, if it counts, a similarity: the least one, or 0 for less.

        Raises Rejected. Raises Failed for a pair of two sides: to reject it would lose the pairs that --against was to
        find.
        """
        record = parse(line, self.once)
        wire.check_one_side(record)
        one, two, _ = wire.take_pair(record)
        units = () if self.least is None else (self.units if similarity(record) >= self.least else 0,)
        check_judged_same(record)
        return orjson.dumps(one), orjson.dumps(two), wire.take_flag(record, COPY), *units

    def enough(self, batch: RecordBatch) -> Flags:
        """Returns which pairs are similar enough."""
        if self.least is None:
            return np.ones(batch.rows, np.bool_)
        flags: Flags = np.frombuffer(batch.columns[2].data, np.int64) >= self.units
        return flags

    def ids(self, batch: RecordBatch, /) -> tuple[bytes, Index]:
        """Returns the ids as JSON, one after the other, and the bytes of each."""
        sizes, enough = np.frombuffer(batch.columns[0].sizes, np.int64), self.enough(batch)
        if enough.all():
            return batch.columns[0].data, sizes
        both = np.repeat(enough, 2)
        return selected_values(batch.columns[0].data, sizes, both), sizes[both]

    def copied(self, batch: RecordBatch) -> Flags:
        """Returns for each pair that is similar enough whether b is a copy of a, which has no other pair."""
        flags: Flags = np.frombuffer(batch.columns[1].data, np.bool_)[self.enough(batch)]
        return flags


class DocumentIds:
    """Reads the ids of documents."""

    def __init__(self, id_field: str) -> None:
        self.schema = id_schema(id_field)

    def ids(self, batch: RecordBatch, /) -> tuple[bytes, Index]:
        """Returns the ids as JSON, one after the other, and the bytes of each."""
        (ids,) = batch.columns
        return ids.data, np.frombuffer(ids.sizes, np.int64)


def similarity(record: Record) -> Fraction:
    """Returns the pair's similarity, exactly as written. Raises Rejected unless it is a number."""
    value = record.get("similarity")
    if type(value) not in (int, float):
        cause = "is not a number" if "similarity" in record else "is missing"
        raise Rejected(f'field "similarity" {cause}')
    return Fraction(str(value))
