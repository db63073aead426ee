"""Collectors, whose output depends on more than one record, and what they are made with."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from shingletools.record.events import Event, Lines, RemovedLines, written
from shingletools.record.json_members import parse
from shingletools.record.record_batch import Place, RecordBatch, Schema
from shingletools.system.errors import Failed, Rejected

ReadFile = Callable[[str, str], Iterator[tuple[str, bytes]]]  # takes an option and a path; gives files and lines
BATCH_RECORDS = 64  # records that a RecordCollector takes together


class CollectorContext(NamedTuple):
    """What a collector may use."""

    jobs: int = 1  # workers
    given: Iterator[bytes] | None = None  # whole lines that replace standard input
    read: ReadFile | None = None  # reads files of records that options name; None if the collector opens them itself


ONE_PROCESS = CollectorContext()


class Collector(ABC):
    """Makes an output that depends on more than one record. It takes the records in order, in one process."""

    reads_ahead = False  # whether other threads may read lines ahead, by the schema at that time
    streams = False  # whether it yields events of a record before later ones come
    of_all = False  # whether one file without a good record means that there is no output
    once: Callable[[int], Sequence[str]] = staticmethod(lambda _side: ())  # fields that may not occur twice, by side

    @abstractmethod
    def schema(self, side: int, file: str = "", /) -> Schema:
        """Returns the schema of the next lines, which are of this side and file."""

    @abstractmethod
    def take(self, batch: RecordBatch, side: int, /) -> Iterator[Event]:
        """Takes the rows of a batch, and yields the bad ones, and what can be written already, in order.

        Raises Failed if the first row makes the run fail, and `batch.failure` for another one.
        """

    def let_go(self) -> None:  # noqa: B027  # most keep nothing of a batch, or copies
        """Waits until it reads no batch that it has taken: they are valid until the next one but one."""

    def left_out(self) -> None:  # noqa: B027  # most need not know
        """Notes that a document of the input was bad, so no record was made of it."""

    @abstractmethod
    def finish(self) -> Iterator[Event]:
        """Yields the rest of the output, after all batches, and records that turn out to be bad."""

    def remarks(self) -> Sequence[str]:
        """Returns messages for the end of the run, after `finish`."""
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

    place: Place = ("", None)  # of the record

    def schema(self, side: int, _file: str = "", /) -> Schema:
        return Schema(partial(self.parsed, side), max_rows=BATCH_RECORDS, objects=True)

    def parsed(self, side: int, line: bytes, _start: int) -> Any:
        """Returns the record on a line. Raises Rejected."""
        return parse(line, self.once(side))

    def take(self, batch: RecordBatch, side: int, /) -> Iterator[Event]:
        made = list[Event]()
        for row, (record, line) in enumerate(batch.objects):
            self.place = batch.place(row)
            try:
                made += self.take_record(record, line, side) or ()
            except Rejected as error:
                made.append(batch.reject(row, error))
            except Failed as error:
                yield from joined(made)
                raise batch.failure(row, error) from None
        yield from joined(made)

    @abstractmethod
    def take_record(self, record: Any, line: bytes, side: int, /) -> Sequence[Event] | None:
        """Takes a record and the line that it came on; returns what can be written already.

        Raises Rejected if the record is bad, Failed if it cannot go with those before it.
        """


def joined(events: Sequence[Event]) -> Iterator[Event]:
    """Yields events, with lines that nothing else parts as one.

    >>> [*joined([Lines(b"a"), RemovedLines(b"x"), Lines(b"b"), RemovedLines(b"y")])]
    [RemovedLines(data=b'xy'), Lines(data=b'ab')]
    """
    lines, removed = list[bytes](), list[bytes]()
    for event in (*events, None):
        if isinstance(event, Lines):
            lines.append(event.data)
        elif isinstance(event, RemovedLines):
            removed.append(event.data)
        else:
            yield from written(b"".join(lines), b"".join(removed))
            lines, removed = [], []
            if event is not None:
                yield event
