"""The words that only one of two texts has, against a plain alignment and plain sets, and in C as by definition."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.kernel import compiled_arrays, own_words
from shingletools.kernel.own_words import (
    FIRST,
    GAP,
    NEVER,
    NUMBER,
    RUN,
    Comparing,
    NumberedTexts,
    described,
    matched,
    unshared,
)

VOCABULARY = ["a", "b", "c", "d", "e"]
some = st.lists(st.integers(0, 4), max_size=14)
words = st.text("aeés日𝄞", min_size=1, max_size=7)


def common(one: list[int], other: list[int]) -> int:
    """The length of the longest common subsequence, by the table that every textbook has."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(some, some)
def test_matched_words_are_a_longest_subsequence_in_either_order(one: list[int], other: list[int]) -> None:
    found = matched(one, other, VOCABULARY)
    assert [one[i] for i, _ in found] == [other[j] for _, j in found]
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(found))
    assert len(found) == common(one, other)
    assert matched(other, one, VOCABULARY) == [(j, i) for i, j in found]


def test_of_words_that_changed_places_the_lesser_is_matched_whatever_its_number() -> None:
    assert matched([0, 1], [1, 0], ["3", "ui"]) == [(0, 1)]
    assert matched([1, 0], [0, 1], ["ui", "3"]) == [(0, 1)]


@given(some, some)
def test_unshared_words_are_in_no_run_of_the_other(one: list[int], other: list[int]) -> None:
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
    assert unshared(one, other) == own


@given(st.lists(st.integers(0, 4), min_size=60, max_size=60), st.sets(st.integers(0, 59)).map(sorted))
def test_own_words_close_together_make_a_run(text: list[int], places: list[int]) -> None:
    count, run, number, first = described(text, places, np.array([0, 0, 0, 0, NUMBER], np.uint8))
    ends = [at for at, place in enumerate(places) if place + GAP < min((p for p in places if p > place), default=99)]
    assert run == max((end - before for before, end in pairwise([-1, *ends])), default=0)
    own = [text[place] for place in places]
    assert (count, number) == (len(own), 4 in own)
    assert first[:count] == own[:FIRST]


def texts_of(texts: list[list[int]], vocabulary: list[str], flags: list[int]) -> NumberedTexts:
    sizes = np.array([*map(len, texts)], np.int64)
    data = [word.encode() for word in vocabulary]
    ends = np.cumsum([*map(len, data)]).astype(np.int64)
    numbers = np.array([word for text in texts for word in text], np.int32)
    return NumberedTexts(numbers, np.cumsum(sizes) - sizes, sizes, b"".join(data), ends, np.array(flags, np.uint8))


@given(st.data(), st.lists(words, min_size=1, max_size=8, unique=True), st.integers(0, 2**64 - 1))
def test_c_is_as_defined(data: st.DataObject, vocabulary: list[str], key: int) -> None:
    flags = data.draw(st.lists(st.sampled_from([0, 0, 0, NUMBER, NEVER]), min_size=8, max_size=8))[: len(vocabulary)]
    one = data.draw(st.lists(st.integers(0, len(vocabulary) - 1), max_size=30))
    other = data.draw(st.permutations(one) | st.lists(st.integers(0, len(vocabulary) - 1), max_size=30))
    made = texts_of([one, [*one[7:], *one[:7]], other], vocabulary, flags)
    pairs = np.array([[0, 1], [0, 2], [1, 2], [2, 1], [2, 2]]).T
    how = Comparing(data.draw(st.sampled_from([0, 1, 10, 30])), key)
    found, right = (each.own_words(made, *pairs, how) for each in (compiled_arrays, own_words))
    assert found.tobytes() == right.tobytes()


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({}, [2]),
        ({}, [-1]),
        ({"words": np.array([0, 1, 5, 0], np.int32)}, [0]),
        ({"words": np.array([0, -1, 1, 0], np.int32)}, [0]),
        ({"sizes": np.array([2, 3])}, [1]),
        ({"ends": np.array([1, 2, 9, 10, 11])}, [0]),
        ({"flags": np.zeros(4, np.uint8)}, [0]),
    ],
)
def test_arrays_that_do_not_fit(change: dict[str, Any], left: list[int]) -> None:
    made = texts_of([[0, 1], [1, 0]], VOCABULARY, [0] * 5)
    pairs = np.array(left), np.array([1])
    compiled_arrays.own_words(made, np.array([0]), np.array([1]), Comparing(40))
    with pytest.raises(ValueError, match="arrays of the wrong size"):
        compiled_arrays.own_words(made._replace(**change), *pairs, Comparing(40))
