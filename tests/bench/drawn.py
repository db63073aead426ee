"""A stream of documents drawn from real text, each of which can be made again from its number alone.

usage: python tests/bench/drawn.py COUNT SEED FOLDER > DOCS.jsonl

A document is 8 to 15 runs of 4 to 12 words of FOLDER's descriptions.jsonl and guide.jsonl, so short that documents
which are not copies share few shingles, however many there are. Each tenth is a near copy of an earlier document,
anywhere before it: the same text, or cut at its end, or joined with more words, or with some words exchanged. How much
is changed is drawn evenly, up to a third of the words.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import corpora
import numpy as np
import numpy.typing as npt
import orjson

U64 = npt.NDArray[np.uint64]
EVERY = 10  # documents, of which the last is a copy
AT_ONCE = 5000
FEWEST, RUNS = 8, 15
SHORTEST, LENGTHS = 4, 9
LONGEST = 24  # bytes of a word: a sentence of a script without spaces would be one word, which many share
MOST = 3  # a copy has at most one word in so many changed
SLOTS = 64  # numbers drawn for a document
MASK = 2**64 - 1
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of SplitMix64


def mixed(numbers: U64) -> U64:
    """SplitMix64 (Steele, Lea and Flood 2014), from its state to its output."""
    z = numbers * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND)
    return z ^ (z >> np.uint64(31))


def texts_of(path: Path) -> Iterator[bytes]:
    """The texts of a corpus as they stand in JSON: words between single spaces. A space is in no escape."""
    for _, text in corpora.read(path):
        yield orjson.dumps(" ".join(word for word in text.split() if len(word.encode()) <= LONGEST))[1:-1]


class Drawn:
    """The documents of a seed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.pool = b" ".join(text for name in ("descriptions", "guide") for text in texts_of(folder / f"{name}.jsonl"))
        spaces = np.flatnonzero(np.frombuffer(self.pool, np.uint8) == ord(" "))
        self.starts = np.concatenate([[0], spaces + 1, [len(self.pool) + 1]])
        self.words = len(spaces) + 1
        self.seed = seed

    def draws(self, documents: npt.NDArray[np.int64]) -> U64:
        """Random numbers: shape (documents, SLOTS)."""
        first = (documents.astype(np.uint64) + np.uint64((self.seed << 40) & MASK)) * np.uint64(SLOTS)
        numbers: U64 = np.add(first[:, None], np.arange(2 * RUNS + 1), dtype=np.uint64, casting="unsafe")
        return mixed(numbers)

    def drawn(self, documents: npt.NDArray[np.int64]) -> list[bytes]:
        """Their texts, if they are no copies."""
        draws = self.draws(documents)
        runs = FEWEST + draws[:, -1] % np.uint64(RUNS - FEWEST + 1)
        lengths = (SHORTEST + draws[:, RUNS:-1] % np.uint64(LENGTHS)) * (np.arange(RUNS) < runs[:, None])
        first = (draws[:, :RUNS] % np.uint64(self.words - SHORTEST - LENGTHS)).astype(np.int64)
        starts, ends = (
            self.starts[first].ravel().tolist(),
            self.starts[first + lengths.astype(np.int64)].ravel().tolist(),
        )
        pool = self.pool
        pieces = [pool[start:end] for start, end in zip(starts, ends, strict=True)]
        return [b"".join(each)[:-1] for each in zip(*[iter(pieces)] * RUNS, strict=True)]

    def original(self, copy: int) -> int:
        """The number of the document that a copy was made of."""
        number = self.number(copy, 0) % copy
        return number - (number % EVERY == EVERY - 1)

    def number(self, document: int, slot: int) -> int:
        """A random number of a copy."""
        z = ((document + (self.seed << 40)) * SLOTS + 20 + slot) * GOLDEN & MASK
        z = (z ^ z >> 30) * FIRST & MASK
        z = (z ^ z >> 27) * SECOND & MASK
        return z ^ z >> 31

    def copied(self, copies: Sequence[int]) -> list[bytes]:
        """The texts of copies."""
        texts = self.drawn(np.array([self.original(copy) for copy in copies], np.int64))
        return [self.changed(copy, text.split(b" ")) for copy, text in zip(copies, texts, strict=True)]

    def changed(self, copy: int, words: list[bytes]) -> bytes:
        kind = self.number(copy, 1) % 4
        many = self.number(copy, 2) % (len(words) // MOST + 1)
        others = self.number(copy, 3) % (self.words - len(words))
        more = self.pool[self.starts[others] : self.starts[others + many] - 1].split(b" ") if many else []
        if kind == 1:
            words = words[: len(words) - many]
        elif kind == 2:
            words += more
        elif kind == 3:
            # Each word that changes takes k shingles with it: fewer change
            for place, word in enumerate(more[: many // 4]):
                words[self.number(copy, 4 + place) % len(words)] = word
        return b" ".join(words)

    def texts(self, documents: npt.NDArray[np.int64]) -> list[bytes]:
        """Any documents, in their order."""
        copy = documents % EVERY == EVERY - 1
        plain, copies = iter(self.drawn(documents[~copy])), iter(self.copied(documents[copy].tolist()))
        return [next(copies if each else plain) for each in copy.tolist()]

    def lines(self, documents: npt.NDArray[np.int64]) -> bytes:
        """Lines of JSON."""
        texts = self.texts(documents)
        return b"".join([b'{"id":%d,"text":"%b"}\n' % each for each in zip(documents.tolist(), texts, strict=True)])


def write(count: int, seed: int, folder: Path) -> None:
    drawn = Drawn(folder, seed)
    for start in range(0, count, AT_ONCE):
        sys.stdout.buffer.write(drawn.lines(np.arange(start, min(start + AT_ONCE, count))))


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
