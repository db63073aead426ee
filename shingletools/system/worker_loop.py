"""The loop of a worker, and the messages of both sides."""

import itertools
import os
import pickle
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from mmap import PROT_READ, mmap
from typing import IO, cast

from shingletools import kernel
from shingletools.system.errors import Failed

AHEAD_ITEMS = 2  # items that a worker has: one at work, one that waits
MAX_IO_BYTES = 1 << 30  # bytes written or read at once; some systems refuse 2 GB
LARGE_MESSAGE_BYTES = 1 << 24  # bytes of a message whose memory is released after reading


class ProcessEnded(Exception):
    """The process at the other end has ended."""


class Messages:
    """Messages in one direction between two processes: objects go through stores, their sizes through a pipe.

    A store is a file in memory that both have open. A pipe would cost twice as much for each byte, and could fill up:
    two processes that both write would wait for each other forever. The stores are used in turn, so no more messages
    than there are stores may be under way. Bytes in a PickleBuffer are not copied into the pickle. If the stores lend,
    they are not copied out of the store either, and stay valid until it is used again.
    """

    def __init__(self, pipe: IO[bytes], stores: Iterable[int], lends: bool = False) -> None:
        self.pipe = pipe
        self.stores = itertools.cycle(stores)
        self.lends = lends
        self.mapped: dict[int, mmap] = {}

    def send(self, message: object) -> None:
        """Raises ProcessEnded, and Failed if the store cannot take the message."""
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
            raise ProcessEnded from None

    def receive(self) -> object:
        """Returns the next message. Raises ProcessEnded, and the exception that was sent instead of a message."""
        try:
            sizes = pickle.load(self.pipe)
        except (EOFError, pickle.UnpicklingError):
            raise ProcessEnded from None
        if isinstance(sizes, Exception):
            raise sizes
        store = next(self.stores)
        ends = list(itertools.accumulate(sizes))
        head, *places = zip([0, *ends], ends, strict=False)
        small = ends[-1] <= LARGE_MESSAGE_BYTES
        lent = self.lend(store, ends[-1]) if self.lends and small and places else None
        buffers = [read(store, *place) if lent is None else lent[slice(*place)] for place in places]
        message = pickle.loads(read(store, *head), buffers=buffers)
        if not small:
            os.ftruncate(store, 0)
        return message

    def lend(self, store: int, size: int) -> memoryview:
        """Returns a view of a store of at least `size` bytes. Raises ProcessEnded if it has fewer."""
        if store not in self.mapped or len(self.mapped[store]) < size:
            try:
                self.mapped[store] = mmap(store, os.fstat(store).st_size, prot=PROT_READ)
            except ValueError:  # there is nothing in it
                raise ProcessEnded from None
            if len(self.mapped[store]) < size:
                raise ProcessEnded
        return memoryview(self.mapped[store])


def write(store: int, at: int, data: memoryview) -> int:
    """Writes data to a store; returns where they end."""
    while data:
        written = os.pwrite(store, data[:MAX_IO_BYTES], at)
        data, at = data[written:], at + written
    return at


def read(store: int, at: int, end: int) -> bytes:
    """Reads data from a store. Raises ProcessEnded if it ends before."""
    parts = []
    while at < end:
        parts.append(os.pread(store, min(end - at, MAX_IO_BYTES), at))
        if not parts[-1]:
            raise ProcessEnded
        at += len(parts[-1])
    return b"".join(parts)


def serve(keeps: bool, stores: Sequence[int], asking: IO[bytes], answering: IO[bytes]) -> None:
    """Receives a function, then items, and answers each item with the function's result, until the input ends."""
    kernel.end_with_parent()  # if the system cannot do that, it ends with the input
    if keeps:
        kernel.keep_memory()
    asked = Messages(asking, stores[:AHEAD_ITEMS])
    answers = Messages(answering, stores[AHEAD_ITEMS:])
    with suppress(ProcessEnded):
        function = cast(Callable[[object], object], asked.receive())
        answers.send(None)
        while True:
            try:
                answers.send(function(asked.receive()))
            except ProcessEnded:
                raise
            except Exception as error:
                try:
                    import traceback  # late: most workers do not need it

                    error.add_note(traceback.format_exc())  # the other process does not have it
                    answers.tell(error)
                except (MemoryError, SystemError):  # the latter if an interpreter without memory raised nothing
                    break  # the other process sees that this one has ended
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes what nobody read to it at its end
