"""Which equal words make one passage: seeds in another order, gaps, ends; by hand, and by all ways on small texts."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simshow.equal_runs import EqualRun
from shingletools.commands.simshow.passage_chaining import GAIN, common_passages, gaining
from shingletools.commands.simshow.prepared_text import Prepared

OTHER = 1000  # words from here on are in one text only


def passages(a: list[int], b: list[int], k: int = 5, gap: int = 60) -> list[list[EqualRun]]:
    one, two = (Prepared(np.array(words, np.int32), k) for words in (a, b))
    return common_passages(one, two, gap)


def within(words: list[int], side: int) -> list[int]:
    """Words with a hundred others around them."""
    begin = OTHER * (side + 1)
    return [*range(begin, begin + 50), *words, *range(begin + 50, begin + 100)]


def span(found: list[EqualRun]) -> tuple[int, int, int, int]:
    first, last = found[0], found[-1]
    return first.a, last.a + last.words, first.b, last.b + last.words


def test_neighbours_that_changed_places() -> None:
    """Of each two words one keeps its order; the outermost may not."""
    words = list(range(40))
    swapped = [word ^ 1 for word in words]
    (found,) = passages(within(words, 0), within(swapped, 1))
    assert sum(run.words for run in found) == 20
    assert all(abs(end - 50) <= 1 or abs(end - 90) <= 1 for end in span(found))


@pytest.mark.parametrize("seed", range(5))
def test_three_words_in_ten_are_others(seed: int) -> None:
    chance = random.Random(seed)
    words = list(range(200))
    changed = [word if chance.random() > 0.3 else OTHER * 9 + word for word in words]
    changed[:6] = changed[-6:] = []
    (found,) = passages(within(words, 0), within(changed, 1))
    kept = [word for word in changed if word < OTHER]
    assert len(kept) - 2 <= sum(run.words for run in found) <= len(kept)  # a word behind a gap may not be worth it


def test_a_gap_is_as_long_as_the_runs_beside_it_deserve() -> None:
    """Runs of n words gain 3 n; a gap of g words on either side costs 2 g."""
    for words, gap, together in [(10, 14, True), (10, 15, False), (20, 29, True), (20, 30, False)]:
        one = [*range(words), *range(OTHER, OTHER + gap), *range(words, 2 * words)]
        two = [*range(words), *range(2 * OTHER, 2 * OTHER + gap), *range(words, 2 * words)]
        assert len(passages(one, two)) == 2 - together
        assert len(passages(one, two, gap=gap - 1)) == 2


def test_a_short_run_bears_no_long_gap_beside_a_long_one() -> None:
    """5 words gain 15, less than 16 for gaps of 8; two long ones leave them out for 2 (2 g + 5) - 25 + 10**2 < 120."""
    for lengths, most in (((40, 5), 7), ((5, 40), 7), ((40, 5, 40), 8)):
        for gap in (most, most + 1):
            one, two = (
                [
                    word
                    for number, length in enumerate(lengths)
                    for begin, words in ((100 * number, length), (OTHER * (side + 2 * number), gap))
                    for word in range(begin, begin + words)
                ]
                for side in (1, 2)
            )
            assert len(passages(one, two)) == (1 if gap == most else len(lengths))


def test_words_of_one_text_only_are_a_gap() -> None:
    whole, parted = [*range(80)], [*range(40), *range(OTHER, OTHER + 70), *range(40, 80)]
    for gap, together in [(70, True), (69, False)]:
        assert len(passages(whole, parted, gap=gap)) == len(passages(parted, whole, gap=gap)) == 2 - together


def test_short_runs_are_left_out_of_a_passage_and_long_ones_not() -> None:
    """What stands within a passage in one text and elsewhere in the other; n words of it cost n squared, and n."""
    for words, count in [(5, 1), (12, 3)]:
        moved = [*range(500, 500 + words)]
        one, two = [*range(20), *moved, *range(20, 40)], [*range(40), *range(OTHER, OTHER + 70), *moved]
        found = passages(one, two)
        assert len(found) == count
        assert sum(run.words for each in found for run in each) == 40 + (words if count > 1 else 0)


@given(st.lists(st.integers(0, 5), max_size=7), st.lists(st.integers(0, 5), max_size=7))
def test_ends_gain(left: list[int], right: list[int]) -> None:
    """What is added gains; and no longest common subsequence that ends with it gains more by fewer words."""
    runs = gaining(np.array(left, np.int32), np.array(right, np.int32))
    equal = [(run.a + word, run.b + word) for run in runs for word in range(run.words)]
    assert all(left[i] == right[j] for i, j in equal)
    most = max(
        (
            len(chosen)
            for count in range(len(left) + 1)
            for chosen in combinations(range(len(left)), count)
            if is_subsequence([left[i] for i in chosen], right)
        ),
        default=0,
    )
    assert len(equal) <= most
    gains = [(GAIN + 2) * number - (i + 1) - (j + 1) for number, (i, j) in enumerate(equal, 1)]
    assert not gains or gains[-1] == max(gains) > 0


def is_subsequence(some: list[int], words: list[int]) -> bool:
    rest = iter(words)
    return all(word in rest for word in some)
