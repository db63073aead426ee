"""The input through filters that stand side by side, a chunk after the other, in this process or in others."""

import contextlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby

from shingletools.reading import streams
from shingletools.reading.streams import Chunk, Given, Span
from shingletools.record.collector import Written
from shingletools.record.filter_line import Reject, filter_lines
from shingletools.record.framing import Document, Format, Framed
from shingletools.record.record_batch import SignatureSchema
from shingletools.record.stage import Filter
from shingletools.running.fusing import Fused
from shingletools.running.outcomes import FilterStep, Outcome
from shingletools.system import files as system_files

FIRST = 100  # lines that are looked at one by one until a collector knows what signatures it wants

Bad = tuple[int | None, str, bytes]  # line, cause, document
Piece = Chunk | Span | Framed
WantedSchema = Callable[[], SignatureSchema | None]  # see Collector
Task = tuple[Piece, SignatureSchema | None]
Part = Callable[[Piece, SignatureSchema | None], list[Outcome]]


def filter_chunk(stage: Filter, id_field: str, strict: bool, piece: Piece) -> Outcome:
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
        self.parts: list[Part] = []
        for alone, some in groupby(self.filters, stands_alone):
            steps = list(some)
            self.parts += [partial(single, step) for step in steps] if alone else [Fused(steps)]

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Another process asks the kernel that it has."""
        return Filters, (self.filters,)

    def __call__(self, task: Task) -> list[Outcome]:
        """What becomes of a piece, by each filter; the last one's has the lines, or signatures in place of some."""
        piece, wanted = task
        outcomes: list[Outcome] = []
        for part in self.parts:
            if outcomes:
                piece = Chunk("-", 1, 1, outcomes[-1].written.output, 0)
                outcomes[-1] = outcomes[-1]._replace(written=Written())
            outcomes += part(piece, wanted if part is self.parts[-1] else None)
        return outcomes


def stands_alone(step: FilterStep) -> bool:
    stage = step[0]
    return stage.lines is not None or stage.format is not None


def single(step: FilterStep, piece: Piece, _wanted: SignatureSchema | None) -> list[Outcome]:
    return [filter_chunk(*step, piece)]


def run_filters(
    filters: Sequence[FilterStep],
    files: Sequence[str],
    jobs: int = 1,
    given: Given | None = None,
    wanted: WantedSchema | None = None,
) -> Generator[list[Outcome]]:
    """The outcomes of each chunk, one for each filter. Lines that are given stand for standard input.

    wanted: what signatures the last filter is to give in place of lines, if any, as soon as that is known.
    """
    (stage, id_field, strict), *others = filters
    if stage.first is None:
        yield from run_once(filters, files, jobs, given, wanted)
        return
    before, states = stage.first(), system_files.states(files)
    with contextlib.closing(streams.read_chunks(files)) as chunks:
        for chunk in chunks:
            before.take(chunk.data)
            yield [Outcome(0, None, 0, 0, (), Written(), once=chunk.size)]
    system_files.check_unchanged(states)
    yield from run_once([(before.filter(), id_field, strict), *others], files, jobs, None, wanted)
    system_files.check_unchanged(states)


def run_once(
    filters: Sequence[FilterStep], files: Sequence[str], jobs: int, given: Given | None, wanted: WantedSchema | None
) -> Generator[list[Outcome]]:
    work, form = Filters(filters), filters[0][0].format
    # Workers read JSON lines themselves; where one document of another format ends, only who reads all before it knows
    read = streams.read_chunks if jobs == 1 else streams.read_spans
    with contextlib.closing(read(files, given) if form is None else framed(form, files, given)) as pieces:
        tasks = tasks_of(pieces, wanted)
        every = map(work, tasks) if jobs == 1 else by_workers(work, tasks, jobs, wanted is not None)
        yield from with_line_numbers(every)


def framed(form: Format, files: Sequence[str], given: Given | None) -> Generator[Framed]:
    """The documents of files in a format. Lines that are given stand for standard input, if that is among them."""
    if given is not None and "-" in files:
        from shingletools.reading.formats.numbered import over  # which few runs need

        form = over(given, form)
    return form.read(files)


def tasks_of(pieces: Iterable[Piece], wanted: WantedSchema | None) -> Iterator[Task]:
    """Pieces, and what signatures are wanted of them; until that is known, each of the first lines is a piece."""
    left = 0 if wanted is None else FIRST
    for piece in pieces:
        rest = piece
        while left and rest and not isinstance(rest, Framed) and wanted is not None and wanted() is None:
            left -= 1
            first, rest = rest.cut()
            yield first, None
        if rest:
            yield rest, wanted and wanted()


def by_workers(work: Filters, tasks: Iterator[Task], jobs: int, signs: bool) -> Generator[list[Outcome]]:
    """The outcomes of tasks in their order; this process does those before it is known what signatures are wanted."""
    from shingletools.system.workers import in_processes  # costs start-up time that one process need not pay

    begun: list[Task] = []
    for number, task in enumerate(tasks if signs else ()):
        if task[1] is not None or number == FIRST:
            begun.append(task)
            break
        yield work(task)
    if begun or not signs:
        with contextlib.closing(in_processes(work, chain(begun, tasks), jobs)) as results:
            yield from results


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
