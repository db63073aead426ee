"""Titles that differ in spellings only: all words with one error."""

from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simcheck.spellings import SPELLED, are_spelled_alike, are_spellings

LETTERS = "aeés日𝄞"
words = st.text(LETTERS, min_size=1, max_size=7)


def with_an_error(word: str) -> set[str]:
    """All words in which a letter is too many, too few or another one, or two changed places."""
    parted = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(begin + end[1:] for begin, end in parted if end),
        *(begin + letter + end[1:] for begin, end in parted if end for letter in LETTERS),
        *(begin + letter + end for begin, end in parted for letter in LETTERS),
        *(begin + end[1] + end[0] + end[2:] for begin, end in parted if len(end) > 1),
    }


@given(words, words)
def test_spellings_are_one_error_or_a_plural(one: str, other: str) -> None:
    if one == other:
        return
    short, long = sorted((one, other), key=len)
    plural = len(short) >= 4 and long in (f"{short}s", f"{short}es")
    error = len(short) >= 5 and other in with_an_error(one)
    assert are_spellings(one, other) == (one[0] == other[0] and (plural or error))


def test_one_word_in_so_many_may_be_another_spelling() -> None:
    title = [f"word{letter}" for letter in "abcdefg"]
    assert len(title) == SPELLED - 1
    for enough in (True, False):
        rest = title[not enough :]
        assert are_spelled_alike([*rest, "receive"], [*rest, "recieve"]) is enough
    for one, other, alike in (
        ("health care", "healthcare", True),
        ("house", "mouse", False),
        ("1 5", "15", False),
        ("type 1", "type 2", False),
        ("not new", "new", False),
    ):
        assert are_spelled_alike([*title, *one.split()], [*title, *other.split()]) is alike, one
