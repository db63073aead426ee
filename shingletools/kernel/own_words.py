"""The words that only one of two texts has, and lines that say so: the definition.

If one of the texts is short, they are aligned word by word, and order counts: A beats B is not B beats A. Of long texts
a word is shared if it stands in a run of RUN words that the other text has anywhere, so that blocks may move.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shingletools.kernel.ids import Buffer, split_ids
from shingletools.kernel.lines import quoted
from shingletools.kernel.types import I32, U8, Index

RUN = 3  # words in a row that are shared, not there by chance
GAP = 8  # shared words in a row, fewer of which do not divide own ones: chance shares that many
FIRST = 5  # own words that lines show
NUMBER, NEVER = 1, 2  # flags of a word: it has a digit, it does not count in short texts

# The own words of a text: how many there are; the most between which fewer than GAP shared ones stand; whether one of
# them is a number; and the numbers of the first ones, zeros behind
OWN = np.dtype([("words", "i4"), ("run", "i4"), ("number", "i4"), ("first", "i4", FIRST)])
OwnWords = NDArray[np.void]  # of OWN


class NumberedTexts(NamedTuple):
    """Texts as the numbers of their words, and these words."""

    words: I32  # of one text after the other
    starts: Index  # of each text
    sizes: Index
    data: Buffer  # the words of all texts, each once, in UTF-8
    ends: Buffer  # of each of these, int64
    flags: U8  # of each of these


class LineHeads(NamedTuple):
    """The beginnings of lines."""

    data: bytes
    places: Index  # where each starts and ends in the data. Shape (lines, 2)


class Comparing(NamedTuple):
    """How texts are compared."""

    short: int  # words: a pair with a text of at most so many is aligned
    key: int = 0  # of a hash table; any number


def own_words(texts: NumberedTexts, left: Index, right: Index, how: Comparing, /) -> OwnWords:
    """Returns the own words of both texts of each pair. Shape (pairs, 2). Raises ValueError for wrong numbers."""
    vocabulary = [word.decode() for word in words_of(texts.data, texts.ends)]
    found = []
    for pair in zip(left.tolist(), right.tolist(), strict=True):
        if min(pair) < 0 or max(pair) >= len(texts.starts):
            raise ValueError("no texts of these numbers")
        one, other = (texts.words[texts.starts[at] :][: texts.sizes[at]].tolist() for at in pair)
        if min(len(one), len(other)) > how.short:
            places = unshared(one, other), unshared(other, one)
        else:
            places = aligned(one, other, vocabulary, texts.flags)
        found += [described(words, own, texts.flags) for words, own in zip((one, other), places, strict=True)]
    return np.array(found, OWN).reshape(-1, 2)


def words_of(data: Buffer, ends: Buffer) -> list[bytes]:
    bounds: Index = np.append(0, np.frombuffer(ends, np.int64))
    return [*split_ids(data, bounds[1:] - bounds[:-1])]


def described(words: Sequence[int], places: Sequence[int], flags: U8) -> tuple[int, int, bool, list[int]]:
    """Returns a row of OWN.

    >>> described([1] * 40, [3, 4, 9, 30], np.array([0, NUMBER]))
    (4, 3, True, [1, 1, 1, 1, 0])
    """
    own = [words[place] for place in places]
    longest = count = 0
    last = -GAP
    for place in places:
        count = count + 1 if place - last <= GAP else 1
        last, longest = place, max(longest, count)
    number = any(flags[word] & NUMBER for word in own)
    return len(own), longest, number, (own + [0] * FIRST)[:FIRST]


def unshared(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """Returns the places of words that are in no run of RUN words that the other text has; in shorter texts, of all.

    >>> unshared([9, 1, 2, 3, 4], [1, 2, 3, 8, 2, 3, 4])
    [0]
    """
    size = min(RUN, len(one), len(other))
    runs = {tuple(other[at : at + size]) for at in range(len(other) - size + 1)}
    shared = [at for at in range(len(one) - size + 1) if tuple(one[at : at + size]) in runs]
    covered = {place for at in shared for place in range(at, at + size)}
    return [place for place in range(len(one)) if place not in covered]


def aligned(
    one: Sequence[int], other: Sequence[int], vocabulary: Sequence[str], flags: U8
) -> tuple[list[int], list[int]]:
    """Returns the places of words of each text that `matched` leaves out. Words with the flag NEVER do not count.

    >>> aligned([0, 1, 2], [2, 3], ["a", "the", "cat", "sat"], np.array([0, NEVER, 0, 0]))
    ([0], [1])
    """
    sides = [[at for at, word in enumerate(text) if not flags[word] & NEVER] for text in (one, other)]
    left, right = ([text[at] for at in places] for text, places in zip((one, other), sides, strict=True))
    shared = [*zip(*matched(left, right, vocabulary), strict=True)] or [(), ()]
    own_left, own_right = (
        [place for at, place in enumerate(places) if at not in of]
        for places, of in zip(sides, map(frozenset, shared), strict=True)
    )
    return own_left, own_right


def matched(one: Sequence[int], other: Sequence[int], vocabulary: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the places of a longest common subsequence: of equal beginnings and ends, and of what is between.

    There the first words are matched if they are equal. Else the one is left out that is in no longest subsequence, or
    both; if either may be, but not both, the greater, since digits are less than letters, and what both texts have is
    no number of their own. So the order of the texts does not matter.

    >>> matched([0, 1, 2], [1, 0, 2], ["a", "b", "c"])
    [(0, 1), (2, 2)]
    """
    ends = len(one), len(other)
    equal = 0
    while equal < min(ends) and one[equal] == other[equal]:
        equal += 1
    while min(ends) > equal and one[ends[0] - 1] == other[ends[1] - 1]:
        ends = ends[0] - 1, ends[1] - 1
    table = [[0] * (ends[1] + 1) for _ in range(ends[0] + 1)]  # the length for what is left from there on
    for i in reversed(range(equal, ends[0])):
        for j in reversed(range(equal, ends[1])):
            longer = table[i + 1][j + 1] + 1
            table[i][j] = longer if one[i] == other[j] else max(table[i + 1][j], table[i][j + 1])
    found = [(at, at) for at in range(equal)]
    i = j = equal
    while i < ends[0] and j < ends[1]:
        without_one, without_other = table[i + 1][j], table[i][j + 1]
        if one[i] == other[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif without_one != without_other:
            i, j = (i + 1, j) if without_one > without_other else (i, j + 1)
        elif table[i + 1][j + 1] == without_one:
            i, j = i + 1, j + 1
        else:
            i, j = (i + 1, j) if vocabulary[one[i]] > vocabulary[other[j]] else (i, j + 1)
    return [*found, *zip(range(ends[0], len(one)), range(ends[1], len(other)), strict=True)]


def own_lines(heads: LineHeads, own: OwnWords, texts: NumberedTexts, rests: Sequence[bytes], which: Index, /) -> bytes:
    """Returns lines: heads, what each side has of its own, and the item of `rests` with the number in `which`."""
    words = words_of(texts.data, texts.ends)
    lines = []
    for (start, end), sides, rest in zip(heads.places.tolist(), own.tolist(), which.tolist(), strict=True):
        shown = [
            b'{"words":%d,"run":%d,"first":%b}' % (count, run, quoted(b" ".join(words[at] for at in first[:count])))
            for count, run, _, first in sides
        ]
        lines.append(b'%b,"own":{"a":%b,"b":%b}%b' % (heads.data[start:end], *shown, rests[rest]))
    return b"".join(lines)
