"""Which side of a pair covers the other: promises, counted by plain loops."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simcheck.spec import CoverRules
from shingletools.commands.simcheck.text_numbers import TextNumbers
from shingletools.commands.simcheck.verdicts import VERDICTS, Verdict, verdicts
from shingletools.kernel import arrays as kernel
from shingletools.kernel.own_words import FIRST, SPELLED, Comparing, OwnWords, are_spellings, words_of

some = st.lists(st.sampled_from(["a", "b", "c", "d", "the", "12", "13", "house", "houses", "hause"]), max_size=14)


def compared(one: list[str], other: list[str], rules: CoverRules) -> tuple[Verdict, OwnWords, list[str]]:
    """The verdict, what each side has of its own, and the words by their numbers."""
    texts = TextNumbers(rules.never)
    texts.add([7, 8], [" ".join(words).encode() for words in (one, other)])
    made, pair = texts.arrays(), np.array([[0, 1]])
    own = kernel.own_words(made, pair[:, 0], pair[:, 1], Comparing(rules.short, rules.numbers > 0, rules.spellings))
    (number,) = verdicts(own, made.sizes[pair], rules).tolist()
    return VERDICTS[number], own[0], [word.decode() for word in words_of(made.data, made.ends)]


def covers(one: list[str], other: list[str], rules: CoverRules = CoverRules()) -> str:  # noqa: B008  # it is frozen
    return compared(one, other, rules)[0].covers


@given(some, some, st.sampled_from([0, 3, 40]), st.sampled_from([0, 1, 5]), st.sampled_from([0, 8, 100]))
def test_the_promise(one: list[str], other: list[str], short: int, run: int, numbers: int) -> None:
    """A side that is covered has nothing of its own that the rules forbid, counted by plain loops."""
    if not one or not other:
        return
    rules = CoverRules(short, run, Fraction(1, 2), numbers, True, frozenset({"the"}))
    found, sides, vocabulary = compared(one, other, rules)
    for name, words, own in (("a", one, sides[0]), ("b", other, sides[1])):
        shown = [vocabulary[word] for word in own["first"][: own["words"]]]
        assert all(shown.count(word) <= words.count(word) for word in shown)
        if found.covers not in (name, "both"):
            continue
        if len(words) <= short:
            assert sides["words"].tolist() == [0, 0]
            left = [word for word in words if word not in other and word != "the"]
            assert all(
                any(are_spellings(word, each) or word in each + each or each in word for each in other) for word in left
            )
            digits = [[word for word in text if word.isdigit()] for text in (one, other)]
            assert not numbers or digits[0] == digits[1]
        elif one != other:
            assert 2 * own["words"] <= len(words)
            assert len(set(shown)) == min(own["words"], FIRST)
            assert own["run"] <= run
            every = [vocabulary[word] for side in sides for word in side["first"][: side["words"]]]
            assert len(words) > numbers or not any(word.isdigit() for word in every)


@given(some, some)
def test_both_orders_of_a_pair_say_the_same(one: list[str], other: list[str]) -> None:
    mirrored = {"a": "b", "b": "a"}
    for rules in (CoverRules(short=0), CoverRules(), CoverRules(numbers=0)):
        (there, own, words), (back, mirror, others) = compared(one, other, rules), compared(other, one, rules)
        assert back == (mirrored.get(there.covers, there.covers), there.answer)
        shown = [
            [[known[word] for word in side["first"][: side["words"]]] for side in sides]
            for sides, known in ((own, words), (mirror, others))
        ]
        assert shown[0] == shown[1][::-1]


@pytest.mark.parametrize("short", [0, 40])
def test_a_text_covers_itself(short: int) -> None:
    for text in (["12", "main", "street"], []):
        assert covers(text, text, CoverRules(short)) == "both"


@pytest.mark.parametrize("short", [0, 40])
def test_a_text_without_words(short: int) -> None:
    assert compared([], ["12"], CoverRules(short))[0] == ("none", "doubtful")


def test_one_word_in_so_many_may_be_another_spelling() -> None:
    words = [f"word{letter}" for letter in "abcdefg"]
    enough, few = [*words, "receive"], [*words[1:], "receive"]
    assert len(enough) == SPELLED
    for text, answer in ((enough, "both"), (few, "none")):
        assert covers(text, [*text[:-1], "recieve"]) == answer
    assert covers(enough, [*words, "recieve"], CoverRules(spellings=False)) == "none"


def test_a_long_text_may_have_a_date_of_its_own_and_no_paragraph() -> None:
    page = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200)]
    for own, answer in (
        (["monday", "3", "may", "2021"], "both"),
        (["one"] * 2, "a"),  # what a text names again, it is about
        ([f"x{letter}" for letter in "abcdef"], "a"),
    ):
        assert covers(page, [*page[:100], *own, *page[100:]]) == answer, own
    assert covers(page, page[100:] + page[:100]) == "both"
    assert covers(page[:100], [*page[:50], "2021", *page[50:100]], CoverRules(numbers=150)) == "none"
