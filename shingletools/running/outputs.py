"""Where results go: complete files or none, and bad records. Nothing is lost without a word."""

import contextlib
import os
import stat
from collections.abc import Iterator

from shingletools.reading import compressed
from shingletools.running.complaints import Complaints, about
from shingletools.running.outcomes import BadRecord
from shingletools.system import signals
from shingletools.system.errors import Failed, printable
from shingletools.system.files import named, same_file, widen

NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class ReaderGone(Exception):
    """Whoever read our output has gone away; there is no one left to work for."""


class Output:
    """Standard output, or a file that appears only when it is complete; compressed, if its name ends so.

    Such a file is written beside its place, synced and renamed into it by `commit`; leaving the context without that
    leaves no trace. What is not a regular file (a device, a named pipe) is written to directly.
    """

    def __init__(self, path: str | None, stored: bool = False) -> None:
        """stored: what is written has its form already, whatever the name says."""
        self.path = path
        self.name = "standard output" if path is None else path
        self.compressing = None if path is None or stored else compressed.compressing(path)
        self.descriptor = 1
        self.target = self.temporary = ""

    def __enter__(self) -> "Output":
        """Opens it; raises Failed."""
        try:
            with named(self.name):
                self._open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _open(self) -> None:
        path = self.path
        if path == "" or (path or "").endswith("/"):
            raise Failed(f"{printable(self.name) or 'the name of the output'}: not the name of a file")
        if path is None or same_file(path, 1):
            widen(1)
            return  # /dev/stdout may be a file with lines of others in it
        if same_file(path, 2):
            self.descriptor = os.dup(2)
        elif os.path.exists(path) and not os.path.isfile(path):
            self.descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)  # a named pipe waits for a reader
        else:
            self.target = os.path.realpath(path)  # a link stays a link
            folder = os.path.dirname(self.target)
            with signals.tracing() as traces:
                temporary = os.path.join(folder, f".shingletools.{os.urandom(8).hex()}")
                mode = _mode(self.target)
                self.descriptor = os.open(temporary, NEW, 0o666 if mode is None else 0o600)
                self.temporary = temporary
                traces.add(temporary)
                if mode is not None:
                    os.fchmod(self.descriptor, mode)

    def write(self, data: bytes) -> None:
        """Writes all of it, at the latest when it is complete; raises ReaderGone or Failed."""
        self._write(data if self.compressing is None else self.compressing.add(data))

    def _write(self, data: bytes) -> None:
        with named(self.name):
            try:
                _write(self.descriptor, data)
            except BrokenPipeError:
                raise ReaderGone from None

    def complete(self) -> None:
        """Writes what is left to write, and waits until a file is on its disk, which may take long.

        Raises ReaderGone or Failed.
        """
        if self.compressing is not None:
            self._write(self.compressing.finish())
        if self.temporary:
            with named(self.name):
                os.fsync(self.descriptor)

    def commit(self) -> None:
        """Closes the output, checking that all of it arrived; a file now takes its place. Raises Failed."""
        with named(self.name), signals.tracing() as traces:
            descriptor, self.descriptor = self.descriptor, -1
            os.close(descriptor)
            if self.temporary:
                os.replace(self.temporary, self.target)
                traces.discard(self.temporary)
                self.temporary = ""

    def __exit__(self, *_: object) -> None:
        with signals.tracing() as traces:
            if self.descriptor > 1:
                with contextlib.suppress(OSError):
                    os.close(self.descriptor)
            if self.temporary:
                with contextlib.suppress(OSError):
                    os.unlink(self.temporary)
                traces.discard(self.temporary)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _mode(path: str) -> int | None:
    """The permissions that a file has; None if there is no file: then a new one gets those that a shell gives."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


class Rejects:
    """Bad documents: reports each, and keeps it byte for byte where a file is given."""

    def __init__(self, path: str | None, strict: bool, complaints: Complaints) -> None:
        self.strict = strict
        self.complaints = complaints
        self.path = path
        self.descriptor = -1
        if path is not None:
            with named(path):
                self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)

    def add(self, bad: BadRecord, whole: bool = False) -> None:
        """Raises Failed in strict mode, after it was kept: a document, or of a whole file the name and the cause."""
        name, _, cause, document = bad
        if self.path is not None:
            kept = b"%b\0%b\0" % (os.fsencode(name), cause.encode()) if whole else document + b"\n"
            with named(self.path):
                _write(self.descriptor, kept)
        if self.strict:
            raise Failed(self.complaints.message(*about(bad)))
        self.complaints.add(bad)

    @contextlib.contextmanager
    def summed_up(self) -> Iterator[None]:
        """At its end, says how many bad records were not reported, unless a signal ends the run."""
        try:
            yield
        except (Failed, ReaderGone):
            self.complaints.close()
            raise
        self.complaints.close()

    def close(self) -> None:
        """Raises Failed if what was written did not arrive."""
        if self.path is not None and self.descriptor >= 0:
            with named(self.path):
                descriptor, self.descriptor = self.descriptor, -1
                os.close(descriptor)
