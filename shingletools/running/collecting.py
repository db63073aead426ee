"""The input to a collector, and what that makes of it."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from shingletools.kernel.lines import SignedLines
from shingletools.reading import streams
from shingletools.reading.streams import Chunk, Given
from shingletools.record.collector import Collector, Late, Written
from shingletools.record.framing import Framed
from shingletools.record.json_members import line_at, parse
from shingletools.running.filtering import framed
from shingletools.running.outcomes import FAILED, BadRecord, Conclusion, Figures, Outcome
from shingletools.running.steps import Step
from shingletools.system.errors import Broken, Failed, IdRepeated, Rejected, shown_place


def collect_chunk(
    collector: Collector, once: Sequence[str], strict: bool, side: int, chunk: Chunk
) -> tuple[Outcome, Failed | None]:
    """A chunk's records to a collector, up to one with which it fails, or the first bad one if strict."""
    if chunk.signed is not None:
        return collect_signed(collector, side, chunk, chunk.signed), None
    rejects: list[BadRecord] = []
    written = []
    failed: Failed | None = None
    good = again = at = 0
    line, documents = chunk.line or 1, chunk.documents

    def place() -> int | None:
        return documents[line - 1].line if documents else line

    while at < len(chunk.data) and not (rejects and strict):
        document = b""
        collector.place = chunk.name, place()
        try:
            taken, at, lines = collector.take_lines(chunk.data, at, side)
            written.append(lines)
            good += taken
            line += taken
            if at == len(chunk.data):
                break
            document, at = line_at(chunk.data, at)
            collector.place = chunk.name, place()
            if (made := collector.take(parse(document, once), document, side)) is not None:
                written.append(made)
            good += 1
        except Rejected as error:
            rejects.append((chunk.name, place(), str(error), documents[line - 1].raw if documents else document))
            again += isinstance(error, IdRepeated)
            collector.left_out()
        except Broken as error:
            failed = error
            break
        except Failed as error:
            failed = Failed(f"{shown_place(chunk.name, place())}: {error}")
            break
        line += 1
    together = Written(*map(b"".join, zip(*written, strict=True))) if written else Written()
    outcome = Outcome(chunk.size, None, good + len(rejects), good, rejects, together, file=chunk.name, again=again)
    return outcome, failed


def collect_signed(collector: Collector, side: int, chunk: Chunk, signed: SignedLines) -> Outcome:
    """The same of signatures; if strict, it ends with the first bad one all the same, since nothing is made of them."""
    collector.place = chunk.name, chunk.line
    rejected = collector.take_signed(signed, side)
    bad = [(chunk.name, chunk.line + number, cause, b"") for number, cause in rejected.items()]
    good = signed.lines - len(bad)
    return Outcome(chunk.size, None, signed.lines, good, bad, Written(), file=chunk.name, again=len(bad))


def collected(
    collector: Collector, once: Sequence[str], strict: bool, side: int, portion: Chunk | Framed
) -> Iterator[tuple[Outcome, Failed | None]]:
    """The same; documents of another format that stand side by side and have a record are taken together."""
    if isinstance(portion, Chunk):
        yield collect_chunk(collector, once, strict, side, portion)
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
            lines = b"".join(each.record + b"\n" for each in documents)
            chunk = Chunk(portion.name, 1, 1, lines, size, documents)
            outcome, failed = collect_chunk(collector, once, strict, side, chunk)
        yield outcome._replace(file="" if portion.alone else portion.name), failed
        size = 0
    yield Outcome(size, None, 0, 0, [], Written(), counted=portion.counted, told=portion.told), None


def run_collector(
    collector: Collector, step: Step, jobs: int, figures: Figures, given: Given | None = None
) -> Generator[Outcome]:
    """All outcomes; the figures have those that were taken so far. Lines that are given stand for standard input."""
    options, stage = step.options, step.stage
    sides = options.files, *stage.sides
    for side in stage.order:
        files = sides[side]
        once = stage.once(side)
        form = stage.format_of(side)
        pieces = chunks_ahead(collector, files, jobs, given) if form is None else framed(form, files, given)
        with contextlib.closing(pieces):
            for piece in pieces:
                for result, failed in collected(collector, once, options.strict, side, piece):
                    yield result._replace(side=side)
                    if failed is not None:
                        raise failed
    if collector.of_all and Conclusion.of(options.allow_rejects, figures).status == FAILED:
        return
    for rest in collector.finish():
        late = collector.late()
        yield Outcome(0, None, 0, 0, [], rest, told=collector.told() if options.verbose else ())
        for file, some in groupby(late, attrgetter("file")):
            yield late_outcome(file, [*some])


def late_outcome(file: str, late: Sequence[Late]) -> Outcome:
    """Of records of a file that turned out to be bad."""
    counted, again = (sum(flags) for flags in zip(*(each[4:] for each in late), strict=True))
    return Outcome(0, None, 0, -counted, [each[:4] for each in late], Written(), file=file, again=again)


def chunks_ahead(
    collector: Collector, files: Sequence[str], jobs: int, given: Given | None
) -> Generator[Chunk | Framed]:
    """The input, for which the collector has prepared if it does so. Raises Failed, after the chunks before."""
    if jobs == 1 or not collector.reads_ahead or (given is not None and collector.takes_signed):
        yield from streams.read_chunks(files, given)
        return
    from shingletools.system.workers import in_threads, until_failed  # as in filtering.run_once

    def prepared(chunk: Chunk | Failed) -> Chunk | Failed:
        if not isinstance(chunk, Failed):
            collector.ahead(chunk.data)
        return chunk

    with (
        contextlib.closing(streams.read_chunks(files, given)) as chunks,
        contextlib.closing(in_threads(prepared, until_failed(chunks), jobs)) as prepared_chunks,
    ):
        for chunk in prepared_chunks:
            if isinstance(chunk, Failed):
                raise chunk
            yield chunk
