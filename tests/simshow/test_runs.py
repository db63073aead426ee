"""Runs of equal words against brute force; whatever texts hold, what is found is equal, disjoint, and found in time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simshow.equal_runs import EqualRun, common_runs
from shingletools.commands.simshow.prepared_text import BASE, Prepared

Numbers = list[int]


@st.composite
def two_texts(draw: st.DrawFn) -> tuple[Numbers, Numbers, int]:
    """Of few different words, often with parts of one in the other; and k."""
    word = st.integers(0, draw(st.integers(0, 5)))
    a, b = draw(st.lists(word, max_size=24)), draw(st.lists(word, max_size=16))
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(a)))
        place = draw(st.integers(0, len(b)))
        b[place:place] = a[start : start + draw(st.integers(0, 12))]
    return a, b, draw(st.integers(1, 4))


def slow_runs(a: Numbers, b: Numbers, k: int) -> list[EqualRun]:
    """All common runs of free words, of which the longest is taken, as long as there is one of k words."""
    if a == b:
        return [EqualRun(0, 0, len(a))] if a else []
    free_a, free_b, found = set(range(len(a))), set(range(len(b))), list[EqualRun]()
    while True:
        best = EqualRun(0, 0, 0)
        for i in range(len(a)):
            for j in range(len(b)):
                words = 0
                while i + words in free_a and j + words in free_b and a[i + words] == b[j + words]:
                    words += 1
                if words > best.words:
                    best = EqualRun(i, j, words)
        if best.words < k:
            return sorted(found)
        free_a -= set(range(best.a, best.a + best.words))
        free_b -= set(range(best.b, best.b + best.words))
        found.append(best)


def prepared(words: Numbers, k: int) -> Prepared:
    return Prepared(np.array(words, np.int32), k)


@given(two_texts())
def test_runs_against_brute_force(texts: tuple[Numbers, Numbers, int]) -> None:
    a, b, k = texts
    assert common_runs(prepared(a, k), prepared(b, k)) == slow_runs(a, b, k)


def check_equal_and_disjoint(runs: list[EqualRun], a: Numbers, b: Numbers, k: int) -> None:
    for side, text in enumerate((a, b)):
        words = [place for run in runs for place in range(run[side], run[side] + run.words)]
        assert len(words) == len(set(words))
        assert all(0 <= place < len(text) for place in words)
    for run in runs:
        assert a[run.a : run.a + run.words] == b[run.b : run.b + run.words]
        assert run.words >= k or run.words == len(a) == len(b)


@given(two_texts(), st.integers(0, 20))
def test_whatever_the_bound_runs_are_equal_and_disjoint(texts: tuple[Numbers, Numbers, int], most: int) -> None:
    a, b, k = texts
    check_equal_and_disjoint(common_runs(prepared(a, k), prepared(b, k), most), a, b, k)


REPEATED = 20_000


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ([0] * REPEATED, [0] * (REPEATED - 7), 1.0),
        ([0, 1, 2] * (REPEATED // 3), [2, 0, 1] * (REPEATED // 3), 0.999),
        (([0] * 100 + [1]) * (REPEATED // 101), ([0] * 99 + [2]) * (REPEATED // 100), 0.9),
        ([0] * REPEATED, ([0] * 9 + [1]) * (REPEATED // 10), 0.6),
    ],
    ids=["one word", "a period", "two periods", "one word and others"],
)
def test_texts_that_repeat_themselves(a: Numbers, b: Numbers, shared: float) -> None:
    """Hundreds of millions of places where both have the same five words: they are not all looked at."""
    runs = common_runs(prepared(a, 5), prepared(b, 5))
    check_equal_and_disjoint(runs, a, b, 5)
    assert sum(run.words for run in runs) >= shared * min(len(a), len(b))


def test_longer_runs_come_first_where_there_are_too_many() -> None:
    """The bound forbids all meetings of two words at once; of what the longest leave there are few."""
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 3, 300).tolist()
    long, longer = rng.integers(0, 3, 40).tolist(), rng.integers(0, 3, 80).tolist()
    a, b = [*noise[:100], *longer, *noise[100:150], *long], [*long, 1, *noise[200:], *longer]
    runs = common_runs(prepared(a, 2), prepared(b, 2), 1000)
    check_equal_and_disjoint(runs, a, b, 2)
    assert any(run.a <= 100 and run.a + run.words >= 180 for run in runs)
    assert any(run.b <= 0 and run.words >= 40 for run in runs)


def test_fingerprints_are_sums_of_powers() -> None:
    """In whole numbers, of Python's own."""
    words = [3, 1, 4, 1, 5, 9, 2, 6]
    text = prepared(words, 3)
    bits = text.windows(1).tolist()
    for size in (1, 2, 3, 8):
        expected = [
            sum(bits[i + place] * BASE**place for place in range(size)) % 2**64 for i in range(len(words) - size + 1)
        ]
        assert text.windows(size).tolist() == expected
    assert text.windows(9).tolist() == []


def test_texts_of_thue_and_morse() -> None:
    """Sums of powers modulo 2^64 are equal for different texts of this kind: what is found by them is compared."""
    word = [0]
    while len(word) < 2048:
        word += [1 - each for each in word]
    a, b = word, [1 - each for each in word]
    assert prepared(a, 2048).shingles.tolist() == prepared(b, 2048).shingles.tolist()
    check_equal_and_disjoint(common_runs(prepared(a, 2048), prepared(b, 2048)), a, b, 2048)
    assert common_runs(prepared(a, 2048), prepared(b, 2048)) == []
