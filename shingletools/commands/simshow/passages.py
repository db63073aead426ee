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
from shingletools.kernel.types import U64
from shingletools.numbers.exact_ratios import DIGITS
from shingletools.numbers.ranges import are_among
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
    for runs in map(joined, runs_of_each):
        if is_enough(runs, a, spelled):
            longest = max(longest, *(run.words for run in runs))
            pieces = tuple(pieces_of(runs, a, b, frequent))
            equal = sum(run.words for run in runs)
            in_a, in_b = enclosing(piece.a for piece in pieces), enclosing(piece.b for piece in pieces)
            passages.append(Passage(in_a, in_b, equal, pieces))
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
    return int(np.count_nonzero(are_among(a.distinct, b.distinct))), len(a.distinct), len(b.distinct)


def joined(runs: list[EqualRun]) -> list[EqualRun]:
    """Joins runs that follow one another without a gap in either text."""
    whole = runs[:1]
    for run in runs[1:]:
        last = whole[-1]
        if (run.a, run.b) == (last.a + last.words, last.b + last.words):
            whole[-1] = last._replace(words=last.words + run.words)
        else:
            whole.append(run)
    return whole


def pieces_of(runs: list[EqualRun], a: Text, b: Text, frequent: U64 | None) -> Iterator[Piece]:
    """Yields equal words, cut where template begins or ends; between them the words of a only, then those of b only."""

    def piece(kind: str, in_a: tuple[int, int], in_b: tuple[int, int], is_template: bool = False) -> Piece:
        words = max(in_a[1] - in_a[0], in_b[1] - in_b[0])
        return Piece(kind, a.shown.place(*in_a), b.shown.place(*in_b), words, is_template)

    i, j, _ = runs[0]
    for run in runs:
        if run.a > i:
            yield piece(ONLY_A, (i, run.a), (j, j))
        if run.b > j:
            yield piece(ONLY_B, (run.a, run.a), (j, run.b))
        i, j = run.a + run.words, run.b + run.words
        if frequent is None:
            yield piece(EQUAL, (run.a, i), (run.b, j))
            continue
        for start, end, is_template in parts(run, a.prepared, frequent):
            yield piece(EQUAL, (run.a + start, run.a + end), (run.b + start, run.b + end), is_template)


def parts(run: EqualRun, a: Prepared, frequent: U64) -> Iterator[tuple[int, int, bool]]:
    """Yields parts of a run, and whether they are template: words in a frequent run of k words inside it."""
    size = min(a.k, len(a))
    windows = a.shingles[run.a : max(run.a + run.words - size + 1, run.a)]
    hits = np.flatnonzero(are_among(windows, frequent))
    change = np.zeros(run.words + 1, np.int64)
    np.add.at(change, hits, 1)
    np.add.at(change, hits + size, -1)
    flags = np.cumsum(change[:-1]) > 0
    edges: list[int] = [0, *(np.flatnonzero(flags[1:] != flags[:-1]) + 1).tolist(), run.words]
    for start, end in pairwise(edges):
        yield start, end, bool(flags[start])


def enclosing(places: Iterable[Place]) -> Place:
    """Returns the place from the least start to the greatest end."""
    starts, ends = zip(*places, strict=True)
    return min(starts), max(ends)
