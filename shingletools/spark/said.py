"""Pairs become lines, with the ids of their documents."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signatures import Signature
from shingletools.commands.simjoin.wanted import Wanted
from shingletools.kernel.ids import IdsAt
from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches, bytes_of, of_rows
from shingletools.spark.parts import PARTS

NAMED = "a_name", "b_name", "agreeing", "a_size", "b_size"


class NamedRows(NamedTuple):
    """Documents by number, ascending: ids as JSON, one after the other, the end of each; bytes of the payload."""

    numbers: Index
    ids: bytes
    ends: Index
    sizes: Index

    @classmethod
    def of(cls, rows: pa.Table) -> "NamedRows":
        """The documents of rows of NAMES."""
        rows = rows.sort_by("number").combine_chunks()
        data, sizes = bytes_of(rows.column("name").chunk(0))
        return cls(rows.column("number").to_numpy(), data.tobytes(), np.cumsum(sizes), rows.column("size").to_numpy())

    def at(self, numbers: Index) -> IdsAt:
        return IdsAt(self.ids, self.ends, np.searchsorted(self.numbers, numbers))

    def sizes_of(self, numbers: Index) -> Index:
        return self.sizes[np.searchsorted(self.numbers, numbers)]


@dataclass(frozen=True)
class WritingPairs:
    """Pairs (FOUND), in order, to lines, as simjoin writes them."""

    names: NamedRows
    kind: Signature
    wanted: Wanted
    against: bool

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        lines = PairLines(self.kind, self.wanted, self.against)
        for batch in batches:
            a, b, agreeing = (batch.column(name).to_numpy() for name in ("a", "b", "agreeing"))
            sizes = self.names.sizes_of(a), self.names.sizes_of(b)
            yield part_of_lines(lines.of(self.names.at(a), self.names.at(b), agreeing, *sizes), batch)


@dataclass(frozen=True)
class WritingNamedPairs:
    """The same for pairs that come with their names."""

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
