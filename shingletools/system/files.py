"""Files and descriptors: whether two are the same, whether one has changed, which are open from the start."""

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from shingletools.system.errors import EnvironmentFailure, Failed, printable

PIPE_BYTES = 1 << 20  # bytes that a pipe may hold: the limit of Linux for any user


@contextlib.contextmanager
def named(name: str) -> Iterator[None]:
    """Turns an OSError inside into a Failed that names the file."""
    try:
        yield
    except OSError as error:
        raise Failed(f"{printable(name)}: {error.strerror}") from None


@contextlib.contextmanager
def folder_errors(folder: str) -> Iterator[None]:
    """Turns an OSError inside into an EnvironmentFailure that names the folder, of scratch files or of an archive."""
    try:
        yield
    except OSError as error:
        raise EnvironmentFailure(f"{printable(folder)}: {error.strerror}") from None


class State(NamedTuple):
    """The identity, size and time of a file, to see whether it has changed."""

    device: int
    number: int
    size: int
    modified: int  # in nanoseconds

    @classmethod
    def read(cls, file: int | str) -> "State":
        """Returns the state of a descriptor or a path."""
        state = os.stat(file)
        return cls(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)

    def unlike(self, before: "State") -> str:
        """Returns how a file has changed since an earlier state."""
        if self[:2] != before[:2]:
            return "replaced"
        if self.size == before.size:
            return "changed"
        return "cut short" if self.size < before.size else "grew"


def states(files: Iterable[str]) -> dict[str, State]:
    """Returns the states of files. Raises Failed if one does not exist."""
    found = {}
    for name in files:
        with named(name):
            found[name] = State.read(name)
    return found


def check_unchanged(before: Mapping[str, State]) -> None:
    """Raises Failed if a file has changed."""
    for name, state in states(before).items():
        if state != before[name]:
            what = f"{state.unlike(before[name])} while it was read"
            raise Failed(f"{printable(name)}: {what} (what is read twice must not change until the end)")


def check_regular(files: Iterable[str], why: str) -> None:
    """Raises Failed unless all are regular files, which can be read twice; `why` begins the message."""
    for name in files:
        if name == "-":
            raise Failed(f"{why} the input twice: name files")
        with named(name):
            if not stat.S_ISREG(os.stat(name).st_mode):
                raise Failed(f"{printable(name)}: not a regular file: {why} it twice")


def flush(descriptor: int) -> None:
    """Waits until a file or a folder is on the disk. Raises OSError.

    On macOS, fsync leaves it in the cache of the disk.
    """
    if hasattr(fcntl, "F_FULLFSYNC"):
        with contextlib.suppress(OSError):  # of file systems without it
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def put(path: str, data: bytes) -> None:
    """Writes a new file, and waits until it is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        write_all(descriptor, data)
        flush(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of the data. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync(folder: str) -> None:
    """Waits until a folder's names are on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        flush(descriptor)
    finally:
        os.close(descriptor)


def claim_standard_streams() -> set[int]:
    """Opens the closed ones of descriptors 0, 1 and 2 on /dev/null, and returns which these were.

    Otherwise the next file that is opened would get the number, and be taken for standard input or output.
    """
    closed = set()
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            closed.add(descriptor)
            os.open(os.devnull, os.O_RDWR)
    return closed


def same_file(one: str | int, other: str | int) -> bool:
    """Returns whether two paths or descriptors are the same regular file, or would be if they existed."""
    try:
        state = os.stat(one)
        return stat.S_ISREG(state.st_mode) and os.path.samestat(state, os.stat(other))
    except OSError:
        if isinstance(one, int) or isinstance(other, int):
            return False
        return os.path.realpath(one) == os.path.realpath(other)


def total_size(files: Iterable[str]) -> int | None:
    """Returns the number of bytes to read, or None if it is unknown, as with a pipe."""
    total = 0
    for name in files:
        with named(name):
            state = os.fstat(0) if name == "-" else os.stat(name)
        if not stat.S_ISREG(state.st_mode):
            return None
        total += state.st_size
    return total


def is_device(name: str) -> bool:
    """Returns whether a file, or standard input ("-"), is a character device, such as a terminal. Raises Failed."""
    with named(name):
        return stat.S_ISCHR((os.fstat(0) if name == "-" else os.stat(name)).st_mode)


def widen(descriptor: int) -> None:
    """Makes a pipe hold more if the system allows it, so that the process at its other end is woken less often.

    Linux allows each user 64 MB in all, and makes new pipes small after that: so no more than PIPE_BYTES is taken.
    """
    with contextlib.suppress(OSError, AttributeError):
        if fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ) < PIPE_BYTES:
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
