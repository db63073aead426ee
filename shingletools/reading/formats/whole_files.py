"""The format in which each file is a document; what is written are the names of files, or a table of them."""

import csv
import io
import os
import stat
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from shingletools.reading import streams
from shingletools.reading.encodings import Encoding
from shingletools.reading.formats.suffixes import PAGES, suffix
from shingletools.record import wire
from shingletools.record.document_format import (
    Decisions,
    Document,
    DuplicateInfo,
    FileDocuments,
    Format,
    KeptAndRemoved,
    ReadyDocuments,
)
from shingletools.system.errors import Failed, Rejected, printable
from shingletools.system.files import named

BATCH_NAMES = 1 << 12  # names


@dataclass(frozen=True)
class WholeFiles(Format):
    """Files of text, whose ids are their names."""

    id_field: str
    text_field: str
    zero: bool = False  # whether zero bytes end the names that are written
    times: bool = False  # whether records have the time of its last change, in nanoseconds, and the size of its name
    encoding: Encoding | None = None
    option = "--whole"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        other_names, number = OtherNames(len(files) > 1), 1
        for name in files:
            if not other_names.has(name):
                content = streams.read_whole(name, self.encoding)
                yield WholeFile(name, number, content, (self.id_field, self.text_field, self.times))
                number += 1
        if other_names.count:
            yield other_names.portion(number)

    def write(self, _files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes names. Raises Failed for one that no line can hold, and for a file that has changed meanwhile."""
        marked = decisions.wants_info[0]
        sides: tuple[list[bytes], list[bytes]] = [row("name", *DuplicateInfo._fields)] if marked else [], []
        for number, (given, decision) in enumerate(decisions.names(), 1):
            name = str(given)
            if not self.zero and not marked and "\n" in name:
                raise Failed(f"{printable(name)}: a name with a line feed: -0 ends names with zero bytes")
            with named(name):
                if os.stat(name).st_ctime_ns > decisions.begun:  # a time of the system, which no archive sets
                    raise Failed(f"{printable(name)}: changed while it was compared")
            line = os.fsencode(name) + (b"\0" if self.zero else b"\n")
            sides[not decision.kept].append(row(name, *decision.duplicate_info or ()) if marked else line)
            if not number % BATCH_NAMES:
                yield b"".join(sides[0]), b"".join(sides[1])
                sides = [], []
        yield b"".join(sides[0]), b"".join(sides[1])


def row(*values: object) -> bytes:
    """Returns a row of CSV, as wide as the header.

    >>> row("a,b.txt"), row("c.txt", "a,b.txt", "first", 0.9)
    (b'"a,b.txt",,,\\n', b'c.txt,"a,b.txt",first,0.9\\n')
    """
    out = io.StringIO()
    empty = [""] * (1 + len(DuplicateInfo._fields) - len(values))
    csv.writer(out, lineterminator="\n").writerow([*values, *empty])
    return os.fsencode(out.getvalue())


class OtherNames:
    """Names of files that came before under another one: by another path, a symbolic link or a hard link.

    Two documents of one file would make a pair, and whoever deletes the one that is removed would lose both.
    """

    def __init__(self, every: bool) -> None:
        """every: whether any file may come again; else only those with several hard links, which saves memory."""
        self.every, self.count, self.example = every, 0, ""
        self.names: dict[tuple[int, int], str] = {}  # by device and inode

    def has(self, name: str) -> bool:
        """Returns whether the file came before, and counts it if so."""
        try:
            state = os.stat(name)
        except OSError:
            return False  # standard input, or a file of which its reader says that it is missing
        if not stat.S_ISREG(state.st_mode) or not (self.every or state.st_nlink > 1):
            return False
        file = state.st_dev, state.st_ino
        if file not in self.names:
            self.names[file] = name
            return False
        self.example = self.example or f"{printable(name)}, which is {printable(self.names[file])}"
        self.count += 1
        return True

    def portion(self, number: int) -> ReadyDocuments:
        """Returns a portion without documents that says how many names were passed over."""
        portion = ReadyDocuments("", number, 0, [])
        if self.count:
            portion.counted = {"files passed over": self.count}
            what = "1 other name of a file:" if self.count == 1 else f"{self.count} other names of files, such as"
            portion.messages = [f"passed over {what} {self.example}"]
        return portion


class WholeFile(FileDocuments):
    """A file as a document. `Folders` sets `plain` for text."""

    alone = True

    def __init__(self, name: str, number: int, content: tuple[bytes, int], fields: tuple[str, str, bool]) -> None:
        """content: also its size before decompression. fields: of id and text, and `WholeFiles.times`."""
        self.name, self.number, self.fields = name, number, fields
        self.content, self.size = content

    def unnumbered(self) -> Iterator[Document]:
        try:
            yield Document(self.content, None, self.record())
        except Rejected as error:
            yield Document(self.content, None, cause=str(error))

    def record(self) -> bytes:
        """Makes the record. Raises Rejected."""
        id_field, text_field, times = self.fields
        try:
            self.name.encode()
        except UnicodeEncodeError:
            raise Rejected("a name that is not UTF-8 cannot be an id") from None
        if suffix(self.name) in PAGES:
            from shingletools.reading.formats.page_charsets import text_of_file  # late: only pages need it

            text = text_of_file(self.content)
        else:
            text = wire.decode(self.content)
        record: dict[str, str | int] = {id_field: self.name, text_field: text}
        if times:
            with named(self.name):
                changed, size = os.stat(self.name).st_mtime_ns, len(os.path.basename(self.name))
            record |= {"modified": changed, "name length": size}
        return wire.json_of(record)
