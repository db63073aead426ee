"""The input through a filter, a chunk after the other, in this process or in others."""

import argparse
import contextlib
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import partial

from shingletools.reading import streams
from shingletools.reading.streams import Chunk, Span
from shingletools.record.filter_line import Reject, filter_lines
from shingletools.record.framing import Document, Framed
from shingletools.record.stage import Filter, Written
from shingletools.running.outcomes import Outcome
from shingletools.system import files

Bad = tuple[int | None, str, bytes]  # line, cause, document


def filter_chunk(stage: Filter, id_field: str, strict: bool, piece: Chunk | Span | Framed) -> Outcome:
    """A chunk's records through a stage, up to the first bad one if strict; pure, so any worker may run it."""
    start, read = (piece.start, piece.chunk()) if isinstance(piece, Span) else (None, piece)
    output = []
    rejects = []
    lines = 0
    told: Sequence[str] = ()
    counted = Counter[str]()
    if isinstance(read, Chunk):
        results = of_lines(stage, id_field, read)
    else:
        results = of_documents(stage, id_field, read)
        told = read.told
    for count, made in results:
        if isinstance(made, bytes):
            output.append(made)
        else:
            rejects.append((read.name, *made))
        lines += count
        if rejects and strict:
            break
    together = b"".join(output)
    count_made = 0 if stage.lines is None else together.count(b"\n")
    if stage.tally is not None:
        counted.update(stage.tally())
    if not isinstance(read, Chunk):
        counted.update(read.counted)  # last: it may count while it makes documents
    return Outcome(
        read.size, start, lines, lines - len(rejects), rejects, Written(together), count_made, counted,
        file="" if isinstance(read, Framed) and read.alone else read.name, told=told,
    )  # fmt: skip


def of_lines(stage: Filter, id_field: str, chunk: Chunk) -> Iterator[tuple[int, bytes | Bad]]:
    """Yields what a stage makes of lines: the number of lines and the bytes made of them, or one bad line."""
    line = chunk.line
    for count, made in filter_lines(stage, id_field, chunk.data):
        yield count, (line, *made) if isinstance(made, Reject) else made
        line += count


def of_documents(stage: Filter, id_field: str, portion: Framed) -> Iterator[tuple[int, bytes | Bad]]:
    """The same of documents."""
    if portion.plain and stage.plain is not None:
        stage = stage.plain
    good: list[Document] = []
    for document in portion.documents():
        if document.cause:
            yield from of_records(stage, id_field, good)
            good.clear()
            yield 1, (document.line, document.cause, document.raw)
        else:
            good.append(document)
    yield from of_records(stage, id_field, good)


def of_records(stage: Filter, id_field: str, documents: Sequence[Document]) -> Iterator[tuple[int, bytes | Bad]]:
    """The same of documents that have a record, through the stage as lines all at once."""
    at = 0
    for count, made in filter_lines(stage, id_field, b"".join(each.record + b"\n" for each in documents)):
        bad = documents[at]
        yield count, (bad.line, made.cause, bad.raw) if isinstance(made, Reject) else made
        at += count


def run_filter(stage: Filter, options: argparse.Namespace) -> Generator[Outcome]:
    if stage.first is None:
        yield from run_once(stage, options)
        return
    before, states = stage.first(), files.states(options.files)
    with contextlib.closing(streams.read_chunks(options.files)) as chunks:
        for chunk in chunks:
            before.take(chunk.data)
            yield Outcome(0, None, 0, 0, (), Written(), once=chunk.size)
    files.check_unchanged(states)
    yield from run_once(before.filter(), options)
    files.check_unchanged(states)


def run_once(stage: Filter, options: argparse.Namespace) -> Generator[Outcome]:
    work = partial(filter_chunk, stage, options.id, options.strict)
    read = stage.format.read if stage.format is not None else streams.read_chunks
    if options.jobs == 1:
        with contextlib.closing(read(options.files)) as chunks:
            yield from map(work, chunks)
        return
    from shingletools.system.workers import in_processes  # costs start-up time that one process need not pay

    # Workers read JSON lines themselves; where one document of another format ends, only who reads all before it knows
    pieces = read(options.files) if stage.format is not None else streams.read_spans(options.files)
    with contextlib.closing(pieces):
        yield from with_line_numbers(in_processes(work, pieces, options.jobs))


def with_line_numbers(results: Generator[Outcome]) -> Generator[Outcome]:
    """Rejects with their lines in their files, by the lines of the spans before."""
    before = 0
    for result in results:
        if result.start is None:
            yield result
            continue
        if not result.start:
            before = 0
        rejects = [(name, before + (line or 0), cause, document) for name, line, cause, document in result.rejects]
        yield result._replace(rejects=rejects)
        before += result.lines
