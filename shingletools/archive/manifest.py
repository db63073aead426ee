"""Which files are the archive: a line of JSON that is replaced in one step, and so is always whole.

It begins with the BLAKE3 of the bytes behind it. So what is damaged is told from what a later version wrote.
"""

import os
import sys
from typing import Any, NamedTuple

import orjson

from shingletools.archive.blocks import BLOCK, Damaged, hexdigest
from shingletools.archive.names import MANIFEST, removed_file, segment_file, sums_file
from shingletools.errors import Failed, printable

FORMAT, VERSION = "shingletools archive", 1
HEAD = len(b'{"sum":"') + 64 + len(b'",')


class Column(NamedTuple):
    """Where an array is in a segment's file."""

    offset: int  # in bytes
    dtype: str
    shape: tuple[int, ...]


class Removed(NamedTuple):
    """A list of rows that are no longer there."""

    number: int
    rows: int
    sum: str  # of its file


class Entry(NamedTuple):
    """A segment."""

    number: int
    rows: int
    size: int  # bytes of its file
    sums: str  # of the file of its sums
    adds: tuple[tuple[int, int], ...]  # which addition its rows are of, from a row on: (row, number of the addition)
    columns: dict[str, Column]
    removed: Removed | None = None

    @property
    def live(self) -> int:
        """Documents that are there."""
        return self.rows - (self.removed.rows if self.removed else 0)

    def files(self) -> list[str]:
        own = [segment_file(self.number), sums_file(self.number)]
        return own if self.removed is None else [*own, removed_file(self.removed.number)]


class Manifest(NamedTuple):
    """A state of an archive."""

    field: str = ""  # of signatures: empty until there is one
    digits: int = 0  # of a group of a payload
    size: int = 0  # bytes of a signature
    least: int = 0  # agreeing components that it can be asked for
    recipe: str | None = None  # None until there is a record
    numbers: int = 0  # of files that there were
    additions: int = 0
    segments: tuple[Entry, ...] = ()

    def files(self) -> set[str]:
        return {name for entry in self.segments for name in entry.files()}


def encode(manifest: Manifest) -> bytes:
    """What the file holds.

    >>> decode(encode(Manifest(recipe="canon")), "here").recipe
    'canon'
    """
    segments = [
        entry._asdict() | {
            "columns": {key: tuple(column) for key, column in entry.columns.items()},
            "removed": entry.removed and entry.removed._asdict(),
        }
        for entry in manifest.segments
    ]  # fmt: skip
    body = orjson.dumps(
        {"format": FORMAT, "version": VERSION, "order": sys.byteorder, "block": BLOCK}
        | manifest._asdict()
        | {"segments": segments}
    )[1:]
    return b'{"sum":"%b",%b\n' % (hexdigest(body).encode(), body)


def decode(data: bytes, name: str) -> Manifest:
    """Raises Damaged, and Failed for what this version does not read."""
    head, body = data[:HEAD], data[HEAD:].removesuffix(b"\n")
    if not data.endswith(b"\n") or head != b'{"sum":"%b",' % hexdigest(body).encode():
        raise Damaged(f"{name}: damaged (what it holds is not what was written)")
    said = orjson.loads(b"{" + body)
    if said.pop("format") != FORMAT or said.pop("version") != VERSION:
        raise Failed(f"{name}: of another version of the format than {VERSION}, which this program reads")
    if said.pop("order") != sys.byteorder:
        raise Failed(f"{name}: written on a machine with another order of bytes")
    if said.pop("block") != BLOCK:
        raise Failed(f"{name}: written with sums of other blocks than those of {BLOCK} bytes")
    return Manifest(segments=tuple(map(_entry, said.pop("segments"))), **said)


def _entry(said: dict[str, Any]) -> Entry:
    columns = {key: Column(offset, dtype, tuple(shape)) for key, (offset, dtype, shape) in said["columns"].items()}
    removed = said["removed"] and Removed(**said["removed"])
    return Entry(**said | {"adds": tuple(map(tuple, said["adds"])), "columns": columns, "removed": removed})


def read(folder: str) -> tuple[Manifest, bytes]:
    """The manifest of an archive, and its bytes. Raises Failed."""
    path = os.path.join(folder, MANIFEST)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError as error:
        missing = f"no archive ({MANIFEST} is missing)" if os.path.isdir(folder) else str(error.strerror)
        raise Failed(f"{printable(folder)}: {missing}") from None
    except OSError as error:
        raise Failed(f"{printable(path)}: {error.strerror}") from None
    return decode(data, printable(path)), data
