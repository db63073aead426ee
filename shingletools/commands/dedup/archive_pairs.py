"""Reads pairs, and finds by them the documents that an archive has."""

import os
from abc import abstractmethod
from array import array
from collections.abc import Sequence

import numpy as np
import orjson

from shingletools.commands.dedup.removal_decisions import NO_SIMILARITY, flagged
from shingletools.commands.dedup.side_input import SideInput
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids
from shingletools.kernel.line_columns import ColumnData, Field, Kind
from shingletools.kernel.types import F64, Flags, Index
from shingletools.reading.streams import first_line
from shingletools.record import wire
from shingletools.record.collector import ONE_PROCESS, CollectorContext
from shingletools.record.document_format import Format
from shingletools.record.json_members import parse
from shingletools.record.record_batch import RecordBatch, Schema, id_schema
from shingletools.record.wire import AGAINST, COPY, Record
from shingletools.system.errors import Failed, Rejected, printable, shown_place

NO_IDS = "no ids: numbered rows, lines and citations have them only in JSON lines, as repeats --removed writes them"


class Similarities(SideInput):
    """Takes pairs, {"a", "b", "similarity"}; the similarity may be missing or null.

    A similarity is a double. Doubles keep the order and the equality of decimals of up to 15 digits, such as simjoin's
    6, so comparing them is comparing what is written.
    """

    def __init__(self) -> None:
        ids = Field(b"a", Kind.ID), Field(b"b", Kind.ID)
        flags = (Field(name.encode(), Kind.FLAG) for name in (AGAINST, COPY))
        others = Field(b"similarity", Kind.DOUBLE), *flags
        self.schema = Schema(self.parse_line, (*ids, *others))

    def parse_line(self, line: bytes, _start: int) -> Sequence[bytes | float]:
        """Returns a pair's ids, its similarity, whether it has two sides and is a copy. Raises Rejected and Failed."""
        record = parse(line, ("a", "b", "similarity", AGAINST, COPY))
        return *take_similar(record), self.take_side(record), wire.take_flag(record, COPY)

    def take_side(self, record: Record) -> bool:
        """Returns whether a pair is of two sides. Raises Rejected or Failed."""
        return wire.take_against(record)

    def add(self, batch: RecordBatch, /) -> None:
        a, b, similarity, *flags = batch.columns
        self.add_pairs(
            a, b, np.frombuffer(similarity.data, np.float64), *(np.frombuffer(flag.data, np.bool_) for flag in flags)
        )

    @abstractmethod
    def add_pairs(self, a: ColumnData, b: ColumnData, similarity: F64, against: Flags, copied: Flags, /) -> None:
        """Adds pairs: their ids and similarities, and whether b is of another side, or a copy. Raises LineFailed."""


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
    """Finds for each a, a document of the input, the most similar b of an archive; of equals the first.

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

    def add_pairs(self, a: ColumnData, b: ColumnData, similarity: F64, against: Flags, _copied: Flags, /) -> None:
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
        self.known.add_pairs(ids, ids, np.full(batch.rows, NO_SIMILARITY), flags, ~flags)
