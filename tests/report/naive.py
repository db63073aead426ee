"""Comparisons by slow means, for pages to show: difflib's longest runs of equal words, one after the other."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import groupby, pairwise

from shingletools.commands.simshow.documents import Name
from shingletools.commands.simshow.passages import Comparison, Passage, Piece

WORD = re.compile(r"\w+")
LEAST, GAP, SHINGLE = 5, 4, 3

Block = tuple[int, int, int]  # word in a, word in b, how many
Span = tuple[int, int]


def runs(a: list[str], b: list[str]) -> Iterator[Block]:
    """The longest first; no word is in two of them."""
    left: list[object] = list(a)
    right: list[object] = list(b)
    matcher: SequenceMatcher[object] = SequenceMatcher(None, [], [], autojunk=False)
    while True:
        matcher.set_seqs([*left], [*right])  # it would not look again at lists that it knows
        start_a, start_b, size = matcher.find_longest_match()
        if size < LEAST:
            return
        yield start_a, start_b, size
        left[start_a : start_a + size] = [object() for _ in range(size)]
        right[start_b : start_b + size] = [object() for _ in range(size)]


def merged(blocks: list[Block]) -> Iterator[list[Block]]:
    """In the order of a; blocks that follow each other in both texts, with few words between, belong together."""
    group: list[Block] = []
    order_b = sorted(blocks, key=lambda block: block[1])
    follows = set(pairwise(order_b))
    for block in sorted(blocks):
        if group:
            last = group[-1]
            near = max(block[0] - last[0] - last[2], block[1] - last[1] - last[2]) <= GAP
            if not (near and (last, block) in follows):
                yield group
                group = []
        group.append(block)
    if group:
        yield group


def spans(text: str) -> list[Span]:
    return [found.span() for found in WORD.finditer(text)]


def over(places: list[Span], first: int, words: int, after: int) -> Span:
    """From the first word's start to the last one's end; of none, where the text before ends."""
    return (places[first][0], places[first + words - 1][1]) if words else (after, after)


def parted(words: list[str], template: frozenset[str]) -> Iterator[tuple[int, bool]]:
    """How many words come one after the other that are template, or are none."""
    for known, run in groupby(words, template.__contains__):
        yield len([*run]), known


def compare(a: Name, b: Name, text_a: str, text_b: str, template: frozenset[str] = frozenset()) -> Comparison:
    """What two texts share; words are compared whatever their case. `template` has words that stand in many texts."""
    places = spans(text_a), spans(text_b)
    words = (
        [text_a[start:end].lower() for start, end in places[0]],
        [text_b[start:end].lower() for start, end in places[1]],
    )
    blocks = list(runs(*words))
    passages = []
    for group in merged(blocks):
        pieces: list[Piece] = []
        at = group[0][0], group[0][1]
        ends = places[0][at[0]][0], places[1][at[1]][0]
        for start_a, start_b, size in group:
            equal = [
                ("equal", (count, count), known)
                for count, known in parted(words[0][start_a : start_a + size], template)
            ]
            for kind, counts, known in (("a", (start_a - at[0], 0), False), ("b", (0, start_b - at[1]), False), *equal):
                if any(counts):
                    span = [over(places[side], at[side], counts[side], ends[side]) for side in (0, 1)]
                    pieces.append(Piece(kind, span[0], span[1], max(counts), known))
                    ends = span[0][1], span[1][1]
                    at = at[0] + counts[0], at[1] + counts[1]
        passages.append(
            Passage(
                (pieces[0].a[0], pieces[-1].a[1]),
                (pieces[0].b[0], pieces[-1].b[1]),
                sum(b[2] for b in group),
                tuple(pieces),
            )
        )
    sets = [{tuple(w[i : i + SHINGLE]) for i in range(len(w) - SHINGLE + 1)} for w in words]
    common = len(sets[0] & sets[1])
    jaccard = Fraction(common, len(sets[0] | sets[1]) or 1)
    containment = Fraction(common, min(map(len, sets)) or 1)
    sizes = [block[2] for block in blocks]
    said = float(round(jaccard, 6))
    shared, longest = sum(sizes), max(sizes, default=0)
    return Comparison(
        a,
        b,
        said,
        tuple(passages),
        (len(words[0]), len(words[1])),
        shared,
        longest,
        jaccard,
        containment,
        {"a": a, "b": b},
    )
