"""What two texts share: passages of equal words, with the differences within them.

Runs of equal words that follow one another in both texts, with few words between them on either side, make one passage.
The differences in such a gap come from a shortest edit script of insertions and deletions, which keeps the most words.
A script that may also replace words would pair different words instead.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shingletools.commands.simshow.documents import Name, Place, Shown
from shingletools.commands.simshow.prepared import Prepared
from shingletools.commands.simshow.runs import EqualRun, common_runs
from shingletools.kernel.types import U64, Flags
from shingletools.system.deferred import distance

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
    """What two texts share."""

    a: Name
    b: Name
    similarity: float | None  # in the pair's record, from 0 to 1
    passages: tuple[Passage, ...]  # in the order of a
    words: tuple[int, int]  # number of words of each text
    shared: int  # number of equal words in passages
    longest: int  # words of the longest equal run
    jaccard: Fraction  # of the two sets of shingles of k words
    containment: Fraction  # of the smaller of these sets in the larger


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

    shown: Shown
    prepared: Prepared


class Manner(NamedTuple):
    """Settings of comparisons."""

    gap: int  # words between two runs of a passage, at most
    spelled: Sequence[str]  # the word with each number
    frequent: U64 | None = None  # fingerprints of runs in many documents, ascending


def compare(a: Text, b: Text, similarity: float | None, manner: Manner) -> Comparison:
    """Compares two texts. compare(b, a) gives the mirror image."""
    gap, spelled, frequent = manner
    turned = comes_after(a.prepared, b.prepared, spelled)
    if turned:
        runs = sorted(EqualRun(run.b, run.a, run.words) for run in common_runs(b.prepared, a.prepared))
    else:
        runs = common_runs(a.prepared, b.prepared)
    passages = []
    longest = 0
    for group in grouped(runs, gap):
        steps = joined(differences(group, a.shown, b.shown, turned))
        longest = max(longest, *(step.i_end - step.i for step in steps if step.kind == EQUAL))
        if frequent is not None:
            steps = list(parted(steps, a.prepared, frequent))
        passages.append(passage(steps, a.shown, b.shown))
    common, *sizes = shingles_of(a.prepared, b.prepared)
    return Comparison(
        a.shown.name, b.shown.name, similarity, tuple(passages), (len(a.prepared), len(b.prepared)),
        sum(each.words for each in passages), longest, Fraction(common, max(sum(sizes) - common, 1)),
        Fraction(common, max(min(sizes), 1)),
    )  # fmt: skip


def comes_after(a: Prepared, b: Prepared, spelled: Sequence[str]) -> bool:
    """Whether to take b first, so that the choice among equally long runs does not depend on which text is a."""
    if len(a) != len(b):
        return len(a) > len(b)
    differ = a.words != b.words
    first = int(differ.argmax()) if len(a) else 0
    return len(a) > 0 and bool(differ[first]) and spelled[a.words[first]] > spelled[b.words[first]]


def shingles_of(a: Prepared, b: Prepared) -> tuple[int, int, int]:
    """The numbers of distinct shingles in both, in a, and in b."""
    if a.index is not None and b.index is not None:
        return len(a.index.keys() & b.index.keys()), len(a.index), len(b.index)
    return shared(a.distinct, b.distinct), len(a.distinct), len(b.distinct)


def shared(one: U64, two: U64) -> int:
    """How many fingerprints are in both arrays, which ascend without repeats."""
    return int(np.count_nonzero(in_sorted(one, two)))


def grouped(runs: list[EqualRun], gap: int) -> Iterator[list[EqualRun]]:
    """Groups of runs that make one passage: neighbours in both texts, with gaps of at most `gap` words."""
    in_b = {run: number for number, run in enumerate(sorted(runs, key=lambda run: run.b))}
    group: list[EqualRun] = []
    for run in runs:
        if group:
            last = group[-1]
            near = run.a - last.a - last.words <= gap and 0 <= run.b - last.b - last.words <= gap
            if not (near and in_b[run] == in_b[last] + 1):
                yield group
                group = []
        group.append(run)
    if group:
        yield group


def differences(group: list[EqualRun], a: Shown, b: Shown, turned: bool) -> Iterator[Stretch]:
    """The runs of a passage and, in the gaps between them, equal and different words."""
    i, j = group[0].a, group[0].b
    for run in group:
        left, right = a.words[i : run.a].tolist(), b.words[j : run.b].tolist()
        if left and right:
            edits = distance.Indel.opcodes(right, left) if turned else distance.Indel.opcodes(left, right)
            for edit in edits:
                ends = [(edit.src_start, edit.src_end), (edit.dest_start, edit.dest_end)]
                (one, one_end), (two, two_end) = reversed(ends) if turned else ends
                kind = EQUAL if edit.tag == "equal" else ONLY_A if one < one_end else ONLY_B
                yield Stretch(kind, i + one, i + one_end, j + two, j + two_end)
        elif left or right:
            yield Stretch(ONLY_A if left else ONLY_B, i, run.a, j, run.b)
        i, j = run.a + run.words, run.b + run.words
        yield Stretch(EQUAL, run.a, i, run.b, j)


def joined(steps: Iterator[Stretch]) -> list[Stretch]:
    """Joins equal words; between them come the words of a only, then those of b only. The first and last are equal."""
    made: list[Stretch] = []
    end = Stretch(EQUAL, 0, 0, 0, 0)  # the last stretch of equal words
    for step in steps:
        if step.kind != EQUAL:
            continue
        if made and (step.i, step.j) == (end.i_end, end.j_end):
            end = made[-1] = end._replace(i_end=step.i_end, j_end=step.j_end)
            continue
        if made and step.i > end.i_end:
            made.append(Stretch(ONLY_A, end.i_end, step.i, end.j_end, end.j_end))
        if made and step.j > end.j_end:
            made.append(Stretch(ONLY_B, step.i, step.i, end.j_end, step.j))
        made.append(step)
        end = step
    return made


def parted(steps: list[Stretch], a: Prepared, frequent: U64) -> Iterator[Stretch]:
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
    """Which words of a run are in a frequent run of k words inside it."""
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


def passage(steps: list[Stretch], a: Shown, b: Shown) -> Passage:
    """A passage with places in the originals, from stretches in numbers of words."""
    pieces = []
    for step in steps:
        in_a = a.place(step.i, step.i_end) if step.i < step.i_end else (int(a.ends[step.i - 1]),) * 2
        in_b = b.place(step.j, step.j_end) if step.j < step.j_end else (int(b.ends[step.j - 1]),) * 2
        pieces.append(Piece(step.kind, in_a, in_b, max(step.i_end - step.i, step.j_end - step.j), step.template))
    return Passage(
        enclosing(piece.a for piece in pieces), enclosing(piece.b for piece in pieces),
        sum(piece.words for piece in pieces if piece.kind == EQUAL), tuple(pieces),
    )  # fmt: skip


def enclosing(places: Iterable[Place]) -> Place:
    """From the least start to the greatest end."""
    starts, ends = zip(*places, strict=True)
    return min(starts), max(ends)
