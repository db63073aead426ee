"""Output files, complete or absent, and files of bad records. A failed write is always reported."""

import contextlib
import os
import stat

from shingletools.reading import compression_detection
from shingletools.record.events import Reject
from shingletools.system import signals
from shingletools.system.errors import Failed, printable
from shingletools.system.files import flush, named, same_file, widen, write_all

DESCRIPTORS = "/proc/self/fd"  # Linux; only through these a file without a name gets one


class ReaderGone(Exception):
    """The reader of the output has gone away, so there is nothing left to do."""


class Output:
    """Standard output, or a file that appears only when it is complete; compressed if its name says so.

    Such a file has no name until `commit` gives it one, so nothing is left of it if the run ends earlier. On file
    systems without unnamed files, such as NFS, it has another name in the same folder. A device or a named pipe is
    written directly.
    """

    def __init__(self, path: str | None, stored: bool = False) -> None:
        """Opens the output. Raises Failed.

        stored: the bytes are written as they are, whatever the name says about compression.
        """
        self.path = path
        self.name = "standard output" if path is None else path
        self.compressing = None if path is None or stored else compression_detection.compressing(path)
        self.descriptor = 1
        self.unnamed = -1  # a descriptor that refers to the file, once it is complete
        self.target = self.temporary = ""
        self.at_end = contextlib.ExitStack()
        try:
            with named(self.name):
                if path == "" or (path or "").endswith("/"):
                    raise Failed(f"{printable(self.name) or 'the name of the output'}: not the name of a file")
                if path is None or same_file(path, 1):
                    widen(1)  # /dev/stdout may be a file in which others write
                elif same_file(path, 2):
                    self.descriptor = os.dup(2)
                elif os.path.exists(path) and not os.path.isfile(path):
                    self.descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)  # a named pipe waits for a reader
                else:
                    self.target = os.path.realpath(path)  # a link stays a link
                    mode = _mode(self.target)
                    self._create(0o666 if mode is None else 0o600)
                    if mode is not None:
                        os.fchmod(self.descriptor, mode)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> "Output":
        return self

    def _create(self, mode: int) -> None:
        folder = os.path.dirname(self.target)
        if os.path.isdir(DESCRIPTORS):
            with contextlib.suppress(OSError, AttributeError):
                self.descriptor = os.open(folder, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, mode)
                return
        self.temporary = _beside(self.target)
        self.at_end.enter_context(signals.at_end(self._remove))
        self.descriptor = os.open(self.temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)

    def write(self, data: bytes) -> None:
        """Writes all of the data, at the latest in `complete`. Raises ReaderGone or Failed."""
        with named(self.name):
            try:
                write_all(self.descriptor, data if self.compressing is None else self.compressing.add(data))
            except BrokenPipeError:
                raise ReaderGone from None

    def complete(self) -> None:
        """Writes what is left, waits until a file is on disk, which may take long, and closes the output.

        Raises ReaderGone or Failed.
        """
        if self.compressing is not None:
            rest, self.compressing = self.compressing.finish(), None
            self.write(rest)
        with named(self.name):
            if self.target:
                flush(self.descriptor)
                if not self.temporary:
                    self.unnamed = os.open(f"{DESCRIPTORS}/{self.descriptor}", os.O_PATH | os.O_CLOEXEC)
            descriptor, self.descriptor = self.descriptor, -1
            os.close(descriptor)

    def commit(self) -> None:
        """Gives a complete file its name. Raises Failed."""
        if not self.target:
            return
        with named(self.name):
            if self.unnamed >= 0:
                self.temporary = _beside(self.target)  # a link cannot replace a file
                # Python follows the link to the file only if it is given a folder, which an absolute path does not need
                os.link(f"{DESCRIPTORS}/{self.unnamed}", self.temporary, src_dir_fd=self.unnamed)
            os.replace(self.temporary, self.target)
            self.target = self.temporary = ""

    def _remove(self) -> None:
        """Removes a file that has another name. Raises OSError."""
        os.unlink(self.temporary)

    def __exit__(self, *_: object) -> None:
        for descriptor in (self.descriptor, self.unnamed):
            if descriptor > 1:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        if self.temporary:
            with contextlib.suppress(OSError):
                self._remove()
        self.at_end.close()


def _beside(path: str) -> str:
    """Another name in the same folder."""
    return os.path.join(os.path.dirname(path), f".shingletools.{os.urandom(8).hex()}")


def _mode(path: str) -> int | None:
    """Returns the permissions of a file; None if there is no file, and a new one gets those that a shell gives."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


class RejectsFile:
    """A file of bad records, which is written at once, byte for byte."""

    def __init__(self, path: str) -> None:
        """Opens the file, which empties it. Raises Failed."""
        self.path = path
        with named(path):
            self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)

    def add(self, bad: Reject) -> None:
        """Writes a bad record; of a whole file only its name and the cause. Raises Failed."""
        with named(self.path):
            of_file = b"%b\0%b\0" % (os.fsencode(bad.file), bad.cause.encode())
            write_all(self.descriptor, of_file if bad.is_file else bad.record + b"\n")

    def close(self) -> None:
        """Closes the file. Raises Failed if a write has failed."""
        if self.descriptor >= 0:
            with named(self.path):
                descriptor, self.descriptor = self.descriptor, -1
                os.close(descriptor)
