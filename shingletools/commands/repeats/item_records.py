"""Records of the parts of each item of a reference that documents have."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import orjson

from shingletools.commands.repeats.item_windows import MAX_LISTED, Covered
from shingletools.commands.repeats.reference_items import Items
from shingletools.commands.repeats.short_items import size_of
from shingletools.kernel.types import Flags

DIGITS = 6  # of a share
RECORD = b'{"id":%b,"words":%d,"by":"%b","found":%d,"share":%b,"longest":%d,"documents":%d,"in":[%b]}\n'


class ItemFound:
    """The parts of an item that documents have. Memory: a byte for each of its words."""

    def __init__(self, words: Flags) -> None:
        self.words = words.copy()  # whether each word was found
        self.longest = self.documents = 0
        self.named: list[bytes] = []  # the first documents, as JSON


class ItemsFound:
    """The items of which documents have parts, by rows."""

    def __init__(self) -> None:
        self.items: dict[int, ItemFound] = {}

    def add(self, document: str | int, covered: Covered) -> None:
        """Adds the parts of items that a document has."""
        name = memoryview(orjson.dumps(document)).tobytes()  # orjson's own bytes may take 4 KB
        bounds = pairwise([0, *np.cumsum(covered.sizes).tolist()])
        for row, longest, (start, end) in zip(covered.rows.tolist(), covered.longest.tolist(), bounds, strict=True):
            words = covered.words[start:end]
            item = self.items.get(row)
            if item is None:
                item = self.items[row] = ItemFound(words)
            item.words |= words
            item.longest = max(item.longest, longest)
            item.documents += 1
            if len(item.named) < MAX_LISTED:
                item.named.append(name)

    def lines(self, items: Items, k: int, least: int) -> Iterator[bytes]:
        """Yields a record for each item, in the order of the reference."""
        nothing = ItemFound(np.zeros(0, np.bool_))
        for rows in items.all_rows():
            for row, name, text in zip(rows.tolist(), items.names(rows), items.texts(rows), strict=True):
                size, item = size_of(text), self.items.get(row, nothing)
                found = int(np.count_nonzero(item.words))
                by = b"runs" if size >= k else b"whole" if size >= least else b"nothing"
                share = orjson.dumps(round(found / size, DIGITS) if size else 0.0)
                yield RECORD % (name, size, by, found, share, item.longest, item.documents, b",".join(item.named))
