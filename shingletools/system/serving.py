"""A worker's side of the work, and the messages of both sides: all that a process needs to begin to serve."""

import itertools
import os
import pickle
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from mmap import PROT_READ, mmap
from typing import IO, cast

from shingletools import kernel
from shingletools.system.errors import Failed

AHEAD = 2  # items that a worker has: one at work, one that waits
PART = 1 << 30  # bytes written or read at once; some systems refuse 2 GB
LARGE = 1 << 24  # bytes of a message that are given back when it was read


class Gone(Exception):
    """The process at the other end has ended."""


class Messages:
    """One direction between two processes: objects through stores, their sizes through a pipe.

    A store is a file in memory that both have open. A pipe would cost each byte twice as much, and could fill up:
    two processes that both write would wait for each other for ever. The stores are used in turn, each for what is
    sent next: so no more messages than there are stores may be under way. Bytes in a PickleBuffer are not copied into
    the pickle, nor out of the store if it lends them: then they stay as they are until it is used again.
    """

    def __init__(self, pipe: IO[bytes], stores: Iterable[int], lends: bool = False) -> None:
        self.pipe = pipe
        self.stores = itertools.cycle(stores)
        self.lends = lends
        self.mapped: dict[int, mmap] = {}

    def send(self, message: object) -> None:
        """Raises Gone, and Failed if the store cannot take the message."""
        store = next(self.stores)
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(message, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
        parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
        try:
            at = 0
            for part in parts:
                at = write(store, at, part)
        except OSError as error:
            raise Failed(f"memory shared with a worker: {error.strerror}") from None
        self.tell(list(map(len, parts)))

    def tell(self, sizes: list[int] | Exception) -> None:
        try:
            pickle.dump(sizes, self.pipe)
            self.pipe.flush()
        except OSError:
            raise Gone from None

    def receive(self) -> object:
        """Raises Gone, and what is told instead of a message."""
        try:
            sizes = pickle.load(self.pipe)
        except (EOFError, pickle.UnpicklingError):
            raise Gone from None
        if isinstance(sizes, Exception):
            raise sizes
        store = next(self.stores)
        ends = list(itertools.accumulate(sizes))
        head, *places = zip([0, *ends], ends, strict=False)
        small = ends[-1] <= LARGE
        lent = self.lend(store, ends[-1]) if self.lends and small and places else None
        buffers = [read(store, *place) if lent is None else lent[slice(*place)] for place in places]
        message = pickle.loads(read(store, *head), buffers=buffers)
        if not small:
            os.ftruncate(store, 0)
        return message

    def lend(self, store: int, size: int) -> memoryview:
        """So much of a store, in place. Raises Gone if it has less."""
        if store not in self.mapped or len(self.mapped[store]) < size:
            try:
                self.mapped[store] = mmap(store, os.fstat(store).st_size, prot=PROT_READ)
            except ValueError:  # there is nothing in it
                raise Gone from None
            if len(self.mapped[store]) < size:
                raise Gone
        return memoryview(self.mapped[store])


def write(store: int, at: int, data: memoryview) -> int:
    """Where the data end."""
    while data:
        written = os.pwrite(store, data[:PART], at)
        data, at = data[written:], at + written
    return at


def read(store: int, at: int, end: int) -> bytes:
    """Raises Gone if the store ends before."""
    parts = []
    while at < end:
        parts.append(os.pread(store, min(end - at, PART), at))
        if not parts[-1]:
            raise Gone
        at += len(parts[-1])
    return b"".join(parts)


def serve(keeps: bool, stores: Sequence[int], asking: IO[bytes], answering: IO[bytes]) -> None:
    """A worker's life: the function first, then items, each answered; the end of the input is the end."""
    kernel.end_with_parent()  # or, where that cannot be, with the input, after what it is at
    if keeps:
        kernel.keep_memory()
    asked = Messages(asking, stores[:AHEAD])
    answers = Messages(answering, stores[AHEAD:])
    with suppress(Gone):
        function = cast(Callable[[object], object], asked.receive())
        answers.send(None)
        while True:
            try:
                answers.send(function(asked.receive()))
            except Gone:
                raise
            except Exception as error:
                try:
                    import traceback  # which most workers do not need

                    error.add_note(traceback.format_exc())  # which the other process could not tell
                    answers.tell(error)
                except (MemoryError, SystemError):  # the latter if an interpreter without memory raised nothing
                    break  # without a word: the other process sees that this one has ended
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # to which Python, when it ends, says what nobody heard
