"""Formats in which each line is a document: a text, or a record."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO

from shingletools import kernel
from shingletools.reading import streams
from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.kept_lines import KeptLines
from shingletools.reading.streams import Chunk, GivenLines
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FileDocuments, Format, KeptAndRemoved
from shingletools.system.errors import Rejected, printable


@dataclass(frozen=True)
class Records(Format):
    """JSON lines as a format, for `WrappedFormat`. given: lines that replace standard input."""

    given: GivenLines | None = None
    encoding: Encoding | None = None

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        with closing(streams.read_chunks(files, self.given, self.encoding)) as chunks:
            yield from map(self.documents, chunks)

    def documents(self, chunk: Chunk) -> FileDocuments:
        return RecordLines(chunk)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        kept = KeptLines()
        with closing(streams.read_chunks(files, None, self.encoding)) as chunks:
            for chunk in chunks:
                lines = [*BytesIO(chunk.data)]  # with their ends
                for line, decision in zip(lines, decisions.take(len(lines)), strict=True):
                    kept.add(decision, line)
                yield kept.taken()


@dataclass(frozen=True)
class Texts(Records):
    """Lines of text, whose ids are their numbers in the whole input."""

    id_field: str = "id"
    text_field: str = "text"
    option = "--lines"

    def documents(self, chunk: Chunk) -> FileDocuments:
        return TextLines(chunk, self.id_field, self.text_field)


class RecordLines(FileDocuments):
    """Lines of JSON as records."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.name, self.number, self.size = chunk.name, chunk.number, chunk.size

    def documents(self) -> Iterator[Document]:
        for line, text in enumerate(kernel.split_lines(self.chunk.data), self.chunk.line):
            yield Document(text, line, text)


class TextLines(RecordLines):
    """Lines of text."""

    def __init__(self, chunk: Chunk, id_field: str, text_field: str) -> None:
        super().__init__(chunk)
        self.fields = id_field, text_field
        if chunk.line == 1 and b"\r" in chunk.data and kernel.count_lines(chunk.data) == 1:
            from shingletools.record.error_hints import RETURNS, ends_in_returns  # late: most runs do not need it

            if ends_in_returns(chunk.data.rstrip(b"\n")):
                self.messages = [f"{printable(chunk.name)}: is one line; it looks like {RETURNS}"]

    def documents(self) -> Iterator[Document]:
        id_field, text_field = self.fields
        for number, document in enumerate(super().documents(), self.number):
            try:
                text = wire.decode(document.raw)
            except Rejected as error:
                yield document._replace(record=b"", cause=str(error))
                continue
            yield document._replace(record=wire.json_of({id_field: number, text_field: text}))
