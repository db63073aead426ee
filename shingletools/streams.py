"""Reading, writing and reporting for the driver: whole lines in, complete files out, nothing lost silently."""

import contextlib
import fcntl
import io
import os
import select
import stat
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import NamedTuple

from shingletools import kernel, signals
from shingletools.errors import Failed, printable
from shingletools.wire import DEVICE

BLOCK = 1 << 18  # bytes asked of a read; a pipe gives what is there, so that records flow on as they come
SPAN = 1 << 20  # bytes that a worker reads itself
WINDOW = 1 << 14  # bytes in which the end of its last line is looked for
PATIENCE = 100  # milliseconds
PIPE = 1 << 20  # bytes that a pipe may hold: what Linux gives to anyone


class ReaderGone(Exception):
    """Whoever read our output has gone away; there is no one left to work for."""


class Chunk(NamedTuple):
    """Some whole lines of one file, or a whole file that is one document."""

    name: str
    line: int | None  # number of the first line in its file, from 1; None if the file is one document
    number: int  # number of the first document in the whole input, from 1
    data: bytes

    def __reduce_ex__(self, _protocol: object) -> tuple[object, ...]:
        """To a worker process, the data go beside the pickle; see serving.Messages."""
        from pickle import PickleBuffer  # as in stage.Written

        return Chunk, (self.name, self.line, self.number, PickleBuffer(self.data))

    def documents(self) -> list[bytes]:
        """Its lines, without their line feeds, or the file."""
        return [self.data] if self.line is None else kernel.split_lines(self.data)


class Span(NamedTuple):
    """Some whole lines of a file, which are read by whoever works on them."""

    name: str  # as the user has it
    path: str  # as every process has it
    start: int  # in bytes
    end: int
    file: "State"

    def chunk(self) -> Chunk:
        """Its lines, numbered from 1 as if they were all; raises Failed if the file cannot be read, or has changed."""
        with _named(self.name):
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                parts = []
                at = self.start
                while at < self.end and (part := os.pread(descriptor, self.end - at, at)):
                    parts.append(part)
                    at += len(part)
                state = State.of(descriptor)  # after the reading: so all of it is of the file that was cut into spans
            finally:
                os.close(descriptor)
        if state != self.file:
            changed = f"{state.unlike(self.file)} while it was read"
            raise Failed(f"{printable(self.name)}: {changed} (with -j a file must stay as it is until the end)")
        return Chunk(self.name, 1, 1, b"".join(parts))


class State(NamedTuple):
    """What tells whether a file is still the same, and unchanged."""

    device: int
    number: int
    size: int
    modified: int  # in nanoseconds

    @classmethod
    def of(cls, descriptor: int) -> "State":
        state = os.fstat(descriptor)
        return cls(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)

    def unlike(self, before: "State") -> str:
        """What was done to a file that had another state."""
        if self[:2] != before[:2]:
            return "replaced"
        if self.size == before.size:
            return "changed"
        return "cut short" if self.size < before.size else "grew"


def claim_standard_streams() -> set[int]:
    """Which of the descriptors 0, 1, 2 were closed; they are open on /dev/null afterwards.

    Otherwise the next file opened would get the number, and be taken for standard input or output.
    """
    closed = set()
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            closed.add(descriptor)
            os.open(os.devnull, os.O_RDWR)
    return closed


def check_readable(files: Iterable[str]) -> None:
    """Raises Failed if a file is not there: better now than after an hour spent on those before it."""
    for name in files:
        if name != "-":
            with _named(name):
                os.stat(name)


def check_open(descriptor: int, closed: set[int]) -> None:
    """Raises Failed if the standard stream was closed from the start."""
    if descriptor in closed:
        raise Failed(f"{('standard input', 'standard output')[descriptor]}: closed")


def same_file(one: str | int, other: str | int) -> bool:
    """Whether two paths or descriptors are one regular file, or would be if they were there."""
    try:
        state = os.stat(one)
        return stat.S_ISREG(state.st_mode) and os.path.samestat(state, os.stat(other))
    except OSError:
        if isinstance(one, int) or isinstance(other, int):
            return False
        return os.path.realpath(one) == os.path.realpath(other)


def total_size(files: Iterable[str]) -> int | None:
    """Bytes to be read, or None where that is not known, as with a pipe."""
    total = 0
    for name in files:
        with _named(name):
            state = os.fstat(0) if name == "-" else os.stat(name)
        if not stat.S_ISREG(state.st_mode):
            return None
        total += state.st_size
    return total


def read_chunks(files: Sequence[str], whole: bool = False) -> Generator[Chunk]:
    """The input, in order; "-" is standard input. Raises Failed if a file cannot be read."""
    number = 1
    for name in files:
        if whole:
            yield Chunk(name, None, number, b"".join(_read_blocks(name)))
            number += 1
            continue
        line = 1
        with contextlib.closing(_read_lines(name)) as blocks:
            for data in blocks:
                yield Chunk(name, line, number, data)
                lines = kernel.count_lines(data)
                number += lines
                line += lines


def read_spans(files: Sequence[str]) -> Generator[Chunk | Span]:
    """The input, in order, of which regular files are left for others to read. Raises Failed."""
    for name in files:
        with _named(name):
            path = os.path.realpath(name)  # /dev/stdin is another file in each process
            # Files that the system makes up say that they are empty
            if name == "-" or not same_file(name, path) or not os.stat(name).st_size:
                yield from read_chunks([name])
                continue
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            try:
                file, start = State.of(descriptor), 0
                while start < file.size:
                    end = _line_end(descriptor, min(start + SPAN, file.size))
                    yield Span(name, path, start, end, file)
                    start = end
            finally:
                os.close(descriptor)


