"""Reads data from a descriptor as they come, so that signals can interrupt it; splits data into whole lines."""

import os
import select
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from shingletools.system.errors import Failed

READ_BYTES = 1 << 18  # bytes asked of a read; a pipe gives what is there, so that records flow on as they come
POLL_MS = 100  # milliseconds
DEVICE_BYTES = 1 << 20  # bytes that a device may give, such as a terminal; some never end
T = TypeVar("T")


def blocks_of(descriptor: int) -> Iterator[bytes]:
    """Yields all data as they come. Raises OSError.

    A signal just before a read does not interrupt it, and Python calls handlers only between its own steps; so a read
    that waits might wait forever. Hence poll waits, not the read. If another process that shares a descriptor without
    blocking has taken the data, poll waits again.
    """
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    while True:
        while not waiting.poll(POLL_MS):
            pass
        try:
            block = os.read(descriptor, READ_BYTES)
        except BlockingIOError:
            continue
        if not block:
            return
        yield block


def whole_lines(blocks: Iterable[bytes], where: str, device: bool) -> Iterator[bytes]:
    """Makes blocks that end where a line ends; only the last may lack its newline.

    Lines of a device, which may have no end, have at most DEVICE_BYTES bytes. Raises Failed, which begins with `where`.
    """
    held: list[bytes] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*held, memoryview(block)[:cut]])
            held = []
        if cut < len(block):
            held.append(block[cut:])
            if device and sum(map(len, held)) > DEVICE_BYTES:
                raise Failed(f"{where}: a device, with a line of more than {DEVICE_BYTES} bytes")
    if held:
        yield b"".join(held)


def gathered(items: Iterable[T], size: Callable[[T], int], enough: int) -> Iterator[list[T]]:
    """Groups items into lists, which end when the sum of their sizes reaches `enough`.

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
