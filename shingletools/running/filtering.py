"""The input through filters that stand side by side, a chunk after the other, in this process or in others."""

import contextlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import groupby

from shingletools.reading import streams
from shingletools.reading.streams import Chunk, Span
from shingletools.record.filter_line import Reject, filter_lines
from shingletools.record.framing import Document, Framed
from shingletools.record.stage import Filter, Written
from shingletools.running.outcomes import FilterStep, Outcome
from shingletools.system import files as system_files

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


class Filters:
    """Filters one after the other; it is pickled for worker processes.

    Those that stand side by side are one chain, but for those that make several lines of one, or read another format.
    """

    def __init__(self, filters: Sequence[FilterStep]) -> None:
        self.filters = tuple(filters)
        self.parts: list[Callable[[Chunk | Span | Framed], list[Outcome]]] = []
        for alone, some in groupby(self.filters, stands_alone):
            steps = list(some)
            if alone or len(steps) == 1:
                self.parts += [partial(single, step) for step in steps]
            else:
                from shingletools.running.fusing import Fused  # which one filter does not need

                self.parts.append(Fused(steps))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Another process asks the kernel that it has."""
        return Filters, (self.filters,)

    def __call__(self, piece: Chunk | Span | Framed) -> list[Outcome]:
        """What becomes of a piece, by each filter; the last one's has the lines."""
        outcomes = self.parts[0](piece)
        for part in self.parts[1:]:
            made = outcomes[-1].written.output
            outcomes[-1] = outcomes[-1]._replace(written=Written())
            outcomes += part(Chunk("-", 1, 1, made, 0))
        return outcomes


def stands_alone(step: FilterStep) -> bool:
    stage = step[0]
    return stage.lines is not None or stage.format is not None


def single(step: FilterStep, piece: Chunk | Span | Framed) -> list[Outcome]:
    return [filter_chunk(*step, piece)]


def run_filters(
    filters: Sequence[FilterStep], files: Sequence[str], jobs: int = 1, given: Iterator[bytes] | None = None
) -> Generator[list[Outcome]]:
    """The outcomes of each chunk, one for each filter. Lines that are given stand for standard input."""
    (stage, id_field, strict), *others = filters
    if stage.first is None:
        yield from run_once(filters, files, jobs, given)
        return
    before, states = stage.first(), system_files.states(files)
    with contextlib.closing(streams.read_chunks(files)) as chunks:
        for chunk in chunks:
            before.take(chunk.data)
            yield [Outcome(0, None, 0, 0, (), Written(), once=chunk.size)]
    system_files.check_unchanged(states)
    yield from run_once([(before.filter(), id_field, strict), *others], files, jobs)
    system_files.check_unchanged(states)


def run_once(
    filters: Sequence[FilterStep], files: Sequence[str], jobs: int, given: Iterator[bytes] | None = None
) -> Generator[list[Outcome]]:
    work = Filters(filters)
    form = filters[0][0].format
    if jobs == 1:
        with contextlib.closing(streams.read_chunks(files, given) if form is None else form.read(files)) as chunks:
            yield from with_line_numbers(map(work, chunks))
        return
    from shingletools.system.workers import in_processes  # costs start-up time that one process need not pay

    # Workers read JSON lines themselves; where one document of another format ends, only who reads all before it knows
    pieces = streams.read_spans(files, given) if form is None else form.read(files)
    with contextlib.closing(pieces), contextlib.closing(in_processes(work, pieces, jobs)) as results:
        yield from with_line_numbers(results)


def with_line_numbers(results: Iterator[list[Outcome]]) -> Generator[list[Outcome]]:
    """Rejects with their lines in what each filter reads, by the lines of the pieces before."""
    before: list[int] = []
    for outcomes in results:
        before = before or [0] * len(outcomes)
        if not outcomes[0].start:
            before[0] = 0  # a chunk says its line; or a file begins
        for number, each in enumerate(outcomes):
            if each.rejects and (number or each.start is not None):
                here = before[number]
                rejects = [(name, here + (line or 0), cause, raw) for name, line, cause, raw in each.rejects]
                outcomes[number] = each._replace(rejects=rejects)
            before[number] += each.lines
        yield outcomes
