"""Signatures of distinctive words: I-Match, its randomized form, and the heaviest words."""

import struct

import blake3
import numpy as np

from shingletools.commands.sketch.weighted_simhash import shingles_of
from shingletools.kernel import arrays
from shingletools.kernel.payload_codec import bytes_to_payload
from shingletools.kernel.types import U64
from shingletools.numbers.ranges import are_among
from shingletools.reading.shingle_weights import Weights

COMPONENT_DIGITS = 16  # digits of a component
LEFT_OUT = 3  # each lexicon but the first leaves out one in so many words


class LexiconSketch:
    """Turns a payload of words into hashes of those in the lexicon: 16 digits for each of `count` lexicons.

    The first component is the I-Match signature (Chowdhury, Frieder, Grossman, McCabe 2002): the first 8 bytes of the
    BLAKE3 of the text's distinct words that are in the lexicon. The others are its randomized form (Kolcz, Chowdhury,
    Alspector 2004): each lexicon leaves out another third of the words, so texts that differ in a few words of the
    lexicon still agree in some component. If fewer than `least` words are left, the component is the hash of all words
    of the text: then only texts with the same words agree. Order and repeats do not matter. An empty payload gives an
    empty one.

    >>> sketch = LexiconSketch(Weights({1: 5, 2: 9, 3: 50}).between(5, 9), COMPONENT_DIGITS, 1, 1, "0")
    >>> sketch("0000000000000001 0000000000000002") == sketch("0000000000000003 0000000000000002 0000000000000001")
    True
    """

    def __init__(self, words: U64, digits: int, least: int, count: int, seed: str) -> None:
        """words: shape (words,), ascending, each of `digits` hex digits."""
        self.words = words
        self.digits = digits
        self.least = least
        stream = blake3.blake3(f"shingletools lexicon {seed}".encode()).digest(8 * (count - 1))
        self.keys = np.array(struct.unpack(f"<{count - 1}Q", stream), np.uint64)

    def __call__(self, payload: str) -> str:
        if not payload:
            return ""
        words = np.unique(shingles_of(payload, self.digits))
        known = words[are_among(words, self.words)]
        others = (known[arrays.fmix64(known ^ key) % np.uint64(LEFT_OUT) != 0] for key in self.keys)
        chosen = [known, *others]
        return bytes_to_payload(
            b"".join(hash_of_words(each if len(each) >= self.least else words) for each in chosen), COMPONENT_DIGITS
        )


class HeaviestWords:
    """Turns a payload of words into the hash of its `count` heaviest words (Zelenkov and Segalovich 2007).

    The hash has 16 digits. A word weighs (1/2 + tf / 2 m) w: tf is its frequency in the text, m that of the text's most
    frequent word, and w its weight in the table. Of equally heavy words the least fingerprint comes first. The
    computation is in whole numbers. Words of weight 0 do not count; a text with no other words gets an empty payload.

    >>> heaviest = HeaviestWords(Weights({1: 5, 2: 9, 3: 1}), 2)
    >>> heaviest("0000000000000001 0000000000000002") == heaviest(
    ...     "0000000000000003 0000000000000002 0000000000000001"
    ... )
    True
    """

    def __init__(self, weights: Weights, count: int) -> None:
        self.weights = weights
        self.count = count

    def __call__(self, payload: str) -> str:
        if not payload:
            return ""
        words, counts = np.unique(shingles_of(payload, self.weights.digits), return_counts=True)
        weight = self.weights.look_up(words) * (counts.max() + counts)
        order = np.argsort(-weight, kind="stable")[: min(self.count, np.count_nonzero(weight))]
        heaviest = words[order]
        if not len(heaviest):
            return ""
        return bytes_to_payload(hash_of_words(np.sort(heaviest)), COMPONENT_DIGITS)


def hash_of_words(words: U64) -> bytes:
    """Returns the first 8 bytes of the BLAKE3 of a set of words, which are in ascending order."""
    return blake3.blake3(words.astype(">u8").tobytes()).digest(8)
