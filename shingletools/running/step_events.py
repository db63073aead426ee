"""What steps make of their input: batches from a reader go through filters, or to a collector, and become events."""

import contextlib
import itertools
import os
from collections import deque
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from shingletools import kernel
from shingletools.reading import streams
from shingletools.reading.streams import Span
from shingletools.record.collector import Collector
from shingletools.record.document_format import Format
from shingletools.record.events import Event, Message, ReadFigures, Reject
from shingletools.record.filter_chain import Chain, InputPiece
from shingletools.record.labels import different_figures
from shingletools.record.record_batch import RecordBatch, Signatures, SourceRecords, read_batch
from shingletools.running.stage_run import FAILED, StageRun
from shingletools.system import files as system_files
from shingletools.system.errors import Failed, JudgedDifferent, RecordFailed, Rejected
from shingletools.system.files import State, states
from shingletools.system.interruptible_reads import READ_BYTES

Batches = Iterator[RecordBatch]
Task = tuple[InputPiece, Signatures | None]  # a piece of the input, and the columns that are wanted


class SourceFiles(NamedTuple):
    """The files that the filters before a collector read."""

    form: Format | None
    states: Mapping[str, State]  # before they are read, of regular files

    @classmethod
    def named(cls, form: Format | None, files: Sequence[str]) -> Self:
        return cls(form, states(filter(os.path.isfile, files)))

    def have(self, file: str) -> bool:
        """Returns whether a file is what it was; of one in a folder, whether it is there."""
        return os.path.isfile(file) and (file not in self.states or State.read(file) == self.states[file])


StepEvents = Generator[tuple[int, RecordBatch | Event]]  # what the step with this number among several, from 0, makes


def read_pieces(form: Format | None, files: Sequence[str], jobs: int, given: Batches | None) -> Generator[InputPiece]:
    """Yields pieces of files in a format, in order. Batches that are given replace standard input. Raises Failed."""
    if form is not None:
        if given is not None and "-" in files:
            from shingletools.reading.formats.wrapped_format import with_lines  # which few runs need

            form = with_lines(form, (batch.lines for batch in given))
        yield from form.read(files)
        return
    for name in files:
        if name == "-" and given is not None:
            yield from given
        else:  # workers read files themselves
            yield from (streams.read_batches if jobs == 1 else streams.read_spans)([name])


def run_filters(
    chain: Chain, files: Sequence[str], jobs: int = 1, given: Batches | None = None, behind: Collector | None = None
) -> StepEvents:
    """Yields what adjacent filters make of their input, and their events. Raises Failed.

    behind: the collector that reads what they make; perhaps it takes columns instead of lines.
    """
    (stage, id_field), *others = chain.filters
    if stage.first is not None:
        before, states = stage.first(), system_files.states(files)
        for piece in read_pieces(None, files, 1, None):
            batch = piece.batch()
            before.take(batch.lines)
            yield 0, ReadFigures(again=batch.size)
        system_files.check_unchanged(states)
        chosen = Chain([(before.filter(), id_field), *others], chain.strict)
        yield from run_filters(chosen, files, jobs, behind=behind)
        system_files.check_unchanged(states)
        return
    # The columns are known when the collector has the first batch, as lines
    taker = None if behind is None or behind.schema(0).lines else behind
    with contextlib.closing(read_pieces(stage.format, files, jobs, given)) as pieces:
        begun = [*itertools.islice(pieces, stage.advice is not None and stage.format is None)]
        if begun and stage.advice is not None and (remark := stage.advice(first_lines(begun[0].batch().lines))):
            yield 0, Message(remark)
        every = itertools.chain(begun, pieces)
        tasks = ((piece, None if taker is None else taker.schema(0).signatures()) for piece in every)
        for made in map(chain.work, tasks) if jobs == 1 else by_workers(chain, tasks, jobs, taker is not None):
            events = [*events_of(made[0])]
            stopped = bool(made[0].rejected) and made[0].rejected[-1].step in chain.strict
            batches = [(0, each._replace(rejected=(), counts=(), messages=(), size=0)) for each in made]
            # Events come first, since so many bad records may stop the run
            yield from (*batches, *events) if stopped else (*events, *batches)


