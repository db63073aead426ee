"""Which side of a pair covers the other: only a text with nothing of its own, by plain comparisons of lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simcheck.text_numbers import TextNumbers
from shingletools.commands.simcheck.verdicts import (
    BESIDE,
    DIFFERENT,
    DOUBTFUL,
    QUOTED,
    SHORT,
    VERDICTS,
    Verdict,
    stands_in,
    verdicts,
)
from shingletools.kernel import arrays as kernel
from shingletools.kernel.own_words import FIRST, Comparing, OwnWords, words_of

some = st.lists(st.sampled_from(["a", "b", "c", "d", "the", "12", "13", "house", "houses", "hause"]), max_size=14)
LONG = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(QUOTED + 1)]


def compared(one: list[str], other: list[str]) -> tuple[Verdict, OwnWords, list[str]]:
    """The verdict, what each side has of its own, and the words by their numbers."""
    texts = TextNumbers()
    joined = [" ".join(words).encode() for words in (one, other)]
    texts.add([7, 8], joined)
    made, pair = texts.arrays(), np.array([[0, 1]])
    own = kernel.own_words(made, pair[:, 0], pair[:, 1], Comparing(SHORT))
    sizes = made.sizes[pair]
    lengths = len(one), len(other)
    quoted = [stands_in(joined[a], joined[1 - a], lengths[a], lengths[1 - a]) for a in (0, 1)]
    (number,) = verdicts(own, sizes, np.array([quoted])).tolist()
    return VERDICTS[number], own[0], [word.decode() for word in words_of(made.data, made.ends)]


def covers(one: list[str], other: list[str]) -> str:
    return compared(one, other)[0].covers


@given(some, some)
def test_short_texts_are_copies_if_their_words_are_equal_but_for_articles(one: list[str], other: list[str]) -> None:
    for left, right in ((one, other), (one, [*one, "the"]), (one, ["the", *one])):
        equal = [word for word in left if word != "the"] == [word for word in right if word != "the"]
        enough = min(len(left), len(right)) >= 4 or len(left) == len(right)
        assert covers(left, right) == ("both" if equal and enough else "none")


@given(some, some)
def test_own_words_are_of_their_side(one: list[str], other: list[str]) -> None:
    _, sides, vocabulary = compared(one, other)
    for words, own in ((one, sides[0]), (other, sides[1])):
        shown = [vocabulary[word] for word in own["first"][: own["words"]]]
        assert all(shown.count(word) <= words.count(word) for word in shown)
        assert len(shown) == min(own["words"], FIRST)


@given(some, some)
def test_both_orders_of_a_pair_say_the_same(one: list[str], other: list[str]) -> None:
    mirrored = {"a": "b", "b": "a"}
    (there, own, words), (back, mirror, others) = compared(one, other), compared(other, one)
    assert back == (mirrored.get(there.covers, there.covers), there.answer)
    shown = [
        [[known[word] for word in side["first"][: side["words"]]] for side in sides]
        for sides, known in ((own, words), (mirror, others))
    ]
    assert shown[0] == shown[1][::-1]


def test_a_text_covers_itself() -> None:
    for text in (["12", "main", "street"], LONG[:SHORT], LONG[:200], LONG, []):
        assert covers(text, text) == "both"


def test_a_text_without_words() -> None:
    assert compared([], ["12"])[0] == ("none", "doubtful")


def test_another_spelling_may_be_another_name() -> None:
    words = [f"word{letter}" for letter in "abcdefghi"]
    for one, other in (("receive", "recieve"), ("house", "houses"), ("möller", "müller")):
        assert compared([*words, one], [*words, other])[0] == ("none", "doubtful")
    assert covers([*words, "health", "care"], [*words, "healthcare"]) == "none"


@pytest.mark.parametrize("size", [SHORT + 1, QUOTED, QUOTED + 1])
def test_another_word_tells_however_long_a_text_is(size: int) -> None:
    text = LONG[:size]
    for changed in ([*text[:50], "not", *text[50:]], [*text[:50], "x", *text[51:]], [*text[30:], *text[:30]]):
        assert covers(text, changed) == "none"


def test_a_long_text_may_stand_in_another_one_that_has_little_more() -> None:
    more = [f"x{letter}" for letter in "abcdefghijklmnopqrstuvwxyzäöüß"]
    assert len(more) == QUOTED // BESIDE
    assert covers(LONG, [*more[:20], *LONG, *more[20:]]) == "a"
    assert covers([*LONG, *more], LONG) == "b"
    assert covers(LONG, [*more, *LONG, "y"]) == "none"
    assert covers(LONG[1:], [*LONG[1:], "y"]) == "none"
    assert covers(LONG, [*more, LONG[0] + "x", *LONG[1:]]) == "none"


def test_what_parts_digits_is_no_number() -> None:
    """A telephone number with other signs is doubtful, and so shown; another number is different."""
    one = ["la", "grotta", "404", "u002f", "231", "u002d", "1368"]
    assert compared(one, ["u002d" if word == "u002f" else word for word in one])[0].answer == DOUBTFUL
    assert compared(one, ["232" if word == "231" else word for word in one])[0].answer == DIFFERENT
