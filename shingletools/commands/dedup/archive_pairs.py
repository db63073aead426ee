"""Reads pairs, and finds by them the documents that an archive has."""

import os
from abc import abstractmethod
from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.dedup.removal_decisions import NO_SIMILARITY, flagged
from shingletools.commands.dedup.side_input import LineFailed, SideInput
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids, SelectedIds, each_id
from shingletools.kernel.independent_set import EITHER_MAY, FIRST_MAY
from shingletools.kernel.line_columns import ColumnData, Field, Kind
from shingletools.kernel.types import F64, U8, Flags, Index
from shingletools.numbers.covered_documents import SIDES
from shingletools.reading.streams import first_line
from shingletools.record import wire
from shingletools.record.collector import ONE_PROCESS, CollectorContext
from shingletools.record.document_format import Format
from shingletools.record.json_members import parse
from shingletools.record.labels import LABEL_FIELD, check_judged_same
from shingletools.record.record_batch import RecordBatch, Schema, id_schema
from shingletools.record.wire import AGAINST, CONTAINED, COPY, COVERS, Record
from shingletools.system.errors import Failed, Rejected, printable, shown_place

NO_IDS = "no ids: numbered rows, lines and citations have them only in JSON lines, as repeats --removed writes them"

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


class Similarities(SideInput):
    """Takes pairs, {"a", "b", "similarity"}; similarity may be missing or null, and the fields SAID may be missing.

    A similarity is a double. Doubles keep the order and the equality of decimals of up to 15 digits, such as simjoin's
    6, so comparing them is comparing what is written.
    """

    def __init__(self) -> None:
        ids = Field(b"a", Kind.ID), Field(b"b", Kind.ID)
        flags = (Field(name.encode(), Kind.FLAG) for name in (AGAINST, COPY))
        said = (Field(name.encode(), Kind.LABEL, shared=3 if place else -1) for place, name in enumerate(SAID))
        others = Field(b"similarity", Kind.DOUBLE), *said, *flags, Field(LABEL_FIELD.encode(), Kind.NONE)
        self.schema = Schema(self.parse_line, (*ids, *others))

    def parse_line(self, line: bytes, _start: int) -> Sequence[bytes | float]:
        """Returns a pair's ids, similarity, the fields SAID as JSON, and flags. Raises Rejected and Failed."""
        record = parse(line, ("a", "b", "similarity", AGAINST, COPY, LABEL_FIELD, *SAID))
        check_judged_same(record)
        said = (wire.json_of(record[name]) if name in record else b"" for name in SAID)
        return *take_similar(record), *said, self.take_side(record), wire.take_flag(record, COPY)

    def take_side(self, record: Record) -> bool:
        """Returns whether a pair is of two sides. Raises Rejected or Failed."""
        return wire.take_against(record)

    def add(self, batch: RecordBatch, /) -> None:
        a, b, similarity, said, *flags = batch.columns
        against, copied = (np.frombuffer(flag.data, np.bool_) for flag in flags)
        may_go = who_may_go(said, batch.rows)
        copied = copied & (may_go == EITHER_MAY)
        self.add_pairs(PairColumns(a, b, np.frombuffer(similarity.data), against, copied, may_go))

    @abstractmethod
    def add_pairs(self, pairs: PairColumns, /) -> None:
        """Adds pairs. Raises LineFailed."""


def who_may_go(said: ColumnData, rows: int) -> U8:
    """Returns which documents of each pair may go: bits of PairEnds.may_go, or DIFFERENT. Raises LineFailed.

    said: the values of the fields SAID, pair by pair. COVERS decides, and without it CONTAINED. Of a pair that has
    neither, either may go.
    """
    if not said.data:
        return np.full(rows, EITHER_MAY, np.uint8)
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


def take_similar(record: Record) -> tuple[bytes, bytes, float]:
    """Returns the ids of a pair, as JSON, and its similarity. Raises Rejected."""
    a, b = (orjson.dumps(wire.take_id(record, name)) for name in ("a", "b"))
    similarity = record.get("similarity")
    if similarity is None:
        return a, b, NO_SIMILARITY
    if type(similarity) not in (int, float):
        raise Rejected('field "similarity" is not a number')
    return a, b, float(similarity)


