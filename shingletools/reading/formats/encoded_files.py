"""Files of text in another encoding than UTF-8."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.line_documents import Records
from shingletools.record.document_format import Decisions, FileDocuments, KeptAndRemoved
from shingletools.system.errors import Failed


class EncodedFiles(NamedTuple):
    """Wraps a format of text that has this encoding: says what was guessed. What is written is UTF-8."""

    format: Any
    encoding: Encoding

    @property
    def option(self) -> str:
        return self.format.option or "--encoding"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        with contextlib.closing(self.format.read(files)) as portions:
            for portion in portions:
                portion.messages = [*self.encoding.guesses, *portion.messages]
                self.encoding.guesses.clear()
                yield portion

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        written: Iterator[KeptAndRemoved] = self.format.write(files, decisions)
        return written


def encoded(form: Any, name: str) -> EncodedFiles:
    """Returns a format, or JSON lines, in the encoding of this name. Raises Failed."""
    encoding = Encoding.of(name)
    if form is None:
        return EncodedFiles(Records(None, encoding), encoding)
    if "encoding" not in form._fields:
        raise Failed(f"--encoding cannot be combined with {form.option}, which says how its texts are encoded")
    return EncodedFiles(form._replace(encoding=encoding), encoding)
