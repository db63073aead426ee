"""The files in folders and their subfolders: text and HTML, by suffix, or files whose names match patterns."""

import os
import stat
from collections import Counter
from collections.abc import Generator, Iterator, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import NamedTuple

from shingletools.reading import compression_detection, streams
from shingletools.reading.formats.suffixes import PAGES, TEXTS, suffix
from shingletools.reading.formats.whole_files import OtherNames, WholeFile, WholeFiles
from shingletools.record.document_format import Document, FileDocuments, ReadyDocuments
from shingletools.system import files
from shingletools.system.errors import Failed, printable

MAX_SUFFIXES = 1000  # of files passed over that are counted separately, since each file may have one of its own
MAX_SAID_CHARS = 200  # characters of the message about files passed over, at most
BY_SUFFIX = "in "  # before a suffix in this message
OTHERS = "of other kinds"
PANDOC = "pandoc -o FILE.txt FILE"
TEXT_MAKERS = {".docx": PANDOC, ".pdf": "pdftotext FILE", ".epub": PANDOC}
UNFINISHED = ".shingletools."  # the names of incomplete outputs begin with it


class Found(NamedTuple):
    """A file or a folder that cannot be read."""

    path: str
    kind: str = ""  # of files that are passed over; empty for a document
    cause: str = ""  # why it cannot be read


@dataclass(frozen=True)
class Folders(WholeFiles):
    """The files in folders, in the order of their paths as bytes. Their ids are the paths."""

    written: Sequence[str] = ()  # the outputs of this run, which are left out
    include: Sequence[str] = ()  # patterns for names of documents, instead of the known suffixes
    exclude: Sequence[str] = ()  # patterns for names of files and folders to leave out
    option = "--recursive"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        if "-" in files:  # not checked earlier: a pipeline is parsed before its files are known
            raise Failed("--recursive needs folders; standard input is not a folder")
        passed, other_names = Counter[str](), OtherNames(overlap(files))
        number, empty = 1, []
        for name in files:
            first = number, other_names.count
            for found in self.walk(name):
                if found.kind:
                    passed[found.kind if found.kind in passed or len(passed) < MAX_SUFFIXES else OTHERS] += 1
                elif found.cause or not other_names.has(found.path):
                    yield self.portion(found, number)
                    number += 1
            if (number, other_names.count) == first:
                empty.append(f"{printable(name)} has no document")
        if files and number == 1:
            kinds = (
                f": {passed_over(passed)}; --include GLOB takes files by their names"
                if passed and not self.include
                else ""
            )
            raise Failed(f"{' and '.join(map(printable, files))}: no document{kinds}{text_makers(passed)}")
        if passed or empty or other_names.count:
            rest = other_names.portion(number)
            rest.counted = {"files passed over": passed.total() + other_names.count}
            of_kinds = [passed_over(passed) + text_makers(passed)] if passed and not self.include else []
            rest.messages = [*of_kinds, *rest.messages, *empty]
            yield rest

    def portion(self, found: Found, number: int) -> FileDocuments:
        if not found.cause:
            try:
                content = streams.read_whole(found.path, self.encoding)
                file = WholeFile(found.path, number, content, (self.id_field, self.text_field, self.times))
            except Failed as error:
                cause = str(error).removeprefix(f"{printable(found.path)}: ")
                found = found._replace(cause=cause)
            else:
                file.plain = suffix(found.path) not in PAGES
                return file
        bad = ReadyDocuments(found.path, number, 0, [Document(b"", None, cause=found.cause)])
        bad.alone = True
        return bad

    def walk(self, path: str) -> Iterator[Found]:
        """Yields the files in a folder, or the file itself. Symbolic links are not followed, except `path` itself."""
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            yield Found(path, cause=error.strerror or "")
            return
        written = base_names(self.written)
        folders = [iter([(path, mode)])]
        while folders:
            for below, mode in folders[-1]:
                inside = os.path.relpath(below, path) if below != path else ""
                if inside and matches(inside, self.exclude):
                    continue
                if stat.S_ISDIR(mode):
                    try:
                        entries = entries_of(below)
                    except OSError as error:
                        yield Found(below, cause=error.strerror or "")
                        continue
                    folders.append(entries)
                    break
                if not self.is_output(below, written):
                    yield Found(below, self.kind(below, inside or os.path.basename(path), mode))
            else:
                folders.pop()

    def kind(self, path: str, inside: str, mode: int) -> str:
        """Returns the kind of a file that is passed over; empty for a document."""
        if stat.S_ISLNK(mode):
            return "symbolic links"
        if not stat.S_ISREG(mode):
            return "devices, pipes and sockets"
        ending = suffix(path)
        if matches(inside, self.include) if self.include else ending in TEXTS | PAGES:
            return ""
        return f"{BY_SUFFIX}{printable(ending)}" if ending else "without a suffix"

    def is_output(self, path: str, written: Set[str]) -> bool:
        """Returns whether a file is an output of this run, or an unfinished one of another run."""
        name = os.path.basename(path)
        if name in written:
            return any(files.same_file(path, other) for other in self.written)
        return name.startswith(UNFINISHED)


