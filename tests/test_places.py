"""What canon --offsets writes, as other commands read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.record.word_offsets import read_places
from shingletools.running.canon_function import canonizing
from shingletools.system.errors import Failed, Rejected


@given(st.lists(st.tuples(st.integers(0, 10**17), st.integers(0, 10**17)), max_size=30))
def test_reading_places(every: list[tuple[int, int]]) -> None:
    every = [(min(pair), max(pair)) for pair in every]
    places = read_places(" ".join(f"{start}-{end}" for start, end in every))
    assert list(zip(places.starts.tolist(), places.ends.tolist(), strict=True)) == every
    assert places.starts.dtype == places.ends.dtype == "int64"


@pytest.mark.parametrize(
    "at",
    [
        "1",
        "1-",
        "-1",
        "1-2 ",
        " 1-2",
        "1-2  3-4",
        "1 2",
        "1-2-3-4",
        "1-2 3",
        "3-2",
        "1-2\n3-4",
        "é-3",
        "\ud800-3",
        "x",
        "1-1234567890123456789",
        "0x1-2",
        "٣-4",
        "1--2 3-4",
    ],
)
def test_what_is_no_places(at: str) -> None:
    with pytest.raises(Rejected, match='field "at" holds no places'):
        read_places(at)


@pytest.mark.parametrize("at", ["00-3", "0-03", "1-2 03-4", "1-2 3-004", "01-002", f"{'0' * 30}1-2"])
def test_no_leading_zeros(at: str) -> None:
    with pytest.raises(Rejected, match=r'^field "at" holds no places \(FROM-TO, without leading zeros\)$'):
        read_places(at)


def test_canonizing_elsewhere() -> None:
    stage = canonizing("--stop en --delete '[ab] c'")
    assert stage.recipe.split(" ")[:2] == ["canon/4", "delete=%5Bab%5D%20c"]
    assert stage.function("The dog") == ("dog", "4-7", "The dog")
    for options, message in {
        "file": "canon: no file can be given here: file",
        "-o x": "canon: --output cannot be given here",
        "-j 2": "canon: --jobs cannot be given here",
        "--lines": "canon: --lines cannot be given here",
        "--text body": "canon: --text cannot be given here",
        "--id name": "canon: --id cannot be given here",
        "--stop en --offsets": "canon: --offsets cannot be given here",
        "'": "canon: no closing quotation",
        "--stop none-such": "--stop: none-such: No such file or directory (shipped: en, ru, zh; iso:LANG for more)",
    }.items():
        with pytest.raises(Failed) as caught:
            canonizing(options)
        assert str(caught.value) == message
