"""The documents that a program passes to dedup, and which of them stay."""

from array import array
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from shingletools.kernel import split_lines
from shingletools.record.document_format import DuplicateInfo
from shingletools.record.python_values import to_json
from shingletools.record.wire import parse_json, steps_of
from shingletools.system.errors import Rejected
from shingletools.system.lazy_imports import orjson

MARKS = DuplicateInfo._fields[:2]  # the fields of dedup --annotate

TOO_MANY = 1025  # levels of arrays and objects, more than a record may have


class DocumentQueue:
    """The documents that dedup was given, each with a hash of its line, until its output shows which of them stay.

    So documents are known by their place, and need not be what JSON has. With marks, dedup's lines differ from what it
    was given in the fields MARKS only.
    """

    def __init__(self) -> None:
        self.waiting = deque[tuple[int, Any]]()
        self.rows = array("q")  # hashes of the lines of a data frame's rows
        self.annotated = False

    def add(self, line: bytes, document: Any) -> None:
        """Adds a dict, or None for a line, of which dedup writes all there is to know."""
        self.waiting.append((hash(self.unmarked(line)), document))

    def add_rows(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yields whole lines, and adds them as rows."""
        for block in blocks:
            self.rows.extend(map(hash, split_lines(block)))
            yield block

    def places(self, lines: Iterable[bytes]) -> list[int]:
        """Returns the places, from 0, of the rows that dedup has written.

        Lines lack columns that are not read. Of equal lines the last ones stay: dedup removes only the first document
        of an id.
        """
        written = [hash(line.removesuffix(b"\n")) for line in lines]  # only then have all rows been added
        places, place = list[int](), len(self.rows)
        for own in reversed(written):
            place -= 1
            while self.rows[place] != own:
                place -= 1
            places.append(place)
        return places[::-1]

    def find(self, line: bytes) -> Any:
        """Returns the document of the next line that dedup has written; None if it is the line itself."""
        own = hash(self.unmarked(line))
        while self.waiting:
            sent, document = self.waiting.popleft()
            if sent == own:
                if self.annotated and document is not None:
                    marks = {name: value for name, value in orjson.loads(line).items() if name in MARKS}
                    return {name: value for name, value in document.items() if name not in MARKS} | marks
                return document
        return None

    def line(self, line: bytes) -> bytes:
        """Returns the document of the next line that dedup has written, as a line."""
        document = self.find(line)
        return line if document is None else spelled(document) + b"\n"

    def unmarked(self, line: bytes) -> bytes:
        if not self.annotated:
            return line.removesuffix(b"\n")
        try:
            record = parse_json(line)
        except Rejected:
            return line
        return orjson.dumps({name: value for name, value in record.items() if name not in MARKS})


def spelled(record: Any, fields: Collection[str] | None = None) -> bytes:
    r"""Returns a mapping as JSON; without any but these fields if one of the others cannot be. Raises TypeError.

    >>> spelled({"id": 1, "mean": float("nan")}), spelled({"id": 1, "of": {1, 2}}, ["id"])
    (b'{"id":1,"mean":null}', b'{"id":1}')
    """
    if not isinstance(record, Mapping):
        raise TypeError(f"a document is a dict or a line of JSON in bytes, not {type(record).__name__}")
    try:
        return to_json(record)
    except RecursionError:
        return b"[" * TOO_MANY  # which a command rejects for the same reason
    except TypeError:
        if fields is None:
            raise
        read = {*fields, *(steps_of(field)[0] for field in fields)}
        return to_json({name: value for name, value in record.items() if str(name) in read})
