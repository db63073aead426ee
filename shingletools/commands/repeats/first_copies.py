"""Keeps texts on disk, and tells where a first copy stands."""

from functools import cached_property

import numpy as np
import orjson

from shingletools.kernel.types import Index
from shingletools.record.wire import AT
from shingletools.running.places import read_places
from shingletools.running.worded import Worded
from shingletools.system.disk_array import DiskArray

TOGETHER = 1 << 20  # bytes of texts that are worked on at once


class KeptTexts:
    """Texts on disk, each with a line feed behind it, none for one without words; and what they are called, if asked.

    The place of a word is its offset in the bytes of all texts. Memory: a megabyte.
    """

    def __init__(self, folder: str, *, named: bool) -> None:
        self.data, self.ends = DiskArray(folder), DiskArray(folder)
        self.wholes = DiskArray(folder)  # the number of the document of each text, since it may be a part
        self.whole, self.of = -1, object()  # of the last one
        self.named = named
        self.names, self.name_ends = DiskArray(folder), DiskArray(folder)
        self.end = self.name_end = 0
        self.waiting: list[bytes] = []
        self.size = 0  # of those that wait

    def add(self, text: Worded, name: str | int, at: str | None, of: object) -> bool:
        """Whether so many wait that they should be taken. of: for parts in a row of one document, the same; or None."""
        self.whole += of is None or of != self.of
        self.of = of
        self.wholes.append(self.whole.to_bytes(8, "little"))
        data = text.text.encode() + b"\n" if text.number else b""
        self.waiting.append(data)
        self.size += len(data)
        self.ends.append((self.end + self.size).to_bytes(8, "little"))
        if self.named:
            said = orjson.dumps({"id": name, AT: at})
            self.name_end += len(said)
            self.names.append(said)
            self.name_ends.append(self.name_end.to_bytes(8, "little"))
        return self.size >= TOGETHER

    def take(self) -> tuple[int, bytes]:
        """The texts that wait, and where they begin."""
        texts, start = b"".join(self.waiting), self.end
        self.data.append(texts)
        self.end += len(texts)
        self.waiting, self.size = [], 0
        return start, texts

    def bounds(self, number: int) -> tuple[int, int]:
        """Where a text begins and ends."""
        return int(self.all_ends[number - 1]) if number else 0, int(self.all_ends[number])

    @cached_property
    def all_ends(self) -> Index:
        """Where each text ends, when all are there."""
        return self.ends.view(np.int64)

    def documents(self, places: Index) -> Index:
        """The number of the document, of which texts may be parts, at each place."""
        numbers: Index = self.wholes.view(np.int64)[np.searchsorted(self.all_ends, places, "right")]
        return numbers

    def words(self, number: int) -> Index:
        """The places of a text's words."""
        start, end = self.bounds(number)
        blanks = np.flatnonzero(self.data.view(np.uint8)[start : end - 1] == ord(" "))
        return np.concatenate([[start], start + 1 + blanks])

    def first_copy(self, place: int, words: int) -> dict[str, object]:
        """Which document has so many words at a place, and where in it: the value of the field "of"."""
        number = int(np.searchsorted(self.all_ends, place, "right"))
        ends = self.name_ends.view(np.int64)
        start = int(ends[number - 1]) if number else 0
        said = orjson.loads(self.names.view(np.uint8)[start : int(ends[number])].tobytes())
        first = int(np.searchsorted(self.words(number), place))
        places = None if said[AT] is None else read_places(said[AT])
        begin, end = Worded("", 0, places).place(first, first + words)
        return {"id": said["id"], "from": begin, "to": end}

    def forget(self) -> None:
        """Releases the memory of what was read."""
        for each in (self.data, self.ends, self.names, self.name_ends):
            each.forget()
