"""What was found of each item of a reference."""

from collections.abc import Iterator, Sequence

import numpy as np
import orjson

from shingletools.commands.repeats.item_texts import Reference
from shingletools.commands.repeats.meetings import ItemMatch

LISTED = 10  # documents, and items, that are named
DIGITS = 6  # of a share


class ItemsFound:
    """Memory: a byte for each word of the reference, and some bytes for each item."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.words = np.zeros(len(reference.starts), np.bool_)  # those that were found
        self.longest = [0] * len(reference.names)
        self.documents = [0] * len(reference.names)
        self.named: dict[int, list[bytes]] = {}  # the first documents of each item, as JSON

    def add(self, document: str | int, item: int, found: Sequence[ItemMatch]) -> None:
        """Takes what a document has of an item."""
        first = int(self.reference.firsts[item])
        for each in found:
            self.words[first + each.there : first + each.there + each.words] = True
        self.longest[item] = max(self.longest[item], *(each.words for each in found))
        self.documents[item] += 1
        named = self.named.setdefault(item, [])
        if len(named) < LISTED:
            named.append(orjson.dumps(document))

    def lines(self) -> Iterator[bytes]:
        """A record for each item, in the order of the reference."""
        reference = self.reference
        ends = (reference.firsts + reference.sizes).tolist()
        for item, (name, first, end) in enumerate(zip(reference.names, reference.firsts.tolist(), ends, strict=True)):
            size, found = end - first, int(np.count_nonzero(self.words[first:end]))
            by = "runs" if size >= reference.k else "whole" if reference.whole[item] else "nothing"
            yield (
                b'{"id":%b,"words":%d,"by":"%b","found":%d,"share":%b,"longest":%d,"documents":%d,"in":[%b]}\n'
                % (name, size, by.encode(), found, orjson.dumps(round(found / size, DIGITS) if size else 0.0),
                   self.longest[item], self.documents[item], b",".join(self.named.get(item, ())))
            )  # fmt: skip
