"""dedup in many tasks: documents whose fate is known become lines, by the shell's own collector."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.choice import Dedup
from shingletools.commands.dedup.pairs import Archived
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.commands.dedup.verdicts import NOBODY, Verdicts
from shingletools.kernel import arrays as kernel
from shingletools.kernel.line_columns import ColumnData
from shingletools.kernel.types import F64, Flags, Index
from shingletools.reading.streams import Chunk
from shingletools.record.collector import Written
from shingletools.running.collecting import collect_chunk
from shingletools.spark.batches import Batches, of_rows, packed
from shingletools.spark.filtered_lines import REJECTED
from shingletools.spark.packed_names import numbers_of

# What becomes of a document: a partner stays, or none; an archive has it; an earlier document has its id
GOES, KNOWN, AGAIN = range(3)
FATES = pa.schema([("number", pa.int64()), ("what", pa.int32()), ("name", pa.binary()), ("partner", pa.binary()),
                   ("similarity", pa.float64())])  # fmt: skip
# Lines that stay and lines that go, of a row of documents; or a bad record
CUT = pa.schema([("part", pa.int64()), ("number", pa.int64()), ("lines", pa.binary()), ("removed", pa.binary()),
                 ("again", pa.int64()), *REJECTED])  # fmt: skip
Decision = dict[str, Any]


class DecidedVerdicts(Verdicts):
    """What was decided of the first ids: another document that is kept in the place of each, or NOBODY."""

    option = ""

    def __init__(self, partner: Index, similarity: F64) -> None:
        self.partner, self.alike = partner, similarity

    def __len__(self) -> int:
        return len(self.partner)

    def concerns(self, documents: Index) -> Flags:
        return documents < len(self)

    def take(self, _documents: Index) -> None:
        raise TypeError("all is decided")

    def kept_for(self, documents: Index) -> Index:
        found: Index = self.partner[documents]
        return found

    def similarity(self, documents: Index) -> F64:
        found: F64 = self.alike[documents]
        return found


class CutDocuments(Dedup):
    """Writes documents whose fate is known, as they come."""

    def __init__(self, spec: DedupSpec, fates: Sequence[Decision]) -> None:
        ids = kernel.new_ids()
        goes, known, again = ([each for each in fates if each["what"] == what] for what in (GOES, KNOWN, AGAIN))
        numbers_of(ids.number(*together(each["name"] for each in goes)))
        partner = numbers_of(ids.number(*together(each["partner"] for each in goes if each["partner"] is not None)))
        kept = np.full(len(goes), NOBODY)
        kept[[each["partner"] is not None for each in goes]] = partner
        archived = Archived(ids)
        names = together(each["name"] for each in known), together(each["partner"] for each in known)
        similarity = np.array([each["similarity"] for each in known], np.float64)
        a, b = (ColumnData(*each) for each in names)
        archived.add_pairs(a, b, similarity, np.ones(len(known), np.bool_))
        settled = DecidedVerdicts(kept, np.array([each["similarity"] for each in goes], np.float64))
        super().__init__(spec, ids, settled, archived)
        seen = self.number(*together(each["name"] for each in again))
        np.frombuffer(self.seen, np.bool_)[seen] = True

    def meet(self, documents: Block) -> None:
        pass

    def accept(self, documents: Block) -> Written:
        return self.write(documents)


def together(names: Iterator[bytes]) -> tuple[bytes, bytes]:
    """Names one after the other, and the bytes of each, int64."""
    each = list(names)
    return b"".join(each), np.array([*map(len, each)], np.int64).tobytes()


def to_cut(spec: DedupSpec, step: int, parts: bytes, batches: Batches) -> Batches:
    """Rows of PACKED, each with its fates, to CUT. parts: the first number of each. Memory: a row."""
    starts = numbers_of(parts)
    for batch in batches:
        fates = batch.column("fates").to_pylist()
        for some, mine in zip(packed(iter([batch])), fates, strict=True):
            collector = CutDocuments(spec, mine or [])
            outcome, failed = collect_chunk(collector, False, 0, Chunk("", 1, 1, some.lines))
            if failed is not None:
                raise failed
            first = int(some.numbers[0])
            part = int(np.searchsorted(starts, first, "right")) - 1
            bad = [(part, int(some.numbers[(line or 1) - 1]), None, None, 0, step, cause, document)
                   for _, line, cause, document in outcome.rejects]  # fmt: skip
            lines = (part, first, outcome.written.output, outcome.written.removed, outcome.again, None, None, None)
            yield of_rows(CUT, [lines, *bad])
