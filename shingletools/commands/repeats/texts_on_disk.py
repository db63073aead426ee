"""Texts on disk, and the document and the words at a place in them."""

import sys
from functools import cached_property

import numpy as np
import orjson

from shingletools.kernel.types import Index
from shingletools.record.tokenized_text import TokenizedText
from shingletools.record.wire import AT
from shingletools.record.word_offsets import read_places
from shingletools.system.disk_array import DiskArray

BATCH_BYTES = 1 << 20  # bytes of texts that are taken at once


class TextsOnDisk:
    """Texts on disk, and their ids if `named`. A line feed ends each text that has words.

    The place of a word is its offset in the bytes of all texts. Memory: a megabyte.
    """

    def __init__(self, folder: str, *, named: bool) -> None:
        self.data, self.ends = DiskArray(folder), DiskArray(folder)
        self.wholes = DiskArray(folder)  # the number of the document of each text, since it may be a part
        self.whole, self.of = -1, object()  # of the last text
        self.named = named
        self.names, self.name_ends = DiskArray(folder), DiskArray(folder)
        self.end = self.name_end = 0
        self.waiting: list[bytes] = []
        self.size = 0  # of the texts that wait

    def add(self, text: TokenizedText, name: str | int, at: str | None, of: object) -> bool:
        """Adds a text. Returns whether `take` is due. of: the document that the text is a part of, or None."""
        self.whole += of is None or of != self.of
        self.of = of
        self.wholes.append(self.whole.to_bytes(8, sys.byteorder))
        data = text.text.encode() + b"\n" if text.number else b""
        self.waiting.append(data)
        self.size += len(data)
        self.ends.append((self.end + self.size).to_bytes(8, sys.byteorder))
        if self.named:
            said = orjson.dumps({"id": name, AT: at})
            self.name_end += len(said)
            self.names.append(said)
            self.name_ends.append(self.name_end.to_bytes(8, sys.byteorder))
        return self.size >= BATCH_BYTES

    def take(self) -> tuple[int, bytes]:
        """Moves the texts that wait to the disk. Returns where they begin, and the texts."""
        texts, start = b"".join(self.waiting), self.end
        self.data.append(texts)
        self.end += len(texts)
        self.waiting, self.size = [], 0
        return start, texts

    def bounds(self, number: int) -> tuple[int, int]:
        """Returns where a text begins and ends."""
        return int(self.all_ends[number - 1]) if number else 0, int(self.all_ends[number])

    @cached_property
    def all_ends(self) -> Index:
        """Returns where each text ends, after all were taken."""
        return self.ends.view(np.int64)

    def documents(self, places: Index) -> Index:
        """Returns the number of the document at each place."""
        numbers: Index = self.wholes.view(np.int64)[np.searchsorted(self.all_ends, places, "right")]
        return numbers

    def words(self, number: int) -> Index:
        """Returns the places of a text's words."""
        start, end = self.bounds(number)
        blanks = np.flatnonzero(self.data.view(np.uint8)[start : end - 1] == ord(" "))
        return np.concatenate([[start], start + 1 + blanks])

    def first_copy(self, place: int, words: int) -> dict[str, object]:
        """Returns the value of the field "of": the document that has words at a place, and where in it they are."""
        number = int(np.searchsorted(self.all_ends, place, "right"))
        ends = self.name_ends.view(np.int64)
        start = int(ends[number - 1]) if number else 0
        name_and_places = orjson.loads(self.names.view(np.uint8)[start : int(ends[number])].tobytes())
        first = int(np.searchsorted(self.words(number), place))
        places = None if name_and_places[AT] is None else read_places(name_and_places[AT])
        begin, end = TokenizedText("", 0, places).place(first, first + words)
        return {"id": name_and_places["id"], "from": begin, "to": end}

    def forget(self) -> None:
        """Releases the memory of the pages that were read."""
        for each in (self.data, self.ends, self.names, self.name_ends):
            each.forget()