def by_workers(chain: Chain, tasks: Iterator[Task], jobs: int, here: int) -> Generator[list[RecordBatch]]:
    """Yields what a chain makes of tasks, in order, in workers; this process does the first `here` of them."""
    from shingletools.system.workers import in_processes  # costs start-up time that one process need not pay

    waiting, line = deque[InputPiece](), 1

    def noted() -> Iterator[Task]:
        for task in tasks:
            waiting.append(task[0])
            yield task

    every = noted()
    first = map(chain.work, itertools.islice(every, here))
    with contextlib.closing(in_processes(chain.work, every, jobs)) as results:
        for made in itertools.chain(first, results):
            piece = waiting.popleft()
            line = first_line(piece, line)
            origin = SourceRecords(piece.batch)
            yield [each._replace(first=line or each.first, origin=origin) for each in made]
            line += made[0].counts[0].given


def first_line(piece: InputPiece, line: int) -> int:
    """Returns the number of the first line of a span that follows others up to `line`; 0 if the piece knows its own."""
    return 0 if not isinstance(piece, Span) else line if piece.start else 1


def events_of(batch: RecordBatch) -> Iterator[tuple[int, Event]]:
    """Yields what filters, or a format, say of a batch; each with the number of the filter, from 0."""
    yield from ((0, Message(message)) for message in batch.messages)
    rejected = [0] * len(batch.counts)
    for each in batch.rejected:
        line = None if each.line is None else batch.first + each.line
        rejected[each.step - 1] += 1
        yield each.step - 1, Reject(batch.file, line, each.cause, each.record, is_file=batch.alone, made=each.step > 1)
    size, file = batch.size, "" if batch.alone else batch.file
    for step, (counts, bad) in enumerate(zip(batch.counts, rejected, strict=True)):
        yield step, ReadFigures(size, 0, counts.given, counts.given - bad, counts.made, counts.counted, file)
        size = 0


def first_lines(data: bytes) -> bytes:
    """Returns the whole lines among the first READ_BYTES bytes, which a chunk and a span of a file have in common."""
    return data if len(data) <= READ_BYTES else data[: data.rfind(b"\n", 0, READ_BYTES) + 1]


def run_collector(collector: Collector, run: StageRun, given: Batches | None, sources: SourceFiles) -> StepEvents:
    """Yields what a collector makes of its input. Raises Failed."""
    stage, jobs, sides = run.stage, run.options.jobs, (run.options.files, *run.stage.sides)
    for side in stage.order:
        form = stage.format_of(side)
        ahead = form is None and jobs > 1 and collector.reads_ahead and (given is None or collector.schema(side).lines)
        if collector.streams:  # a pipe's records flow on as they come
            ahead = ahead and all(map(os.path.isfile, sides[side]))
        with contextlib.closing(read_pieces(form, sides[side], jobs if ahead else 1, given)) as pieces:
            batches = prefetched(collector, side, pieces, jobs) if ahead else (piece.batch() for piece in pieces)
            with contextlib.closing(batches):
                for batch in batches:
                    yield from ((0, event) for event in take_batch(collector, side, batch))
    if not (collector.of_all and run.conclusion().status == FAILED):
        own = {name for files in sides for name in files}
        yield from ((0, event) for event in with_sources(collector.finish(), sources, own))


def with_sources(events: Iterator[Event], sources: SourceFiles, own: Collection[str]) -> Iterator[Event]:
    """Yields events. Late rejects get their records as they are in the files that filters have read. Raises Failed.

    These files are read again, once if the events are in order. Standard input and pipes cannot be, and files that have
    changed must not be, so their records stay as the filters made them. own: files that the collector reads itself, and
    "-".
    """
    file, last, record = "", None, b""
    records: Iterator[tuple[int | None, bytes]] = iter(())
    for event in events:
        if not isinstance(event, Reject) or not event.late or event.file in own or not sources.have(event.file):
            yield event
            continue
        line = event.line or 0  # a document that is a file has none
        if event.file != file or last is None or line < last:
            file, last, records = event.file, None, source_records(sources.form, event.file)
        if line != last:  # parts of a document have one line
            record = next((raw for number, raw in records if (number or 0) == line), event.record)
            last = line
        yield event._replace(record=record)


