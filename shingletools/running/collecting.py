"""Gives the input to a collector, batch by batch, and yields the outcomes."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from shingletools import kernel
from shingletools.reading import streams
from shingletools.reading.streams import Chunk, GivenLines, Span
from shingletools.record.collector import Collector, DeferredReject, Taken, Written, join_written
from shingletools.record.document_format import FileDocuments
from shingletools.record.labels import different_figures
from shingletools.record.record_batch import Place, RecordBatch, read_batch
from shingletools.running.filtering import documents_in_format
from shingletools.running.outcomes import FAILED, BadRecord, Conclusion, Figures, Outcome
from shingletools.running.steps import Step
from shingletools.system.errors import EnvironmentFailure, Failed, IdRepeated, JudgedDifferent, Rejected, shown_place


def collect_chunk(collector: Collector, strict: bool, side: int, chunk: Chunk) -> tuple[Outcome, Failed | None]:
    """Gives a chunk to a collector, up to the record that fails the run, or the first bad one if strict."""
    rejects: list[BadRecord] = []
    written: list[Written] = []
    failed: Failed | None = None
    first, good, again, different, at = chunk.line or 1, 0, 0, 0, 0

    def place(row: int) -> Place:
        return chunk.name, chunk.documents[first + row - 1].line if chunk.documents else first + row

    def reject(row: int, error: Rejected, line: bytes) -> None:
        raw = chunk.documents[first + row - 1].raw if chunk.documents else line
        rejects.append((*place(row), str(error), raw))

    collector.strict = strict
    while failed is None and not (rejects and strict) and (at < len(chunk.data) or chunk.batch is not None):
        collector.place = place(0)
        batch, chunk = next_batch(collector, side, chunk, at)
        batch = batch._replace(place=place)
        try:
            taken = collector.take(batch, side) if batch.rows else Taken()
        except Failed as first_fails:
            taken = Taken(failed=(0, first_fails))
        written.append(taken.written)
        error: Rejected | Failed | JudgedDifferent | None
        rows, error = taken.failed or (batch.rows, None)
        rejected = [*taken.rejected.items()]
        if strict and rejected:
            rejected, rows, error = rejected[:1], rejected[0][0] + 1, None
        for row, why in rejected:
            reject(row, why, batch.line(row) if batch.lines else b"")
            again += isinstance(why, IdRepeated)
        good += rows - len(rejected)
        if error is None and batch.bad is not None and not (rejects and strict):
            error = batch.bad.error
            different += isinstance(error, JudgedDifferent)
            if isinstance(error, Rejected):
                reject(rows, error, batch.bad.line)
                collector.left_out()
        if isinstance(error, Failed):
            collector.place = place(rows)
            failed = (
                error if isinstance(error, EnvironmentFailure) else Failed(f"{shown_place(*collector.place)}: {error}")
            )
        first += batch.rows + (batch.bad is not None)
        at = batch.next
    good += different
    outcome = Outcome(
        chunk.size,
        None,
        good + len(rejects),
        good,
        rejects,
        join_written(written),
        counted=different_figures(different),
        file=chunk.name,
        repeated_ids=again,
    )
    return outcome, failed


def next_batch(collector: Collector, side: int, chunk: Chunk, at: int) -> tuple[RecordBatch, Chunk]:
    """Returns the next batch of a chunk, and the chunk without its batch or what was prefetched."""
    if chunk.batch is not None:
        return chunk.batch, chunk._replace(batch=None)
    schema = collector.schema(side)
    prefetched = chunk.prefetched[1] if chunk.prefetched is not None and chunk.prefetched[0] is schema.fields else None
    return read_batch(chunk.data, at, schema, prefetched), chunk._replace(prefetched=None)


def collected(
    collector: Collector, strict: bool, side: int, portion: Chunk | FileDocuments
) -> Iterator[tuple[Outcome, Failed | None]]:
    """Gives a portion of the input to a collector, and yields the outcomes.

    In other formats than JSON lines, adjacent good documents are taken together.
    """
    if isinstance(portion, Chunk):
        yield collect_chunk(collector, strict, side, portion)
        return
    size = portion.size
    for bad, some in groupby(portion.documents(), lambda document: bool(document.cause)):
        documents = list(some)
        if bad:
            rejects = [(portion.name, each.line, each.cause, each.raw) for each in documents[: 1 if strict else None]]
            for _ in documents:
                collector.left_out()
            outcome, failed = Outcome(size, None, len(rejects), 0, rejects, Written(), file=portion.name), None
        else:
            lines = b"".join(document.record + b"\n" for document in documents)
            chunk = Chunk(portion.name, 1, 1, lines, size, documents)
            outcome, failed = collect_chunk(collector, strict, side, chunk)
        yield outcome._replace(file="" if portion.alone else portion.name), failed
        size = 0
    yield Outcome(size, None, 0, 0, [], Written(), counted=portion.counted, messages=portion.messages), None


def run_collector(
    collector: Collector, step: Step, jobs: int, figures: Figures, given: GivenLines | None = None
) -> Generator[Outcome]:
    """Yields all outcomes of a collector.

    figures: those of the outcomes taken so far. given: lines that replace standard input.
    """
    options, stage = step.options, step.stage
    sides = options.files, *stage.sides
    for side in stage.order:
        files = sides[side]
        form = stage.format_of(side)
        pieces = (
            prefetched_chunks(collector, side, files, jobs, given)
            if form is None
            else documents_in_format(form, files, given)
        )
        with contextlib.closing(pieces):
            for piece in pieces:
                for result, failed in collected(collector, options.strict, side, piece):
                    yield result._replace(side=side)
                    if failed is not None:
                        raise failed
    if collector.of_all and Conclusion.of(options.allow_rejects, figures).status == FAILED:
        return
    for rest in collector.finish():
        late = collector.deferred_rejects()
        yield Outcome(0, None, 0, 0, [], rest, messages=collector.messages() if options.verbose else ())
        for file, some in groupby(late, attrgetter("file")):
            yield outcome_of_deferred(file, [*some])


def outcome_of_deferred(file: str, late: Sequence[DeferredReject]) -> Outcome:
    """Returns the outcome for records of a file that turned out to be bad."""
    counted, again = (sum(flags) for flags in zip(*(reject[4:] for reject in late), strict=True))
    return Outcome(0, None, 0, -counted, [reject[:4] for reject in late], Written(), file=file, repeated_ids=again)


def prefetched_chunks(
    collector: Collector, side: int, files: Sequence[str], jobs: int, given: GivenLines | None
) -> Generator[Chunk | FileDocuments]:
    """Yields the input, which other threads have already read: regular files, and the ordinary lines of all.

    Raises Failed after the chunks that come before the failure.
    """
    if jobs == 1 or not collector.reads_ahead or (given is not None and not collector.schema(side).lines):
        yield from streams.read_chunks(files, given)
        return
    from shingletools.system.workers import in_threads, until_failed  # as in filtering.run_once

    def prepared(piece: Chunk | Span | Failed) -> tuple[Chunk, int | None, int]:
        """Returns a chunk, its place in a file if it has no line number yet, and the number of its lines."""
        if isinstance(piece, Failed):
            raise piece
        chunk, start = (piece.chunk(), piece.start) if isinstance(piece, Span) else (piece, None)
        schema = collector.schema(side)
        if schema.by_kernel:
            chunk = chunk._replace(prefetched=(schema.fields, kernel.read_columns(chunk.data, 0, schema.fields)))
        return chunk, start, kernel.count_lines(chunk.data)

    with (
        contextlib.closing(streams.read_spans(files, given)) as pieces,
        contextlib.closing(in_threads(prepared, until_failed(pieces), jobs)) as prepared_chunks,
    ):
        line = 1
        for chunk, start, lines in prepared_chunks:
            placed = chunk if start is None else chunk._replace(line=line if start else 1)
            line = placed.line + lines
            yield placed
