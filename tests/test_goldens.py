"""The numbers that the articles on the shingle method print, through the commands."""

import json

import numpy as np
import pytest

from harness import DATA, jsonl, pipe
from shingletools.commands.simjoin.join import Join
from shingletools.commands.simjoin.table import ComponentTable
from simjoin.all_pairs import found_by

ARTICLES = {record["id"]: record for record in map(json.loads, (DATA / "articles.jsonl").open(encoding="utf-8"))}
BELINSKY = f"canon --stop {DATA / 'stop-belinsky.txt'}"
FITNESS = f"canon --stop {DATA / 'stop-fitness.txt'}"


def payload(identity: str, field: str, *commands: str) -> list[str]:
    """What a pipeline makes of an article's text."""
    (line,) = pipe(jsonl(ARTICLES[identity]), *commands).splitlines()
    words: list[str] = json.loads(line)[field].split()
    return words


def signed(words: list[str]) -> list[int]:
    """The articles print CRC-32 as signed 32-bit integers."""
    return [int.from_bytes(bytes.fromhex(word), "big", signed=True) for word in words]


@pytest.mark.parametrize(("identity", "crc"), [("war-1", 1759088479), ("war-2", -127495474)])
def test_one_full_stop_changes_the_whole_crc(identity: str, crc: int) -> None:
    assert signed(payload(identity, "shingles", "shingle -k 4 --hash crc32")) == [crc]


def test_belinsky_words() -> None:
    words = "разум дан человеку того чтобы разумно жил того только чтобы понимал неразумно живет"
    assert payload("belinsky", "text", BELINSKY) == words.split()


def test_belinsky_shingles() -> None:
    crcs = signed(payload("belinsky", "shingles", BELINSKY, "shingle -k 10 --hash crc32"))
    assert crcs == [1313803605, -1077944445, -2009290115, 1772759749]


@pytest.mark.parametrize(
    ("words", "crc"),
    [
        ("чтобы иметь стройную", 1497114412),
        ("иметь стройную фигуру", 1184612177),
        ("стройную фигуру вы", -30086073),
        ("фигуру вы должны", -811305747),
        ("вы должны заниматься", -308857406),
        ("заниматься спортом правильно", 964071158),
        ("спортом правильно питаться", 2144093920),
    ],
)
def test_fitness_words_shingles(words: str, crc: int) -> None:
    crcs = signed(payload("fitness-words", "shingles", "canon", "shingle -k 3 --hash crc32"))
    (line,) = pipe(jsonl(ARTICLES["fitness-words"]), "canon", "shingle -k 3 --readable").splitlines()
    assert dict(zip(json.loads(line)["shingles"], crcs, strict=True))[words] == crc


@pytest.mark.parametrize("shingle", ["shingle -k 3", "shingle -k 3 --hash crc32", "shingle -k 3 --hash blake3"])
def test_two_texts_that_differ_in_one_word(shingle: str) -> None:
    one, two = (set(payload(name, "shingles", BELINSKY, shingle)) for name in ("compare-1", "compare-2"))
    common = len(one & two)
    assert (len(one), len(two), common) == (2, 2, 1)
    assert common / len(payload("compare-1", "text", BELINSKY)) == 0.25  # the article's own formula: per word
    assert 2 * common / (len(one) + len(two)) == 0.5
    assert common / len(one | two) == pytest.approx(1 / 3)


@pytest.mark.parametrize("shingle", ["shingle -k 3", "shingle -k 3 --hash md5", "shingle -k 3 --hash sha1"])
def test_fitness_club_pair(shingle: str) -> None:
    one, two = (set(payload(name, "shingles", FITNESS, shingle)) for name in ("fitness-1", "fitness-2"))
    common = len(one & two)
    assert common == 4
    assert round(200 * common / (len(one) + len(two)), 1) == 22.2
    assert common / len(one | two) == 0.125


def test_hamming_distances_of_the_article() -> None:
    """Bits as columns of the join: it finds a pair at its distance, and not below."""
    words = (851459198, 847263864, 984968088)
    rows = np.array([[word >> bit & 1 for bit in range(32)] for word in words], np.uint32)
    for distance, pairs in (
        (3, []),
        (4, [(0, 1, 28)]),
        (12, [(0, 1, 28), (1, 2, 20)]),
        (16, [(0, 1, 28), (0, 2, 16), (1, 2, 20)]),
    ):
        found = [
            pair
            for block in found_by(Join(ComponentTable(rows.copy(), 32 - distance)))
            for pair in zip(*(x.tolist() for x in block), strict=True)
        ]
        assert found == pairs