def source_records(form: Format | None, file: str) -> Iterator[tuple[int | None, bytes]]:
    """Yields the lines of records in a file, and the records as they are there. Raises Failed."""
    with contextlib.closing(read_pieces(form, [file], 1, None)) as pieces:
        for batch in (piece.batch() for piece in pieces):
            records = SourceRecords(batch.batch).records
            yield from zip(
                [each.line for each in batch.documents] or itertools.count(batch.first), records, strict=False
            )


def take_batch(collector: Collector, side: int, read: RecordBatch) -> Iterator[Event]:
    """Gives the rows of a batch to a collector, and yields what it makes of them. Raises Failed."""
    file = "" if read.alone else read.file
    collector.let_go()
    for batch in read.cut_at_rejected():
        at = row = 0
        while at < len(batch.lines) or (batch.columns and not row):
            rows = next_rows(collector, side, batch, at, row)
            good, different = rows.rows, 0
            try:
                for event in collector.take(rows, side) if rows.rows else ():
                    good -= isinstance(event, Reject)
                    yield event._replace(side=side) if isinstance(event, Reject) else event
            except RecordFailed:
                raise
            except Failed as error:
                raise rows.failure(0, error) from None
            if rows.bad is not None:
                if isinstance(rows.bad.error, Failed):
                    raise rows.failure(rows.rows, rows.bad.error)
                different = int(isinstance(rows.bad.error, JudgedDifferent))
                if isinstance(rows.bad.error, Rejected):
                    yield rows.reject(rows.rows, rows.bad.error)._replace(side=side)
                    collector.left_out()
            lines = rows.rows + (rows.bad is not None)
            yield ReadFigures(0, 0, lines, good + different, 0, different_figures(different), file, side)
            at, row = rows.next, row + lines
        for bad in batch.rejected:
            yield Reject(batch.file, bad.line, bad.cause, bad.record, side=side, is_file=batch.alone)
            collector.left_out()
        yield from map(Message, batch.messages)
        counted = batch.counts[0].counted if batch.counts else {}
        yield ReadFigures(batch.size, 0, len(batch.rejected), 0, 0, counted, file, side)


def next_rows(collector: Collector, side: int, batch: RecordBatch, at: int, row: int) -> RecordBatch:
    """Returns the next rows of a batch as columns: from a place in its lines on, which is that of a row."""
    if batch.columns:
        return batch
    schema = collector.schema(side, batch.file)
    known = batch.prefetched
    found = known[1] if known is not None and not at and known[0] is schema.fields else None
    return read_batch(batch.lines, at, schema, found)._replace(
        file=batch.file,
        first=batch.first,
        documents=batch.documents,
        places=batch.places,
        alone=batch.alone,
        origin=batch.origin,
        before=batch.before + row,
    )


def prefetched(collector: Collector, side: int, pieces: Iterator[InputPiece], jobs: int) -> Generator[RecordBatch]:
    """Yields the batches of pieces, whose ordinary lines other threads have already read. Raises Failed."""
    from shingletools.system.workers import in_threads, until_failed  # as above

    def prepared(piece: InputPiece | Failed) -> tuple[InputPiece, RecordBatch, int]:
        if isinstance(piece, Failed):
            raise piece
        batch, schema = piece.batch(), collector.schema(side)
        if schema.by_kernel:
            known = schema.fields, kernel.read_columns(batch.lines, 0, schema.fields)
            batch = batch._replace(prefetched=known)
        return piece, batch, kernel.count_lines(batch.lines)

    line = 1
    with contextlib.closing(in_threads(prepared, until_failed(pieces), jobs)) as batches:
        for piece, batch, lines in batches:
            line = first_line(piece, line)
            yield batch._replace(first=line) if line else batch
            line += lines
