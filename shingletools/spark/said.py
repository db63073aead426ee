"""Pairs become lines, with the ids of their documents."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signatures import Signature
from shingletools.commands.simjoin.wanted import Wanted
from shingletools.kernel.ids import IdsAt
from shingletools.spark.batches import Batches, bytes_of, of_rows
from shingletools.spark.parts import PARTS

NAMED = "a_name", "b_name", "agreeing", "a_size", "b_size"


@dataclass(frozen=True)
class WritingPairs:
    """Pairs with their names, in order, to lines, as simjoin writes them."""

    kind: Signature
    wanted: Wanted
    against: bool

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        lines = PairLines(self.kind, self.wanted, self.against)
        for batch in batches:
            a, b, *figures = (batch.column(name) for name in NAMED)
            written = lines.of(named(a), named(b), *(each.to_numpy().astype(np.int64) for each in figures))
            yield part_of_lines(written, batch)


def part_of_lines(lines: bytes, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Lines as a row of PARTS."""
    context = TaskContext.get()
    first = batch.column("a")[0].as_py() if len(batch) else 0
    return of_rows(PARTS, [(0 if context is None else context.partitionId(), first, lines)])


def named(names: pa.Array) -> IdsAt:
    """A column of ids as JSON."""
    data, sizes = bytes_of(names)
    return IdsAt(data.tobytes(), np.cumsum(sizes), np.arange(len(names)))
