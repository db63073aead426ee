"""Files that options name, whole or line by line."""

import contextlib
import os
import stat
from collections.abc import Iterator

from shingletools.reading.compression_detection import plain
from shingletools.reading.streams import looked_at, read_raw
from shingletools.system.errors import Failed, printable
from shingletools.system.interruptible_reads import DEVICE_BYTES, blocks_of, whole_lines


def read_file(option: str, path: str) -> bytes:
    """Reads a file that an option names; raises Failed, also for a device without an end."""
    where = f"{option}: {printable(path)}"
    content = []
    size = 0
    with _opened(where, path) as (blocks, device):
        for block in plain(blocks, where, "file"):
            content.append(block)
            size += len(block)
            if device and size > DEVICE_BYTES:
                raise Failed(f"{where}: a device, with more than {DEVICE_BYTES} bytes")
    return b"".join(content)


def read_chunks(option: str, path: str, given: Iterator[bytes] | None = None) -> Iterator[bytes]:
    """Yields whole lines of a file that an option names, or of standard input (-), some together; raises Failed.

    given: lines that replace standard input.
    """
    if path == "-" and given is not None:
        yield from given
        return
    where = f"{option}: {printable(path)}"
    with _opened(where, 0 if path == "-" else path) as (blocks, device):
        yield from whole_lines(plain(blocks, where), where, device)


@contextlib.contextmanager
def _opened(where: str, opened: str | int) -> Iterator[tuple[Iterator[bytes], bool]]:
    """Returns the blocks of a file, and whether it is a device, which may have no end; a descriptor stays open."""
    try:
        with open(opened, "rb", buffering=0, closefd=isinstance(opened, str)) as file:
            blocks = read_raw("-") if not opened and "-" in looked_at else blocks_of(file.fileno())
            yield blocks, stat.S_ISCHR(os.fstat(file.fileno()).st_mode)
    except OSError as error:
        raise Failed(f"{where}: {error.strerror}") from None


def names_in(path: str) -> list[str]:
    """Reads names that end with zero bytes, the last perhaps without. path: "-" is standard input. Raises Failed."""
    shown = f"--files0-from: {printable(path)}"
    with _opened(shown, 0 if path == "-" else path) as (blocks, _):
        content = b"".join(blocks)
    names = content.removesuffix(b"\0").split(b"\0") if content else []
    for place, name in enumerate(names, 1):
        if not name:
            raise Failed(f"{shown}:{place}: an empty name")
    if b"\n" in content and b"\0" not in content and not os.path.lexists(content):
        raise Failed(
            f"{shown}: the names stand on lines, but each must end with a zero byte: tr '\\n' '\\0' converts them"
        )
    return list(map(os.fsdecode, names))
