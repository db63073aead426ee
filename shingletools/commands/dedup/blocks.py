"""The documents of several lines, as arrays."""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.groups import ReadDocuments
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread

NONE = np.empty(0, np.int64)


class Block(NamedTuple):
    """The documents of lines that are taken at once, except those whose ids were used before."""

    lines: bytes
    places: Index  # the start of each line, and the end of the last
    lasts: Index  # the end of each document's last value
    numbers: Index  # of the ids
    lengths: Index  # of the texts, in characters, if they count
    values: Index  # start and end of each value that counts, 0 and 0 if there is none; shape (documents, 2)
    wholes: Index  # likewise, of what each document is a part of
    again: Index  # positions of documents whose ids were used before or fail the run, and the length of the block

    @classmethod
    def of(cls, lines: bytes, read: ReadDocuments, numbers: Index, again: Index) -> "Block":
        places, lasts, lengths, *spans = (np.frombuffer(part, np.int64) for part in read[4:])
        values, wholes = (each.reshape(-1, 2) for each in spans)
        return cls(lines, np.append(places, read.end), lasts, numbers, lengths, values, wholes, again)

    @classmethod
    def one(cls, number: Index, length: int, value: bytes, whole: bytes) -> "Block":
        """One document, as far as it counts for the choice."""
        end = len(value) + len(whole)
        spans = np.array([[0, len(value)]]), np.array([[len(value), end]])
        return cls(value + whole, NONE, NONE, number, np.array([length]), *spans, NONE)

    def spelled(self, spans: Index) -> tuple[bytes, bytes]:
        """The values between these starts and ends, one after the other, and the bytes of each, int64."""
        starts, ends = spans.T
        text = np.frombuffer(self.lines, np.uint8)[spread(starts, ends - starts)[0]]
        return text.tobytes(), (ends - starts).tobytes()

    def part(self, start: int, end: int) -> "Block":
        return self._replace(
            places=self.places[start : end + 1], lasts=self.lasts[start:end], numbers=self.numbers[start:end],
            lengths=self.lengths[start:end], values=self.values[start:end], wholes=self.wholes[start:end],
            again=self.again[:0],
        )  # fmt: skip
