"""Readers of pairs, groups and documents, for scores."""

import contextlib
from bisect import bisect_left
from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from math import ceil

import numpy as np
import orjson

from shingletools.commands.simscore.spec import FOUND, TRUTH, ScoreSpec
from shingletools.kernel.line_columns import DECIMALS, ColumnData, Field, Kind
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.pair_relation import NONE
from shingletools.record import wire
from shingletools.record.json_members import check_line_once, escaped, member_of, members, parse
from shingletools.record.labels import (
    GROUPS,
    LABEL_FIELD,
    PAIRS,
    UNIQUE_FIELDS,
    check_all_pairs,
    check_judged_same,
    judged_same,
    kind_of,
    label_on,
)
from shingletools.record.record_batch import Schema
from shingletools.record.wire import AGAINST, COPY, Name, Record
from shingletools.system.errors import Failed, Rejected

DOCUMENTS = "documents"  # a kind of file, like PAIRS and GROUPS
SAME, APART = 0, 2  # judgements of a pair
LAST_CODE = -2  # units of similarities are greater; codes of bands, from NONE on, go down from here
BEYOND = 'field "similarity" is not a number from 0 to 1'
TINY = 1e-30  # edges have 18 digits behind the point, or are shares of numbers of 18 digits
EXTRA_DIGITS = 40  # for a product of a similarity and a number of 18 digits, or of 21 where the edge is a multiple


class ScoreRecords:
    """Reads the records of a side. known_as: returns an id of a table as the other files spell it."""

    def __init__(self, spec: ScoreSpec, side: int, known_as: Callable[[Name], Name]) -> None:
        self.spec, self.side, self.known_as = spec, side, known_as
        self.labelled = side == TRUTH and spec.label is not None
        self.once = spec.once(side)
        ordinary = spec.format_of(side) is None
        self.schemas = {
            PAIRS: Schema(self.pair, self.pair_fields(), ordinary=ordinary),
            GROUPS: Schema(self.group, (Field(b"members", Kind.IDS),), ordinary=ordinary and not self.banded),
            DOCUMENTS: Schema(self.document, self.document_fields(), ordinary=ordinary),
        }
        self.first = Schema(self.first_line, max_rows=1, objects=True)  # of a file
        self.edges = np.array([ceil(edge * 10**DECIMALS) for edge in spec.edges], np.int64)  # of bands, in units

    @property
    def banded(self) -> bool:
        """Returns whether each record needs a similarity."""
        return self.side == FOUND and bool(self.spec.edges)

    def pair_fields(self) -> tuple[Field, ...]:
        ids = Field(b"a", Kind.ID), Field(b"b", Kind.ID, shared=0, other=0)
        flags = Field(AGAINST.encode(), Kind.FLAG), Field(COPY.encode(), Kind.NONE)
        kind, must = (Kind.FLAG, True) if self.side == TRUTH else (Kind.NONE, False)
        judged = (Field(LABEL_FIELD.encode(), kind, must=must),)
        bands = (Field(b"similarity", Kind.UNITS, must=self.banded),) if self.spec.edges else ()
        return *ids, *flags, *judged, *bands

    def document_fields(self) -> tuple[Field, ...]:
        label = (Field(escaped(self.spec.label or ""), Kind.LABEL, must=True),) if self.labelled else ()
        return Field(escaped(self.spec.id_of(self.side)), Kind.ID), *label

    def first_line(self, line: bytes, start: int) -> tuple[str, Sequence[object]]:
        """Returns what a file holds, by its first line (PAIRS or GROUPS), and the values of the line."""
        kind = kind_of(parse(line, self.once))
        return kind, self.schemas[kind].parse_line(line, start)

    def record(self, line: bytes, *id_fields: str) -> Record:
        """Returns the record on a line, with ids as the other files spell them. Raises Rejected."""
        record = parse(line, self.once)
        if self.spec.format_of(self.side) is not None:
            record |= {name: self.known_as(record[name]) for name in id_fields if name in record}
        return record

    def pair(self, line: bytes, _start: int) -> Sequence[object]:
        record = self.record(line, "a", "b")
        check_line_once(line, (*UNIQUE_FIELDS[PAIRS], *["similarity"] * bool(self.spec.edges)))
        one, two, against = wire.take_pair(record)
        check_all_pairs(record, "simscore")
        if self.side == FOUND:
            check_judged_same(record)
        judged = (SAME if judged_same(record) else APART,) if self.side == TRUTH else ()
        bands = (LAST_CODE + NONE - self.band(record, line),) if self.spec.edges else ()
        return orjson.dumps(one), orjson.dumps(two), against, *judged, *bands

    def group(self, line: bytes, _start: int) -> Sequence[object]:
        record = self.record(line)
        check_line_once(line, UNIQUE_FIELDS[GROUPS])
        names = wire.take_ids(record, "members")
        if self.banded:
            raise Failed("a group has no similarity, which --bands and --by need")
        return [[b"%b" % orjson.dumps(name) for name in names]]  # copies: orjson's bytes keep a kilobyte each

    def document(self, line: bytes, _start: int) -> Sequence[object]:
        id_field = self.spec.id_of(self.side)
        name = wire.take_id(record := self.record(line, id_field), id_field)
        if not self.labelled:
            return [orjson.dumps(name)]
        return orjson.dumps(name), label_on(record, line, self.spec.label or "")

    def bands(self, similarities: ColumnData) -> tuple[Index, Flags]:
        """Returns the number of each similarity's band, or NONE; and which similarities are above 1.

        The kernel gives a similarity of few digits in units; `pair`, which compares exactly, the code of a band.
        """
        units = np.frombuffer(similarities.data, np.int64)
        bands = np.searchsorted(self.edges, units, "right") - 1
        return np.where(units <= LAST_CODE, LAST_CODE + NONE - units, bands), units > 10**DECIMALS

    def band(self, record: Record, line: bytes) -> int:
        """Returns the number of the band of a pair's similarity, or NONE; raises Rejected."""
        if "similarity" not in record:
            if self.side == TRUTH:
                return NONE
            raise Rejected('field "similarity" is missing')
        value = record["similarity"]
        if self.side == TRUTH and self.spec.form is not None:  # all values of a table are text
            if not value.strip():
                return NONE
            line = b'{"similarity":%b}' % value.encode()
            with contextlib.suppress(Rejected):
                value = wire.parse_json(line)["similarity"]
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise Rejected(BEYOND)
        member = member_of(line, members(line), "similarity")
        assert member is not None
        text = line[member.value : member.end].decode()
        # The value is only the nearest double. No edge but 0 is below TINY, and such exponents may be too many.
        exact = Decimal(text) if value > TINY else Decimal(0)
        if exact > 1:
            raise Rejected(BEYOND)
        context = Context(prec=len(text) + EXTRA_DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX)
        edges = self.spec.edges
        return bisect_left(edges, True, key=lambda e: context.multiply(exact, e.denominator) < e.numerator) - 1
