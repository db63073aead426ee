"""The input: blocks and whole lines of files, or the places of lines in a file."""

import contextlib
import os
import stat
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from shingletools import kernel
from shingletools.reading import compression_detection
from shingletools.record.record_batch import RecordBatch
from shingletools.system.errors import Failed, printable
from shingletools.system.files import State, is_device, named, same_file, widen
from shingletools.system.interruptible_reads import READ_BYTES, blocks_of, whole_lines
from shingletools.system.signals import ours

if TYPE_CHECKING:
    from shingletools.reading.decompression import Held
    from shingletools.reading.encodings import Encoding

GivenLines = Iterator[bytes]  # whole lines, some together
FIRST_OF_MARKS = (b"\xff", b"\xfe", b"\0")  # first bytes of the byte order marks of UTF-16 and UTF-32
SPAN_BYTES = 1 << 20  # bytes that a worker reads itself, at least, unless they are the first or last ones of a file
MAX_SPAN_BYTES = 1 << 22  # fewer pieces of a large file mean less work for the process that hands them out
SPANS = 64  # of a file, at most, unless these are too large
TAIL_BYTES = 1 << 14  # bytes that are read to find the end of its last line

# Files of which the first line was read: the blocks that it took, and the rest
looked_at: dict[str, tuple[list[bytes], Generator[bytes]]] = {}


class Span(NamedTuple):
    """The place of some whole lines of a file, which a worker reads itself."""

    name: str  # as the user wrote it
    path: str  # which is valid in each process
    start: int  # in bytes
    end: int
    file: State

    def batch(self, _strict: bool = False) -> RecordBatch:
        """Reads its lines, numbered from 1. Raises Failed if the file cannot be read, or has changed."""
        with named(self.name):
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                blocks, at = [], self.start
                while at < self.end and (block := os.pread(descriptor, self.end - at, at)):
                    blocks.append(block)
                    at += len(block)
                # After reading, so that all lines are of the file that was cut into spans
                state = State.read(descriptor)
            finally:
                os.close(descriptor)
        if state != self.file:
            changed = f"{state.unlike(self.file)} while it was read"
            raise Failed(f"{printable(self.name)}: {changed} (with -j a file must not change until the end)")
        data = b"".join(blocks)
        return RecordBatch(data, self.name, size=len(data))


def read_batches(
    files: Sequence[str], given: GivenLines | None = None, encoding: "Encoding | None" = None
) -> Generator[RecordBatch]:
    """Yields the lines of files, in order; "-" is standard input, or the lines that are given. Raises Failed."""
    for name in files:
        number = 1
        if name == "-" and given is not None:
            for lines in given:
                yield RecordBatch(lines, name, number)
                number += kernel.count_lines(lines)
            continue
        # Closed here, since a signal cannot end what the garbage collector does
        with contextlib.closing(read_blocks(name, "line", encoding)) as blocks:
            for lines in whole_lines(blocks, printable(name), is_device(name)):
                yield RecordBatch(lines, name, number, blocks.taken())
                number += kernel.count_lines(lines)


def first_line(name: str) -> bytes:
    """Returns the first line of a regular file or of standard input. A command reads on from there (`read_raw`).

    It is empty for a terminal, any other kind of file, and what cannot be read.
    """
    seen, raw = list[bytes](), read_raw(name)
    try:
        if is_device(name) or not (name == "-" or os.path.isfile(name)):
            return b""
        with contextlib.closing(Blocks(noted(raw, seen), printable(name), "line")) as blocks:
            line = next(whole_lines(blocks, printable(name), False), b"").partition(b"\n")[0]
    except Failed:  # the run reports it
        raw, line = read_raw(name), b""
    if seen and (name == "-" or (line and ours())):  # a program may read the file much later
        looked_at[name] = seen, raw
    return line


def noted(blocks: Iterator[bytes], seen: list[bytes]) -> Generator[bytes]:
    """Yields blocks, and keeps them."""
    for block in blocks:
        seen.append(block)
        yield block


