"""What a format is to the driver: how the bytes of files become documents, and these become records."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

Name = str | int  # an id


class Document(NamedTuple):
    """A document as it was found, and the record that it becomes, or why it becomes none."""

    raw: bytes  # as it came: what --rejects keeps
    line: int | None  # the line, row or record of its file at which it begins, from 1; None if it is the file
    record: bytes = b""  # JSON, without a line feed
    cause: str = ""


class FileDocuments(ABC):
    """Some documents of one file. It is pickled for worker processes, which make the records."""

    name: str  # of the file, as the user has it
    number: int  # of its first document in the whole input, from 1
    size: int  # bytes of input
    alone = False  # whether it is a file that is one document
    plain = False  # whether its documents are text, where others are HTML
    messages: Sequence[str] = ()  # what to say on standard error
    counted: Mapping[str, int] = {}  # what was left out, for -v: how many, by what they are

    @abstractmethod
    def documents(self) -> Iterable[Document]:
        """Its documents, in order."""


class ReadyDocuments(FileDocuments):
    """Documents that have their records already."""

    def __init__(self, name: str, number: int, size: int, made: Sequence[Document]) -> None:
        self.name, self.number, self.size, self.made = name, number, size, made

    def documents(self) -> Iterable[Document]:
        return self.made


class DuplicateInfo(NamedTuple):
    """Why a document is a duplicate: the columns that tables get."""

    duplicate_of: Name
    duplicate_by: str
    duplicate_similarity: float | None


class Decision(NamedTuple):
    """What becomes of a document of a file that is read again."""

    kept: bool | None  # None if its record was bad: then it is neither kept nor removed
    said: DuplicateInfo | None = None


class Decisions(Protocol):
    """What becomes of the documents of some files, in their order."""

    begun: int  # when the run began, in nanoseconds, before which files got what was compared
    removing: bool  # whether what is removed is wanted
    # Whether the columns of DuplicateInfo are wanted: for documents that are kept, and for those that are removed
    said: Sequence[bool]

    def take(self, count: int, /) -> Sequence[Decision]:
        """Those of so many documents more. Raises Failed if there are not so many."""

    def names(self) -> Iterator[tuple[Name, Decision]]:
        """Those of all documents that are not bad, with their ids."""


KeptAndRemoved = tuple[bytes, bytes]  # of the documents that are kept, and of those that are removed


class Format(Protocol):
    """A way to read files; an object of a module in `formats/`, with all that its options say."""

    @property
    def option(self) -> str:
        """The option that chooses it; none if it reads JSON lines."""

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        """The documents of files, in order; "-" is standard input. Raises Failed."""

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """The same files with fewer documents, whose bytes are as they were. Raises Failed."""
