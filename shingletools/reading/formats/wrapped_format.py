"""A format in another encoding than UTF-8, or that numbers records without an id."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from typing import Any

from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.line_documents import Records
from shingletools.reading.streams import GivenLines
from shingletools.record.document_format import Decisions, FileDocuments, Format, KeptAndRemoved
from shingletools.system.errors import Failed


@dataclass(frozen=True)
class WrappedFormat(Format):
    """Says which encoding was guessed; a record without an id gets the number of its document in the whole input."""

    format: Format
    id_field: str  # "" if records are not numbered
    encoding: Encoding | None

    @property
    def option(self) -> str:
        return self.format.option or ("--encoding" if self.encoding else "")

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        with closing(self.format.read(files)) as portions:
            for portion in portions:
                if self.encoding:
                    portion.messages = [*self.encoding.guesses, *portion.messages]
                    self.encoding.guesses.clear()
                portion.id_field = portion.id_field or self.id_field
                yield portion

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        return self.format.write(files, decisions)


def wrapped(form: Format | None, id_field: str, encoding_name: str | None) -> Format:
    """Wraps a format, or JSON lines. Raises Failed for an encoding that is unknown, or that the format cannot have."""
    inner = Records() if form is None else form
    encoding = None if encoding_name is None else Encoding.of(encoding_name)
    if encoding is not None:
        known: Any = inner
        if "encoding" not in (field.name for field in fields(known)):
            raise Failed(f"--encoding cannot be combined with {inner.option}, which says how its texts are encoded")
        inner = replace(known, encoding=encoding)
    return WrappedFormat(inner, id_field, encoding)


def with_lines(form: Format, given: GivenLines) -> Format:
    """Returns the format for lines that replace standard input. form: that of the run, always a WrappedFormat."""
    assert isinstance(form, WrappedFormat)
    return replace(form, format=Records(given), encoding=None)
