"""Documents of some lines, as arrays."""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.groups import ReadDocuments
from shingletools.kernel.types import Index


class Block(NamedTuple):
    """Documents of some lines that are taken at once, but for those whose ids were seen before."""

    lines: bytes
    places: Index  # where each begins, and where the line behind the last does
    lasts: Index  # where the last value of each ends
    numbers: Index  # of the ids
    lengths: Index  # of the texts in characters, where they count
    values: Index  # where each value that counts begins and ends, 0 and 0 if there is none; shape (documents, 2)
    again: Index  # places in the block of those that were seen before, and its length

    @classmethod
    def of(cls, lines: bytes, read: ReadDocuments, numbers: Index, again: Index) -> "Block":
        places, lasts, lengths, values = (np.frombuffer(part, np.int64) for part in read[4:])
        return cls(lines, np.append(places, read.end), lasts, numbers, lengths, values.reshape(-1, 2), again)

    def part(self, start: int, end: int) -> "Block":
        return self._replace(
            places=self.places[start : end + 1], lasts=self.lasts[start:end], numbers=self.numbers[start:end],
            lengths=self.lengths[start:end], values=self.values[start:end], again=self.again[:0],
        )  # fmt: skip
