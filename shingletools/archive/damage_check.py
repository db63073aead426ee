"""Finds all damaged files of an archive; a reader stops at the first."""

import contextlib
import os
from collections.abc import Callable, Iterator

from shingletools.archive import manifest
from shingletools.archive.archive_files import segment_file
from shingletools.archive.archive_reader import open_archive
from shingletools.archive.checksummed_files import Cache, Damaged, Unreadable
from shingletools.archive.manifest import Entry
from shingletools.archive.segment import removed_rows, summed
from shingletools.system.errors import Failed, printable

Fault = tuple[Unreadable, Entry | None]  # a file that is bad, and its segment; None for the manifest


def faults(path: str) -> Iterator[Fault]:
    """Reads all of an archive, and gives at most one fault for each file. Raises Failed if there is no archive."""
    try:
        archive = open_archive(path)
    except Unreadable:
        yield from _one_by_one(path)
        return
    with contextlib.closing(archive):
        for segment in archive.segments:
            if fault := fault_of(segment.file.check):
                yield fault, segment.entry


def _one_by_one(path: str) -> Iterator[Fault]:
    """Yields the faults of an archive that cannot be opened as a whole, which no writer would change."""
    try:
        state, data = manifest.read(path)
    except Unreadable as error:
        yield error, None
        return
    for entry in state.segments:
        for fault in _of_files(path, entry):
            if manifest.read(path)[1] != data:  # that is why it could not be opened
                raise Failed(f"{printable(path)}: another process has changed the archive meanwhile")
            yield fault, entry


def _of_files(folder: str, entry: Entry) -> list[Unreadable]:
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
    every = [fault for check in checks if (fault := fault_of(check))]
    return list({fault.file: fault for fault in reversed(every)}.values())[::-1]


def fault_of(check: Callable[[], object]) -> Unreadable | None:
    """Returns the fault that a check of a file finds, or None."""
    try:
        check()
    except Unreadable as error:
        return error
    except OSError as error:
        return Unreadable(printable(str(error.filename)), str(error.strerror))
    return None
