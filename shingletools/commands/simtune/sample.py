"""Which documents are in a sample: those with labels, then those whose ids have the least hashes."""

import heapq
from typing import NamedTuple

import blake3

from shingletools.kernel.memo import segments
from shingletools.system import errors
from shingletools.system.errors import Rejected

WORDS = 1 << 22  # of a sample; with one more document it would have more
BYTES = 1 << 26  # likewise
LONGEST = 1 << 16  # words of a document that are compared
CHARACTERS = 1 << 20  # and that they have together, blanks between: from the word on that has more, they are left out
END = 1 << 65
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
        """Bytes that it takes: a text one, two or four for each character, by the greatest one."""
        greatest = "" if self.text.isascii() else max(self.text)
        width = 1 if greatest <= "\xff" else 2 if greatest <= "\uffff" else 4
        return len(self.id) + width * len(self.text) + len(self.label or b"")


class Sample:
    """Documents with labels, then others, each in the order of hashes of their ids: the first ones, `most` at most, of
    `words` and BYTES at most in all.

    The first one is there however long it is. The order and the parts in which documents come decide nothing, as long
    as no id comes twice. Memory: BYTES, and 1 kB for each document.
    """

    def __init__(self, most: int, seed: str, words: int = WORDS, other: bool = False) -> None:
        self.most = most
        self.seed = seed.encode()
        self.most_words = words
        self.other = other
        self.read = [0, 0]  # documents without labels, and with them
        self.held: dict[bytes, tuple[int, SampledDocument]] = {}
        self.heap: list[tuple[int, bytes]] = []  # the greatest hash first
        self.words = self.bytes = 0
        self.end = END  # documents from this hash on are not in it

    def add(self, name: str | int, written: bytes, text: str, label: bytes | None, listed: bool = False) -> None:
        """Takes a document, by its id and this as JSON; raises Rejected if the sample has one of this id."""
        if written in self.held:
            raise Rejected(errors.seen_before(name))
        self.read[listed] += 1
        rank = int.from_bytes(blake3.blake3(self.seed + b"\0" + written).digest()[:8]) + UNLABELLED * (not listed)
        if rank >= self.end:
            return
        words, first = 0, []
        for part in segments(text):
            found = part.split()
            if words < LONGEST:
                first += found[: LONGEST - words]
            words += len(found)
        kept = " ".join(first)
        if len(kept) > CHARACTERS:
            kept = kept[: max(kept.rfind(" ", 0, CHARACTERS + 1), 0)]
        document = SampledDocument(written, kept, words, len(kept.split()), label, self.other)
        self.held[written] = rank, document
        self.words += document.kept
        self.bytes += document.size
        heapq.heappush(self.heap, (-rank, written))
        while len(self.held) > self.most or (self.full() and len(self.held) > 1):
            self.end = -self.heap[0][0]
            while self.heap and -self.heap[0][0] == self.end:
                _, last = heapq.heappop(self.heap)
                _, document = self.held.pop(last)
                self.words -= document.kept
                self.bytes -= document.size

    def full(self) -> bool:
        """Whether there is more than there is room for."""
        return self.words > self.most_words or self.bytes > BYTES

    def documents(self) -> list[SampledDocument]:
        """In the order of hashes, whether they have labels or not."""
        by_hash = sorted(self.held.values(), key=lambda each: (each[0] % UNLABELLED, each[1].id))
        return [document for _, document in by_hash]