def check_two_sides(record: Record) -> None:
    """Raises Failed for a pair that says that it has one side. Raises Rejected.

    A pair without that field passes, since other programs do not write it; but see ArchivePartners.
    """
    if not wire.take_against(record) and record.get(AGAINST) is not None:
        raise Failed("a pair of the input with itself: --known takes pairs of the input with an archive")


class ArchivePartners(Similarities):
    """Finds for each a, a document of the input, the most similar b of an archive that covers it; of equals the first.

    The ids of the two sides are numbered separately. If a pair does not say that it has two sides, its b may be a
    document of the input, so it is numbered with the input's ids, too. A pair of one id has two sides.
    Memory: about 100 bytes for each id.
    """

    def __init__(self, ids: Ids) -> None:
        super().__init__()
        self.ids = ids
        self.archive = kernel.new_ids()
        # For each number: whether it is an a; the best number in the archive, and the similarity to that; whether it is
        # b in a pair that does not say its sides
        self.known, self.doubtful = bytearray(), bytearray()
        self.best, self.similarity = array("q"), array("d")

    def take_side(self, record: Record) -> bool:
        check_two_sides(record)
        return wire.take_against(record)

    def add_pairs(self, pairs: PairColumns, /) -> None:
        a, b, similarity, against, _, may_go = pairs
        numbers = np.frombuffer(self.ids.number(a.data, a.sizes), np.int64)
        others = np.frombuffer(self.archive.number(b.data, b.sizes), np.int64)
        same = numbers if against.all() else np.frombuffer(self.ids.number(b.data, b.sizes), np.int64)
        new = len(self.ids) - len(self.best)
        for flags in (self.known, self.doubtful):
            flags.extend(bytes(new))
        self.best.frombytes(bytes(8 * new))
        self.similarity.frombytes(np.full(new, NO_SIMILARITY).tobytes())
        known, doubtful = (np.frombuffer(flags, np.bool_) for flags in (self.known, self.doubtful))
        best, best_similarity = np.frombuffer(self.best, np.int64), np.frombuffer(self.similarity)
        doubtful[same[~against & (same != numbers)]] = True
        order = np.lexsort((-similarity, numbers))  # stable: of equals, the first wins
        order = order[may_go[order] & FIRST_MAY > 0]
        each, first = np.unique(numbers[order], return_index=True)
        place = order[first]
        better = (similarity[place] > best_similarity[each]) | ~known[each]
        known[each] = True
        best[each[better]] = others[place[better]]
        best_similarity[each[better]] = similarity[place[better]]

    def has(self, numbers: Index) -> Flags:
        """Returns which documents are a in a pair."""
        return flagged(np.frombuffer(self.known, np.bool_), numbers)

    def doubted(self, numbers: Index) -> Flags:
        """Returns which documents are b in a pair that does not say that b is in an archive."""
        return flagged(np.frombuffer(self.doubtful, np.bool_), numbers)


class UnwantedIds(SideInput):
    """Takes documents that are to be removed, as if an archive had each."""

    def __init__(self, known: ArchivePartners, id_field: str, form: Format | None, json_lines: bool) -> None:
        """form: of files that do not hold JSON lines. json_lines: whether the documents do, and so all files should."""
        self.known, self.schema, self.form, self.json_lines = known, id_schema(id_field), form, json_lines

    def read(self, option: str, paths: Sequence[str], context: CollectorContext = ONE_PROCESS) -> None:
        for path in paths:
            piped = os.path.exists(path) and not os.path.isfile(path)  # its first line could not be read twice
            if self.json_lines or piped or first_line(path).removeprefix(wire.BOM).lstrip()[:1] in (b"", b"{"):
                super().read(option, [path], context)
                continue
            if self.form is None:
                raise Failed(f"{printable(path)}: {NO_IDS}")
            for some in self.form.read([path]):
                documents = [*some.documents()]
                for each in documents:
                    if each.cause:
                        raise Failed(f"{shown_place(path, each.line)}: {each.cause}")
                if some.numbered:  # but the file has not all rows
                    raise Failed(f"{printable(path)}: {NO_IDS}")
                self.take_chunk(b"".join(each.record + b"\n" for each in documents), path)

    def add(self, batch: RecordBatch, /) -> None:
        (ids,) = batch.columns
        flags = np.ones(batch.rows, np.bool_)
        may_go = np.full(batch.rows, EITHER_MAY, np.uint8)
        self.known.add_pairs(PairColumns(ids, ids, np.full(batch.rows, NO_SIMILARITY), flags, ~flags, may_go))
