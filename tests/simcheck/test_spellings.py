"""Titles that differ in spellings only, against a library's distances."""

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from shingletools.commands.simcheck.spellings import SPELLED, are_spelled_alike, are_spellings

words = st.text("aeés日𝄞", min_size=1, max_size=7)


@given(words, words)
def test_spellings_are_one_error_or_a_plural(one: str, other: str) -> None:
    if one == other:
        return
    short, long = sorted((one, other), key=len)
    plural = len(short) >= 4 and long in (f"{short}s", f"{short}es")
    error = len(short) >= 5 and OSA.distance(one, other) == 1
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
