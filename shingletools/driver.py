"""The driver: everything that is not a stage's own work.

`main` does it the same way for every command: files, bad records, workers, complete output, signals, exit status.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn, cast

from shingletools import errors, kernel, signals, streams
from shingletools.errors import Broken, Failed, Rejected
from shingletools.options import Allowance, Printed, make_parser
from shingletools.records import Reject, filter_lines, line_at, parse
from shingletools.stage import Collector, Command, Filter, Several, Stage, Written
from shingletools.streams import Chunk, Output, ReaderGone, Rejects, Span

if TYPE_CHECKING:
    from tqdm import tqdm

DONE, SOME_REJECTED, FAILED = 0, 1, 2


Run = Callable[[str, Sequence[str] | None, set[int]], int]


class Outcome(NamedTuple):
    """What became of a chunk."""

    size: int  # bytes of input
    start: int | None  # where it starts in its file, if its lines are counted from there
    lines: int
    records: int
    rejects: Sequence[tuple[str, int | None, str, bytes]]  # file, line, cause, document
    written: Written
    made: int = 0  # lines written, by a filter that makes several of one


def filter_chunk(stage: Filter, id_field: str, strict: bool, piece: Chunk | Span) -> Outcome:
    """A chunk's records through a stage, up to the first bad one if strict; pure, so any worker may run it."""
    start, chunk = (piece.start, piece.chunk()) if isinstance(piece, Span) else (None, piece)
    output = []
    rejects = []
    lines = 0
    results = filter_lines(stage, id_field, chunk.data) if stage.source is None else documents(stage, id_field, chunk)
    for count, made in results:
        if isinstance(made, Reject):
            line = None if chunk.line is None else chunk.line + lines
            rejects.append((chunk.name, line, *made))
        else:
            output.append(made)
        lines += count
        if rejects and strict:
            break
    together = b"".join(output)
    count_made = 0 if stage.lines is None else together.count(b"\n")
    return Outcome(len(chunk.data), start, lines, lines - len(rejects), rejects, Written(together), count_made)


def documents(stage: Filter, id_field: str, chunk: Chunk) -> Iterator[tuple[int, bytes | Reject]]:
    """A chunk's documents, made records one by one, through a stage."""
    assert stage.source is not None
    for number, document in enumerate(chunk.documents(), chunk.number):
        try:
            record = stage.source(document, number, chunk.name)
        except Rejected as error:
            yield 1, Reject(str(error), document)
            continue
        for _, made in filter_lines(stage, id_field, record):
            yield 1, made._replace(document=document) if isinstance(made, Reject) else made


def run_filter(stage: Filter, options: argparse.Namespace) -> Generator[Outcome]:
    work = partial(filter_chunk, stage, options.id, options.strict)
    if options.jobs == 1:
        with contextlib.closing(streams.read_chunks(options.files, stage.whole)) as chunks:
            yield from map(work, chunks)
        return
    from shingletools.workers import in_processes  # costs start-up time that one process need not pay

    # Workers read files themselves, unless a record must know its line's number, which they do not
    numbered = stage.source is not None
    pieces = streams.read_chunks(options.files, stage.whole) if numbered else streams.read_spans(options.files)
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


def collect_chunk(
    collector: Collector, once: Sequence[str], strict: bool, side: int, chunk: Chunk
) -> tuple[Outcome, Failed | None]:
    """A chunk's records to a collector, up to one with which it fails, or the first bad one if strict."""
    rejects: list[tuple[str, int | None, str, bytes]] = []
    written = []
    failed: Failed | None = None
    good = at = 0
    line = chunk.line or 1
    while at < len(chunk.data) and not (rejects and strict):
        document = b""
        collector.place = chunk.name, line
        try:
            taken, at, lines = collector.take_lines(chunk.data, at, side)
            written.append(lines)
            good += taken
            line += taken
            if at == len(chunk.data):
                break
            document, at = line_at(chunk.data, at)
            collector.place = chunk.name, line
            if (made := collector.take(parse(document, once), document, side)) is not None:
                written.append(made)
            good += 1
        except Rejected as error:
            rejects.append((chunk.name, line, str(error), document))
        except Broken as error:
            failed = error
            break
        except Failed as error:
            failed = Failed(f"{streams.where(chunk.name, line)}: {error}")
            break
        line += 1
    together = Written(*map(b"".join, zip(*written, strict=True))) if written else Written()
    return Outcome(len(chunk.data), None, good + len(rejects), good, rejects, together), failed


def run_collector(collector: Collector, stage: Stage, options: argparse.Namespace) -> Generator[Outcome]:
    for side, files in enumerate((options.files, *stage.sides)):
        once = stage.once(side)
        with contextlib.closing(chunks_ahead(collector, files, options.jobs)) as chunks:
            for chunk in chunks:
                result, failed = collect_chunk(collector, once, options.strict, side, chunk)
                yield result
                if failed is not None:
                    raise failed
    for rest in collector.finish():
        late = collector.late()
        yield Outcome(0, None, 0, -sum(each.counted for each in late), [each[:4] for each in late], rest)


