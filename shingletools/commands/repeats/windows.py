"""All runs of k words in a row of some texts, and which of them other texts have.

Equal runs are known by the first of them. So a text that repeats itself, or a passage that many others have, costs no
product of both.
"""

import os

import numpy as np

from shingletools.commands.repeats.item_texts import listed
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Flags, Index
from shingletools.kernel.winnowing import Winnowing


class Windows:
    """Texts, each ended by a line feed. Memory: some 90 bytes for each word.

    places: where each window begins; firsts: the number of the first one that is equal to it, word by word.
    """

    def __init__(self, texts: bytes, k: int) -> None:
        self.texts, self.k = texts, k
        while True:
            self.how = Winnowing(int.from_bytes(os.urandom(8)), k, k)
            keys, self.places = kernel.winnow(texts, self.how)
            self.keys, self.distinct, which = np.unique(keys, return_index=True, return_inverse=True)
            self.firsts: Index = self.distinct[which]
            if equal_runs(texts, self.places, texts, self.places[self.firsts], k).all():
                break  # else different words had one fingerprint: another seed tells them apart
        self.listed = listed(self.keys)

    def met(self, others: bytes) -> tuple[Index, Index]:
        """Where runs of other texts begin that are equal to windows, and the number of the first of these."""
        keys, places = kernel.winnow(others, self.how, self.listed)
        if not len(self.keys):
            return places[:0], places[:0]
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        same = self.keys[at] == keys
        places, windows = places[same], self.distinct[at[same]]
        same = equal_runs(others, places, self.texts, self.places[windows], self.k)
        return places[same], windows[same]


def equal_runs(texts: bytes, left: Index, others: bytes, right: Index, k: int) -> Flags:
    """Whether the k words from each place of `left` on are those from the place of `right` on in the others.

    Where runs follow each other on both sides, their words are compared once.
    """
    apart = (np.diff(numbered(texts, left)) != 1) | (np.diff(numbered(others, right)) != 1)
    heads = np.flatnonzero(np.append(True, apart)[: len(left)])
    words = np.diff(np.append(heads, len(left))) + k - 1
    if (kernel.equal_words(texts, left[heads], others, right[heads], words) == words).all():
        return np.ones(len(left), np.bool_)
    flags: Flags = kernel.equal_words(texts, left, others, right, np.full(len(left), k)) == k
    return flags


def numbered(texts: bytes, places: Index) -> Index:
    """Numbers for words that begin at these places: of two in a row in one text, and of no others, they differ by one.

    >>> numbered(b"a b\\nc\\n", np.array([0, 2, 4])).tolist()
    [0, 1, 3]
    """
    data = np.frombuffer(texts, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    numbers: Index = np.searchsorted(np.flatnonzero(data == ord(" ")), places) + 2 * np.searchsorted(ends, places)
    return numbers
