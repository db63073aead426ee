"""Lines of documents, cut into those that are kept and those that are removed, with their marks."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.marks import Mark, annotated, joined
from shingletools.kernel.types import Flags
from shingletools.record.collector import Written
from shingletools.record.json_members import line_at

Marked = Iterable[tuple[int, Mark | None]]  # places of documents, ascending, with their marks, if they get such


def cut(documents: Block, removed: Flags, marked: Marked) -> Written:
    """The documents that are kept, and those that are removed, to which marks may belong."""
    edges = [0, *(np.flatnonzero(removed[1:] != removed[:-1]) + 1).tolist(), len(removed)]
    runs = list(pairwise(documents.places[edges].tolist()))
    first = int(removed[0])
    view = memoryview(documents.lines)
    kept: list[bytes | memoryview] = [view[start:end] for start, end in runs[first::2]]
    gone = list(with_marks(documents, runs[1 - first :: 2], marked))
    (gone if removed[-1] else kept).append(feed(documents))
    return Written(b"".join(kept), b"".join(gone))


def annotated_all(documents: Block, marked: Marked) -> Written:
    """All documents, some of them with marks."""
    whole = [(int(documents.places[0]), int(documents.places[-1]))]
    return Written(b"".join((*with_marks(documents, whole, marked), feed(documents))))


def with_marks(documents: Block, runs: Iterable[tuple[int, int]], marked: Marked) -> Iterator[bytes | memoryview]:
    """The documents in these runs of bytes, which have all that are marked."""
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


def edited(documents: Block, marked: Marked) -> Iterator[tuple[int, int, bytes]]:
    """Yields a start and an end in the lines, and what marks put in place of what is between."""
    for place, mark in marked:
        last = int(documents.lasts[place])
        if last < 0:
            start = int(documents.places[place])
            line, _ = line_at(documents.lines, start)
            yield start, start + len(line), annotated(line, mark)
        elif mark is not None:
            yield last, last, joined(mark)


def feed(documents: Block) -> bytes:
    """The line feed that the last document may lack."""
    end = int(documents.places[-1])
    return b"" if documents.lines[end - 1 : end] == b"\n" else b"\n"
