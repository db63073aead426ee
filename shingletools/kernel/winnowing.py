"""Runs of words, found by winnowed fingerprints: the definition.

Texts are words with single blanks between, and a line feed after each text. Places are offsets in their bytes. A gram
is a few words in a row, a run is more of them. From each run one gram is chosen, by its words alone, so that equal runs
have an equal gram at the same place: Schleimer, Wilkerson and Aiken, Winnowing (SIGMOD 2003).
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from shingletools.kernel.lines import FingerprintFilter
from shingletools.kernel.types import U64, Index

ROLL_FACTOR, FINISH_FACTOR = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
ALL_BITS = (1 << 64) - 1


class Winnowing(NamedTuple):
    """The settings by which runs are found.

    The seed decides the fingerprints of words; of the fingerprint of a gram or run, only the bits in `mask` count.
    """

    seed: int
    gram: int  # words
    run: int  # words, no fewer
    mask: int = ALL_BITS

    @classmethod
    def for_runs(cls, seed: int, run: int) -> "Winnowing":
        """Returns settings with grams of so many words that most runs have a gram that few others have."""
        return cls(seed, min((run + 1) // 2, 16), run)


def fingerprint(words: Sequence[int], mask: int) -> int:
    """Returns the fingerprint of some words, from the fingerprints of these."""
    total = 0
    for word in words:
        total = (total * ROLL_FACTOR + word) & ALL_BITS
    total = ((total ^ total >> 32) * FINISH_FACTOR) & ALL_BITS
    return (total ^ total >> 32) & mask


def word_fingerprint(word: bytes, seed: int) -> int:
    """Returns the fingerprint of a word."""
    for byte in word:
        seed = ((seed ^ byte) * FINISH_FACTOR) & ALL_BITS
    return seed ^ seed >> 32


def starts_of(text: bytes) -> list[int]:
    """Returns where the words of a text begin.

    >>> starts_of(b"to be or")
    [0, 3, 6]
    """
    return [0, *(place + 1 for place, byte in enumerate(text) if byte == ord(" "))]


def grams_of_runs(text: bytes, how: Winnowing) -> Iterator[tuple[int, int, int, int]]:
    """Yields, for each run of a text, its gram and the gram's fingerprint, its place and its own fingerprint.

    The gram is the one with the least fingerprint; of several, the last.
    """
    words = [word_fingerprint(word, how.seed) for word in text.split(b" ")]
    starts = starts_of(text)
    grams = [fingerprint(words[at : at + how.gram], how.mask) for at in range(len(words) - how.gram + 1)]
    for first in range(len(words) - how.run + 1):
        least = min(range(first, first + how.run - how.gram + 1), key=lambda at: (grams[at], -at))
        yield least, grams[least], starts[first], fingerprint(words[first : first + how.run], how.mask)


def winnow(texts: bytes, how: Winnowing, _listed: FingerprintFilter = (), /) -> tuple[U64, Index]:
    """Returns the fingerprints of the grams of all runs, and the place of the first run with each gram.

    listed: slots of kernel.list_fingerprints; only fingerprints in these are returned. Without C there are no slots.

    >>> [len(column) for column in winnow(b"to be or not to be\\n", Winnowing(1, 2, 4))]
    [3, 3]
    """
    keys, places, at = [], [], 0
    for text in texts.removesuffix(b"\n").split(b"\n") if texts else ():
        before = -1
        for gram, key, place, _ in grams_of_runs(text, how):
            if gram != before:
                keys.append(key)
                places.append(at + place)
            before = gram
        at += len(text) + 1
    return np.array(keys, np.uint64), np.array(places, np.int64)


def winnowed_runs(texts: bytes, places: Index, how: Winnowing, /) -> tuple[Index, U64, Index]:
    """Returns the runs that begin at each place that `winnow` gives, up to the last one with the same gram.

    These are the number of runs for each place, and the fingerprint and the place of each run. Raises ValueError for a
    place outside the texts.
    """
    if np.any((places < 0) | (places >= len(texts))):
        raise ValueError("no place in the texts")
    per_place: list[list[tuple[int, int]]] = []
    for place in places.tolist():
        runs = grams_of_runs(bytes(texts[place:]).partition(b"\n")[0], how)
        per_place.append([])
        gram = None
        for each, _, start, key in runs:
            if gram not in (None, each):
                break
            gram = each
            per_place[-1].append((key, place + start))
    keys = [key for runs in per_place for key, _ in runs]
    starts = [start for runs in per_place for _, start in runs]
    return np.array([*map(len, per_place)], np.int64), np.array(keys, np.uint64), np.array(starts, np.int64)


def equal_words(texts: bytes, left: Index, others: bytes, right: Index, words: Index, /) -> Index:
    """Returns how many words are equal from a place in the texts and from a place in the others.

    left, right: the places. words: the most that are compared. Shapes: (places,) each. Raises ValueError for a place
    outside the texts.

    >>> one = np.array([0])
    >>> equal_words(b"to be or\\n", one, b"to be and\\n", one, np.array([9])).tolist()
    [2]
    """
    counts = []
    for place, other, most in zip(left.tolist(), right.tolist(), words.tolist(), strict=True):
        if not (0 <= place < len(texts) and 0 <= other < len(others)):
            raise ValueError("no places in the texts")
        one, two = (bytes(each).partition(b"\n")[0].split(b" ") for each in (texts[place:], others[other:]))
        same = chain((a == b for a, b in zip(one[:most], two[:most], strict=False)), [False])
        counts.append(next(number for number, equal in enumerate(same) if not equal))
    return np.array(counts, np.int64)
