"""Rows of Spark that hold many lines each, since a row costs a microsecond; what commands read and give."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple, Protocol

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.kernel.types import Index
from shingletools.record.record_batch import RecordBatch, Schema, read_batch
from shingletools.running.steps import Step
from shingletools.spark.arrow_batches import Batches, from_columns, from_rows, through
from shingletools.spark.storage import Checkpoint
from shingletools.system.errors import seen_before

COPIES_IN_TASKS = "pairs of simjoin --copies once need more memory than --at-once gives to one task"
GOOD, REMOVED = 0, -1  # steps of lines that go on, and of lines that dedup removed
# Lines, many in a row, each ended by a line feed. `number` orders them among all input, `first` is the number of the
# first line of their file split, `offsets` (int64, empty if consecutive) is added to `number` for each line. A bad line
# has a row of its own, without its line feed, with the number of the step that rejected it, from 1, and the cause
LINES = pa.schema(
    {"step": "int32", "first": "int64", "number": "int64", "offsets": "binary", "cause": "string", "lines": "binary"}
)
LineRow = tuple[Any, ...]  # the values of a row of LINES
TASK_BYTES = 32 << 20  # bytes of entries that a task takes at once; intermediate arrays may take four times as much


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


class StepInput(NamedTuple):
    """The lines that a command reads, as LINES without bad ones."""

    step: Step
    number: int  # the place of the step in the pipeline, from 1
    lines: DataFrame  # of the input
    others: Sequence[DataFrame]  # of the files that options name, in the order of `Stage.side_files`
    boundary: int  # lines of the input have lesser numbers, all others have this number or greater ones
    checkpoint: Checkpoint
    size: int  # bytes of all lines


def tasks_for(size: int, least: int) -> int:
    """Returns the number of tasks for `size` bytes of entries: at least `least`, so that none is idle."""
    return max(least, ceil(size / TASK_BYTES))


Decision = Mapping[str, Any]
Decide = Callable[[NumberedLines, list[Decision]], list[LineRow]]


def with_decisions(lines: DataFrame, decisions: DataFrame, decide: Decide) -> DataFrame:
    """Returns what `decide` makes of each row of LINES and the decisions about its lines.

    A decision has the line's number, that of its file split (first), and other columns. Rows and decisions are brought
    together by file split, and sorted by number, so that the decisions about a row's lines follow it.
    """
    about = [field for field in decisions.schema if field.name not in ("first", "number")]
    rows = lines.select(*LINES.names, *(F.lit(None).cast(field.dataType).alias(field.name) for field in about))
    every = rows.unionByName(decisions, allowMissingColumns=True)
    together = every.repartition("first").sortWithinPartitions("first", "number", F.desc_nulls_last("step"))
    return through(together, partial(decide_rows, decide, [field.name for field in about]), LINES)


def decide_rows(decide: Decide, about: list[str], batches: Batches) -> Batches:
    """Takes rows of LINES, each before the decisions about its lines, to what `decide` makes of them."""
    row: NumberedLines | None = None
    held: list[Decision] = []
    for batch in batches:
        for place, each in enumerate(batch.select(["step", "number", *about]).to_pylist()):
            if each["step"] is None:
                held.append(each)
                continue
            if row is not None:
                yield from_rows(LINES, decide(row, held))
            row, held = next(numbered_lines(iter([batch.slice(place, 1)]))), []
    if row is not None:
        yield from_rows(LINES, decide(row, held))


def repeated_ids(step: int, some: NumberedLines, decisions: list[Decision]) -> list[LineRow]:
    """Returns the lines about which there are decisions as bad ones: their ids (name) were used before."""
    causes = {decision["number"]: seen_before(orjson.loads(decision["name"])) for decision in decisions}
    lines = zip(some.numbers.tolist(), some.lines.split(b"\n"), strict=False)
    return [bad_row(some.first, number, step, causes[number], line) for number, line in lines if number in causes]
