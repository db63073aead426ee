"""What a text has of its own, against a plain alignment and plain sets; which side of a pair covers the other."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DATA
from shingletools.commands.simcheck.own_words import GAP, RUN, SPELLED, Words, aligned, unshared
from shingletools.commands.simcheck.spec import CoverRules
from shingletools.commands.simcheck.spellings import are_spellings
from shingletools.commands.simcheck.verdicts import MOST_REPEATED, verdict

TELLING = [json.loads(line) for line in (DATA / "telling.jsonl").read_text("utf-8").splitlines()]
some = st.lists(st.sampled_from(["a", "b", "c", "d", "the", "12", "13", "house", "houses", "hause"]), max_size=14)


def common(one: list[str], other: list[str]) -> int:
    """The length of the longest common subsequence, by the table that every textbook has."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(some, some)
def test_exact_words_of_its_own_are_those_that_no_alignment_has(one: list[str], other: list[str]) -> None:
    a, b = Words(" ".join(one)), Words(" ".join(other))
    own_a, own_b = aligned(a, b, frozenset(), False)
    shared_a, shared_b = (
        [word for place, word in enumerate(words) if place not in own.places]
        for words, own in ((one, own_a), (other, own_b))
    )
    assert shared_a == shared_b
    assert len(shared_a) == common(one, other)


@given(some, some)
def test_words_of_its_own_are_in_no_run_of_the_other(one: list[str], other: list[str]) -> None:
    size = min(RUN, len(one), len(other))
    theirs = {tuple(other[j : j + size]) for j in range(len(other) - size + 1)} if size else set()
    own = [
        place
        for place in range(len(one))
        if not any(
            tuple(one[i : i + size]) in theirs
            for i in range(max(place - size + 1, 0), min(place, len(one) - size) + 1)
            if size
        )
    ]
    assert list(unshared(Words(" ".join(one)), Words(" ".join(other))).places) == own


@given(some, some, st.sampled_from([0, 3, 40]), st.sampled_from([0, 1, 5]), st.sampled_from([0, 8, 100]))
def test_the_promise(one: list[str], other: list[str], short: int, run: int, numbers: int) -> None:
    """A side that is covered has nothing of its own that the rules forbid, counted by plain loops."""
    if not one or not other:
        return
    rules = CoverRules(short, run, Fraction(1, 2), numbers, True, frozenset({"the"}))
    found = verdict(Words(" ".join(one)), Words(" ".join(other)), rules)
    for name, words, own in (("a", one, found.a), ("b", other, found.b)):
        assert [words[place] for place in own.places] == list(own.words)
        if found.covers not in (name, "both"):
            continue
        if len(words) <= short:
            assert not found.a.words
            assert not found.b.words
            left = [word for word in words if word not in other and word != "the"]
            assert all(
                any(are_spellings(word, each) or word in each + each or each in word for each in other) for word in left
            )
            digits = [[word for word in text if word.isdigit()] for text in (one, other)]
            assert not numbers or digits[0] == digits[1]
        elif one != other:
            assert 2 * len(own.words) <= len(words)
            assert all(own.words.count(word) <= MOST_REPEATED for word in own.words)
            near = [1 + sum(0 < at - place < GAP for at in own.places) for place in own.places]
            assert max(near, default=0) <= max(run, 0) or run == 0 == len(own.words)
            assert len(words) > numbers or not any(word.isdigit() for word in own.words)


@given(some, some)
def test_both_orders_of_a_pair_say_the_same(one: list[str], other: list[str]) -> None:
    if one and other:
        a, b = Words(" ".join(one)), Words(" ".join(other))
        mirrored = {"a": "b", "b": "a"}
        for rules in (CoverRules(short=0), CoverRules()):
            there, back = verdict(a, b, rules), verdict(b, a, rules)
            assert back.covers == mirrored.get(there.covers, there.covers)


@pytest.mark.parametrize("short", [0, 40])
def test_a_text_covers_itself(short: int) -> None:
    assert verdict(Words("12 main street"), Words("12 main street"), CoverRules(short)).covers == "both"


def test_one_word_in_so_many_may_be_another_spelling() -> None:
    words = [f"word{letter}" for letter in "abcdefg"]
    enough, few = Words(" ".join([*words, "receive"])), Words(" ".join([*words[1:], "receive"]))
    assert len(enough) == SPELLED
    for text, covers in ((enough, "both"), (few, "none")):
        assert verdict(text, Words(text.text.replace("receive", "recieve")), CoverRules()).covers == covers
    exact = CoverRules(spellings=False)
    assert verdict(enough, Words(enough.text.replace("receive", "recieve")), exact).covers == "none"


def test_a_long_text_may_have_a_date_of_its_own_and_no_paragraph() -> None:
    page = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200)]
    for own, covers in (
        (["monday", "3", "may", "2021"], "both"),
        (["one"] * 2, "a"),  # what a text names again, it is about
        ([f"x{letter}" for letter in "abcdef"], "a"),
    ):
        longer = [*page[:100], *own, *page[100:]]
        assert verdict(Words(" ".join(page)), Words(" ".join(longer)), CoverRules()).covers == covers, own
    moved = Words(" ".join(page[100:] + page[:100]))
    assert verdict(Words(" ".join(page)), moved, CoverRules()).covers == "both"
    number = Words(" ".join([*page[:50], "2021", *page[50:100]]))
    assert verdict(Words(" ".join(page[:100])), number, CoverRules(numbers=150)).covers == "a"
