"""The manifest: the file that says which files are the archive. It is replaced in one step, so it is always whole.

It is a line of JSON that begins with the BLAKE3 of the rest. So damage can be told from a later version.
"""

import os
import sys
from typing import Any, NamedTuple

import orjson

from shingletools.archive.archive_files import MANIFEST, a_segment_in, removed_file, segment_file, sums_file
from shingletools.archive.checksummed import BLOCK, OTHER, Damaged, Unreadable, hexdigest
from shingletools.system.errors import Failed, printable

FORMAT, SIGNED, PASSAGES = "shingletools archive", 2, 3  # versions: of signatures, and of passages
READABLE = (1, SIGNED, PASSAGES)  # version 1 has no names of additions
HEAD = len(b'{"sum":"') + 64 + len(b'",')


class Column(NamedTuple):
    """The position of an array in a segment's file."""

    offset: int  # in bytes
    dtype: str
    shape: tuple[int, ...]


class Removed(NamedTuple):
    """A file that lists dropped rows."""

    number: int
    rows: int
    sum: str  # BLAKE3 of the file


class Entry(NamedTuple):
    """A segment, as the manifest describes it."""

    number: int
    rows: int
    size: int  # bytes of its file
    sums: str  # BLAKE3 of the file of its sums
    adds: tuple[tuple[int, int], ...]  # (row, addition): rows from this one on came with this addition
    columns: dict[str, Column]
    removed: Removed | None = None

    @property
    def live(self) -> int:
        """The number of documents that were not dropped."""
        return self.rows - (self.removed.rows if self.removed else 0)

    def files(self) -> list[str]:
        own = [segment_file(self.number), sums_file(self.number)]
        return own if self.removed is None else [*own, removed_file(self.removed.number)]


class Manifest(NamedTuple):
    """A state of an archive."""

    field: str = ""  # of signatures, "" before the first one; or of the words of passages
    digits: int = 0  # hex digits of a payload's group
    size: int = 0  # bytes of a signature
    least: int = 0  # least agreeing components that it answers for
    threshold: str = ""  # the same as an option, as the user gave it; version 1 does not have it
    recipe: str | None = None  # of all records; None before the first one
    numbers: int = 0  # numbers that were given to files so far
    additions: int = 0
    names: tuple[tuple[int, str], ...] = ()  # (addition, the name that it was given)
    segments: tuple[Entry, ...] = ()
    passages: tuple[int, ...] = ()  # seed, words of a gram, words of a passage; () if signatures are kept

    def files(self) -> set[str]:
        return {name for entry in self.segments for name in entry.files()}

    def named(self, name: str | None) -> list[int]:
        """The additions that were given this name, ascending."""
        return [number for number, each in self.names if each == name]


def encode(manifest: Manifest) -> bytes:
    """The bytes of the manifest's file.

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
    said = manifest._asdict() | {"segments": segments}
    if not manifest.passages:  # programs that do not know passages read the others
        del said["passages"]
    version = PASSAGES if manifest.passages else SIGNED
    body = orjson.dumps({"format": FORMAT, "version": version, "order": sys.byteorder, "block": BLOCK} | said)[1:]
    return b'{"sum":"%b",%b\n' % (hexdigest(body).encode(), body)


def decode(data: bytes, name: str) -> Manifest:
    """A manifest from the bytes of its file. Raises Damaged, and Failed for another version's."""
    head, body = data[:HEAD], data[HEAD:].removesuffix(b"\n")
    if not data.endswith(b"\n") or head != b'{"sum":"%b",' % hexdigest(body).encode():
        raise Damaged(name, OTHER)
    said = orjson.loads(b"{" + body)
    if said.pop("format") != FORMAT or said.pop("version") not in READABLE:
        raise Failed(f"{name}: has another version of the format; this program reads versions 1 to {PASSAGES}")
    if said.pop("order") != sys.byteorder:
        raise Failed(f"{name}: written on a machine with another byte order")
    if said.pop("block") != BLOCK:
        raise Failed(f"{name}: written with another block size than {BLOCK} bytes")
    segments, names = tuple(map(_entry, said.pop("segments"))), tuple(map(tuple, said.pop("names", ())))
    return Manifest(segments=segments, names=names, passages=tuple(said.pop("passages", ())), **said)


def _entry(said: dict[str, Any]) -> Entry:
    columns = {key: Column(offset, dtype, tuple(shape)) for key, (offset, dtype, shape) in said["columns"].items()}
    removed = said["removed"] and Removed(**said["removed"])
    return Entry(**said | {"adds": tuple(map(tuple, said["adds"])), "columns": columns, "removed": removed})


def read(folder: str) -> tuple[Manifest, bytes]:
    """The manifest of an archive, and the bytes of its file. Raises Failed."""
    path = os.path.join(folder, MANIFEST)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError as error:
        if left := a_segment_in(folder):
            raise Damaged(printable(path), f"missing, but {left} is there") from None
        missing = f"no archive ({MANIFEST} is missing)" if os.path.isdir(folder) else str(error.strerror)
        raise Failed(f"{printable(folder)}: {missing}") from None
    except NotADirectoryError as error:
        raise Failed(f"{printable(folder)}: {error.strerror}") from None
    except OSError as error:
        raise Unreadable(printable(path), str(error.strerror)) from None
    return decode(data, printable(path)), data
