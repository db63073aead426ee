"""The files in folders, and in folders within them: text or HTML, as their suffix says."""

import os
import stat
from collections.abc import Generator, Iterator, Sequence, Set
from typing import NamedTuple

from shingletools.reading import compressed, streams
from shingletools.reading.formats.whole import WholeFile
from shingletools.record.framing import Document, Framed, Made
from shingletools.system import files
from shingletools.system.errors import Failed, printable

TEXT = frozenset({".txt", ".text", ".md", ".markdown", ".rst", ".adoc"})
HTML = frozenset({".html", ".htm", ".xhtml"})
SUFFIXES = 100  # of files left out that are told apart, since each file may have one of its own
BY_SUFFIX = "files in "  # before it, as a kind of files
OTHERS = "files of other suffixes"
UNFINISHED = ".shingletools."  # what the name of an output begins with that is not complete


class Found(NamedTuple):
    """Something in a folder."""

    path: str
    kind: str = ""  # of what is left out; empty for a document
    cause: str = ""  # why it cannot be read, or looked into


class Folders(NamedTuple):
    """The files in folders, in the order of their paths as bytes. Their ids are the paths."""

    id_field: str
    text_field: str
    written: Sequence[str]  # what this run writes: that is left out

    @property
    def option(self) -> str:
        return "--recursive"

    def read(self, files: Sequence[str], /) -> Generator[Framed]:
        kinds: set[str] = set()  # of which it was told that they are left out
        number = 1
        for name in files:
            for found in self.within(name):
                if found.kind:
                    yield left_out(found._replace(kind=told_apart(found.kind, kinds)), number, kinds)
                    continue
                yield self.portion(found, number)
                number += 1

    def portion(self, found: Found, number: int) -> Framed:
        if not found.cause:
            try:
                file = WholeFile(streams.read_whole(found.path, number), self.id_field, self.text_field)
            except Failed as error:
                cause = str(error).removeprefix(f"{printable(found.path)}: ")
                found = found._replace(cause=cause)
            else:
                file.plain = suffix(found.path) in TEXT
                return file
        bad = Made(found.path, number, 0, [Document(b"", None, cause=found.cause)])
        bad.alone = True
        return bad

    def within(self, path: str) -> Iterator[Found]:
        """What is in a folder, or the file itself. No symbolic link is followed but one that the user names."""
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            yield Found(path, cause=error.strerror or "")
            return
        written = last_names(self.written)
        folders = [iter([(path, mode)])]
        while folders:
            for below, mode in folders[-1]:
                if stat.S_ISDIR(mode):
                    try:
                        entries = entries_of(below)
                    except OSError as error:
                        yield Found(below, cause=error.strerror or "")
                        continue
                    folders.append(entries)
                    break
                if not self.own(below, written):
                    yield Found(below, kind_left_out(below, mode))
            else:
                folders.pop()

    def own(self, path: str, written: Set[str]) -> bool:
        """Whether this run writes a file, by names like these, or it is the unfinished output of another run."""
        name = os.path.basename(path)
        if name in written:
            return any(files.same_file(path, other) for other in self.written)
        return name.startswith(UNFINISHED)


def last_names(paths: Sequence[str]) -> Set[str]:
    """The last names of files, and of what their links lead to; only files with such names need to be compared."""
    return {os.path.basename(each) for path in paths for each in (path, os.path.realpath(path))}


def entries_of(folder: str) -> Iterator[tuple[str, int]]:
    """The entries of a folder with their modes, in the order that puts all paths below in the order of their bytes."""
    with os.scandir(folder) as entries:
        found = []
        for entry in entries:
            try:
                mode = entry.stat(follow_symlinks=False).st_mode
            except FileNotFoundError:
                continue  # it went in this moment
            found.append((os.path.join(folder, entry.name), mode))
    return iter(sorted(found, key=lambda each: os.fsencode(each[0]) + b"/" * stat.S_ISDIR(each[1])))


def suffix(path: str) -> str:
    """How a name ends, before what says that the file is compressed."""
    stem, ending = os.path.splitext(path)
    return (os.path.splitext(stem)[1] if ending in compressed.SUFFIXES else ending).lower()


def kind_left_out(path: str, mode: int) -> str:
    """Why a file is left out, as a kind of file; empty if it is a document."""
    if stat.S_ISLNK(mode):
        return "symbolic links"
    if not stat.S_ISREG(mode):
        return "devices, pipes and sockets"
    ending = suffix(path)
    return "" if ending in TEXT | HTML else f"{BY_SUFFIX}{printable(ending)}" if ending else "files without a suffix"


def told_apart(kind: str, kinds: Set[str]) -> str:
    """A kind of files; once there are many, only kinds that were told of, and those that have no suffix."""
    many = len(kinds) >= SUFFIXES and kind.startswith(BY_SUFFIX)
    return OTHERS if many and kind not in kinds else kind


def left_out(found: Found, number: int, kinds: set[str]) -> Framed:
    """What is said of a file that is no document: the first of its kind stands for all."""
    none = Made(found.path, number, 0, [])
    none.counted = {f"{found.kind} left out": 1}
    if found.kind not in kinds:
        kinds.add(found.kind)
        none.told = [f"{printable(found.path)}: left out, as are all {found.kind}"]
    return none
