"""The stream of documents that bench/hundred_million.py measures by, and its counts compared with the theory."""

import json
from fractions import Fraction
from pathlib import Path

import drawn
import hundred_million
import numpy as np
import pytest

WORDS = [f"w{number}" for number in range(4000)]


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> drawn.Drawn:
    folder: Path = tmp_path_factory.mktemp("corpus")
    for name, words in (("descriptions", WORDS[:1000]), ("guide", WORDS[1000:])):
        (folder / f"{name}.jsonl").write_text(json.dumps({"id": 1, "text": '"\\n \n'.join(words)}) + "\n")
    return drawn.Drawn(folder, 7)


def test_splitmix() -> None:
    """The first numbers from state 0, as the authors' own program prints them."""
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert drawn.mixed(np.array([1, 2, 3], np.uint64)).tolist() == expected


def test_a_document_is_made_again_from_its_number(stream: drawn.Drawn) -> None:
    every = stream.lines(np.arange(500)).splitlines()
    records = [json.loads(line) for line in every]
    assert [record["id"] for record in records] == list(range(500))
    assert len({record["text"] for record in records}) > 450
    some = np.array([499, 3, 9, 9, 250])
    assert stream.lines(some).splitlines() == [every[number] for number in some]
    assert all(len(record["text"].split(" ")) >= 32 for record in records if record["id"] % 10 != 9)


def test_copies_are_near_what_they_were_made_of(stream: drawn.Drawn) -> None:
    texts = [json.loads(line)["text"].split() for line in stream.lines(np.arange(2000)).splitlines()]
    shares = []
    for copy in range(9, 2000, 10):
        original = stream.original(copy)
        assert original < copy
        assert original % 10 != 9
        one, other = texts[original], texts[copy]
        same = sum(a == b for a, b in zip(one, other, strict=False))
        assert same >= min(len(one), len(other)) * 11 // 12
        shares.append(Fraction(min(len(one), len(other)), max(len(one), len(other))))
    assert {share == 1 for share in shares} == {True, False}
    assert min(shares) >= Fraction(2, 3)


def test_chance_of_a_pair() -> None:
    from scipy.stats import binom

    for similarity in (Fraction(3, 4), Fraction(4, 5), Fraction(9, 10), Fraction(1)):
        assert hundred_million.chance(similarity, 32) == pytest.approx(binom.sf(67, 84, float(similarity)), rel=1e-6)
    assert hundred_million.chance(Fraction(1, 2), 1) == pytest.approx(binom.sf(75, 84, 0.75))
