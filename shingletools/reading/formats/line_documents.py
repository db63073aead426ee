"""Formats in which each line is a document: a text, or a record."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO

from shingletools import kernel
from shingletools.reading import streams
from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.kept_lines import KeptLines
from shingletools.reading.streams import GivenLines
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FileDocuments, Format, KeptAndRemoved
from shingletools.record.record_batch import RecordBatch
from shingletools.system.errors import Rejected, printable


@dataclass(frozen=True)
class Records(Format):
    """JSON lines as a format, for `WrappedFormat`. given: lines that replace standard input."""

    given: GivenLines | None = None
    encoding: Encoding | None = None

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        number = 1
        with closing(streams.read_batches(files, self.given, self.encoding)) as batches:
            for batch in batches:
                yield self.documents(batch, number)
                number += kernel.count_lines(batch.lines)

    def documents(self, batch: RecordBatch, number: int) -> FileDocuments:
        return RecordLines(batch, number)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        kept = KeptLines()
        with closing(streams.read_batches(files, None, self.encoding)) as batches:
            for batch in batches:
                lines = [*BytesIO(batch.lines)]  # with their ends
                for line, decision in zip(lines, decisions.take(len(lines)), strict=True):
                    kept.add(decision, line)
                yield kept.taken()


@dataclass(frozen=True)
class Texts(Records):
    """Lines of text, whose ids are their numbers in the whole input."""

    id_field: str = "id"
    text_field: str = "text"
    option = "--lines"

    def documents(self, batch: RecordBatch, number: int) -> FileDocuments:
        return TextLines(batch, number, self.id_field, self.text_field)


class RecordLines(FileDocuments):
    """Lines of JSON as records."""

    def __init__(self, batch: RecordBatch, number: int) -> None:
        self.source, self.number = batch, number
        self.name, self.size = batch.file, batch.size

    def unnumbered(self) -> Iterator[Document]:
        for line, text in enumerate(kernel.split_lines(self.source.lines), self.source.first):
            yield Document(text, line, text)


class TextLines(RecordLines):
    """Lines of text."""

    def __init__(self, batch: RecordBatch, number: int, id_field: str, text_field: str) -> None:
        super().__init__(batch, number)
        self.fields = id_field, text_field
        if batch.first == 1 and b"\r" in batch.lines and kernel.count_lines(batch.lines) == 1:
            from shingletools.record.error_hints import RETURNS, ends_in_returns  # late: most runs do not need it

            if ends_in_returns(batch.lines.rstrip(b"\n")):
                self.messages = [f"{printable(batch.file)}: is one line; it looks like {RETURNS}"]

    def unnumbered(self) -> Iterator[Document]:
        id_field, text_field = self.fields
        for number, document in enumerate(super().unnumbered(), self.number):
            try:
                text = wire.decode(document.raw)
            except Rejected as error:
                yield document._replace(record=b"", cause=str(error))
                continue
            yield document._replace(record=wire.json_of({id_field: number, text_field: text}))
