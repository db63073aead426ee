"""Compares two texts: passages of equal words, with the differences within them.

The differences between the runs of a passage come from a shortest edit script of insertions and deletions, which keeps
the most words. A script that may also replace words would pair different words instead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from shingletools.commands.simshow.documents import Name, Place, ShownDocument
from shingletools.commands.simshow.equal_runs import EqualRun
from shingletools.commands.simshow.passage_chaining import common_passages
from shingletools.commands.simshow.prepared_text import Prepared
from shingletools.kernel.types import U64, Flags
from shingletools.numbers.exact_ratios import DIGITS
from shingletools.system.lazy_imports import regex
from shingletools.text.unspaced_scripts import ALONE

EQUAL, ONLY_A, ONLY_B = "equal", "a", "b"


class Piece(NamedTuple):
    """A stretch of a passage: equal words, or words of one side only, whose other side is empty."""

    kind: str  # "equal", "a" (only in a), "b" (only in b)
    a: Place  # code points in the original of a, half open
    b: Place
    words: int
    template: bool  # whether its words are in many of the documents


class Passage(NamedTuple):
    """Equal words, and the words in the gaps between them."""

    a: Place  # from the least start of its words to the greatest end
    b: Place
    words: int  # number of equal words
    pieces: tuple[Piece, ...]  # in the order of the texts; where both differ, those of a first


class Comparison(NamedTuple):
    """The passages that two texts share, and figures."""

    a: Name
    b: Name
    similarity: float | None  # in the pair's record, from 0 to 1
    passages: tuple[Passage, ...]  # in the order of a
    words: tuple[int, int]  # number of words of each text
    shared: int  # number of equal words in passages
    longest: int  # words of the longest equal run
    jaccard: Fraction  # of the two sets of shingles of k words
    containment: Fraction  # of the smaller of these sets in the larger
    record: Mapping[str, Any] = MappingProxyType({})  # the pair as it came; empty for one of a group or a mark


class Stretch(NamedTuple):
    """A piece, as numbers of words: from and to in a, and in b."""

    kind: str
    i: int
    i_end: int
    j: int
    j_end: int
    template: bool = False


class Text(NamedTuple):
    """A document, and its words prepared to be compared."""

    shown: ShownDocument
    prepared: Prepared


class CompareSettings(NamedTuple):
    """Settings of comparisons."""

    gap: int  # words between two seeds of a passage, at most
    spelled: Sequence[str]  # the word with each number
    frequent: U64 | None = None  # fingerprints of runs in many documents, ascending


def rounded(value: float | Fraction) -> float:
    """Returns a number rounded to six decimals, as `simjoin` rounds it.

    >>> rounded(Fraction(2, 3))
    0.666667
    """
    return round(float(value), DIGITS)


def compare(a: Text, b: Text, similarity: float | None, settings: CompareSettings) -> Comparison:
    """Compares two texts. compare(b, a) gives the mirror image."""
    gap, spelled, frequent = settings
    swapped = should_swap(a.prepared, b.prepared, spelled)
    if swapped:
        mirrored = common_passages(b.prepared, a.prepared, gap)
        runs_of_each = sorted([EqualRun(run.b, run.a, run.words) for run in runs] for runs in mirrored)
    else:
        runs_of_each = common_passages(a.prepared, b.prepared, gap)
    passages = []
    longest = 0
    for runs in runs_of_each:
        if not is_enough(runs, a, spelled):
            continue
        steps = stretches(runs)
        longest = max(longest, *(step.i_end - step.i for step in steps if step.kind == EQUAL))
        if frequent is not None:
            steps = list(split_at_templates(steps, a.prepared, frequent))
        passages.append(passage(steps, a.shown, b.shown))
    common, *sizes = shingles_of(a.prepared, b.prepared)
    return Comparison(
        a.shown.name,
        b.shown.name,
        similarity,
        tuple(passages),
        (len(a.prepared), len(b.prepared)),
        sum(passage.words for passage in passages),
        longest,
        Fraction(common, max(sum(sizes) - common, 1)),
        Fraction(common, max(min(sizes), 1)),
    )


def is_enough(runs: list[EqualRun], a: Text, spelled: Sequence[str]) -> bool:
    """Returns whether a passage has K equal words, or all of a; a letter of a script without spaces is half a word."""
    k, count = a.prepared.k, sum(run.words for run in runs)
    if count >= min(2 * k, len(a.prepared)):
        return True
    words = [spelled[word] for run in runs for word in a.shown.words[run.a : run.a + run.words]]
    return sum(1 if len(word) == 1 and is_alone(word) else 2 for word in words) >= 2 * k


@cache
def is_alone(letter: str) -> bool:
    return regex.match(ALONE, letter, regex.VERSION1) is not None


def should_swap(a: Prepared, b: Prepared, spelled: Sequence[str]) -> bool:
    """Returns whether to compare b with a: the choice among equally long runs must not depend on which text is a."""
    if len(a) != len(b):
        return len(a) > len(b)
    differ = a.words != b.words
    first = int(differ.argmax()) if len(a) else 0
    return len(a) > 0 and bool(differ[first]) and spelled[a.words[first]] > spelled[b.words[first]]


def shingles_of(a: Prepared, b: Prepared) -> tuple[int, int, int]:
    """Returns the numbers of distinct shingles in both, in a, and in b."""
    if a.index is not None and b.index is not None:
        return len(a.index.keys() & b.index.keys()), len(a.index), len(b.index)
    return shared(a.distinct, b.distinct), len(a.distinct), len(b.distinct)


def shared(one: U64, two: U64) -> int:
    """Returns the number of fingerprints that are in both arrays, which ascend without repeats."""
    return int(np.count_nonzero(in_sorted(one, two)))


def stretches(runs: list[EqualRun]) -> list[Stretch]:
    """Yields equal words; between them the words of a only, then those of b only."""
    made: list[Stretch] = []
    for i, j, words in runs:
        end = made[-1] if made else Stretch(EQUAL, i, i, j, j)
        if made and (i, j) == (end.i_end, end.j_end):
            made[-1] = end._replace(i_end=i + words, j_end=j + words)
            continue
        if i > end.i_end:
            made.append(Stretch(ONLY_A, end.i_end, i, end.j_end, end.j_end))
        if j > end.j_end:
            made.append(Stretch(ONLY_B, i, i, end.j_end, j))
        made.append(Stretch(EQUAL, i, i + words, j, j + words))
    return made


def split_at_templates(steps: list[Stretch], a: Prepared, frequent: U64) -> Iterator[Stretch]:
    """Cuts equal words where template begins or ends, which is words in frequent runs of k."""
    for step in steps:
        if step.kind != EQUAL:
            yield step
            continue
        flags = template(a, step.i, step.i_end, frequent)
        edges: list[int] = [0, *(np.flatnonzero(flags[1:] != flags[:-1]) + 1).tolist(), len(flags)]
        for start, end in pairwise(edges):
            yield Stretch(EQUAL, step.i + start, step.i + end, step.j + start, step.j + end, bool(flags[start]))


def template(a: Prepared, start: int, end: int, frequent: U64) -> Flags:
    """Returns which words of a run are in a frequent run of k words inside it."""
    size = min(a.k, len(a))
    windows = a.shingles[start : max(end - size + 1, start)]
    hits = np.flatnonzero(in_sorted(windows, frequent))
    change = np.zeros(end - start + 1, np.int64)
    np.add.at(change, hits, 1)
    np.add.at(change, hits + size, -1)
    return np.cumsum(change[:-1]) > 0


def in_sorted(some: U64, ascending: U64) -> Flags:
    if not len(ascending):
        return np.zeros(len(some), np.bool_)
    found: Flags = ascending[np.minimum(ascending.searchsorted(some), len(ascending) - 1)] == some
    return found


def passage(steps: list[Stretch], a: ShownDocument, b: ShownDocument) -> Passage:
    """Returns a passage with places in the originals, from stretches in numbers of words."""
    pieces = []
    for step in steps:
        in_a = a.place(step.i, step.i_end) if step.i < step.i_end else (int(a.ends[step.i - 1]),) * 2
        in_b = b.place(step.j, step.j_end) if step.j < step.j_end else (int(b.ends[step.j - 1]),) * 2
        pieces.append(Piece(step.kind, in_a, in_b, max(step.i_end - step.i, step.j_end - step.j), step.template))
    return Passage(
        enclosing(piece.a for piece in pieces),
        enclosing(piece.b for piece in pieces),
        sum(piece.words for piece in pieces if piece.kind == EQUAL),
        tuple(pieces),
    )


def enclosing(places: Iterable[Place]) -> Place:
    """Returns the place from the least start to the greatest end."""
    starts, ends = zip(*places, strict=True)
    return min(starts), max(ends)
