"""Reads pairs, which say how similar two documents are, and which of them may go for the other."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.dedup.side_input import LineFailed, SideInput
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds, each_id
from shingletools.kernel.independent_set import EITHER_MAY
from shingletools.kernel.line_columns import ColumnData, Field, Kind
from shingletools.kernel.types import F64, U8, Flags
from shingletools.numbers.covered_documents import SIDES
from shingletools.record import wire
from shingletools.record.json_members import parse
from shingletools.record.labels import LABEL_FIELD, check_judged_same
from shingletools.record.record_batch import RecordBatch, Schema
from shingletools.record.wire import AGAINST, CONTAINED, COPY, COVERS, Record
from shingletools.system.errors import Rejected

NO_SIMILARITY = -np.inf  # the similarity of a pair that has none; less than any other
SAID = COVERS, CONTAINED, "answer"  # fields of a pair: of simcheck, simjoin, simcheck
UNSAID, DIFFERENT, OTHER = 4, 8, 12  # codes of a missing value, of the answer that they differ, and of other values
CODES = {**SIDES, b"": UNSAID, b'"different"': DIFFERENT}


class PairColumns(NamedTuple):
    """Pairs, as columns."""

    a: ColumnData
    b: ColumnData
    similarity: F64
    against: Flags  # whether b is of another side
    copied: Flags  # whether b is a copy of a
    may_go: U8  # which documents may go: bits of PairEnds.may_go, or DIFFERENT


class PairInput(SideInput):
    """Takes pairs, {"a", "b", "similarity"}; similarity may be missing or null, and the fields SAID may be missing.

    A similarity is a double. Doubles keep the order and the equality of decimals of up to 15 digits, such as simjoin's
    6, so comparing them is comparing what is written.
    """

    def __init__(self) -> None:
        self.schema = Schema(
            self.parse_line,
            (
                Field(b"a", Kind.ID),
                Field(b"b", Kind.ID),
                Field(b"similarity", Kind.DOUBLE),
                *(Field(name.encode(), Kind.LABEL, shared=3 if place else -1) for place, name in enumerate(SAID)),
                Field(AGAINST.encode(), Kind.FLAG),
                Field(COPY.encode(), Kind.FLAG),
                Field(LABEL_FIELD.encode(), Kind.NONE),
            ),
        )

    def parse_line(self, line: bytes, _start: int) -> Sequence[bytes | float]:
        """Returns a pair's ids, similarity, the fields SAID as JSON, and flags. Raises Rejected and Failed."""
        record = parse(line, ("a", "b", "similarity", AGAINST, COPY, LABEL_FIELD, *SAID))
        check_judged_same(record)
        ids = (orjson.dumps(wire.take_id(record, name)) for name in ("a", "b"))
        said = (wire.json_of(record[name]) if name in record else b"" for name in SAID)
        return *ids, take_similarity(record), *said, self.take_side(record), wire.take_flag(record, COPY)

    def take_side(self, record: Record) -> bool:
        """Returns whether a pair is of two sides. Raises Rejected or Failed."""
        return wire.take_against(record)

    def add(self, batch: RecordBatch, /) -> None:
        a, b, similarity, said, *flags = batch.columns
        against, copied = (np.frombuffer(flag.data, np.bool_) for flag in flags)
        may_go = who_may_go(said) if said.data else np.full(batch.rows, EITHER_MAY, np.uint8)
        copied = copied & (may_go == EITHER_MAY)
        self.add_pairs(PairColumns(a, b, np.frombuffer(similarity.data), against, copied, may_go))

    @abstractmethod
    def add_pairs(self, pairs: PairColumns, /) -> None:
        """Adds pairs. Raises LineFailed."""


def who_may_go(said: ColumnData) -> U8:
    """Returns which documents of each pair may go: bits of PairEnds.may_go, or DIFFERENT. Raises LineFailed.

    said: the values of the fields SAID, pair by pair. COVERS decides, and without it CONTAINED. Of a pair that has
    neither, either may go.
    """
    spelled = kernel.new_ids()
    numbers = np.frombuffer(spelled.number(said.data, said.sizes), np.int64).reshape(-1, len(SAID))
    every = SelectedIds(spelled.data, spelled.ends, np.arange(len(spelled)))
    values = [orjson.dumps(orjson.loads(value)) if value else value for value in each_id(every)]
    covers, contained, answer = np.array([CODES.get(value, OTHER) for value in values], np.uint8)[numbers].T
    for name, codes in ((COVERS, covers), (CONTAINED, contained)):
        if (wrong := codes > UNSAID).any():
            raise LineFailed(f'field "{name}" is not a, b, both or none', int(np.argmax(wrong)))
    may_go = np.where(covers != UNSAID, covers, np.where(contained != UNSAID, contained, EITHER_MAY))
    return np.where((may_go == 0) & (answer == DIFFERENT), DIFFERENT, may_go).astype(np.uint8)


def take_similarity(record: Record) -> float:
    """Returns the similarity of a pair. Raises Rejected."""
    similarity = record.get("similarity")
    if similarity is None:
        return NO_SIMILARITY
    if type(similarity) not in (int, float):
        raise Rejected('field "similarity" is not a number')
    return float(similarity)
