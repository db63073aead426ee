"""Finds all damaged files of an archive; a reader stops at the first."""

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from shingletools.archive import manifest
from shingletools.archive.archive_files import segment_file
from shingletools.archive.archive_reader import open_archive
from shingletools.archive.checksummed_files import Cache, Damaged, Unreadable
from shingletools.archive.manifest import Entry
from shingletools.archive.segment import removed_rows, summed
from shingletools.system.errors import Failed, printable


class FileFault(NamedTuple):
    """A file that is damaged, or that the system cannot read."""

    file: str  # its name in messages
    cause: str
    entry: Entry | None = None  # of the segment that it belongs to; None for the manifest


def faults(path: str) -> Iterator[FileFault]:
    """Reads all of an archive, and gives at most one fault for each file. Raises Failed if there is no archive."""
    try:
        archive = open_archive(path)
    except Unreadable:
        yield from _one_by_one(path)
        return
    with contextlib.closing(archive):
        for segment in archive.segments:
            if fault := found(segment.file.check, segment.entry):
                yield fault


def _one_by_one(path: str) -> Iterator[FileFault]:
    """Yields the faults of an archive that cannot be opened as a whole, which no writer would change."""
    try:
        state, data = manifest.read(path)
    except Unreadable as error:
        yield FileFault(error.file, error.cause)
        return
    for entry in state.segments:
        for fault in _of_files(path, entry):
            if manifest.read(path)[1] != data:  # that is why it could not be opened
                raise Failed(f"{printable(path)}: another process has changed the archive meanwhile")
            yield fault


def _of_files(folder: str, entry: Entry) -> list[FileFault]:
    """Returns the faults of a segment's files. Without sums, only the size of the segment can be checked."""
    path = os.path.join(folder, segment_file(entry.number))

    def whole() -> None:
        with contextlib.closing(summed(folder, entry, Cache())) as file:
            file.check()

    def size() -> None:
        here = os.stat(path).st_size
        if here != entry.size:
            raise Damaged(printable(path), f"damaged ({here} bytes, not {entry.size})")

    checks: tuple[Callable[[], object], ...] = whole, size, lambda: removed_rows(folder, entry)
    every = [fault for check in checks if (fault := found(check, entry))]
    return list({fault.file: fault for fault in reversed(every)}.values())[::-1]


def found(check: Callable[[], object], entry: Entry) -> FileFault | None:
    """Returns the fault that a check of a segment finds, or None."""
    try:
        check()
    except Unreadable as error:
        return FileFault(error.file, error.cause, entry)
    except OSError as error:
        return FileFault(printable(str(error.filename)), str(error.strerror), entry)
    return None
