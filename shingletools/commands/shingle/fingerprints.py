"""Fingerprints of the runs of k units (words or characters) of a text."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from shingletools import kernel
from shingletools.commands.shingle.secret_keys import PUBLIC, FingerprintKey
from shingletools.kernel.lines import FingerprintFilter, Link
from shingletools.kernel.memo import CHARACTERS, WORD_CHARACTERS, WORDS
from shingletools.kernel.payload_codec import bytes_to_payload
from shingletools.system.lazy_imports import blake3, hashlib

Shingler = Callable[[str], str | list[str]]
Hashing = Callable[[str], str]


class Runs(NamedTuple):
    """The shingles of a text: its runs of k units.

    Units are words. With `chars` they are the characters of the words and of the single spaces between them. With
    `word_chars` they are the characters of each word alone, with a space at both ends, so that no run has parts of two
    words. With `longest` they are that number of the longest lines (the sentences of canon --sentences), each once, by
    their number of words and then alphabetically: the signature known as Long Sent. With `spots`, runs begin at one of
    these words and go on with other words: spot signatures (Theobald, Siddharth, Paepcke 2008), which prose has, but
    lists of links and names do not.

    >>> Runs(3)("to be or not"), Runs(3)("not"), Runs(3)("")
    (['to be or', 'be or not'], ['not'], [])
    >>> Runs(4, word_chars=True)("a word")
    [' a ', ' wor', 'word', 'ord ']
    >>> Runs(2, longest=2)(chr(10).join(["a b", "c d e", "a a"]))
    ['c d e a a']
    >>> Runs(3, spots=frozenset(["the", "is"]))("the cat is on the mat today")
    ['the cat on', 'is on mat', 'the mat today']
    """

    k: int
    chars: bool = False
    longest: int | None = None
    spots: frozenset[str] | None = None
    word_chars: bool = False

    @property
    def kind(self) -> int:
        """Returns the kernel's number for the kind of units."""
        return WORD_CHARACTERS if self.word_chars else CHARACTERS if self.chars else WORDS

    def units(self, text: str) -> Sequence[str]:
        if self.longest is not None:
            lines = {line for line in text.split("\n") if line}
            return sorted(lines, key=lambda line: (-line.count(" "), line))[: self.longest]
        words = text.split()
        if self.word_chars:
            return "".join(f" {word} " for word in words)
        return " ".join(words) if self.chars else words

    def __call__(self, text: str) -> list[str]:
        """Returns the n - k + 1 overlapping runs, or one of all units if n < k; with spots, whole runs only."""
        if self.spots is not None:
            return list(self.from_spots(text.split(), self.spots))
        if self.word_chars:
            return [run for word in text.split() for run in self.of_units(f" {word} ")]
        return self.of_units(self.units(text))

    def of_units(self, units: Sequence[str]) -> list[str]:
        joiner = "" if self.kind else " "
        if not units:
            return []
        return [joiner.join(units[i : i + self.k]) for i in range(max(1, len(units) - self.k + 1))]

    def from_spots(self, words: list[str], spots: frozenset[str]) -> Iterator[str]:
        """Yields each spot with the next k - 1 words that are no spots."""
        others = [word for word in words if word not in spots]
        before = 0  # words so far that are no spots
        for word in words:
            if word not in spots:
                before += 1
            elif before + self.k - 1 <= len(others):
                yield " ".join([word, *others[before : before + self.k - 1]])


def word_fingerprint(word: str, key: bytes = b"") -> bytes:
    """Returns the first 8 bytes, little-endian, of the word's BLAKE3; keyed if `key` has 32 bytes."""
    return blake3_digest(word.encode(), key)[:8]


class Rolling:
    """Turns a text into a payload of rolling fingerprints of its units: 16 hex digits each.

    The cost of a shingle does not depend on k.

    >>> Rolling(2)("to be or").split()[1] == Rolling(2)("be or")
    True
    """

    def __init__(self, k: int, key: FingerprintKey = PUBLIC, units: int = WORDS) -> None:
        """units: words or characters, as the kernel has them."""
        self.k = k
        self.key = key
        self.units = units
        function = partial(word_fingerprint, key=key.words)
        self.words = kernel.FingerprintMemo(function, key.base, key.words + key.sums)

    def __reduce__(self) -> "tuple[type[Rolling], tuple[int, FingerprintKey, int]]":
        """Pickles the settings only, so that a worker process starts with an empty memo."""
        return (Rolling, (self.k, self.key, self.units))

    def __call__(self, text: str) -> str:
        return self.words.rolling(text, self.k, self.units)

    def link(self, m: int, listed: FingerprintFilter) -> Link:
        """Returns the link of a stage.Filter.

        It keeps 1 in m fingerprints, as `sampled` does, and of these the ones that `listed` lets pass.
        """
        return self.words.link(self.k, self.units, m, listed)


def rolling_each(runs: Runs, rolling: Rolling, text: str) -> str:
    """Returns the payload of the rolling fingerprints of a text's shingles that do not overlap, each computed alone.

    >>> rolling_each(Runs(2, spots=frozenset(["a"])), Rolling(2), "a b c") == Rolling(2)("a b")
    True
    """
    return " ".join(map(rolling, runs(text)))


def crc32(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big")


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


def blake3_digest(data: bytes, key: bytes = b"") -> bytes:
    return (blake3.blake3(data, key=key) if key else blake3.blake3(data)).digest()


# name: (hash, hex digits that are kept)
HASHES: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "blake3": (blake3_digest, 16),
    "crc32": (crc32, 8),
    "md5": (md5, 16),
    "sha1": (sha1, 16),
}


class Hashed:
    """Turns a text into a payload of fingerprints: hashes of each shingle's words, joined by single spaces.

    >>> Hashed(Runs(4), "crc32")("My war is over.")
    '68d98f5f'
    """

    def __init__(self, runs: Runs, name: str, key: FingerprintKey = PUBLIC) -> None:
        self.runs = runs
        self.function, self.digits = HASHES[name]
        if key.words:
            self.function = partial(blake3_digest, key=key.words)

    def __call__(self, text: str) -> str:
        size = self.digits // 2
        return bytes_to_payload(b"".join(self.function(run.encode())[:size] for run in self.runs(text)), self.digits)
