"""A format that numbers the records of another format that have no id."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple, cast

from shingletools.reading.formats.line_documents import Records
from shingletools.reading.streams import GivenLines
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FileDocuments, Format, KeptAndRemoved
from shingletools.system.errors import Rejected


class NumberedFormat(NamedTuple):
    """Wraps a format: a record without an id gets, as its id, the number of its document in the whole input."""

    format: Format
    id_field: str

    @property
    def option(self) -> str:
        return self.format.option

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        with contextlib.closing(self.format.read(files)) as portions:
            for portion in portions:
                yield WithNumbers(portion, self.id_field)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        return self.format.write(files, decisions)


def for_given_lines(given: GivenLines, form: Format) -> Format:
    """Returns the format for lines that replace standard input. form: that of the run, always a NumberedFormat."""
    return NumberedFormat(Records(given), cast(NumberedFormat, form).id_field)


class WithNumbers(FileDocuments):
    """The documents of a portion, with numbers as ids where they have none."""

    def __init__(self, portion: FileDocuments, id_field: str) -> None:
        self.portion, self.id_field = portion, id_field
        self.name, self.number, self.size = portion.name, portion.number, portion.size
        self.plain, self.messages, self.counted = portion.plain, portion.messages, portion.counted

    def documents(self) -> Iterator[Document]:
        for number, document in enumerate(self.portion.documents(), self.number):
            if document.cause:
                yield document
                continue
            try:
                record, cause = with_id(document.record, number, self.id_field), ""
            except Rejected as error:
                record, cause = b"", str(error)
            self.numbered = record is not document.record
            yield document._replace(record=record, cause=cause)


def with_numbers(portion: FileDocuments, id_field: str, columns: Sequence[str]) -> FileDocuments:
    """Numbers the rows of a table that has no column `id_field`. An `id_field` of "" numbers none."""
    return WithNumbers(portion, id_field) if id_field and id_field not in columns else portion


def with_id(line: bytes, number: int, id_field: str) -> bytes:
    """Adds a number as the id to a record that has none. Raises Rejected for what is no record.

    >>> with_id(b'{ "text": "a"}', 7, "id"), with_id(b'{"id":null}', 7, "id")
    (b'{"id":7, "text": "a"}', b'{"id":null}')
    """
    record = wire.parse_json(line)
    if wire.find(record, id_field) is not wire.MISSING:
        return line
    before, _, rest = line.partition(b"{")
    member = wire.json_of({id_field: number})[:-1]
    return b"".join([before, member, b"," if record else b"", rest])
