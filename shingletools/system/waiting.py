"""Reading what comes: it waits at a descriptor that does not, and lets signals in; and lines, or enough, of it."""

import os
import select
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from shingletools.system.errors import Failed

BLOCK = 1 << 18  # bytes asked of a read; a pipe gives what is there, so that records flow on as they come
PATIENCE = 100  # milliseconds
DEVICE = 1 << 20  # bytes that a device may give, such as a terminal; some never end
T = TypeVar("T")


def readable(descriptor: int) -> select.poll:
    """What tells whether there is something to read."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return waiting


def read_some(descriptor: int, waiting: select.poll) -> bytes:
    """What is there, and nothing only at the end. Raises OSError.

    A signal that comes just before a read does not end its waiting, which may be for ever; and Python calls handlers
    between steps of its own only. So it is not the read that waits. Where the descriptor does not wait, and another
    process that shares it has taken what was there, it is waited for again.
    """
    while True:
        while not waiting.poll(PATIENCE):
            pass
        try:
            return os.read(descriptor, BLOCK)
        except BlockingIOError:
            pass


ahead: list[bytes] = []  # what was read of standard input to see how it begins


def blocks_of(descriptor: int) -> Iterator[bytes]:
    """All that comes. Raises OSError."""
    while ahead and not descriptor:
        yield ahead.pop(0)
    waiting = readable(descriptor)
    while block := read_some(descriptor, waiting):
        yield block


def whole_lines(blocks: Iterable[bytes], where: str, device: bool) -> Iterator[bytes]:
    """Blocks that end where a line ends, of any others; only the last may lack its newline.

    Of a device, which may have no end, lines are at most DEVICE bytes long. Raises Failed, which begins with `where`.
    """
    held: list[bytes] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*held, memoryview(block)[:cut]])
            held = []
        if cut < len(block):
            held.append(block[cut:])
            if device and sum(map(len, held)) > DEVICE:
                raise Failed(f"{where}: a device, with a line of more than {DEVICE} bytes")
    if held:
        yield b"".join(held)


def gathered(items: Iterable[T], size: Callable[[T], int], enough: int) -> Iterator[list[T]]:
    """Items in lists, each of them with just so many that their sizes are enough, but for the last.

    >>> list(gathered(["to", "be", "or", "not"], len, 4))
    [['to', 'be'], ['or', 'not']]
    """
    held: list[T] = []
    holding = 0
    for item in items:
        held.append(item)
        holding += size(item)
        if holding >= enough:
            yield held
            held, holding = [], 0
    if held:
        yield held
