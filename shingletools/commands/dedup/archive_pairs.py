"""Reads which documents an archive has: by pairs with it, or by ids alone."""

import os
from array import array
from collections.abc import Iterator

import numpy as np

from shingletools.commands.dedup.pair_input import NO_SIMILARITY, PairColumns, PairInput
from shingletools.commands.dedup.side_input import SideInput
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids, SelectedIds
from shingletools.kernel.independent_set import EITHER_MAY, FIRST_MAY
from shingletools.kernel.types import F64, Index
from shingletools.reading.streams import first_line
from shingletools.record import wire
from shingletools.record.collector import CollectorContext
from shingletools.record.record_batch import RecordBatch, id_schema
from shingletools.record.wire import AGAINST, Record
from shingletools.system.errors import Failed, printable, shown_place

NO_IDS = "no ids: numbered rows, lines and citations have them only in JSON lines, as repeats --removed writes them"


class ArchivePartners(PairInput):
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
        """Returns whether a pair is of two sides. Raises Rejected; raises Failed if it says that it has one side.

        A pair without that field passes, since other programs do not write it.
        """
        against = wire.take_against(record)
        if not against and record.get(AGAINST) is not None:
            raise Failed("a pair of the input with itself: --known takes pairs of the input with an archive")
        return against

    def add_pairs(self, pairs: PairColumns, /) -> None:
        a, b, similarity, against, _, may_go = pairs
        numbers = np.frombuffer(self.ids.number(a.data, a.sizes), np.int64)
        others = np.frombuffer(self.archive.number(b.data, b.sizes), np.int64)
        same = numbers if against.all() else np.frombuffer(self.ids.number(b.data, b.sizes), np.int64)
        self.extend()
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

    def extend(self) -> None:
        """Makes room for all numbers."""
        new = len(self.ids) - len(self.best)
        for flags in (self.known, self.doubtful):
            flags.extend(bytes(new))
        self.best.frombytes(bytes(8 * new))
        self.similarity.frombytes(np.full(new, NO_SIMILARITY).tobytes())

    def partners(self, documents: Index) -> tuple[SelectedIds, F64]:
        """Returns the ids of the archive's most similar documents, and the similarities. documents: known ones."""
        best = np.frombuffer(self.best, np.int64)[documents]
        return SelectedIds(self.archive.data, self.archive.ends, best), np.frombuffer(self.similarity)[documents]


class UnwantedIds(SideInput):
    """Takes documents that are to be removed, as if an archive had each."""

    def __init__(self, known: ArchivePartners, spec: DedupSpec) -> None:
        self.known, self.form, self.schema = known, spec.unwanted, id_schema(spec.unwanted_id or spec.id_field)
        self.json_lines = spec.format is None  # like the documents, so that all files should hold them

    def pieces(self, option: str, path: str, context: CollectorContext) -> Iterator[tuple[str, bytes]]:
        piped = os.path.exists(path) and not os.path.isfile(path)  # its first line could not be read twice
        if self.json_lines or piped or first_line(path).removeprefix(wire.BOM).lstrip()[:1] in (b"", b"{"):
            yield from super().pieces(option, path, context)
            return
        if self.form is None:
            raise Failed(f"{printable(path)}: {NO_IDS}")
        for portion in self.form.read([path]):
            documents = [*portion.documents()]
            for each in documents:
                if each.cause:
                    raise Failed(f"{shown_place(path, each.line)}: {each.cause}")
            if portion.numbered:  # but the file has not all rows
                raise Failed(f"{printable(path)}: {NO_IDS}")
            yield path, b"".join(each.record + b"\n" for each in documents)

    def add(self, batch: RecordBatch, /) -> None:
        (ids,) = batch.columns
        flags = np.ones(batch.rows, np.bool_)
        may_go = np.full(batch.rows, EITHER_MAY, np.uint8)
        self.known.add_pairs(PairColumns(ids, ids, np.full(batch.rows, NO_SIMILARITY), flags, ~flags, may_go))