def _line_end(descriptor: int, at: int) -> int:
    """Where the line ends that a place is in."""
    while block := os.pread(descriptor, WINDOW, at):
        if cut := block.find(b"\n") + 1:
            return at + cut
        at += len(block)
    return at


def widen(descriptor: int) -> None:
    """Makes a pipe hold more, where the system lets us; whoever is at its other end need not be woken as often.

    Linux lets each user have 64 MB in all, and makes new pipes small after that: so no more than PIPE is taken.
    """
    with contextlib.suppress(OSError, AttributeError):
        if fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ) < PIPE:
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE)


def _read_blocks(name: str) -> Generator[bytes]:
    with _named(name):
        descriptor = 0 if name == "-" else os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        widen(descriptor)
        waiting = readable(descriptor)
        try:
            before, at = State.of(descriptor), 0
            while block := read_some(descriptor, waiting):
                yield block
                at += len(block)
            if descriptor and stat.S_ISREG(os.fstat(descriptor).st_mode):
                _check_read(name, descriptor, before, at)
        finally:
            if descriptor:
                os.close(descriptor)


def _check_read(name: str, descriptor: int, before: State, at: int) -> None:
    """Raises Failed if a file was not what it was when its reading began, though it may have grown."""
    state = State.of(descriptor)
    cut = min(at, state.size) < before.size
    if before.size and (cut or (state.size == before.size and state != before)):
        raise Failed(f"{printable(name)}: {'cut short' if cut else 'changed'} while it was read")


def readable(descriptor: int) -> select.poll:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return waiting


def read_some(descriptor: int, waiting: select.poll) -> bytes:
    """What is there, and nothing only at the end.

    A signal that comes just before a read does not end its waiting, which may be for ever; and Python calls handlers
    between steps of its own only. So it is not the read that waits.
    """
    while not waiting.poll(PATIENCE):
        pass
    return os.read(descriptor, BLOCK)


def _read_lines(name: str) -> Generator[bytes]:
    """Blocks that end where a line ends; only the last may lack its newline."""
    held: list[bytes] = []
    with _named(name):
        device = stat.S_ISCHR((os.fstat(0) if name == "-" else os.stat(name)).st_mode)
    with contextlib.closing(_read_blocks(name)) as blocks:  # what the garbage collector closes, no signal can end
        for block in blocks:
            cut = block.rfind(b"\n") + 1
            if cut:
                yield b"".join([*held, memoryview(block)[:cut]])
                held = []
            if cut < len(block):
                held.append(block[cut:])
                if device and sum(map(len, held)) > DEVICE:
                    raise Failed(f"{printable(name)}: a device, with a line of more than {DEVICE} bytes")
    if held:
        yield b"".join(held)


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    """An OSError inside becomes a Failed that names the file."""
    try:
        yield
    except OSError as error:
        raise Failed(f"{printable(name)}: {error.strerror}") from None


class Output:
    """Standard output, or a file that appears only when it is complete.

    Such a file is written beside its place, synced and renamed into it by `commit`; leaving the context without that
    leaves no trace. What is not a regular file (a device, a named pipe) is written to directly.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.name = "standard output" if path is None else path
        self.descriptor = 1
        self.target = self.temporary = ""

    def __enter__(self) -> "Output":
        """Opens it; raises Failed."""
        try:
            with _named(self.name):
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
            import tempfile  # and random with it, where a file is to be made

            self.target = os.path.realpath(path)  # a link stays a link
            folder = os.path.dirname(self.target)
            with signals.tracing() as traces:
                self.descriptor, self.temporary = tempfile.mkstemp(prefix=".shingletools.", dir=folder)
                traces.add(self.temporary)
            os.fchmod(self.descriptor, _mode(self.target))

    def write(self, data: bytes) -> None:
        """Writes all of it; raises ReaderGone or Failed."""
        with _named(self.name):
            try:
                _write(self.descriptor, data)
            except BrokenPipeError:
                raise ReaderGone from None

    def sync(self) -> None:
        """Waits until a file is on its disk, which may take long. Raises Failed."""
        if self.temporary:
            with _named(self.name):
                os.fsync(self.descriptor)

    def commit(self) -> None:
        """Closes the output, checking that all of it arrived; a file now takes its place. Raises Failed."""
        with _named(self.name), signals.tracing() as traces:
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


def _mode(path: str) -> int:
    """The permissions a file has, or would get if a shell created it."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


class Rejects:
    """The bad documents: each is reported, counted and, where a file is given, kept byte for byte."""

    def __init__(self, path: str | None, strict: bool, say: Callable[[str], None]) -> None:
        self.count = 0
        self.strict = strict
        self.say = say
        self.path = path
        self.descriptor = -1
        if path is not None:
            with _named(path):
                self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)

    def add(self, name: str, line: int | None, cause: str, document: bytes) -> None:
        """Raises Failed in strict mode, after the document was kept."""
        self.count += 1
        if self.path is not None:
            with _named(self.path):
                _write(self.descriptor, document + b"\n")
        message = f"{where(name, line)}: {cause}"
        if self.strict:
            raise Failed(message)
        self.say(message)

    def close(self) -> None:
        """Raises Failed if what was written did not arrive."""
        if self.path is not None and self.descriptor >= 0:
            with _named(self.path):
                descriptor, self.descriptor = self.descriptor, -1
                os.close(descriptor)


def where(name: str, line: int | None) -> str:
    """A place in the input, as messages give it."""
    return printable(name) if line is None else f"{printable(name)}:{line}"


class StandardError(io.TextIOBase):
    """Standard error for what must not fail the run: if it cannot be written, the exit status must do."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


def say(message: str) -> None:
    """A line on standard error."""
    StandardError().write(f"{message}\n")
