"""Rows of Spark that hold many lines each, since a row costs a microsecond."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from shingletools.kernel.types import Index
from shingletools.record.record_batch import RecordBatch, Schema, read_batch
from shingletools.spark.arrow_batches import BYTES, INT, LONG, TEXT, Batches, from_columns

COPIES_IN_TASKS = "pairs of simjoin --copies once need more memory than --at-once gives to one task"
GOOD, REMOVED = 0, -1  # steps of lines that go on, and of lines that dedup removed
# Lines, many in a row, each ended by a line feed. `number` orders them among all input, `first` is the number of the
# first line of their file split, `offsets` (int64, empty if consecutive) is added to `number` for each line. A bad line
# has a row of its own, without its line feed, with the number of the step that rejected it, from 1, and the cause
LINES = pa.schema({"step": INT, "first": LONG, "number": LONG, "offsets": BYTES, "cause": TEXT, "lines": BYTES})
LineRow = tuple[Any, ...]  # the values of a row of LINES


class NumberedLines(NamedTuple):
    """Lines, each ended by a line feed, and their numbers, int64, ascending. first: that of their file split."""

    first: int
    numbers: Index
    lines: bytes

    def row(self, step: int = GOOD) -> LineRow:
        """Returns the row of LINES. There must be a line."""
        number = int(self.numbers[0])
        consecutive = self.numbers[-1] - number == len(self.numbers) - 1
        offsets = b"" if consecutive else (self.numbers - number).tobytes()
        return step, self.first, number, offsets, None, self.lines


def numbered_lines(batches: Batches, only: int | None = GOOD) -> Iterator[NumberedLines]:
    """Yields the rows of LINES, those of one step, if it is given; a bad line lacks its line feed."""
    for batch in batches:
        columns = [batch.column(name) for name in ("first", "number", "step", "offsets", "lines")]
        for first, number, step, offsets, lines in zip(*columns, strict=True):
            if only is None or step.as_py() == only:
                data = lines.as_py()
                found = np.frombuffer(offsets.as_py(), np.int64)
                numbers = number.as_py() + (found if len(found) else np.arange(data.count(b"\n")))
                yield NumberedLines(first.as_py(), numbers, data)


class NumberedRecords(NamedTuple):
    """A record batch of lines, and the numbers of its rows, then of its bad line if it has one."""

    first: int
    numbers: Index
    batch: RecordBatch

    def bad(self, schema: pa.Schema, step: int) -> pa.RecordBatch:
        """Returns the bad line as a row of a schema that has the columns of LINES."""
        assert self.batch.bad is not None
        error, line = self.batch.bad
        row = bad_row(self.first, int(self.numbers[-1]), step, str(error), line)
        return from_columns(schema, **dict(zip(LINES.names, row, strict=True)))


class HasSchema(Protocol):
    """Reads lines by a schema, which may change from one batch to the next."""

    schema: Schema


def numbered_records(batches: Batches, reader: HasSchema) -> Iterator[NumberedRecords]:
    """Yields rows of LINES as record batches, each by the schema that the reader has then."""
    for some in numbered_lines(batches):
        at = row = 0
        while at < len(some.lines):
            batch = read_batch(some.lines, at, reader.schema)
            rows = batch.rows + (batch.bad is not None)
            yield NumberedRecords(some.first, some.numbers[row : row + rows], batch)
            at, row = batch.next, row + rows


def bad_row(first: int, number: int, step: int, cause: str, line: bytes) -> LineRow:
    """Returns the row of LINES of a bad line."""
    return step, first, number, b"", cause, line