def overlap(folders: Sequence[str]) -> bool:
    """Returns whether one of these folders or files is in another one, or is the same.

    >>> overlap(["/a", "/b", "/a-b"]), overlap(["/a", "/b", "/a/c/.."])
    (False, True)
    """
    paths = sorted(os.path.join(os.path.realpath(folder), "") for folder in folders)
    return any(inner.startswith(outer) for outer, inner in pairwise(paths))


def base_names(paths: Sequence[str]) -> Set[str]:
    """Returns the base names of files and of the targets of their links."""
    return {os.path.basename(name) for path in paths for name in (path, os.path.realpath(path))}


def entries_of(folder: str) -> Iterator[tuple[str, int]]:
    """Returns the entries of a folder with their modes, so that all paths come in the order of their bytes."""
    with os.scandir(folder) as entries:
        found = []
        for entry in entries:
            try:
                mode = entry.stat(follow_symlinks=False).st_mode
            except FileNotFoundError:
                continue  # it was removed in this moment
            found.append((os.path.join(folder, entry.name), mode))
    return iter(sorted(found, key=lambda each: os.fsencode(each[0]) + b"/" * stat.S_ISDIR(each[1])))


def matches(inside: str, patterns: Sequence[str]) -> bool:
    """Returns whether the base name matches a pattern of the shell; if the pattern has a slash, the path must match.

    A compressed file also has the name without its suffix.

    >>> [matches("a/b.py.gz", [pattern]) for pattern in ("*.py", "a/*", "b", "[!a]*")]
    [True, True, False, True]
    """
    stem, ending = os.path.splitext(inside)
    names = [inside, stem] if ending in compression_detection.SUFFIXES else [inside]
    return any(
        fnmatchcase(name if "/" in pattern else os.path.basename(name), pattern)
        for pattern in patterns
        for name in names
    )


def text_makers(passed: Counter[str]) -> str:
    """Returns what makes text of files that are passed over, as the end of a message."""
    kinds = [kind for kind in TEXT_MAKERS if f"{BY_SUFFIX}{kind}" in passed]
    return "".join(f"; {TEXT_MAKERS[kind]} makes text of {kind}" for kind in kinds)


def passed_over(passed: Counter[str]) -> str:
    """Returns the message about files that are no documents, frequent kinds first, in at most MAX_SAID_CHARS."""
    count = left = passed.total()
    kinds: list[str] = []
    line = ""
    for kind, number in passed.most_common():
        if kind == OTHERS:
            continue
        left -= number
        kinds.append(f"{number} {kind}")
        what = ", ".join(kinds + [f"{left} {OTHERS}"] * (left > 0))
        longer = f"passed over {count} file{'s' * (count != 1)}: {what}"
        if len(longer) > MAX_SAID_CHARS and line:
            break
        line = longer
    return line[:MAX_SAID_CHARS]