def chunks_ahead(collector: Collector, files: Sequence[str], jobs: int) -> Generator[Chunk]:
    """The input, for which the collector has prepared if it does so. Raises Failed, after the chunks before."""
    if jobs == 1 or not collector.reads_ahead:
        yield from streams.read_chunks(files)
        return
    from shingletools.workers import in_threads, until_failed  # as in run_filter

    def prepared(chunk: Chunk | Failed) -> Chunk | Failed:
        if not isinstance(chunk, Failed):
            collector.ahead(chunk.data)
        return chunk

    with (
        contextlib.closing(streams.read_chunks(files)) as chunks,
        contextlib.closing(in_threads(prepared, until_failed(chunks), jobs)) as prepared_chunks,
    ):
        for chunk in prepared_chunks:
            if isinstance(chunk, Failed):
                raise chunk
            yield chunk


class Working(NamedTuple):
    """A run's results, as they are asked for, and what is asked when they are there."""

    results: Generator[Outcome]
    settle: Callable[[], None] = lambda: None
    close: Callable[[], None] = lambda: None
    summary: Callable[[], list[str]] = list


def start(stage: Stage, options: argparse.Namespace) -> Working:
    """Raises Failed."""
    if (each := stage.record_by_record) is not None:
        results = run_filter(each, options)
        return Working(results) if each.lines is None else counting(results, each.lines)
    collector = stage.collector(options.jobs)
    return Working(run_collector(collector, stage, options), collector.settle, collector.close, collector.summary)


def counting(results: Generator[Outcome], several: Several) -> Working:
    """Those of a filter that makes several lines of one, and counts them for -v."""
    made = 0

    def counted() -> Generator[Outcome]:
        nonlocal made
        with contextlib.closing(results):
            for result in results:
                made += result.made
                yield result

    return Working(counted(), summary=lambda: several.summary(made))


def prepare() -> None:
    """What any run begins with: the kernel that the environment wants, and a watcher of signals. Raises Failed."""
    if kernel.WANTED not in (None, *kernel.CHOICES):
        raise Failed(f"SHINGLETOOLS_KERNEL is neither c nor numpy: {errors.shown(kernel.WANTED)}")
    if kernel.WANTED not in (None, kernel.NAME):
        raise Failed("SHINGLETOOLS_KERNEL=c: the package was installed without a C compiler")
    try:
        signals.watch(kernel.watcher)
    except OSError as error:
        raise Failed(str(error.strerror)) from None


def check(stage: Stage, options: argparse.Namespace, closed: set[int]) -> list[str]:
    """The files to be read. Raises Failed for what would fail, or destroy what it reads or writes, later on."""
    inputs = [*options.files, *(name for files in stage.sides for name in files)]
    if "-" in (*inputs, *stage.reads):
        streams.check_open(0, closed)
    if options.output is None:
        streams.check_open(1, closed)
    if [*inputs, *stage.reads].count("-") > 1:
        raise Failed("standard input can be read only once")
    streams.check_readable(inputs)
    stage.check_fields(options.id)
    check_files(stage, options, inputs)
    return inputs


def check_files(stage: Stage, options: argparse.Namespace, inputs: Sequence[str]) -> None:
    """Raises Failed if what the run writes is also something else that it reads or writes."""
    reads = [0 if name == "-" else name for name in inputs]
    to_stream = options.output is None or streams.same_file(options.output, 1)
    for name, file in zip(inputs, reads, strict=True):
        if to_stream and streams.same_file(file, 1):
            raise Failed(f"{errors.printable(name)}: input file is output file (-o may name its own input)")
    shaping = [0 if name == "-" else name for name in stage.reads]
    for file in shaping:
        if streams.same_file(file, 1 if to_stream else options.output):
            name = "standard output" if options.output is None else f"--output {errors.printable(options.output)}"
            raise Failed(f"{name}: this run reads that file already")
    others = [*reads, *shaping, 1 if options.output is None else options.output, 2]
    for option, path in (*([stage.second] if stage.second else []), ("--rejects", options.rejects)):
        if path is not None:
            if path == "-":
                raise Failed(f"{option} -: needs the name of a file (standard output carries records only)")
            if any(streams.same_file(path, other) for other in others):
                raise Failed(f"{option} {errors.printable(path)}: this run reads or writes that file already")
            others.append(path)


class Figures:
    """What was read so far."""

    size = 0  # bytes
    records = 0  # good ones


def write_all(  # noqa: PLR0913, PLR0917  # each has a name of its own
    results: Iterator[Outcome],
    output: Output,
    removed: Output | None,
    rejects: Rejects,
    figures: Figures,
    bar: "tqdm[NoReturn] | None",
) -> None:
    """Everything to where it belongs, as it comes."""
    for result in results:
        figures.size += result.size
        figures.records += result.records
        try:
            if removed is not None:
                removed.write(result.written.removed)  # before it is missing from the output
            if result.written.output:
                output.write(result.written.output)  # before rejects: --strict always lets the same records out
        finally:
            for reject in result.rejects:
                rejects.add(*reject)
        if bar is not None:
            bar.update(result.size)


