"""The format in which each file is a document."""

import os
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from shingletools.reading import streams
from shingletools.reading.streams import Chunk
from shingletools.record import wire
from shingletools.record.document_format import Decisions, Document, FileDocuments, KeptAndRemoved
from shingletools.system.errors import Rejected
from shingletools.system.files import named


class WholeFiles(NamedTuple):
    """Files of text, whose ids are their names."""

    id_field: str
    text_field: str
    zero: bool = False  # whether zero bytes end the names that are written
    times: bool = False  # whether records have fields of the file, see `record_of`
    option: str = "--whole"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        for number, name in enumerate(files, 1):
            yield WholeFile(streams.read_whole(name, number), self.id_field, self.text_field, self.times)

    def write(self, _files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        from shingletools.reading.formats.file_list_rewriter import kept_names  # late: canon does not need it

        return kept_names(decisions, self.zero)


class WholeFile(FileDocuments):
    """A file as a document. `Folders` sets `plain` for text."""

    alone = True

    def __init__(self, chunk: Chunk, id_field: str, text_field: str, times: bool = False) -> None:
        self.chunk, self.fields = chunk, (id_field, text_field, times)
        self.name, self.number, self.size = chunk.name, chunk.number, chunk.size

    def documents(self) -> Iterator[Document]:
        try:
            yield Document(self.chunk.data, None, record_of(self.name, self.chunk.data, *self.fields))
        except Rejected as error:
            yield Document(self.chunk.data, None, cause=str(error))


def record_of(name: str, content: bytes, id_field: str, text_field: str, times: bool = False) -> bytes:
    """Makes the record of a file; raises Rejected.

    times: with the time of its last change, in nanoseconds, and the number of characters of its name without folders.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        raise Rejected("a name that is not UTF-8 cannot be an id") from None
    record: dict[str, str | int] = {id_field: name, text_field: wire.decode(content)}
    if times:
        with named(name):
            record |= {"modified": os.stat(name).st_mtime_ns, "name length": len(os.path.basename(name))}
    return wire.json_of(record)
