"""The result of a pipeline in a program: records as they are requested, messages, figures and bad records."""

import contextlib
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any, NamedTuple, Self

from shingletools.record.events import Reject
from shingletools.running.document_queue import DocumentQueue
from shingletools.running.pipeline import PipelineRun
from shingletools.running.stage_run import FAILED
from shingletools.running.steps import StepFailed
from shingletools.system.errors import Failed, shown_place
from shingletools.system.lazy_imports import needs, orjson
from shingletools.system.messages import origin, with_shown_paths

LEAST_INEXACT = 1 << 63


class RejectedRecord(NamedTuple):
    """A bad record that a command has left out."""

    command: str
    file: str  # "-" for given documents, and for records that a command made of several
    line: int | None  # from 1; None if the file is the record
    cause: str
    record: bytes

    def __str__(self) -> str:
        return f"{self.command}: {shown_place(self.file, self.line)}: {self.cause}"


class StepFigures(NamedTuple):
    """The figures of a command."""

    command: str
    records: int  # good ones
    rejected: int
    more: tuple[str, ...]  # other figures of -v; empty if the run has not ended


class RunLog:
    """Bad records, messages and figures of a run, while it goes on."""

    def __init__(self) -> None:
        self.rejected: list[RejectedRecord] = []
        self.messages: list[str] = []
        self.figures: list[StepFigures] = []

    def blocks(self, flow: PipelineRun) -> Generator[bytes]:
        """Yields the output of a run: whole lines, some together.

        Raises Failed, with the first message as a note.
        """
        for run in flow.runs:
            run.keep = partial(self.keep, run.name)
        done = False
        try:
            if "-" in flow.begin(None, set()):
                raise StepFailed(f"{flow.runs[0].name}: no documents are given")
            with contextlib.closing(flow.lines()) as lines:
                yield from lines
            before = len(self.messages)
            if flow.end() == FAILED or flow.why:
                reasons = (f"{run.name}: {why}" for run in flow.runs if (why := run.conclusion().why))
                raise StepFailed("\n".join(self.messages[before:] or reasons))
            done = True
        except Failed as error:
            for note in self.messages[:1]:
                error.add_note(note)
            raise
        finally:
            self.figures += [
                StepFigures(run.name, run.records, run.rejected, tuple(run.summary()) if done else ())
                for run in flow.runs
            ]

    def say(self, message: str) -> None:
        self.messages.append(with_shown_paths(message))

    def keep(self, command: str, bad: Reject) -> None:
        file, line = (bad.file, None) if bad.line is None else origin(bad.file, bad.line)
        self.rejected.append(RejectedRecord(command, with_shown_paths(file), line, bad.cause, bad.record))


class Result:
    """The records that a pipeline makes, each when it is requested.

    Close it as any iterator, or use it in a `with`. Only one thread at a time may use it. Nothing is read, and no file
    opened, before the first record is requested.
    """

    def __init__(self, account: RunLog, blocks: Generator[bytes], queue: DocumentQueue | None = None) -> None:
        """queue: of documents that are returned in place of the lines that stand for them."""
        self._account, self._blocks, self._lines, self._queue = account, blocks, each_line(blocks), queue

    @property
    def rejected(self) -> list[RejectedRecord]:
        """Returns the bad records so far, in the order in which they were found."""
        return self._account.rejected

    @property
    def messages(self) -> list[str]:
        """Returns the messages so far of the commands on standard error: ten bad records of each cause, and remarks."""
        return self._account.messages

    @property
    def figures(self) -> list[StepFigures]:
        """Returns the figures of each command, once the run has ended or is closed."""
        return self._account.figures

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self

    def __next__(self) -> dict[str, Any]:
        line = next(self._lines)
        if self._queue is not None and (document := self._queue.find(line)) is not None:
            return document  # type: ignore[no-any-return]
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            record = None
        if not isinstance(record, dict):
            raise Failed("the pipeline writes no records: lines() gives what it writes")
        return with_exact_integers(line) if has_large(record) else record

    def lines(self) -> Iterator[bytes]:
        """Returns the output of the shell's pipeline, line by line: JSON, unless the pipeline writes another format."""
        return self._lines if self._queue is None else map(self._queue.line, self._lines)

    def to_arrow(self) -> Any:
        """Returns all records as a pyarrow.Table, without columns if there are no records.

        Raises Failed for a field with values of two types.
        """
        pa = needs("to_arrow()", "pyarrow", "parquet")
        records = list(self)
        names = dict.fromkeys(name for record in records for name in record)
        columns = {}
        for name in names:
            try:
                columns[str(name)] = column_of([record.get(name) for record in records])
            except pa.ArrowException as error:
                raise Failed(f"to_arrow(): field {name!r}: {error}") from None
            except OverflowError:
                raise Failed(f"to_arrow(): field {name!r}: integers that 64 bits do not hold") from None
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """Returns all records as a pandas.DataFrame, as `to_arrow` returns them."""
        needs("to_pandas()", "pandas")
        return self.to_arrow().to_pandas(integer_object_nulls=True)  # else integers beside null become floats

    def to_polars(self) -> Any:
        """Returns all records as a polars.DataFrame, as `to_arrow` returns them."""
        return needs("to_polars()", "polars").from_arrow(self.to_arrow())

    def close(self) -> None:
        """Ends the run early, and frees what it holds."""
        self._lines.close()
        self._blocks.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def column_of(values: list[Any]) -> Any:
    """Returns values as an array of Arrow. Raises its exceptions, and OverflowError."""
    pa = needs("to_arrow()", "pyarrow", "parquet")
    try:
        return pa.array(values)
    except OverflowError:
        return pa.array(values, pa.uint64())


def each_line(blocks: Generator[bytes]) -> Generator[bytes]:
    """Yields the lines of blocks, one by one."""
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest


def has_large(value: Any) -> bool:
    """Returns whether a value holds a float that may be an integer, which orjson reads as a float."""
    values = [value]  # no recursion: orjson reads more levels than Python may call
    while values:
        value = values.pop()
        kind = type(value)
        if kind is float and abs(value) >= LEAST_INEXACT:
            return True
        if kind in (dict, list):
            values += value.values() if kind is dict else value
    return False


def with_exact_integers(line: bytes) -> dict[str, Any]:
    """Returns the record on a line with all its integers, however large."""
    import json  # which most runs do not need

    try:
        record: dict[str, Any] = json.loads(line)
    except RecursionError:  # then large integers are doubles
        record = orjson.loads(line)
    return record
