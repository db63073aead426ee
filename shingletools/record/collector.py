"""Collectors, whose output depends on more than one record, and what they take and return."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from shingletools.record.json_members import parse
from shingletools.record.record_batch import Place, RecordBatch, Schema
from shingletools.system.errors import Failed, Rejected

ShowWork = Callable[[float, int], object]  # takes the share of the work that is done, and the candidates so far
ReadFile = Callable[[str, str], Iterator[tuple[str, bytes]]]  # takes an option and a path; gives files and lines
BATCH_RECORDS = 64  # records that a RecordCollector takes together


class CollectorContext:
    """What a collector may use.

    jobs: the number of workers. given: whole lines that replace standard input, if there are any. read: the function
    that reads files of records that options name; None if the collector opens them itself.
    """

    def __init__(self, jobs: int = 1, given: Iterator[bytes] | None = None, read: ReadFile | None = None) -> None:
        self.jobs = jobs
        self.given = given
        self.read = read


ONE_PROCESS = CollectorContext()


class Written(NamedTuple):
    """Whole lines for the output, and bytes for a second file: removed lines, or a page."""

    output: bytes = b""
    removed: bytes = b""

    def __reduce_ex__(self, _protocol: object) -> tuple[object, ...]:
        """Sends the bytes outside the pickle, as views of what a worker lends; see worker_loop.Messages."""
        from pickle import PickleBuffer  # it is loaded already, by the caller

        return Written, (PickleBuffer(self.output), PickleBuffer(self.removed))


class Taken(NamedTuple):
    """The result of taking a batch."""

    written: Written = Written()  # what can be written already
    rejected: Mapping[int, Rejected] = {}  # rows that are left out, ascending
    failed: tuple[int, Failed] | None = None  # the row with which the run fails; it and later rows are not taken


class DeferredReject(NamedTuple):
    """A record that was taken, but turned out to be bad only after all records had come."""

    file: str
    line: int | None
    cause: str
    document: bytes
    counted: bool = True  # whether it was counted as a good record when it was taken
    repeated_id: bool = False  # it was rejected only because its id was there before


class Collector(ABC):
    """Makes an output that depends on more than one record. It takes the records in order, in one process."""

    reads_ahead = False  # whether other threads may read lines ahead, by the schema at that time
    of_all = False  # whether one file without a good record means that there is no output
    strict = False  # whether the first bad record ends the run; no output may come from later records
    place: Place = ("", None)  # of the next record
    show_work: ShowWork = staticmethod(lambda *_: None)  # shows the progress of `finish`
    once: Callable[[int], Sequence[str]] = staticmethod(lambda _side: ())  # fields that may not occur twice, by side

    @abstractmethod
    def schema(self, side: int, /) -> Schema:
        """Returns the schema of the next lines of a side; `place` is the place of the first of them."""

    @abstractmethod
    def take(self, batch: RecordBatch, side: int, /) -> Taken:
        """Takes the rows of a batch. Raises Failed if the first one makes the run fail."""

    def left_out(self) -> None:  # noqa: B027  # most need not know
        """Notes that a document of the input was bad, so no record was made of it."""

    @abstractmethod
    def finish(self) -> Iterator[Written]:
        """Yields the rest of the output, after all batches."""

    def remarks(self) -> Sequence[str]:
        """Returns messages for standard error, after `finish`."""
        return ()

    def messages(self) -> Sequence[str]:
        """Returns messages for -v that are shown at once; called after each part of the rest of the output."""
        return ()

    def deferred_rejects(self) -> Sequence[DeferredReject]:
        """Returns records found bad since the last call; called after each part of the rest of the output."""
        return ()

    def settle(self) -> None:  # noqa: B027  # most have none
        """Makes the change that the command is run for, if it has one, once the output is in place. Raises Failed."""

    def close(self) -> None:  # noqa: B027  # most hold nothing
        """Frees what it holds, however the run ends."""

    def summary(self) -> list[str]:
        """Returns the figures that -v adds to its line, after `finish`."""
        return []


class RecordCollector(Collector):
    """A collector that works on each record by itself, as an object."""

    def schema(self, side: int, /) -> Schema:
        return Schema(partial(self.parsed, side), max_rows=BATCH_RECORDS, objects=True)

    def parsed(self, side: int, line: bytes, _start: int) -> Any:
        """Returns the record on a line. Raises Rejected."""
        return parse(line, self.once(side))

    def take(self, batch: RecordBatch, side: int, /) -> Taken:
        written, rejected = list[Written](), dict[int, Rejected]()
        for row, (record, line) in enumerate(batch.objects):
            self.place = batch.place(row)
            try:
                made = self.take_record(record, line, side)
            except Rejected as error:
                rejected[row] = error
                if self.strict:
                    break
            except Failed as error:
                return Taken(join_written(written), rejected, (row, error))
            else:
                written += [made] if made is not None else []
        return Taken(join_written(written), rejected)

    @abstractmethod
    def take_record(self, record: Any, line: bytes, side: int, /) -> Written | None:
        """Takes a record and the line that it came on; returns what can be written already.

        Raises Rejected if the record is bad, Failed if it cannot go with those before it.
        """


def join_written(written: Sequence[Written]) -> Written:
    """Returns all outputs as one."""
    return Written(*map(b"".join, zip(*written, strict=True))) if written else Written()
