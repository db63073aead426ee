"""Shows the runs of each document as it comes."""

from collections.abc import Iterator

from shingletools.commands.simshow import terminal_text
from shingletools.commands.simshow.marked_runs import MarkedDocument, marked_document
from shingletools.commands.simshow.report.run_page import RunPage
from shingletools.commands.simshow.spec import BRIEF, JSON, PAGE, Layout, RunsSpec
from shingletools.commands.simshow.text_output import in_context, shortened
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, written
from shingletools.record.wire import Record

SAID = ("from", "to", "words", "of", "ids", "items")  # members of a mark of repeats


class RunCollector(RecordCollector):
    """Shows the runs of documents. Memory: one document; with a page, the page."""

    def __init__(self, spec: RunsSpec) -> None:
        self.spec = spec
        self.writer: RunLineWriter | RunPage
        if spec.layout.name == PAGE:
            self.writer = RunPage(spec.layout.limit)
        else:
            writers = {BRIEF: RunLineWriter, JSON: RunRecordWriter}
            self.writer = writers.get(spec.layout.name, RunTextWriter)(spec.layout)
        self.documents = self.with_runs = self.runs = 0

    def take_record(self, record: Record, _line: bytes, _side: int, /) -> list[Event]:
        document = marked_document(wire.take_id(record, self.spec.id_field), record, self.spec.text_field)
        self.documents += 1
        self.runs += len(document.runs)
        if not document.runs:
            return written()
        self.with_runs += 1
        return self.written(self.writer.write(document))

    def finish(self) -> Iterator[Event]:
        yield from self.written(self.writer.finish())

    def written(self, data: bytes) -> list[Event]:
        return written(data) if self.spec.page is None else written(removed=data)

    def summary(self) -> list[str]:
        return [f"{self.documents} documents", f"{self.with_runs} with runs", f"{self.runs} runs"]


class RunLineWriter:
    """Writes one line for each document; `finish` gives what is after the last one."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def write(self, document: MarkedDocument, /) -> bytes:
        return f"{document.summary()}\n".encode()

    def finish(self) -> bytes:
        return b""


class RunTextWriter(RunLineWriter):
    """Writes each run as it stands in the original, with some words around it."""

    def write(self, document: MarkedDocument, /) -> bytes:
        lines = [[(document.summary(), terminal_text.HEAD)]]
        for number, run in enumerate(document.runs, 1):
            lines.append([(f"  {run.headline(number)}", terminal_text.PLAIN)])
            text = document.source[slice(*run.place)]
            span = text if self.layout.whole else shortened(text), terminal_text.PLAIN
            lines += in_context([span], document.source, document.edges, run.place, self.layout)
        return terminal_text.in_bytes([*lines, []], self.layout.colour)


class RunRecordWriter(RunLineWriter):
    """Writes a JSON record for each run, with its text."""

    def write(self, document: MarkedDocument, /) -> bytes:
        return b"".join(self.records(document))

    def records(self, document: MarkedDocument) -> Iterator[bytes]:
        for run in document.runs:
            members = {name: run.mark[name] for name in SAID if name in run.mark}
            yield wire.format_json({"id": document.name, **members, "text": document.source[slice(*run.place)]})
