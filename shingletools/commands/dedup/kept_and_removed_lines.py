"""Separates the lines of documents into kept and removed ones, and marks the removed ones."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from shingletools.commands.dedup.document_arrays import DocumentArrays
from shingletools.commands.dedup.duplicate_marks import Mark, annotated, joined
from shingletools.kernel.types import Flags
from shingletools.record.collector import Written
from shingletools.record.json_members import line_at

Marked = Iterable[tuple[int, Mark | None]]  # (place of a document, its mark or None), ascending


def cut(documents: DocumentArrays, removed: Flags, marked: Marked) -> Written:
    """Returns the documents that are kept, and those that are removed, with their marks."""
    edges = [0, *(np.flatnonzero(removed[1:] != removed[:-1]) + 1).tolist(), len(removed)]
    runs = list(pairwise(documents.places[edges].tolist()))
    first = int(removed[0])
    view = memoryview(documents.lines)
    kept: list[bytes | memoryview] = [view[start:end] for start, end in runs[first::2]]
    gone = list(with_marks(documents, runs[1 - first :: 2], marked))
    (gone if removed[-1] else kept).append(feed(documents))
    return Written(b"".join(kept), b"".join(gone))


def annotated_all(documents: DocumentArrays, marked: Marked) -> Written:
    """Returns all documents, the removed ones with marks."""
    whole = [(int(documents.places[0]), int(documents.places[-1]))]
    return Written(b"".join((*with_marks(documents, whole, marked), feed(documents))))


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


def feed(documents: DocumentArrays) -> bytes:
    """Returns the line feed that the last document may lack."""
    end = int(documents.places[-1])
    return b"" if documents.lines[end - 1 : end] == b"\n" else b"\n"
