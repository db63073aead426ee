"""A set of documents, by their numbers: a bit for each line of the input, which goes to all tasks."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from shingletools.kernel.types import Flags, Index
from shingletools.spark.batches import Batches, of_rows, through

NUMBERS = pa.schema([("numbers", pa.binary())])
AT_ONCE = 1 << 24  # numbers, 8 bytes each, that the driver takes together


class Chosen(NamedTuple):
    """A set of numbers. Memory: a bit for each line, 125 MB for a billion; a byte while it is made."""

    bits: NDArray[np.uint8]
    size: int  # how many numbers were given, perhaps with repeats

    @classmethod
    def of(cls, numbers: Iterable[Index], lines: int) -> "Chosen":
        """The set of these numbers of lines. lines: their number in all.

        >>> chosen = Chosen.of([np.array([3, 9])], 10)
        >>> chosen.has(np.arange(2, 10)).tolist(), chosen.size
        ([False, True, False, False, False, False, False, True], 2)
        """
        flags, count = np.zeros(lines, np.bool_), 0
        for some in numbers:
            flags[some] = True
            count += len(some)
        return cls(np.packbits(flags, bitorder="little"), count)

    @classmethod
    def none(cls) -> "Chosen":
        return cls(np.zeros(0, np.uint8), 0)

    def has(self, numbers: Index) -> Flags:
        """Which numbers are in the set. Shapes: (numbers,) in and out."""
        if not self.size:
            return np.zeros(len(numbers), np.bool_)
        found: Flags = self.bits[numbers >> 3] >> (numbers & 7).astype(np.uint8) & 1 > 0
        return found

    def __or__(self, other: "Chosen") -> "Chosen":
        if not (self.size and other.size):
            return self if self.size else other
        return Chosen(self.bits | other.bits, self.size + other.size)


def gathered(batches: Batches) -> Batches:
    """Numbers to NUMBERS, without repeats."""
    numbers = np.unique(np.concatenate([np.empty(0, np.int64), *(batch.column(0).to_numpy() for batch in batches)]))
    yield of_rows(NUMBERS, [(numbers.astype(np.int64).tobytes(),)])


def chosen(rows: DataFrame, count: int, lines: int) -> Chosen:
    """The set of the `count` numbers in a DataFrame of one column. lines: the number of lines in all."""
    if not count:
        return Chosen.none()
    packed = through(rows, gathered, NUMBERS)
    found = packed.collect() if count <= AT_ONCE else packed.toLocalIterator()
    return Chosen.of((np.frombuffer(row["numbers"], np.int64) for row in found), lines)