def read_whole(name: str, encoding: "Encoding | None" = None) -> tuple[bytes, int]:
    """Returns the content of a file, and its size before decompression; "-" is standard input. Raises Failed."""
    with contextlib.closing(read_blocks(name, "file", encoding)) as blocks:
        return b"".join(blocks), blocks.taken()


class Blocks:
    """Iterates over the decompressed blocks of a file, as UTF-8; raises Failed."""

    def __init__(self, raw: Generator[bytes], where: str, held: "Held", encoding: "Encoding | None" = None) -> None:
        self.raw = raw
        self.blocks = decoded(compression_detection.plain(self._counted(), where, held), where, encoding)
        self.size = 0  # bytes of the file that were read since the last call of `taken`

    def _counted(self) -> Iterator[bytes]:
        for block in self.raw:
            self.size += len(block)
            yield block

    def __iter__(self) -> Iterator[bytes]:
        return self.blocks

    def __next__(self) -> bytes:
        return next(self.blocks)

    def close(self) -> None:
        self.blocks.close()
        self.raw.close()

    def taken(self) -> int:
        """Returns the number of bytes of the file that were read since the last call."""
        taken, self.size = self.size, 0
        return taken


def decoded(blocks: Generator[bytes], where: str, encoding: "Encoding | None") -> Generator[bytes]:
    """Yields blocks as UTF-8, by a byte order mark or an encoding; without either, they are as they come."""
    head = next(blocks, b"")
    if encoding is not None or head[:1] in FIRST_OF_MARKS:
        from shingletools.reading.encodings import as_utf8  # late: most text is UTF-8

        yield from as_utf8(chain((head,), blocks), where, encoding)
        return
    yield from chain((head,) if head else (), blocks)


def read_blocks(name: str, held: "Held" = "nothing", encoding: "Encoding | None" = None) -> Blocks:
    """Reads a file, or standard input ("-"). held: limits a compressed file; by default, the caller must do that."""
    return Blocks(read_raw(name), printable(name), held, encoding)


def read_spans(files: Sequence[str]) -> Generator[RecordBatch | Span]:
    """Yields the lines of files as `read_batches` does, but of regular files only the places. Raises Failed."""
    for name in files:
        if name == "-":
            yield from read_batches([name])
            continue
        with named(name):
            path = os.path.realpath(name)  # /dev/stdin is another file in each process
            # Files of /proc say that they are empty
            if not same_file(name, path) or not os.stat(name).st_size:
                yield from read_batches([name])
                continue
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            try:
                head = os.read(descriptor, compression_detection.HEAD_BYTES)
                if compression_detection.recognised(head) is not None or head[:1] in FIRST_OF_MARKS:
                    yield from read_batches([name])
                    continue
                file, start = State.read(descriptor), 0
                size = max(min(file.size // SPANS, MAX_SPAN_BYTES), SPAN_BYTES)
                some = min(READ_BYTES, size)  # at first, since the process that hands them out may take the first one
                while start < file.size:
                    end = _line_end(descriptor, min(start + some, file.size))
                    yield Span(name, path, start, end, file)
                    start, some = end, size
            finally:
                os.close(descriptor)


def _line_end(descriptor: int, at: int) -> int:
    """Returns where the line at a place ends."""
    while block := os.pread(descriptor, TAIL_BYTES, at):
        if cut := block.find(b"\n") + 1:
            return at + cut
        at += len(block)
    return at


def read_raw(name: str) -> Generator[bytes]:
    """Yields the bytes of a file as they are; "-" is standard input. Raises Failed, also if the file has changed.

    It may grow.
    """
    if name in looked_at:
        seen, rest = looked_at.pop(name)
        with contextlib.closing(rest):
            yield from seen
            yield from rest
        return
    with named(name):
        descriptor = 0 if name == "-" else os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        widen(descriptor)
        try:
            before, at = State.read(descriptor), 0
            for block in blocks_of(descriptor):
                yield block
                at += len(block)
            after = State.read(descriptor)
            cut = min(at, after.size) < before.size
            changed = cut or (after.size == before.size and after != before)
            if descriptor and before.size and changed and stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Failed(f"{printable(name)}: {'cut short' if cut else 'changed'} while it was read")
        finally:
            if descriptor:
                os.close(descriptor)
