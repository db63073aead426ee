"""Names of documents on a cluster: equal names meet, whichever tasks read them.

Names travel packed, as lines do: a row holds many, all of one bucket by a hash of their bytes. When they meet, names
are compared, never hashes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Index
from shingletools.spark.exchange import together
from shingletools.spark.filtered_lines import REJECTED
from shingletools.spark.spark_files import Kept

BUCKETS = 256
UNIT = 1 << 24  # bytes of names in a unit, which one task works on; more if there are too many for the buckets
HELD = 1 << 26  # bytes of names that a task holds before it sends them
AT_ONCE = 1 << 16  # names that are hashed together
FACTOR = np.uint64(0x9E3779B97F4A7C15)
# Names as JSON, one after the other; the bytes of each, and a number that belongs to each, int64
NAMES = [("bucket", pa.int32()), ("names", pa.binary()), ("sizes", pa.binary()), ("numbers", pa.binary())]
BAD = [("number", pa.int64()), *REJECTED]
Row = dict[str, Any]


class Named(NamedTuple):
    """Names as JSON, one after the other, and the bytes of each."""

    names: bytes
    sizes: Index

    def at(self, places: Index) -> "Named":
        """The names at these places, in their order."""
        offsets = np.zeros(len(self.sizes) + 1, np.int64)
        np.cumsum(self.sizes, out=offsets[1:])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.names)]
        found = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(self.sizes), buffers).take(pa.array(places))
        _, _, data = found.buffers()
        return Named(data.to_pybytes() if data is not None else b"", self.sizes[places])


def hashed(named: Named) -> U64:
    """A hash of each name, which decides its bucket. Shape (names,)."""
    found = [np.empty(0, np.uint64)]
    ends = np.cumsum(named.sizes)
    for first in range(0, len(ends), AT_ONCE):
        sizes = named.sizes[first : first + AT_ONCE]
        start, end = int(ends[first] - sizes[0]), int(ends[first + len(sizes) - 1])
        starts = np.cumsum(sizes) - sizes
        letters = np.frombuffer(named.names, np.uint8, end - start, start)
        powers = np.cumprod(np.full(max(sizes.tolist()), FACTOR))
        places = np.arange(end - start) - np.repeat(starts, sizes)
        found.append(np.add.reduceat(letters * powers[places], starts))
    return kernel.fmix64(np.concatenate(found))


def by_bucket(named: Named, **more: Index) -> Iterator[Row]:
    """Rows of names, one or more for each bucket, with the numbers that belong to each name."""
    buckets = (hashed(named) >> np.uint64(56)).astype(np.uint8)
    order = np.argsort(buckets, kind="stable")
    counts = np.bincount(buckets, minlength=BUCKETS)
    yield from in_parts(named.at(order), counts, "bucket", **{name: each[order] for name, each in more.items()})


def in_parts(named: Named, counts: Index, key: str, **more: Index) -> Iterator[Row]:
    """Rows of counts[i] names each, with i as the key; none if there are no names."""
    ends = np.cumsum(counts)
    numbers = {"sizes": named.sizes, **more}
    bounds = np.append(0, np.cumsum(named.sizes))
    for place in np.flatnonzero(counts).tolist():
        some = slice(int(ends[place] - counts[place]), int(ends[place]))
        names = named.names[int(bounds[some.start]) : int(bounds[some.stop])]
        yield {key: place, "names": names, **{name: each[some].tobytes() for name, each in numbers.items()}}


def units_of(size: int) -> int:
    """The number of units for names of `size` bytes in all."""
    units = 1
    while units < BUCKETS and units * UNIT < size:
        units *= 2
    return units


def in_units(frame: DataFrame, units: int, *more: str) -> DataFrame:
    """Brings the names of each unit to one task, with more columns."""
    unit = F.floor(F.col("bucket") / (BUCKETS // units)).cast("int").alias("unit")
    named = frame.where("bucket is not null").select(unit, "names", "sizes", "numbers", *more)
    return together(named, "unit", alone=units == 1)


class StepInput(NamedTuple):
    """The input of simgroup or dedup: its lines, and those of other files, all PACKED.

    Also the number of its step, and a function from numbers of lines to files and lines.
    """

    frame: DataFrame
    others: Sequence[DataFrame]
    step: int
    kept: Kept
    where: Callable[[int], str]


def rows_of(schema: pa.Schema, rows: Sequence[Row]) -> pa.RecordBatch:
    """A batch of rows, which may lack columns."""
    return pa.RecordBatch.from_pylist(list(rows), schema=schema)


def numbers_of(data: bytes) -> Index:
    return np.frombuffer(data, np.int64)


def concatenated(parts: Sequence[bytes]) -> Index:
    return numbers_of(b"".join(parts))