def status_of(allowed: Allowance | None, figures: Figures, rejects: Rejects) -> int:
    """Whether there were more bad records than are all right: none, if nothing was said."""
    if allowed is None:
        return SOME_REJECTED if rejects.count else DONE
    return DONE if allowed.holds(rejects.count, figures.records + rejects.count) else SOME_REJECTED


def lost_with_reader(stage: Stage, second: tuple[str, str] | None) -> Iterator[str]:
    """What a run does not do if the reader of its output goes away."""
    for path in stage.changes:
        yield f"{errors.printable(path)} is left as it was"
    if second is not None:
        yield f"{second[0]} {errors.printable(second[1])} is not complete"


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """One run of a command: its exit status. Raises Failed or Printed."""
    prepare()
    command = cast(Command, signals.load(f"shingletools.{name}.command"))
    parser = make_parser(name, command.__doc__ or "", command.add_options)
    options = parser.parse(sys.argv[1:] if argv is None else argv)
    stage = command.build(options)
    options.verbose |= stage.dry
    begun = time.monotonic()
    figures = Figures()
    with contextlib.ExitStack() as stack:
        work = start(stage, options)
        stack.callback(work.close)
        inputs = check(stage, options, closed)
        bar = progress_bar(name, inputs) if options.progress else None
        if bar is not None:
            stack.callback(bar.close)
        second = None if stage.dry else stage.second
        removed = None if second is None else stack.enter_context(Output(second[1]))
        output = stack.enter_context(Output(None if stage.dry else options.output))
        rejected = None if stage.dry else options.rejects
        rejects = Rejects(rejected, options.strict, partial(complain, name, bar))  # last: it empties its file
        stack.callback(rejects.close)
        stack.callback(work.results.close)
        try:
            write_all(work.results, output, removed, rejects, figures, bar)
            outputs = [output] if removed is None else [removed, output]
            status = status_of(options.allow_rejects, figures, rejects)
            allowed = status == DONE or options.allow_rejects is None
            if not allowed:
                # So that nobody, make for one, goes on from it, even if who waits for the status is killed
                for path in (*(each.name for each in outputs if each.temporary), *stage.changes):
                    complain(name, bar, f"{errors.printable(path)} is left as it was: too many bad records")
                outputs = [each for each in outputs if not each.temporary]
            for each in outputs:
                each.sync()
            with signals.settling(status):
                rejects.close()
                for each in outputs:
                    each.commit()
                if allowed:
                    work.settle()
        except ReaderGone:
            for lost in lost_with_reader(stage, second):
                message = f"the reader has gone away, so {lost}"
                raise Failed(f"{errors.printable(output.name)}: {message}") from None
            return status_of(options.allow_rejects, figures, rejects)
    if options.verbose:
        seconds = time.monotonic() - begun
        said = [f"{figures.records} records", f"{rejects.count} rejected", f"{seconds:.2f} s"]
        said.append(f"{figures.size / 1e6 / max(seconds, 1e-6):.1f} MB/s")
        streams.say(f"{name}: {', '.join(said + work.summary())}")
    return status


def progress_bar(name: str, inputs: Sequence[str]) -> "tqdm[NoReturn]":
    """A bar of bytes read, on standard error."""
    from tqdm import tqdm  # 71 modules, for --progress alone

    tqdm.monitor_interval = 0  # no thread of its own
    return tqdm(desc=name, total=streams.total_size(inputs), unit="B", unit_scale=True, file=streams.StandardError())


def complain(name: str, bar: "tqdm[NoReturn] | None", message: str) -> None:
    """A message in the program's name, above the progress bar if there is one."""
    if bar is not None:
        bar.clear()
    streams.say(f"{name}: {message}")
    if bar is not None:
        bar.refresh()


def main(name: str, argv: Sequence[str] | None = None, own: Run | None = None) -> int:
    """Runs a command, by `own` means if it has such, and gives its exit status; nothing else decides how a run ends."""
    try:
        return run_or_print(name, argv, own or run)
    except Failed as error:
        streams.say(f"{name}: {error}")
    except MemoryError:
        streams.say(f"{name}: out of memory")
    except Exception:
        # A fault of ours. Python's own status for it is 1, which would say that all but some records went well. This
        # imports nothing, as the module traceback would, where there may be no descriptors left.
        sys.__excepthook__(*sys.exc_info())
    return FAILED


def run_or_print(name: str, argv: Sequence[str] | None, run_it: Run) -> int:
    closed = streams.claim_standard_streams()
    try:
        return run_it(name, argv, closed)
    except Printed as text:
        streams.check_open(1, closed)
        with contextlib.suppress(ReaderGone), Output(None) as output:
            output.write(str(text).encode())
            output.commit()
        return DONE
