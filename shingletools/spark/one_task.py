"""All of a collector's input in one task, which feeds it to the shell's own collector."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa

from shingletools.reading.streams import Chunk
from shingletools.record.collector import Collector, CollectorContext, Written
from shingletools.record.stage import Stage
from shingletools.running.collecting import collect_chunk
from shingletools.spark.batches import Batches, of_rows
from shingletools.spark.filtered_lines import BAD, LINES, REMOVED, WRITTEN, Done, Filtered, about
from shingletools.spark.parts import PART_BYTES
from shingletools.spark.room import needed
from shingletools.spark.tally import Key, StatsCollector, Tally
from shingletools.system.errors import EnvironmentFailure, Failed, shown_place


class OutOfRoom(Exception):
    """The collector needs more memory than the task may take."""


class OfTask(NamedTuple):
    """What the task tells at its end, or for what reason it gave up."""

    figures: Sequence[str] = ()  # of -v
    remarks: Sequence[str] = ()
    rejected: int = 0
    again: int = 0  # records of the input that were rejected for their ids, and are good but for these
    too_much: bool = False
    fault: str | None = None  # why the run fails
    where: tuple[Key, int] | None = None  # the split, and the place in it, of the line that makes it fail


@dataclass(frozen=True)
class InOneTask:
    """Lines, in the order in which the collector takes them, to WRITTEN.

    Memory: what the collector takes; beyond `room`, it gives up.
    """

    filtered: Filtered  # without filters
    make: Callable[[CollectorContext], Collector]
    stage: Stage
    step: int
    parts: Mapping[int, int | None]  # parts in order, with their sides; None for files that the collector reads first
    late: Mapping[str, Key]  # splits of archives, by their paths: records of these may turn out to be bad
    room: int
    tally: Tally  # takes OfTask
    written: Tally  # takes the statistics of the parts of the output

    def __call__(self, batches: Batches) -> Batches:
        feeding = Feeding(self, batches)
        try:
            yield from feeding.output()
            stats = feeding.stats
        except OutOfRoom:
            stats = OfTask(too_much=True)
        except Failed as error:
            if error is feeding.unreadable:
                raise
            stats = feeding.stats._replace(fault=str(error), where=feeding.where)
        finally:
            feeding.close()
        self.tally.stats.add([stats])


class Feeding:
    """Feeds one collector."""

    def __init__(self, task: InOneTask, batches: Batches) -> None:
        self.task = task
        self.splits, self.parts = StatsCollector(task.filtered.tally), StatsCollector(task.written)
        self.lines = task.filtered(batches, self.splits)
        self.next: Done | None = None
        self.unreadable: Failed | None = None  # why a file could not be read
        self.stats = OfTask()
        self.where: tuple[Key, int] | None = None
        self.late = Counter[str]()  # records of archives that turned out to be bad
        self.collector: Collector | None = None
        self.size = 0  # bytes of files that the collector reads first, then of the output

    def advance(self) -> Done | None:
        """The next lines. Raises Failed."""
        try:
            return next(self.lines, None)
        except Failed as error:
            self.unreadable = error
            raise

    def close(self) -> None:
        if self.collector is not None:
            self.collector.close()
        self.splits.end()
        self.parts.end()

    def of(self, part: int) -> Iterator[Done]:
        """The lines of a part, which is the next one if it has any."""
        while self.next is not None and self.next.portion.source[0] == part:
            yield self.next
            self.next = self.advance()

    def read(self, parts: Iterator[int]) -> Iterator[tuple[str, bytes]]:
        """The next file of those that the collector reads first. Raises OutOfRoom."""
        for done in self.of(next(parts)):
            self.size += len(done.lines)
            if self.size > self.task.room:
                raise OutOfRoom
            yield unquote(done.portion.source[1]), done.lines

    def output(self) -> Batches:
        """Raises OutOfRoom, and Failed."""
        task, self.next = self.task, self.advance()
        first = iter([part for part, side in task.parts.items() if side is None])
        collector = self.collector = task.make(CollectorContext(read=lambda _option, _path: self.read(first)))
        self.size = 0
        for part, side in task.parts.items():
            for done in () if side is None else self.of(part):
                yield from self.fed(collector, done, side or 0)
                if needed(collector) > task.room:
                    raise OutOfRoom
        for rest in collector.finish():
            yield from self.written(rest)
            for late in collector.late():
                yield self.bad(task.late[late.file], self.late[late.file], late.cause, late.document)
                self.late[late.file] += 1
        self.stats = self.stats._replace(figures=collector.summary(), remarks=collector.remarks())

    def fed(self, collector: Collector, done: Done, side: int) -> Batches:
        source, places = done.portion.source, done.place + done.places()
        chunk = Chunk("", 1, 1, done.lines)
        outcome, failed = collect_chunk(collector, False, side, chunk)
        yield from self.written(outcome.written)
        for _, line, cause, document in outcome.rejects:
            yield self.bad(source, int(places[(line or 1) - 1]), cause, document)
        self.stats = self.stats._replace(again=self.stats.again + (0 if side else outcome.again))
        if failed is not None:
            self.where = (
                None if isinstance(failed, EnvironmentFailure) else (source, int(places[(collector.place[1] or 1) - 1]))
            )
            raise Failed(str(failed).removeprefix(f"{shown_place(*collector.place)}: "))

    def bad(self, source: Key, place: int, cause: str, document: bytes) -> pa.RecordBatch:
        self.stats = self.stats._replace(rejected=self.stats.rejected + 1)
        return of_rows(
            WRITTEN, [(BAD, 0, about(*source, place, self.task.step, cause) + b"\t" + document.hex().encode())]
        )

    def written(self, some: Written) -> Batches:
        """Lines of the output, and of what was removed; each part of them is a run of the task."""
        for kind, lines in ((LINES, some.output), (REMOVED, some.removed)):
            if lines:
                self.parts.begin((self.size // PART_BYTES,))
                self.parts.figures[kind] = self.parts.figures.get(kind, 0) + bytes(lines).count(b"\n")
                yield of_rows(WRITTEN, [(kind, self.parts.run, bytes(lines)[:-1])])
                self.size += len(lines)
