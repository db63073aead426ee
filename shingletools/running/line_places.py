"""The places in the input of the lines that filters have written to a scratch file."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from shingletools import kernel
from shingletools.record.record_batch import Place, RecordBatch


class LineRun(NamedTuple):
    """Lines of one batch."""

    file: str
    first: int | None  # the place of the first one; None if only the file is known
    lines: Sequence[int] = ()  # the places of all, unless they follow one another


class LinePlaces:
    """The places of lines. Memory: a few bytes for each batch, and 8 for each line of one with bad records."""

    def __init__(self, workers: bool) -> None:
        """workers: whether workers read documents of other formats than JSON lines: then only the files are known."""
        self.workers = workers
        self.starts, self.runs = array("q"), list[LineRun]()
        self.lines = 0

    def add(self, batch: RecordBatch) -> None:
        """Notes where the lines of a batch, which filters have made, come from."""
        count = kernel.count_lines(bytes(batch.lines))
        if not count:
            return
        numbers = range(count) if batch.places is None else batch.places
        lines = list[int]()  # none if each document is a file, or they are not known
        if batch.first or batch.origin is None:  # of JSON lines
            lines = [batch.first + number for number in numbers]
        elif not self.workers:
            documents = batch.origin.batch.documents
            lines = [line for number in numbers if (line := documents[number].line) is not None]
        follow = not lines or lines[-1] - lines[0] == count - 1
        self.runs.append(LineRun(batch.file, lines[0] if lines else None, () if follow else array("q", lines)))
        self.starts.append(self.lines)
        self.lines += count

    def place(self, line: int) -> Place:
        """Returns the place of a line, from 1."""
        number = bisect_right(self.starts, line - 1) - 1
        run, row = self.runs[number], line - 1 - self.starts[number]
        if run.lines:
            return run.file, run.lines[row]
        return run.file, None if run.first is None else run.first + row
