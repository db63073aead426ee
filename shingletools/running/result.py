"""What a program gets of a run: records as they are asked for, and what there is to say of it."""

import contextlib
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any, NamedTuple, Self

from shingletools.running.outcomes import FAILED, BadRecord
from shingletools.running.pipeline_run import PipelineRun
from shingletools.running.stage_run import StepFailed
from shingletools.system.errors import Failed, shown_place
from shingletools.system.lazy_imports import needs, orjson

LEAST_INEXACT = 1 << 63


class RejectedRecord(NamedTuple):
    """A bad record, which a command has left out."""

    command: str
    file: str  # "-" for documents that are given, and for what another command makes
    line: int | None  # from 1; None if the file is the record
    cause: str
    record: bytes

    def __str__(self) -> str:
        return f"{self.command}: {shown_place(self.file, self.line)}: {self.cause}"


class StepFigures(NamedTuple):
    """What a command has read."""

    command: str
    records: int  # good ones
    rejected: int
    more: tuple[str, ...]  # what else -v says; empty if the run did not come to its end


class RunLog:
    """What there is to say of a run, while it goes on."""

    def __init__(self) -> None:
        self.rejected: list[RejectedRecord] = []
        self.messages: list[str] = []
        self.figures: list[StepFigures] = []

    def blocks(self, flow: PipelineRun) -> Generator[bytes]:
        """What a flow makes: whole lines, some together. Raises Failed, with a note of what was said first."""
        with flow:
            for run in flow.runs:
                run.keep = partial(self.keep, run.name)
            done = False
            try:
                if "-" in flow.prepare(None, set()):
                    raise StepFailed(f"{flow.runs[0].name}: no documents are given")
                flow.open(None)
                with flow.summed_up(), contextlib.closing(flow.lines()) as lines:
                    yield from lines
                self.conclude(flow)
                done = True
            except Failed as error:
                for note in self.messages[:1]:
                    error.add_note(note)
                raise
            finally:
                self.figures += [
                    StepFigures(
                        run.name, run.figures.records, run.figures.rejected, tuple(run.summary()) if done else ()
                    )
                    for run in flow.runs
                ]

    def conclude(self, flow: PipelineRun) -> None:
        before = len(self.messages)
        status = flow.conclude()
        flow.complete()
        flow.commit()
        if status == FAILED or flow.why:
            said = (f"{run.name}: {why}" for run in flow.runs if (why := run.conclusion().why))
            raise StepFailed("\n".join(self.messages[before:] or said))

    def keep(self, command: str, bad: BadRecord) -> None:
        self.rejected.append(RejectedRecord(command, *bad))


class Result:
    """The records that a pipeline makes, each when it is asked for. It is closed as any iterator is, or in a `with`.

    One thread at a time may ask it. Nothing is read, and no file opened, before the first record is asked for.
    """

    def __init__(self, account: RunLog, blocks: Generator[bytes]) -> None:
        self._account, self._blocks, self._lines = account, blocks, each_line(blocks)

    @property
    def rejected(self) -> list[RejectedRecord]:
        """The bad records so far, in the order in which they were met."""
        return self._account.rejected

    @property
    def messages(self) -> list[str]:
        """What the commands have said so far on their standard error: ten bad records of each cause, remarks."""
        return self._account.messages

    @property
    def figures(self) -> list[StepFigures]:
        """What each command has read, once the run has come to its end or is closed."""
        return self._account.figures

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self

    def __next__(self) -> dict[str, Any]:
        line = next(self._lines)
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            record = None
        if not isinstance(record, dict):
            raise Failed("the pipeline writes no records: lines() gives what it writes")
        return with_exact_integers(line) if has_large(record) else record

    def lines(self) -> Iterator[bytes]:
        """The bytes that the shell's pipeline writes, line by line: those of JSON, unless it writes another format."""
        return self._lines

    def arrow(self) -> Any:
        """All records as a pyarrow.Table; of no records, one without columns. Raises Failed for values of two types."""
        pa = needs("arrow()", "pyarrow", "parquet")
        records = list(self)
        names = dict.fromkeys(name for record in records for name in record)
        columns = {}
        for name in names:
            try:
                columns[name] = pa.array([record.get(name) for record in records])
            except (pa.ArrowException, OverflowError) as error:  # the latter for integers of two ranges
                raise Failed(f"arrow(): field {name!r}: {error}") from None
        return pa.table(columns)

    def close(self) -> None:
        """Ends the run early, and lets go of all that it holds."""
        self._lines.close()
        self._blocks.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def each_line(blocks: Generator[bytes]) -> Generator[bytes]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest


def has_large(value: Any) -> bool:
    """Whether there is a number that may be an integer, which orjson reads as a float."""
    kind = type(value)
    if kind is float:
        return bool(abs(value) >= LEAST_INEXACT)
    if kind is dict:
        value = value.values()
    return kind in (dict, list) and any(map(has_large, value))


def with_exact_integers(line: bytes) -> dict[str, Any]:
    """A record with all its integers, however large."""
    import json  # which most runs do not need

    record: dict[str, Any] = json.loads(line)
    return record
