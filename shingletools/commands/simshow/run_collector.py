"""Shows the runs of each document as it comes."""

from collections.abc import Iterator

from shingletools.commands.simshow.marked_runs import marked_document
from shingletools.commands.simshow.run_writers import run_writer_of
from shingletools.commands.simshow.spec import RunsSpec
from shingletools.record import wire
from shingletools.record.collector import RecordCollector, Written
from shingletools.record.wire import Record


class RunCollector(RecordCollector):
    """Shows the runs of documents. Memory: one document; with a page, the page."""

    def __init__(self, spec: RunsSpec) -> None:
        self.spec = spec
        self.writer = run_writer_of(spec.form)
        self.documents = self.with_runs = self.runs = 0

    def take_record(self, record: Record, _line: bytes, _side: int, /) -> Written:
        document = marked_document(wire.take_id(record, self.spec.id_field), record, self.spec.text_field)
        self.documents += 1
        self.runs += len(document.runs)
        if not document.runs:
            return Written()
        self.with_runs += 1
        return self.written(self.writer.write(document))

    def finish(self) -> Iterator[Written]:
        yield self.written(self.writer.finish())

    def written(self, data: bytes) -> Written:
        return Written(data) if self.spec.page is None else Written(removed=data)

    def summary(self) -> list[str]:
        return [f"{self.documents} documents", f"{self.with_runs} with runs", f"{self.runs} runs"]
