"""The manifest: the file that says which files are the archive. It is replaced in one step, so it is always whole.

It is a line of JSON that begins with the BLAKE3 of the rest, which distinguishes damage from a later version. A right
sum shows only that it is as somebody wrote it, who may mean harm.
"""

import math
import os
import sys
from typing import Any, NamedTuple

import numpy as np
import orjson

from shingletools.archive import archive_files
from shingletools.archive.checksummed_files import BLOCK_BYTES, OTHER, Damaged, Unreadable, hexdigest
from shingletools.system.errors import Failed, printable

FORMAT, SIGNED, PASSAGES = "shingletools archive", 2, 3  # versions: of signatures, and of passages
READABLE = (1, SIGNED, PASSAGES)  # version 1 has no names of additions
UNSIGNED = ("|u1", "<u2", "<u4", "<u8")
MAX_COUNT = 1 << 53  # numbers of rows, bytes and files are below
MAX_SIGNATURE_BYTES = 1 << 24  # bytes of a signature
HEAD = len(b'{"sum":"') + 64 + len(b'",')


Form = tuple[tuple[str, ...], tuple[int | None, ...]]  # of a column: one of the dtypes; the shape, None for any number


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
        """Returns the number of documents that were not dropped."""
        return self.rows - (self.removed.rows if self.removed else 0)

    def files(self) -> list[str]:
        own = [archive_files.segment_file(self.number), archive_files.sums_file(self.number)]
        return own if self.removed is None else [*own, archive_files.removed_file(self.removed.number)]


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
        """Returns the additions that were given this name, ascending."""
        return [number for number, given in self.names if given == name]


def encode(manifest: Manifest) -> bytes:
    """Returns the bytes of the manifest's file.

    >>> decode(encode(Manifest(recipe="canon")), "here").recipe
    'canon'
    """
    segments = [
        {
            **entry._asdict(),
            "columns": {key: tuple(column) for key, column in entry.columns.items()},
            "removed": entry.removed and entry.removed._asdict(),
        }
        for entry in manifest.segments
    ]
    values = manifest._asdict() | {"segments": segments}
    if not manifest.passages:  # programs that do not know passages read the others
        del values["passages"]
    version = PASSAGES if manifest.passages else SIGNED
    body = orjson.dumps({"format": FORMAT, "version": version, "order": sys.byteorder, "block": BLOCK_BYTES} | values)[
        1:
    ]
    return b'{"sum":"%b",%b\n' % (hexdigest(body).encode(), body)


def decode(data: bytes, name: str) -> Manifest:
    """Returns a manifest from the bytes of its file. Raises Damaged, and Failed for another version's."""
    head, body = data[:HEAD], data[HEAD:].removesuffix(b"\n")
    if not data.endswith(b"\n") or head != b'{"sum":"%b",' % hexdigest(body).encode():
        raise Damaged(name, OTHER)
    try:
        values = orjson.loads(b"{" + body)
        if values.pop("format") != FORMAT or values.pop("version") not in READABLE:
            raise Failed(f"{name}: has another version of the format; this program reads versions 1 to {PASSAGES}")
        if values.pop("order") != sys.byteorder:
            raise Failed(f"{name}: written on a machine with another byte order")
        if values.pop("block") != BLOCK_BYTES:
            raise Failed(f"{name}: written with another block size than {BLOCK_BYTES} bytes")
        segments, names = tuple(map(_entry, values.pop("segments"))), tuple(map(tuple, values.pop("names", ())))
        state = Manifest(segments=segments, names=names, passages=tuple(values.pop("passages", ())), **values)
        if is_sound(state):
            return state
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise Damaged(name, "damaged (it says what cannot be)")


def _entry(values: dict[str, Any]) -> Entry:
    columns = {key: Column(offset, dtype, tuple(shape)) for key, (offset, dtype, shape) in values["columns"].items()}
    removed = values["removed"] and Removed(**values["removed"])
    return Entry(**values | {"adds": tuple(map(tuple, values["adds"])), "columns": columns, "removed": removed})


