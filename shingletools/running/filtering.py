"""Runs adjacent filters on the input, chunk by chunk, in this process or in workers."""

import contextlib
import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import cached_property

from shingletools import kernel
from shingletools.reading import streams
from shingletools.reading.streams import Chunk, GivenLines, Span
from shingletools.record.collector import Written
from shingletools.record.document_format import Document, FileDocuments, Format
from shingletools.record.filter_chain import Chain, Made, Rejection, lines_in, merge_rejections
from shingletools.record.record_batch import Signatures
from shingletools.running.outcomes import BadRecord, FilterStep, Outcome
from shingletools.system import files as system_files
from shingletools.system.interruptible_reads import READ_BYTES

Piece = Chunk | Span | FileDocuments
WantedSchema = Callable[[], Signatures | None]  # see Collector
Task = tuple[Piece, Signatures | None]


class FilterGroup:
    """Adjacent filters that run as one chain; it gives an outcome for each of them."""

    def __init__(self, filters: Sequence[FilterStep]) -> None:
        self.filters = filters
        self.strict = [strict for _, _, strict in filters]

    @cached_property
    def chain(self) -> Chain:
        return Chain([(stage, id_field) for stage, id_field, _ in self.filters])

    @cached_property
    def chain_of_plain(self) -> Chain:
        """Returns the chain for plain text, in formats that have plain text among HTML."""
        filters = self.chain.filters
        return Chain([(filters[0][0].plain or filters[0][0], filters[0][1]), *filters[1:]])

    def __call__(self, piece: Piece, wanted: Signatures | None) -> list[Outcome]:
        """Returns the outcome of each filter, up to the first record that a strict filter rejects.

        The last outcome has the lines that are made. If signatures are wanted, it has these instead, for lines that
        have some. Line numbers of rejected records count the lines that the filters before let pass, as in the shell.
        """
        if isinstance(piece, FileDocuments):
            documents = until_bad(piece.documents()) if self.strict[0] else [*piece.documents()]
            bad = [Rejection(place, 1, each.cause, each.raw) for place, each in enumerate(documents) if each.cause]
            data = b"".join(each.record + b"\n" for each in documents if not each.cause)
            made, rejections, count = self.work(self.chain_of_plain if piece.plain else self.chain, data, bad, wanted)
            own = [(documents[rejection.place], rejection.cause) for rejection in rejections if rejection.step == 1]
            rejects = [(piece.name, document.line, cause, document.raw) for document, cause in own]
            # Counts and messages are read after the documents, which may set them
            counted, messages, name = piece.counted, piece.messages, "" if piece.alone else piece.name
            first = Outcome(piece.size, None, 0, 0, rejects, Written(), counted=counted, file=name, messages=messages)
        else:
            start, chunk = (piece.start, piece.chunk()) if isinstance(piece, Span) else (None, piece)
            made, rejections, count = self.work(self.chain, chunk.data, [], wanted)
            rejects = [
                (chunk.name, chunk.line + place, cause, line) for place, step, cause, line in rejections if step == 1
            ]
            first = Outcome(chunk.size, start, 0, 0, rejects, Written(), file=chunk.name)
        outcomes = self.outcomes(rejections, count, first)
        if wanted is not None:
            outcomes[-1] = outcomes[-1]._replace(signed=made)
        else:
            lines = lines_in(made)
            number = 0 if self.chain.cut is None else lines.count(b"\n")
            outcomes[-1] = outcomes[-1]._replace(written=Written(lines), made=number)
        return outcomes

    def outcomes(self, rejections: Sequence[Rejection], count: int, first: Outcome) -> list[Outcome]:
        """Returns an outcome for each filter, without lines.

        count: of records that the first filter was given. first: its outcome, without records.
        """
        outcomes: list[Outcome] = []
        for step, (stage, *_) in enumerate(self.filters, 1):
            each = Outcome(0, None, 0, 0, numbered(rejections, step), Written(), file="-") if outcomes else first
            counted = {} if stage.tally is None else stage.tally()
            good = count - len(each.rejects)
            outcomes.append(each._replace(lines=count, records=good, counted={**counted, **each.counted}))
            count = good
        return outcomes

    def work(
        self, chain: Chain, data: bytes, bad: Sequence[Rejection], wanted: Signatures | None
    ) -> tuple[Made, list[Rejection], int]:
        """Returns the lines that the filters make, the rejected lines, and how many records the filters were given.

        bad: records that were bad before and have no line, with their places among all.
        """
        made, more = chain.signed(data, wanted)
        rejections = merge_rejections(bad, more)
        stop = next((rejection for rejection in rejections if self.strict[rejection.step - 1]), None)
        if stop is None:
            return made, rejections, kernel.count_lines(data) + len(bad)
        for stage, *_ in self.filters:
            if stage.tally is not None:
                stage.tally()  # discards what the second pass counts again
        bad = [rejection for rejection in bad if rejection.place < stop.place]
        before = kernel.split_lines(data)[: stop.place - len(bad)]
        made, more = chain.signed(b"".join(line + b"\n" for line in before), wanted)
        return made, [*merge_rejections(bad, more), stop], stop.place + 1


def until_bad(documents: Iterable[Document]) -> list[Document]:
    """Returns the documents up to the first one that has no record."""
    made = list[Document]()
    for document in documents:
        made.append(document)
        if document.cause:
            break
    return made


