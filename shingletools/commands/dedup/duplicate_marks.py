"""The marks of removed documents, and the lines of kept and removed documents, with these marks.

A mark says which document is kept in place of a removed one, and by which rule.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import orjson

from shingletools.commands.dedup.documents import DocumentArrays
from shingletools.commands.dedup.pair_input import NO_SIMILARITY
from shingletools.commands.dedup.spec import DUPLICATE_BY, DUPLICATE_OF
from shingletools.kernel.types import Flags
from shingletools.record import wire
from shingletools.record.events import Event, written
from shingletools.record.filter_line import LineEdits
from shingletools.record.json_members import line_at

OF_PREFIX, BY_PREFIX = (b"," + orjson.dumps(name) + b":" for name in (DUPLICATE_OF, DUPLICATE_BY))

Mark = tuple[bytes, bytes]  # the values of the two fields, as JSON
Marked = Iterable[tuple[int, Mark | None]]  # (place of a document, its mark or None), ascending


def mark(kept: bytes, rule: str, similarity: float = NO_SIMILARITY) -> Mark:
    """Returns the mark of a removed document. kept: the id, as JSON, of the one that the rule keeps in its place.

    >>> mark(b'"x"', "first", 0.75)
    (b'"x"', b'{"rule":"first","similarity":0.75}')
    """
    measured = {} if similarity == NO_SIMILARITY else {"similarity": similarity}
    return kept, orjson.dumps({"rule": rule, **measured})


def joined(says: Mark) -> bytes:
    """Returns the members to append to a document that has no mark yet.

    >>> joined(mark(b"7", "first"))
    b',"duplicate_of":7,"duplicate_by":{"rule":"first"}'
    """
    return OF_PREFIX + says[0] + BY_PREFIX + says[1]


def annotated(line: bytes, says: Mark | None) -> bytes:
    """Returns a document with this mark instead of any that it has; without a mark for None.

    >>> says = mark(b"7", "first")
    >>> annotated(b'{"id": 1, "n": 1.0}', says)
    b'{"id": 1, "n": 1.0,"duplicate_of":7,"duplicate_by":{"rule":"first"}}'
    >>> annotated(b'{"id": 1, "duplicate_of": 5, "n": 1.0}', says)
    b'{"id": 1, "duplicate_of": 7, "n": 1.0,"duplicate_by":{"rule":"first"}}'
    >>> annotated(b'{"id": 1, "duplicate_of": 5, "n": 1.0}', None)
    b'{"id": 1, "n": 1.0}'
    """
    for name, value in zip((DUPLICATE_OF, DUPLICATE_BY), says or (None, None), strict=True):
        edits = LineEdits(line)
        if value is not None:
            edits.set(name, value)
        elif name in edits.named:
            edits.remove(edits.named[name])
        else:
            continue
        line = edits.applied().removeprefix(wire.BOM)
    return line


def cut(documents: DocumentArrays, removed: Flags, marked: Marked = ()) -> list[Event]:
    """Returns the documents that are kept, and those that are removed, with their marks."""
    edges = [0, *(np.flatnonzero(removed[1:] != removed[:-1]) + 1).tolist(), len(removed)]
    runs = list(pairwise(documents.places[edges].tolist()))
    view, first = memoryview(documents.lines), int(removed[0])
    pieces: list[bytes | memoryview] = [view[start:end] for start, end in runs]
    kept, gone = pieces[first::2], pieces[1 - first :: 2]
    if marked:
        gone = [*with_marks(documents, runs[1 - first :: 2], marked)]
    if pieces[-1][-1:] != b"\n":
        (gone if removed[-1] else kept).append(b"\n")
    return written(b"".join(kept), b"".join(gone))


def annotated_all(documents: DocumentArrays, marked: Marked) -> list[Event]:
    """Returns all documents, the removed ones with marks."""
    whole = [(int(documents.places[0]), int(documents.places[-1]))]
    lines = b"".join(with_marks(documents, whole, marked))
    return written(lines if lines.endswith(b"\n") else lines + b"\n")


def with_marks(
    documents: DocumentArrays, runs: Iterable[tuple[int, int]], marked: Marked
) -> Iterator[bytes | memoryview]:
    """Yields the documents in these runs of bytes, which include all marked ones."""
    view = memoryview(documents.lines)
    edits = edited(documents, marked)
    nothing = len(view), len(view), b""
    start, stop, new = next(edits, nothing)
    for first, end in runs:
        at = first
        while start < end:
            yield view[at:start]
            yield new
            at = stop
            start, stop, new = next(edits, nothing)
        yield view[at:end]


def edited(documents: DocumentArrays, marked: Marked) -> Iterator[tuple[int, int, bytes]]:
    """Yields edits: a start and an end in the lines, and the bytes that replace those between."""
    for place, mark in marked:
        last = int(documents.lasts[place])
        if last < 0:
            start = int(documents.places[place])
            line, _ = line_at(documents.lines, start)
            yield start, start + len(line), annotated(line, mark)
        elif mark is not None:
            yield last, last, joined(mark)
