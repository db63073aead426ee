"""An archive for writing, by its only writer; segments as they are written.

New files get names that no manifest has. Each is on the disk before a manifest names it. The manifest is replaced in
one step. Only then are files removed that it no longer names. So a run that ends at any moment leaves the archive in
its old or its new state, perhaps with files that the next writer removes.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shingletools.archive import archive_files, manifest
from shingletools.archive.archive_reader import Archive, open_archive
from shingletools.archive.checksummed_files import SummedWriter, hexdigest
from shingletools.archive.manifest import Column, Entry, Manifest, Removed
from shingletools.archive.segment import npy
from shingletools.kernel.types import Index
from shingletools.system import signals
from shingletools.system.errors import EnvironmentFailure, Failed, printable
from shingletools.system.files import folder_errors, put, sync
from shingletools.system.lazy_imports import zipfile

ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the time of all files in a container, so that equal runs write equal bytes


class SegmentWriter:
    """Writes a segment, column by column. Raises OSError, and Failed for values of a damaged archive."""

    def __init__(self, folder: str, number: int) -> None:
        self.folder, self.number = folder, number
        self.file = SummedWriter(os.path.join(folder, archive_files.segment_file(number)))
        self.container = zipfile.ZipFile(self.file, "w", zipfile.ZIP_STORED, allowZip64=True)
        self.columns: dict[str, Column] = {}

    def add(self, name: str, dtype: str, shape: Sequence[int], parts: Iterator[NDArray[np.generic]]) -> None:
        """Adds a column of this shape, from parts of its values in order."""
        described = {
            "descr": np.lib.format.dtype_to_descr(np.dtype(dtype)),
            "fortran_order": False,
            "shape": tuple(shape),
        }
        with self.container.open(zipfile.ZipInfo(f"{name}.npy", ZIP_TIME), "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, described)
            offset, values = self.file.position, 0
            for part in parts:
                values += len(part)
                if part.size:
                    member.write(np.ascontiguousarray(part.astype(dtype, copy=False)).view(np.uint8).reshape(-1).data)
        if values != shape[0]:
            raise Failed(f"{printable(self.folder)}: damaged ({name} would have {values} values, not {shape[0]})")
        self.columns[name] = Column(offset, dtype, tuple(shape))

    def finish(self, rows: int, adds: Sequence[tuple[int, int]]) -> Entry:
        """Finishes the file and the file of its sums, and waits until both are on the disk.

        Returns the manifest's entry of the segment, which has so many rows.
        """
        self.container.close()
        sums = npy(self.file.finish())
        put(os.path.join(self.folder, archive_files.sums_file(self.number)), sums)
        return Entry(self.number, rows, self.file.position, hexdigest(sums), tuple(adds), self.columns)

    def close(self) -> None:
        """Closes the file, finished or not."""
        self.file.close()
        self.container.fp = None  # one that is not finished would still write its end when it is collected


class ArchiveWriter:
    """The only writer of an archive. Raises Failed; EnvironmentFailure if the disk fails.

    It holds a lock on a file, which the system releases when the process ends.
    """

    def __init__(self, path: str, create: bool = False) -> None:
        """Locks an archive. create: makes it if there is none; only one that was there loses unnamed files."""
        self.path = path
        self.lock = -1
        self.numbers = 0  # numbers that were given to files so far
        self.archive = Archive(path, Manifest(), [])  # the archive in its first state
        self.made_folder = False  # whether this made the folder
        self.locked = False
        self.at_end = contextlib.ExitStack()
        new = create and not archive_files.is_archive(path)
        with folder_errors(path):
            if new:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(path)
                    self.made_folder = True
                if strange := sorted(
                    name for name in os.listdir(path) if name not in {archive_files.LOCK, archive_files.NEW}
                ):
                    raise EnvironmentFailure(
                        f"{printable(path)}: {archive_files.MANIFEST} is missing, but {printable(strange[0])} is there"
                    )
            else:
                manifest.read(path)  # fails, if it must, before a file is made
            self.lock = os.open(os.path.join(path, archive_files.LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        with folder_errors(self.path):
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free = os.path.samestat(os.fstat(self.lock), os.stat(os.path.join(self.path, archive_files.LOCK)))
            except (BlockingIOError, FileNotFoundError):
                free = False
            if not free:  # another writer has the lock, or has removed the folder that it had made
                raise EnvironmentFailure(f"{printable(self.path)}: another process is changing the archive")
            self.locked = True
            self.at_end.enter_context(signals.at_end(self._clean_up))
            # Another writer may have made the archive meanwhile
            if not archive_files.is_archive(self.path):
                with contextlib.suppress(FileNotFoundError):  # left by a writer that ended before its first state
                    os.unlink(os.path.join(self.path, archive_files.NEW))
                self.commit(Manifest())
                if self.made_folder:
                    sync(os.path.dirname(os.path.abspath(self.path)))
            self.archive = open_archive(self.path)
            self.numbers = self.archive.manifest.numbers
            self._remove_others(self.archive.manifest)

    def next_number(self) -> int:
        """Returns the number of a new file."""
        self.numbers += 1
        return self.numbers

    @contextlib.contextmanager
    def segment(self) -> Iterator[SegmentWriter]:
        """Opens a new segment, and closes it, finished or not. Raises Failed."""
        with folder_errors(self.path), contextlib.closing(SegmentWriter(self.path, self.next_number())) as segment:
            yield segment

    def without(self, rows: Index) -> tuple[Entry, ...]:
        """Returns the entries of the archive's segments when these rows, which ascend, are dropped, too."""
        entries = list(self.archive.manifest.segments)
        for segment, own, _ in self.archive.part(rows):
            number = self.archive.segments.index(segment)
            entries[number] = entries[number]._replace(removed=self._removed(np.union1d(segment.removed, own)))
        return tuple(entries)

    def _removed(self, rows: NDArray[np.generic]) -> Removed:
        """Writes the file of dropped rows."""
        number, data = self.next_number(), npy(rows.astype(np.uint32))
        with folder_errors(self.path):
            put(os.path.join(self.path, archive_files.removed_file(number)), data)
        return Removed(number, len(rows), hexdigest(data))

    def commit(self, state: Manifest) -> None:
        """Puts the archive into this state."""
        new = os.path.join(self.path, archive_files.NEW)
        state = state._replace(numbers=self.numbers)
        with folder_errors(self.path):
            sync(self.path)  # so that the names of new files are on the disk
            put(new, manifest.encode(state))
            os.replace(new, archive_files.manifest_in(self.path))
            sync(self.path)

    def _remove_others(self, state: Manifest) -> None:
        wanted = {*state.files(), archive_files.MANIFEST, archive_files.LOCK}
        for name in os.listdir(self.path):
            if name not in wanted and archive_files.OURS.fullmatch(name):
                os.unlink(os.path.join(self.path, name))

    def _clean_up(self) -> None:
        """Removes files that the manifest on the disk does not name, and an archive that was made for nothing."""
        with contextlib.suppress(OSError, Failed):  # the next writer removes the rest
            state, _ = manifest.read(self.path)
            self._remove_others(state)
            if self.made_folder and state == Manifest():
                for name in (archive_files.MANIFEST, archive_files.LOCK):
                    os.unlink(os.path.join(self.path, name))
                os.rmdir(self.path)

    def close(self) -> None:
        """Cleans up, and releases the lock."""
        self.archive.close()
        if self.lock >= 0:
            if self.locked:
                self._clean_up()
            self.at_end.close()
            descriptor, self.lock = self.lock, -1
            with contextlib.suppress(OSError):  # the lock is released anyway
                os.close(descriptor)
