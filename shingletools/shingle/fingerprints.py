"""Fingerprints of the runs of k units (words or characters) of a text."""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from blake3 import blake3

from shingletools import kernel
from shingletools.memo import Memo
from shingletools.wire import bytes_to_words


def units(text: str, chars: bool) -> Sequence[str]:
    """The words of a text, or the characters of those words and of the single spaces between them."""
    words = text.split()
    return " ".join(words) if chars else words


def runs(text: str, k: int, chars: bool) -> list[str]:
    """The shingles in their own words: n - k + 1 overlapping runs, or one of all units if there are fewer than k.

    >>> runs("to be or not", 3, chars=False)
    ['to be or', 'be or not']
    >>> runs("not", 3, chars=False), runs("", 3, chars=False)
    (['not'], [])
    """
    joiner = "" if chars else " "
    every = units(text, chars)
    if not every:
        return []
    return [joiner.join(every[i : i + k]) for i in range(max(1, len(every) - k + 1))]


def word_fingerprint(word: str) -> bytes:
    """The first 8 bytes of the word's BLAKE3, little-endian."""
    return blake3(word.encode()).digest(8)


class Shingler(Protocol):
    def __call__(self, text: str) -> str | list[str]: ...


class Readable:
    """A text to the list of its shingles, for people."""

    def __init__(self, k: int, chars: bool) -> None:
        self.k, self.chars = k, chars

    def __call__(self, text: str) -> list[str]:
        return runs(text, self.k, self.chars)


class Rolling:
    """A text to a payload of rolling fingerprints, 16 hex digits each: O(1) a shingle, whatever k.

    >>> Rolling(2, chars=False)("to be or").split()[1] == Rolling(2, chars=False)("be or")
    True
    """

    def __init__(self, k: int, chars: bool) -> None:
        self.k, self.chars = k, chars
        self.memo = Memo(word_fingerprint)

    def __call__(self, text: str) -> str:
        fingerprints = b"".join(map(self.memo.__getitem__, units(text, self.chars)))
        shingles = kernel.roll(np.frombuffer(fingerprints, "<u8"), self.k)
        return bytes_to_words(shingles.astype(">u8").tobytes(), 16)


def crc32(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big")


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


def blake3_digest(data: bytes) -> bytes:
    return blake3(data).digest()


# name: (hash, hex digits kept of it)
HASHES: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "blake3": (blake3_digest, 16),
    "crc32": (crc32, 8),
    "md5": (md5, 16),
    "sha1": (sha1, 16),
}


class Hashed:
    """A text to a payload of fingerprints that hash each shingle's own words, joined by single spaces.

    >>> Hashed(4, chars=False, name="crc32")("My war is over.")
    '68d98f5f'
    """

    def __init__(self, k: int, chars: bool, name: str) -> None:
        self.k, self.chars = k, chars
        self.function, self.digits = HASHES[name]

    def __call__(self, text: str) -> str:
        size = self.digits // 2
        shingles = runs(text, self.k, self.chars)
        return bytes_to_words(b"".join(self.function(run.encode())[:size] for run in shingles), self.digits)
