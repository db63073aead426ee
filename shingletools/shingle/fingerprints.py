"""Fingerprints of the runs of k units (words or characters) of a text."""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Protocol

from blake3 import blake3

from shingletools import kernel
from shingletools.kernel.memo import Known
from shingletools.shingle.keys import PUBLIC, Key
from shingletools.wire import bytes_to_words


@dataclass(frozen=True)
class Runs:
    """The shingles of a text: its runs of k units.

    Units are words; or the characters of the words and of the single spaces between them; or the longest lines (the
    sentences of canon --sentences), by words and then alphabetically, each once: the signature known as Long Sent.

    >>> Runs(3)("to be or not"), Runs(3)("not"), Runs(3)("")
    (['to be or', 'be or not'], ['not'], [])
    >>> Runs(2, longest=2)(chr(10).join(["a b", "c d e", "a a"]))
    ['c d e a a']
    """

    k: int
    chars: bool = False
    longest: int | None = None

    def units(self, text: str) -> Sequence[str]:
        if self.longest is not None:
            lines = {line for line in text.split("\n") if line}
            return sorted(lines, key=lambda line: (-line.count(" "), line))[: self.longest]
        words = text.split()
        return " ".join(words) if self.chars else words

    def __call__(self, text: str) -> list[str]:
        """n - k + 1 overlapping runs, or one of all units if there are fewer than k."""
        joiner = "" if self.chars else " "
        units = self.units(text)
        if not units:
            return []
        return [joiner.join(units[i : i + self.k]) for i in range(max(1, len(units) - self.k + 1))]


def word_fingerprint(word: str, key: bytes = b"") -> bytes:
    """The first 8 bytes of the word's BLAKE3, little-endian; keyed with 32 bytes, if there are any."""
    return blake3_digest(word.encode(), key)[:8]


class Shingler(Protocol):
    def __call__(self, text: str) -> str | list[str]: ...


class Hashing(Protocol):
    def __call__(self, text: str) -> str: ...


@dataclass(frozen=True)
class Readable:
    """A text to the list of its shingles, for people."""

    runs: Runs

    def __call__(self, text: str) -> list[str]:
        return self.runs(text)


class Rolling:
    """A text to a payload of rolling fingerprints, 16 hex digits each: O(1) a shingle, whatever k.

    >>> Rolling(Runs(2))("to be or").split()[1] == Rolling(Runs(2))("be or")
    True
    """

    def __init__(self, runs: Runs, key: Key = PUBLIC) -> None:
        self.runs = runs
        self.key = key
        function = partial(word_fingerprint, key=key.words) if key.words else word_fingerprint
        self.words = kernel.fingerprints(function, key.base, key.words + key.sums)
        self.others = Known(function)

    def __reduce__(self) -> "tuple[type[Rolling], tuple[Runs, Key]]":
        """A worker process starts with empty memos."""
        return (Rolling, (self.runs, self.key))

    def __call__(self, text: str) -> str:
        if self.runs.chars or self.runs.longest is not None:
            from shingletools.kernel.strings import roll  # numpy, which words do without in the C kernel

            units = b"".join(map(self.others.__getitem__, self.runs.units(text)))
            return roll(units, self.runs.k, self.key.base, self.key.sums)
        return self.words.rolling(text, self.runs.k)


def crc32(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big")


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


def blake3_digest(data: bytes, key: bytes = b"") -> bytes:
    return (blake3(data, key=key) if key else blake3(data)).digest()


# name: (hash, hex digits kept of it)
HASHES: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "blake3": (blake3_digest, 16),
    "crc32": (crc32, 8),
    "md5": (md5, 16),
    "sha1": (sha1, 16),
}


class Hashed:
    """A text to a payload of fingerprints that hash each shingle's own words, joined by single spaces.

    >>> Hashed(Runs(4), "crc32")("My war is over.")
    '68d98f5f'
    """

    def __init__(self, runs: Runs, name: str, key: Key = PUBLIC) -> None:
        self.runs = runs
        self.function, self.digits = HASHES[name]
        if key.words:
            self.function = partial(blake3_digest, key=key.words)  # the only one of them that has a key

    def __call__(self, text: str) -> str:
        size = self.digits // 2
        return bytes_to_words(b"".join(self.function(run.encode())[:size] for run in self.runs(text)), self.digits)


@dataclass(frozen=True)
class Sampled:
    """The fingerprints of another shingler that are 0 modulo m after a finalizer, which makes any hash fair.

    Broder's MOD_m, today's FracMinHash: resemblance and containment of what is left are unbiased estimates of those of
    the whole (for large sets), and a text keeps about one fingerprint in m, a short one perhaps none.
    """

    shingler: Hashing
    m: int

    def __call__(self, text: str) -> str:
        payload = self.shingler(text)
        if not payload:
            return ""
        import numpy as np  # which other shinglers do without

        from shingletools.kernel.arrays import fmix64

        words = payload.split(" ")
        values = np.array([int(word, 16) for word in words], np.uint64)
        kept = fmix64(values) % np.uint64(self.m) == 0
        return " ".join(compress(words, kept.tolist()))
