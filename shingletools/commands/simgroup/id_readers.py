"""Reads the ids of pairs and of documents."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Protocol

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

ANY_SIMILARITY = -1  # instead of a similarity: none is needed; in rows: the pair is not similar enough


class IdReader(Protocol):
    """Reads the ids of lines."""

    schema: Schema

    def ids(self, batch: RecordBatch, /) -> tuple[bytes, Index]:
        """Returns the ids of a batch as JSON, one after the other, and the bytes of each."""


class PairIds(IdReader):
    """Reads the ids of pairs that are similar enough, two for each pair."""

    def __init__(self, least: Fraction | None, once: Sequence[str]) -> None:
        self.least, self.once = least, once
        self.units = ANY_SIMILARITY if least is None else ceil(least * 10**DECIMALS)
        similarity = (Field(b"similarity", Kind.UNITS, must=True),) if least is not None else ()
        ids = Field(b"a", Kind.ID), Field(b"b", Kind.ID, shared=0, other=0)
        flags = Field(AGAINST.encode(), Kind.NONE), Field(COPY.encode(), Kind.FLAG)
        label = Field(LABEL_FIELD.encode(), Kind.NONE)
        self.schema = Schema(self.parse_line, (*ids, *flags, *similarity, label))

    def parse_line(self, line: bytes, _start: int) -> Sequence[bytes | int]:
        """Returns the ids, whether b is a copy, and the least similarity or ANY_SIMILARITY. Raises Rejected, Failed."""
        *names, enough = take_pair(record := parse(line, self.once), self.least)
        check_judged_same(record)
        units = () if self.least is None else (self.units if enough else ANY_SIMILARITY,)
        return [*map(orjson.dumps, names), wire.take_flag(record, COPY), *units]

    def enough(self, batch: RecordBatch) -> Flags:
        """Returns which pairs are similar enough."""
        flags: Flags = np.ones(batch.rows, np.bool_)
        for similarity in batch.columns[2:]:
            flags = np.frombuffer(similarity.data, np.int64) >= self.units
        return flags

    def ids(self, batch: RecordBatch, /) -> tuple[bytes, Index]:
        sizes, enough = np.frombuffer(batch.columns[0].sizes, np.int64), self.enough(batch)
        if enough.all():
            return batch.columns[0].data, sizes
        both = np.repeat(enough, 2)
        return selected_values(batch.columns[0].data, sizes, both), sizes[both]

    def copied(self, batch: RecordBatch) -> Flags:
        """Returns for each pair that is similar enough whether b is a copy of a, which has no other pair."""
        flags: Flags = np.frombuffer(batch.columns[1].data, np.bool_)[self.enough(batch)]
        return flags


class DocumentIds(IdReader):
    """Reads the ids of documents."""

    def __init__(self, id_field: str) -> None:
        self.schema = id_schema(id_field)

    def ids(self, batch: RecordBatch, /) -> tuple[bytes, Index]:
        (ids,) = batch.columns
        return ids.data, np.frombuffer(ids.sizes, np.int64)


def take_pair(record: Record, least: Fraction | None) -> tuple[str | int, str | int, bool]:
    """Returns the ids of a pair, and whether it is similar enough. Raises Rejected if the record is no pair.

    Raises Failed for a pair of two sides: to reject it would lose the pairs that --against was to find.
    """
    wire.check_one_side(record)
    one, two, _ = wire.take_pair(record)
    return one, two, least is None or similarity(record) >= least


def similarity(record: Record) -> Fraction:
    """Returns the pair's similarity, exactly as written. Raises Rejected unless it is a number."""
    value = record.get("similarity")
    if type(value) not in (int, float):
        cause = "is not a number" if "similarity" in record else "is missing"
        raise Rejected(f'field "similarity" {cause}')
    return Fraction(str(value))
