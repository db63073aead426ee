"""Passages: what was planted is found, what is marked is in both, and changing sides mirrors all."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simshow.documents import Reader, Vocabulary, canon_with
from shingletools.commands.simshow.frequent_shingles import FINGERPRINT_BYTES, frequent_shingles
from shingletools.commands.simshow.passages import (
    EQUAL,
    ONLY_A,
    ONLY_B,
    CompareSettings,
    Comparison,
    Passage,
    Piece,
    Text,
    compare,
)
from shingletools.commands.simshow.prepared_text import Prepared

WORD = re.compile(r"\w+")


class Pair:
    """Two texts and what they share."""

    def __init__(self, a: str, b: str, k: int = 5, gap: int = 10, template: tuple[Sequence[str], int] | None = None):
        read = Reader(["text"], canon_with(""), Vocabulary())
        documents = [read(name, {"text": text}) for name, text in enumerate((a, b))]
        frequent = None
        if template is not None:
            others, least = template
            all_texts = [*documents, *(read(text, {"text": text}) for text in others)]
            frequent = frequent_shingles(all_texts, k, least)
        one, two = (Text(document, Prepared(document.words, k)) for document in documents)
        manner = CompareSettings(gap, read.vocabulary.spelled, frequent)
        self.a, self.b = a, b
        self.found, self.swapped = compare(one, two, 0.5, manner), compare(two, one, 0.5, manner)


def mirrored(one: Comparison) -> Comparison:
    """What changing the sides must give."""
    passages = []
    for each in sorted(one.passages, key=lambda each: each.b):
        pieces = [swapped(piece) for piece in each.pieces]
        for place, (first, second) in enumerate(pairwise(pieces)):
            if (first.kind, second.kind) == (ONLY_B, ONLY_A):  # of both, those of a come first
                before, after = pieces[place - 1].b[1], second.a[1]
                pieces[place : place + 2] = [second._replace(b=(before, before)), first._replace(a=(after, after))]
        passages.append(Passage(each.b, each.a, each.words, tuple(pieces)))
    words = (one.words[1], one.words[0])
    return one._replace(a=one.b, b=one.a, words=words, passages=tuple(passages))


def swapped(piece: Piece) -> Piece:
    kind = {EQUAL: EQUAL, ONLY_A: ONLY_B, ONLY_B: ONLY_A}[piece.kind]
    return Piece(kind, piece.b, piece.a, piece.words, piece.template)


def words_of(text: str) -> list[str]:
    return WORD.findall(text.lower())


def check(pair: Pair) -> None:
    """All that must hold of any comparison."""
    found = pair.found
    for side, text in (("a", pair.a), ("b", pair.b)):
        places = sorted(getattr(passage, side) for passage in found.passages)
        assert all(end <= start for (_, end), (start, _) in pairwise(places))
        for passage in found.passages:
            edges = [place for piece in passage.pieces for place in getattr(piece, side)]
            assert edges == sorted(edges)
            assert (edges[0], edges[-1]) == getattr(passage, side)
            assert 0 <= edges[0] <= edges[-1] <= len(text)
    for passage in found.passages:
        assert passage.words == sum(piece.words for piece in passage.pieces if piece.kind == EQUAL)
        assert passage.pieces[0].kind == passage.pieces[-1].kind == EQUAL
        for piece in passage.pieces:
            left, right = words_of(pair.a[slice(*piece.a)]), words_of(pair.b[slice(*piece.b)])
            assert max(len(left), len(right)) == piece.words > 0
            assert {EQUAL: left == right, ONLY_A: not right, ONLY_B: not left}[piece.kind]
    assert found.shared == sum(passage.words for passage in found.passages) <= min(found.words)
    assert list(found.passages) == sorted(found.passages, key=lambda passage: passage.a)
    assert pair.swapped == mirrored(found)


few = st.lists(st.sampled_from("a b c d e".split()), max_size=30)
many = st.lists(st.integers(0, 10**6).map(lambda number: f"w{number}"), max_size=60)


@given(few, few, st.integers(1, 4), st.integers(0, 4))
def test_what_holds_of_any_texts(one: list[str], two: list[str], k: int, gap: int) -> None:
    check(Pair(", ".join(one), " ".join(two).upper(), k, gap))


@given(many, many, many, many, many)
def test_a_planted_passage_is_found(p: list[str], q: list[str], r: list[str], s: list[str], middle: list[str]) -> None:
    """Within k words, for the texts around it may happen to have equal words."""
    planted = " ".join(["first", *middle, "second", "third", "fourth", "fifth", "last"])
    a, b = f"{' '.join(p)} {planted} {' '.join(q)}", f"{' '.join(r)} {planted.upper()} {' '.join(s)}"
    pair = Pair(a, b)
    check(pair)
    assert covers(pair, a.index(planted), b.index(planted.upper()), len(planted))


def covers(pair: Pair, a: int, b: int, length: int) -> bool:
    return any(
        passage.a[0] <= a and a + length <= passage.a[1] and passage.b[0] <= b and b + length <= passage.b[1]
        for passage in pair.found.passages
    )


@given(st.permutations(range(5)))
def test_moved_blocks_are_found(order: list[int]) -> None:
    """Five blocks in any order; two that stay side by side are one passage."""
    blocks = [" ".join(f"word{block}x{place}" for place in range(8 + block)) for block in range(5)]
    pair = Pair(". ".join(blocks), "; ".join(blocks[block] for block in order))
    check(pair)
    together = sum(two == one + 1 for one, two in pairwise(order))
    assert (len(pair.found.passages), pair.found.shared) == (5 - together, sum(range(8, 13)))


@given(st.sets(st.integers(1, 58), max_size=6), st.integers(0, 2))
def test_edits_are_found_where_they_were_made(places: set[int], kind: int) -> None:
    """A word in sixty replaced, left out or added: one passage, unless few words are left at an end or between."""
    words = [f"word{number}" for number in range(60)]
    changed = [
        word if number not in places else ("other", "", f"{word} more")[kind] for number, word in enumerate(words)
    ]
    pair = Pair(" ".join(words), " ".join(filter(None, changed)), k=2, gap=60)
    check(pair)
    lost = len(places) if kind < 2 else 0
    runs = [run for run in "".join("x" if n in places else "." for n in range(60)).split("x") if run]
    if kind < 2 and min(map(len, (runs[0], runs[-1]))) > 2 * len(places) and min(map(len, runs)) > 2:
        (passage,) = pair.found.passages
        only = [piece for piece in passage.pieces if piece.kind == ONLY_A]
        gone = [word for piece in only for word in words_of(pair.a[slice(*piece.a)])]
        assert gone == [words[number] for number in sorted(places)]
        assert pair.found.shared == 60 - lost


def test_gaps_and_the_words_within_them() -> None:
    pair = Pair("One two three four; five six seven. Eight!", "one two (three) 4 five VI seven eight", k=2, gap=1)
    check(pair)
    assert [(passage.a, passage.b, passage.words) for passage in pair.found.passages] == [
        ((0, 24), (0, 22), 4),
        ((29, 41), (26, 37), 2),
    ]
    pair = Pair("One two three four; five six seven. Eight!", "one two (three) 4 five VI seven eight", k=2, gap=3)
    (passage,) = pair.found.passages
    assert [(piece.kind, pair.a[slice(*piece.a)], pair.b[slice(*piece.b)]) for piece in passage.pieces] == [
        ("equal", "One two three", "one two (three"),
        ("a", "four", ""),
        ("b", "", "4"),
        ("equal", "five", "five"),
        ("a", "six", ""),
        ("b", "", "VI"),
        ("equal", "seven. Eight", "seven eight"),
    ]
    assert (pair.found.longest, pair.found.shared) == (3, 6)


def test_a_gap_keeps_the_most_words() -> None:
    """A script that may replace words would pair four different ones here, and keep none."""
    pair = Pair("a b c d e the old grey cat sat f g h i j", "a b c d e the cat sat down now f g h i j")
    check(pair)
    (passage,) = pair.found.passages
    assert passage.words == 13
    assert [piece.words for piece in passage.pieces] == [6, 2, 2, 2, 5]


@pytest.mark.parametrize(
    ("shared", "shown"),
    [
        ("图形界面和", False),  # five letters are in any two texts
        ("图形界面和文件管理", False),
        ("图形界面和文件管理器", True),
        ("Debian 邮件 server 是 free 的", True),  # three words and four letters
        ("Debian 邮件 server 是 free", False),
        ("one two three four five", True),
    ],
)
def test_letters_of_scripts_without_spaces_are_half_a_word(shared: str, shown: bool) -> None:
    pair = Pair(f"before it all. {shared}. And here is more", f"nothing like that: {shared}, then others follow")
    assert bool(pair.found.passages) is bool(pair.swapped.passages) is shown
    assert Pair(shared, shared).found.passages  # texts that are equal as a whole share all they have


def test_resemblance_is_that_of_sets_of_shingles() -> None:
    for a, b, jaccard, containment in [
        ("a b c d", "b c d e", Fraction(2, 4), Fraction(2, 3)),
        ("a b a b a b", "a b", Fraction(1, 2), Fraction(1)),
        ("a", "a", Fraction(1), Fraction(1)),  # a text of fewer than k words is one shingle
        ("a", "a b", Fraction(0), Fraction(0)),
        ("", "", Fraction(0), Fraction(0)),
        ("", "a b", Fraction(0), Fraction(0)),
    ]:
        found = Pair(a, b, k=2).found
        assert (found.jaccard, found.containment) == (jaccard, containment), (a, b)


def test_template_is_what_many_documents_have() -> None:
    notice = "all rights reserved by the owner"
    a, b = f"my own words about cats and dogs {notice}", f"my own words about cats and dogs {notice} again"
    others = [f"{number} {notice} {number}" for number in range(3)]
    pair = Pair(a, b, k=3, template=(others, 4))
    check(pair)
    (passage,) = pair.found.passages
    assert [(pair.a[slice(*piece.a)], piece.template) for piece in passage.pieces] == [
        ("my own words about cats and dogs", False),
        (notice, True),
    ]
    assert not any(
        piece.template for each in Pair(a, b, k=3, template=(others, 6)).found.passages for piece in each.pieces
    )


def test_template_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Reader(["text"], canon_with(""), Vocabulary())
    documents = [read(n, {"text": " ".join(f"w{(n * 7 + i) % 40}" for i in range(30))}) for n in range(20)]
    whole = frequent_shingles(documents, 3, 4).tolist()
    assert len(whole) > 10
    monkeypatch.setattr("shingletools.commands.simshow.frequent_shingles.MIN_COUNTED", 1)
    for together in (1, 50, 300):
        assert frequent_shingles(documents, 3, 4, FINGERPRINT_BYTES * together).tolist() == whole


def test_words_are_numbered_as_they_come() -> None:
    vocabulary = Vocabulary()
    assert vocabulary.numbers("a b a c b".split()).tolist() == [0, 1, 0, 2, 1]
    assert vocabulary.spelled == ["a", "b", "c"]
