"""The sample: documents with labels, then the others, in the order of the hashes of their ids."""

import heapq
from typing import NamedTuple

import blake3
import orjson

from shingletools.kernel.memo import segments
from shingletools.record.wire import Name
from shingletools.system import errors
from shingletools.system.errors import Rejected

MAX_WORDS = 1 << 22  # most words of a sample
MAX_BYTES = 1 << 26  # most bytes of a sample
MAX_DOCUMENT_WORDS = 1 << 16  # most words of a document that are compared
MAX_DOCUMENT_CHARS = 1 << 20  # most characters of these words, with blanks
UNLABELLED = 1 << 64  # added to the hash of a document without a label


class SampledDocument(NamedTuple):
    """A document of a sample."""

    id: bytes  # as JSON
    text: str  # its first words, single blanks between
    words: int  # how many it has
    kept: int  # and how many of them are in `text`
    label: bytes | None
    other: bool = False  # whether it is one of --against

    @property
    def size(self) -> int:
        """Returns the bytes that it takes; a character of the text takes one, two or four, by the greatest one."""
        greatest = "" if self.text.isascii() else max(self.text)
        width = 1 if greatest <= "\xff" else 2 if greatest <= "\uffff" else 4
        return len(self.id) + width * len(self.text) + len(self.label or b"")


class Sample:
    """The first documents in the order of the sample: at most `most`, with at most `words` words and MAX_BYTES bytes.

    The first one is in it even if it is longer. The order in which documents come does not matter. Memory: MAX_BYTES,
    and 1 kB for each document.
    """

    def __init__(self, most: int, seed: str, words: int = MAX_WORDS, other: bool = False) -> None:
        self.most, self.seed, self.most_words, self.other = most, seed.encode(), words, other
        self.read = [0, 0]  # documents without labels, and with them
        self.held: dict[bytes, SampledDocument] = {}
        self.heap: list[tuple[int, bytes]] = []  # the negated rank of each, the greatest rank first
        self.words = self.bytes = 0
        self.end = 2 * UNLABELLED  # documents with this rank or a higher one are not in it

    def add(self, name: Name, text: str, label: bytes | None, listed: bool = False) -> None:
        """Takes a document, which labels may list. Raises Rejected if the sample has a document with this id."""
        written = orjson.dumps(name)
        if written in self.held:
            raise Rejected(errors.seen_before(name))
        self.read[listed] += 1
        rank = int.from_bytes(blake3.blake3(self.seed + b"\0" + written).digest()[:8]) + UNLABELLED * (not listed)
        if rank >= self.end:
            return
        words, first = 0, []
        for part in segments(text):
            found = part.split()
            if words < MAX_DOCUMENT_WORDS:
                first += found[: MAX_DOCUMENT_WORDS - words]
            words += len(found)
        kept = " ".join(first)
        if len(kept) > MAX_DOCUMENT_CHARS:
            kept = kept[: max(kept.rfind(" ", 0, MAX_DOCUMENT_CHARS + 1), 0)]
        document = SampledDocument(written, kept, words, len(kept.split()), label, self.other)
        self.held[written] = document
        self.words += document.kept
        self.bytes += document.size
        heapq.heappush(self.heap, (-rank, written))
        while len(self.held) > self.most or (self.is_full() and len(self.held) > 1):
            self.end = -self.heap[0][0]
            while self.heap and -self.heap[0][0] == self.end:
                _, last = heapq.heappop(self.heap)
                document = self.held.pop(last)
                self.words -= document.kept
                self.bytes -= document.size

    def is_full(self) -> bool:
        """Returns whether there are too many words or bytes."""
        return self.words > self.most_words or self.bytes > MAX_BYTES

    def documents(self) -> list[SampledDocument]:
        """Returns the documents in the order of their hashes, whether they have labels or not."""
        return [self.held[name] for _, name in sorted((-rank % UNLABELLED, name) for rank, name in self.heap)]
