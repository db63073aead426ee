"""The documents of a batch, as arrays."""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread


class DocumentArrays(NamedTuple):
    """Documents on consecutive lines."""

    lines: bytes
    places: Index  # the start of each line, and the end of the last
    lasts: Index  # the end of each document's last value; below 0 for documents that may have marks
    numbers: Index  # numbers of the ids
    lengths: Index  # of the texts, in characters, if they count
    values: Index  # start and end of each value that counts, 0 and 0 if there is none; shape (documents, 2)
    wholes: Index  # likewise, the id of the whole of which a document is a part

    def spelled(self, spans: Index) -> tuple[bytes, bytes]:
        """Returns the values between these starts and ends, one after the other, and the bytes of each, int64."""
        starts, ends = spans.T
        text = np.frombuffer(self.lines, np.uint8)[spread(starts, ends - starts)[0]]
        return text.tobytes(), (ends - starts).tobytes()

    def part(self, start: int, end: int) -> "DocumentArrays":
        """Returns the documents from one place to another."""
        return DocumentArrays(self.lines, self.places[start : end + 1], *(column[start:end] for column in self[2:]))
