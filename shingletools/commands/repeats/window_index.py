"""An index of the distinct runs of k words of some texts.

Equal runs have one number, so the cost of passages that occur often in both texts is no product of these frequencies.
"""

import os
from typing import cast

import numpy as np

from shingletools import kernel as lines
from shingletools.kernel import arrays as kernel
from shingletools.kernel.lines import FingerprintFilter
from shingletools.kernel.types import U64, Flags, Index
from shingletools.kernel.winnowing import Winnowing

BATCH_BYTES = 1 << 20  # bytes of texts that are winnowed at once


class Windows:
    """The distinct runs of k words of texts, each text ended by a line feed.

    keys: their fingerprints, ascending. numbers: they differ by one only for consecutive runs of a text. starts: the
    first place of each. Memory: about 40 bytes for each, and the texts.
    """

    def __init__(self, texts: bytes, k: int) -> None:
        self.texts, self.k = texts, k
        ends = np.flatnonzero(np.frombuffer(texts, np.uint8) == ord("\n"))
        while True:
            self.how = Winnowing(int.from_bytes(os.urandom(8)), k, k)
            keys, places = winnowed(texts, ends, self.how)
            numbers = np.searchsorted(ends, places)
            numbers += np.arange(len(places))
            order = np.argsort(keys, kind="stable")
            keys = keys[order]
            new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
            self.keys = keys[new]
            del keys
            first, others = order[new], np.flatnonzero(~new)
            at = others - np.arange(len(others)) - 1  # which key
            again, at = np.sort(order[others]), at[np.argsort(order[others])]
            del order, new
            self.numbers, self.starts = numbers[first], places[first]
            del first
            if self.equal_words(texts, places[again], numbers[again], at).all():
                break  # else different words had one fingerprint, and another seed is tried
        self.count = int(numbers[-1]) + 1 if len(numbers) else 0  # above all numbers
        del places, numbers
        self.listed = listed(self.keys)

    def keep(self, there: Flags) -> None:
        """Forgets all windows except some. there: a flag for each number."""
        kept = there[self.numbers]
        self.keys, self.numbers, self.starts = self.keys[kept], self.numbers[kept], self.starts[kept]
        self.listed = listed(self.keys)

    def find_in(self, others: bytes) -> tuple[Index, Index, Index]:
        """Finds windows in other texts; returns their places, their `word_numbers`, and the windows' numbers."""
        keys, places = kernel.winnow(others, self.how, self.listed)
        if not len(keys) or not len(self.keys):
            return (places[:0],) * 3
        at = np.searchsorted(self.keys, keys)
        at[at == len(self.keys)] = 0
        same = self.keys[at] == keys
        places, at = places[same], at[same]
        words = word_numbers(others, places)
        same = self.equal_words(others, places, words, at)
        return places[same], words[same], self.numbers[at[same]]

    def equal_words(self, others: bytes, places: Index, words: Index, at: Index) -> Flags:
        """Returns whether the k words at places of other texts are those of the windows at rows `at`.

        words: the `word_numbers` of the places. Words of consecutive runs are compared once.
        """
        apart = (np.diff(words) != 1) | (np.diff(self.numbers[at]) != 1)
        heads = np.flatnonzero(np.append(True, apart)[: len(at)])
        counts = np.diff(np.append(heads, len(at))) + self.k - 1
        if (kernel.equal_words(others, places[heads], self.texts, self.starts[at[heads]], counts) == counts).all():
            return np.ones(len(at), np.bool_)
        flags: Flags = (
            kernel.equal_words(others, places, self.texts, self.starts[at], np.full(len(at), self.k)) == self.k
        )
        return flags


def winnowed(texts: bytes, ends: Index, how: Winnowing) -> tuple[U64, Index]:
    """Calls `kernel.winnow` for parts of the texts, to save memory. ends: where the texts end."""
    starts = [0, *(ends[np.flatnonzero(np.diff(ends // BATCH_BYTES))] + 1).tolist()]
    parts = []
    for start, stop in zip(starts, [*starts[1:], len(texts)], strict=True):
        keys, places = kernel.winnow(texts[start:stop], how)
        parts.append((keys, places + start))
    keys, places = map(np.concatenate, zip(*parts, strict=True))
    return keys, places


def word_numbers(texts: bytes, places: Index) -> Index:
    """Returns numbers for words at some places; they differ by one only for consecutive words of a text.

    >>> word_numbers(b"a b\\nc\\n", np.array([0, 2, 4])).tolist()
    [0, 1, 3]
    """
    data = np.frombuffer(texts, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    numbers: Index = np.searchsorted(np.flatnonzero(data == ord(" ")), places) + 2 * np.searchsorted(ends, places)
    return numbers


def listed(keys: U64) -> FingerprintFilter:
    """Returns the list that makes the kernel ignore all other fingerprints."""
    factor = int.from_bytes(os.urandom(8)) | 1
    slots = lines.list_fingerprints(cast(bytes, keys), b"", factor)
    return (factor, slots, True) if slots else ()