def is_sound(state: Manifest) -> bool:
    """Returns whether the values of a manifest are possible. Raises TypeError or ValueError for some that are not."""
    seed, gram, run = state.passages or (0, 1, 1)
    return (
        all(type(value) is str for value in (state.field, state.threshold, state.recipe or ""))
        and whole(state.digits, state.size, state.least, state.numbers, state.additions, gram, run)
        and type(seed) is int
        and 0 <= seed < 1 << 64
        and 1 <= gram <= run < 1 << 31
        and all(whole(number) and type(name) is str for number, name in state.names)
        and bool(state.size) <= state.least <= components(state) <= 2 * MAX_SIGNATURE_BYTES
        and all(is_sound_segment(entry, state) for entry in state.segments)
    )


def whole(*values: object) -> bool:
    """Returns whether all are integers from 0 on that can be added."""
    return all(type(value) is int and 0 <= value < MAX_COUNT for value in values)


def components(state: Manifest) -> int:
    """Returns the components of a signature; 0 if there are none. Raises ValueError for signatures that cannot be."""
    if not state.size:
        return 0
    if state.field == "simhash" and (state.digits, state.size) == (16, 8):
        return 64
    if state.field != "sketch" or state.digits not in {2, 4, 8, 16} or state.size % (state.digits // 2):
        raise ValueError(state.field)
    return 2 * state.size // state.digits


def is_sound_segment(entry: Entry, state: Manifest) -> bool:
    """Returns whether a segment has the columns that it needs, each within its file. Raises TypeError or ValueError."""
    removed, firsts = entry.removed, [first for first, _ in entry.adds]
    least, more = forms_of(entry), more_forms(entry, state)
    return (
        whole(entry.number, entry.rows, entry.size, *(number for pair in entry.adds for number in pair))
        and 0 < entry.number <= state.numbers
        and type(entry.sums) is str
        and firsts[:1] == [0]
        and firsts == sorted({*firsts})
        and firsts[-1] < entry.rows
        and (removed is None or (whole(removed.number, removed.rows) and type(removed.sum) is str))
        and (removed is None or removed.rows <= entry.rows)
        and entry.columns.keys() in (least.keys(), least.keys() | more.keys())
        and all(fits(column, (least | more)[name], entry.size) for name, column in entry.columns.items())
    )


def forms_of(entry: Entry) -> dict[str, Form]:
    """Returns the columns that each segment has."""
    return {
        "ids": (("|u1",), (None,)),
        "bounds": (("<i8",), (entry.rows + 1,)),
        archive_files.NAMES: ((archive_files.TABLE,), (entry.rows,)),
        "frames": (("|u1",), (None,)),
        "cuts": (("<i8",), (None,)),
        "frame": (UNSIGNED, (entry.rows,)),
    }


def more_forms(entry: Entry, state: Manifest) -> dict[str, Form]:
    """Returns the further columns of a segment with signatures or passages."""
    if state.passages:
        return {archive_files.GRAMS: ((archive_files.TABLE,), (None,))}
    if not state.size:
        return {}
    bands = map(archive_files.band_name, range(min(components(state) - state.least + 1, len(entry.columns))))
    signature = (f">u{state.digits // 2}",), (entry.rows, 2 * state.size // state.digits)
    return {"signature": signature, **dict.fromkeys(bands, ((archive_files.TABLE,), (None,)))}


def fits(column: Column, form: Form, size: int) -> bool:
    """Returns whether a column has one of the dtypes and the shape, and is within so many bytes."""
    dtypes, shape = form
    return (
        column.dtype in dtypes
        and whole(column.offset, *column.shape)
        and len(column.shape) == len(shape)
        and all(wanted in {None, number} for number, wanted in zip(column.shape, shape, strict=True))
        and column.offset + math.prod(column.shape) * np.dtype(column.dtype).itemsize <= size
    )


def read(folder: str) -> tuple[Manifest, bytes]:
    """Returns the manifest of an archive, and the bytes of its file. Raises Failed."""
    path = os.path.join(folder, archive_files.MANIFEST)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError as error:
        if left := archive_files.a_segment_in(folder):
            raise Damaged(printable(path), f"missing, but {left} is there") from None
        missing = f"no archive ({archive_files.MANIFEST} is missing)" if os.path.isdir(folder) else str(error.strerror)
        raise Failed(f"{printable(folder)}: {missing}") from None
    except NotADirectoryError as error:
        raise Failed(f"{printable(folder)}: {error.strerror}") from None
    except OSError as error:
        raise Unreadable(printable(path), str(error.strerror)) from None
    return decode(data, printable(path)), data
