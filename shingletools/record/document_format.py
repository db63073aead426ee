"""The interface of an input format: the bytes of files become documents, and documents become records."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple, Protocol

from shingletools.record import wire
from shingletools.record.record_batch import Document, RecordBatch, StepCounts, batch_of_documents
from shingletools.record.wire import Name
from shingletools.system.errors import Rejected

__all__ = ["Document"]  # which formats make


class FileDocuments(ABC):
    """Some documents of one file. Worker processes get it by pickle, and make the records."""

    name: str  # of the file, as the user has it
    number: int  # of its first document in the whole input, from 1
    size: int  # bytes of input
    alone = False  # whether the whole file is one document
    id_field = ""  # the field in which a document without an id gets its number; "" if it gets none
    numbered = False  # whether the last of `documents` got its number as the id
    plain = False  # whether its documents are plain text, in a format that also has HTML
    messages: Sequence[str] = ()  # for standard error
    counted: Mapping[str, int] = {}  # how many things were left out, by description, for -v

    @abstractmethod
    def unnumbered(self) -> Iterable[Document]:
        """Returns its documents, in order."""

    def documents(self) -> Iterator[Document]:
        """Yields its documents, in order, with their numbers as ids if they get these."""
        for number, document in enumerate(self.unnumbered(), self.number):
            if not self.id_field or document.cause:
                yield document
                continue
            try:
                record, cause = with_id(document.record, number, self.id_field), ""
            except Rejected as error:
                record, cause = b"", str(error)
            self.numbered = record is not document.record
            yield document._replace(record=record, cause=cause)

    def batch(self, strict: bool = False) -> RecordBatch:
        """Returns the records of its documents, up to the first one without a record if strict."""
        documents = list[Document]()
        for document in self.documents():
            documents.append(document)
            if strict and document.cause:
                break
        # Counts and messages are read after the documents, which may set them
        return batch_of_documents(documents)._replace(
            file=self.name,
            size=self.size,
            alone=self.alone,
            plain=self.plain,
            messages=self.messages,
            counts=[StepCounts(0, 0, self.counted)],
        )


class ReadyDocuments(FileDocuments):
    """Documents whose records are already made."""

    def __init__(self, name: str, number: int, size: int, made: Sequence[Document]) -> None:
        self.name, self.number, self.size, self.made = name, number, size, made

    def unnumbered(self) -> Iterable[Document]:
        return self.made


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


class DuplicateInfo(NamedTuple):
    """Why a document is a duplicate: the columns that tables get."""

    duplicate_of: Name
    duplicate_by: str
    duplicate_similarity: float | None


class Decision(NamedTuple):
    """Whether a document of a file that is read again is kept."""

    kept: bool | None  # None if its record was bad: then it is neither kept nor removed
    duplicate_info: DuplicateInfo | None = None


class Decisions(Protocol):
    """Which documents of some files are kept, in the order of the files."""

    begun: int  # when the run began, in nanoseconds; a file that changed later is not the one that was compared
    removing: bool  # whether the removed documents are written, too
    # Whether the columns of DuplicateInfo are written: for kept documents, and for removed ones
    wants_info: Sequence[bool]

    def take(self, count: int, /) -> Sequence[Decision]:
        """Returns the decisions on the next `count` documents. Raises Failed if there are fewer."""

    def names(self) -> Iterator[tuple[Name, Decision]]:
        """Yields the ids of all documents that are not bad, with the decisions on them."""


KeptAndRemoved = tuple[bytes, bytes]  # bytes of kept documents, and of removed ones


class FilePortion(NamedTuple):
    """Documents of a file."""

    size: int  # bytes of the file that were read for them
    documents: Sequence[Document]
    id_field: str = ""  # as in FileDocuments


class Format(ABC):
    """A way to read files: an object of a module in `formats/`, with the values of its options."""

    @property
    def option(self) -> str:
        """Returns the option that chooses this format; empty for JSON lines."""
        return ""

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        """Yields the documents of files, in order; "-" is standard input. Raises Failed."""
        number = 1
        for name in files:
            with closing(self.portions(name)) as portions:
                for size, made, id_field in portions:
                    ready = ReadyDocuments(name, number, size, made)
                    ready.id_field = id_field
                    yield ready
                    number += len(made)

    def portions(self, _name: str, /) -> Generator[FilePortion]:
        """Yields the documents of a file, some together, unless the format has another `read`. Raises Failed."""
        raise NotImplementedError

    @abstractmethod
    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Yields the bytes of the same files without the documents that are removed. Raises Failed."""
