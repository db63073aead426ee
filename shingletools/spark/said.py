"""Pairs become lines, with the ids of their documents."""

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signatures import Signature
from shingletools.kernel.ids import IdsAt
from shingletools.spark.batches import Batches, bytes_of, of_rows
from shingletools.spark.parts import PARTS

NAMED = "a_name", "b_name", "agreeing", "a_size", "b_size"


def write_pairs(kind: Signature, wanted: JoinOptions, against: bool, batches: Batches) -> Batches:
    """Pairs with their names, in order, to lines, as simjoin writes them."""
    lines = PairLines(kind, wanted, against)
    for batch in batches:
        a, b, *figures = (batch.column(name) for name in NAMED)
        written = lines.format_pairs(named(a), named(b), *(each.to_numpy().astype(np.int64) for each in figures))
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
