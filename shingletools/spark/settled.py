"""dedup on a cluster: which documents of groups go, and the decisions on each block of documents."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shingletools.commands.dedup.spec import MOST, NONE, DedupSpec
from shingletools.commands.dedup.values import as_form, value_of
from shingletools.kernel.ids import split
from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches
from shingletools.spark.decided import NO_GROUP, chosen
from shingletools.spark.exchange import runs
from shingletools.spark.packed_names import NAMES, Named, Row, concatenated, in_parts, numbers_of, rows_of

# For a block, the numbers of documents that go, with the names of those that stay, and reasons, unless the rule alone
# is the reason; of documents that are left out; of those of them whose ids were used before
DECIDED = pa.schema([("block", pa.int64()), *NAMES[1:], ("reasons", pa.binary()), ("reasons_sizes", pa.binary()),
                     ("out", pa.binary()), ("again", pa.binary())])  # fmt: skip


@dataclass(frozen=True)
class Choose:
    """Documents of groups to those that go, by block. Memory: the documents and names of a unit, 100 bytes for each."""

    blocks: bytes  # the first number of each block
    spec: DedupSpec
    form: str  # as what values are compared

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for _, rows in runs(batches, "unit"):
            names = "names", "sizes", "numbers", "ranks", "groups", "values", "values_sizes"
            columns = list(zip(*([row[name] or b"" for name in names] for row in rows), strict=True))
            named = Named(b"".join(columns[0]), concatenated(columns[1]))
            number, rank, group = map(concatenated, columns[2:5])
            if self.spec.valued is not None:
                values = split(b"".join(columns[5]), concatenated(columns[6]))
                rank = ranks_by(values, self.spec.keep.startswith(MOST), self.form)
            goes, stays = chosen(number, rank, group, self.spec.keep == NONE)
            kept = named.at(stays) if self.spec.annotate else Named(b"", np.zeros(len(goes), np.int64))
            yield rows_of(DECIDED, list(decided(self.blocks, kept, numbers=number[goes])))


@dataclass(frozen=True)
class LeftOut:
    """Numbers of documents that are left out, with whether their ids were used before, by block. Memory: a batch."""

    blocks: bytes

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        starts = numbers_of(self.blocks)
        for batch in batches:
            numbers, again = batch.column("number").to_numpy(), batch.column("again").to_numpy(zero_copy_only=False)
            places = np.searchsorted(starts, numbers, "right") - 1
            yield rows_of(DECIDED, [
                {"block": int(starts[place]), "out": numbers[here].tobytes(), "again": numbers[here & again].tobytes()}
                for place in np.unique(places).tolist() for here in [places == place]
            ])  # fmt: skip


def ranks_by(values: Iterable[bytes], greatest: bool, form: str) -> Index:
    """Ranks of values as spelled in lines. The least rank is the best; a value that cannot be compared is the worst.

    form: as what they are compared.

    >>> ranks_by([b"7", b'"x"', b"", b"7.0", b"1e1"], greatest=True, form="text").tolist()[1:4]
    [-2, 9223372036854775807, 0]
    >>> ranks_by([b'"9"', b'"10"', b"9.5"], greatest=False, form="number").tolist()
    [0, 2, 1]
    """
    found = [None if (value := value_of(text)) is None else as_form(value, form) for text in values]
    order = {value: place for place, value in enumerate(sorted({each for each in found if each is not None}))}
    sign = -1 if greatest else 1
    return np.array([NO_GROUP if each is None else sign * order[each] for each in found], np.int64)


def decided(blocks: bytes, named: Named, numbers: Index, **more: Named) -> Iterator[Row]:
    """Rows of DECIDED, from numbers, ascending, and the names that stay."""
    starts = numbers_of(blocks)
    places = np.searchsorted(starts, numbers, "right") - 1
    there, counts = np.unique(places, return_counts=True)
    for row in in_parts(named, counts, "block", numbers=numbers, **more):
        yield {**row, "block": int(starts[there[row["block"]]])}


@dataclass(frozen=True)
class Merge:
    """Rows of DECIDED to one for each block. Memory: a block."""

    unsaid: bytes  # the reason for rows that have none

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for block, some in runs(batches, "block"):
            rows = list(some)
            named = Named(b"".join(row["names"] or b"" for row in rows),
                          concatenated([row["sizes"] or b"" for row in rows]))  # fmt: skip
            numbers = concatenated([row["numbers"] or b"" for row in rows])
            order = np.argsort(numbers)
            named = named.at(order)
            reasons = Named(b"", np.empty(0, np.int64))
            if any(row["reasons"] for row in rows):
                said = [reasons_of(row, self.unsaid) for row in rows]
                reasons = Named(b"".join(each.names for each in said), np.concatenate([each.sizes for each in said]))
                reasons = reasons.at(order)
            out, again = (np.sort(concatenated([row[name] or b"" for row in rows])) for name in ("out", "again"))
            columns = named.sizes, numbers[order], out, again
            sizes, goes, left, seen = (column.tobytes() for column in columns)
            yield rows_of(DECIDED, [{"block": block, "names": named.names, "sizes": sizes, "numbers": goes,
                                     "reasons": reasons.names, "reasons_sizes": reasons.sizes.tobytes(),
                                     "out": left, "again": seen}])  # fmt: skip


def reasons_of(row: Row, unsaid: bytes) -> Named:
    """The reason for each document that goes."""
    if row["reasons"]:
        return Named(row["reasons"], numbers_of(row["reasons_sizes"]))
    count = len(row["numbers"] or b"") // 8
    return Named(unsaid * count, np.full(count, len(unsaid), np.int64))