def numbered(rejections: Sequence[Rejection], step: int) -> list[BadRecord]:
    """Returns the records that a filter rejects, numbered from 1 among the lines that reach it."""
    gone, bad = 0, list[BadRecord]()
    for rejection in rejections:
        if rejection.step == step:
            bad.append(("-", rejection.place - gone + 1, rejection.cause, rejection.line))
        gone += rejection.step < step
    return bad


class Filters:
    """Filters one after the other; worker processes get them by pickle.

    Adjacent filters form one group. A filter that makes several lines of one line is a group of its own.
    """

    def __init__(self, filters: Sequence[FilterStep]) -> None:
        self.filters = tuple(filters)
        self.parts: list[FilterGroup] = []
        for alone, some in itertools.groupby(self.filters, lambda step: step[0].lines is not None):
            steps = list(some)
            self.parts += [FilterGroup([step]) for step in steps] if alone else [FilterGroup(steps)]

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Pickles the filters only, so that another process asks its own kernel for links."""
        return Filters, (self.filters,)

    def __call__(self, task: Task) -> list[Outcome]:
        """Returns the outcome of each filter for a piece of input; the last one has the lines or the signatures."""
        piece, wanted = task
        outcomes: list[Outcome] = []
        for part in self.parts:
            if outcomes:
                piece = Chunk("-", 1, 1, outcomes[-1].written.output, 0)
                outcomes[-1] = outcomes[-1]._replace(written=Written())
            outcomes += part(piece, wanted if part is self.parts[-1] else None)
        return outcomes


def run_filters(
    filters: Sequence[FilterStep],
    files: Sequence[str],
    jobs: int = 1,
    given: GivenLines | None = None,
    wanted: WantedSchema | None = None,
) -> Generator[list[Outcome]]:
    """Yields the outcomes of each chunk, one for each filter. Lines that are given replace standard input.

    wanted: returns the columns of signatures that the last filter gives instead of lines; None before they are known.
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
    filters: Sequence[FilterStep],
    files: Sequence[str],
    jobs: int,
    given: GivenLines | None,
    wanted: WantedSchema | None,
) -> Generator[list[Outcome]]:
    """Yields the outcomes of filters that read their input once."""
    work, form, advice = Filters(filters), filters[0][0].format, filters[0][0].advice
    # Workers read JSON lines themselves. Other formats are read here: documents end where all before them says
    read = streams.read_chunks if jobs == 1 else streams.read_spans
    with contextlib.closing(read(files, given) if form is None else documents_in_format(form, files, given)) as pieces:
        begun, remark = [*itertools.islice(pieces, 0 if advice is None else 1)], None
        if advice is not None and begun:
            first = begun[0].chunk() if isinstance(begun[0], Span) else begun[0]
            remark = advice(first_lines(first.data)) if isinstance(first, Chunk) else None
        # The signatures that are wanted are known when the collector has the first piece, as lines
        tasks = ((piece, wanted and wanted()) for piece in itertools.chain(begun, pieces))
        every = map(work, tasks) if jobs == 1 else by_workers(work, tasks, jobs, wanted is not None)
        for outcomes in with_line_numbers(every):
            outcomes[0] = outcomes[0]._replace(messages=[*outcomes[0].messages, *([remark] if remark else [])])
            remark = None
            yield outcomes


def first_lines(data: bytes) -> bytes:
    """Returns the whole lines among the first READ_BYTES bytes, which a chunk and a span of a file have in common."""
    return data if len(data) <= READ_BYTES else data[: data.rfind(b"\n", 0, READ_BYTES) + 1]


def documents_in_format(form: Format, files: Sequence[str], given: GivenLines | None) -> Generator[FileDocuments]:
    """Returns the documents of files in a format.

    given: lines that replace standard input, if that is among the files.
    """
    if given is not None and "-" in files:
        from shingletools.reading.formats.numbered_records import for_given_lines  # which few runs need

        form = for_given_lines(given, form)
    return form.read(files)


def by_workers(work: Filters, tasks: Iterator[Task], jobs: int, signs: bool) -> Generator[list[Outcome]]:
    """Yields the outcomes of tasks, in order, from workers; this process does the first task if `signs` is true."""
    from shingletools.system.workers import in_processes  # costs start-up time that one process need not pay

    if signs:
        yield from map(work, itertools.islice(tasks, 1))
    with contextlib.closing(in_processes(work, tasks, jobs)) as results:
        yield from results


def with_line_numbers(results: Iterator[list[Outcome]]) -> Generator[list[Outcome]]:
    """Yields the outcomes, and numbers rejected lines by the lines of the pieces before."""
    before: list[int] = []
    for outcomes in results:
        before = before or [0] * len(outcomes)
        if not outcomes[0].start:
            before[0] = 0  # a file begins, or the chunk has its own line number
        for number, outcome in enumerate(outcomes):
            if outcome.rejects and (number or outcome.start is not None):
                here = before[number]
                rejects = [(name, here + (line or 0), cause, raw) for name, line, cause, raw in outcome.rejects]
                outcomes[number] = outcome._replace(rejects=rejects)
            before[number] += outcome.lines
        yield outcomes
