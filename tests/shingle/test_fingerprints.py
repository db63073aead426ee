"""shingle: the runs, and their fingerprints bit for bit."""

import hashlib
import zlib

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from harness import jsonl, run
from shingletools.commands.shingle.command import hashing_of
from shingletools.commands.shingle.fingerprints import HASHES, Hashed, Rolling, Runs
from shingletools.commands.shingle.secret_keys import PUBLIC

ROLL = 0x9E3779B97F4A7C15
MASK = 2**64 - 1
TEXT = "to be or not to be that is the question"


def slow_rolling(units: list[str]) -> str:
    """The definition of shingle(1), in Python's unbounded integers."""
    z = 0
    for unit in units:
        z = z * ROLL + int.from_bytes(blake3(unit.encode()).digest()[:8], "little")
    z &= MASK
    z ^= z >> 32
    z = z * 0xD6E8FEB86659FD93 & MASK
    z ^= z >> 32
    return f"{z:016x}"


def slow_runs(units: list[str], k: int) -> list[list[str]]:
    return [units[i : i + k] for i in range(len(units) - k + 1)] if len(units) > k else [units]


@pytest.mark.parametrize("k", [1, 2, 3, 9, 10, 11, 1000])
@pytest.mark.parametrize("chars", [False, True])
def test_rolling(k: int, chars: bool) -> None:
    units = list(TEXT) if chars else TEXT.split()
    expected = [slow_rolling(shingle) for shingle in slow_runs(units, k)]
    assert hashing_of(Runs(k, chars), "rolling", PUBLIC)(TEXT).split(" ") == expected


def test_rolling_golden() -> None:
    assert run("shingle", "-k", "9", stdin=jsonl({"id": 1, "text": TEXT})).records() == [
        {"id": 1, "shingles": "02330160f19a1899 49c81e5e9379b428", "via": "shingle k=9"}
    ]


def slow_hash(name: str, data: bytes) -> str:
    if name == "crc32":
        return f"{zlib.crc32(data):08x}"
    return blake3(data).hexdigest()[:16] if name == "blake3" else hashlib.new(name, data).hexdigest()[:16]


@pytest.mark.parametrize("name", sorted(HASHES))
@pytest.mark.parametrize("chars", [False, True])
def test_hashed(name: str, chars: bool) -> None:
    text = "Слово за слово, 中文 and é"
    units = list(text) if chars else text.split()
    joined = [("" if chars else " ").join(shingle).encode() for shingle in slow_runs(units, 3)]
    assert Hashed(Runs(3, chars), name)(text).split(" ") == [slow_hash(name, data) for data in joined]


@pytest.mark.parametrize("shingler", [Rolling(3), Hashed(Runs(3), "md5")])
def test_payload_of_few_words(shingler: Rolling | Hashed) -> None:
    assert shingler("") == ""
    assert shingler("  \n ") == ""
    assert len(shingler("one")) == 16
    assert shingler("one two") != shingler("two one")
    assert shingler("one two three") == shingler("\u2003one\n two\u00a0three ")
    repeats = shingler("a a a a").split()
    assert len(repeats) == 2
    assert repeats[0] == repeats[1]


@given(st.lists(st.text("aé中😀", min_size=1, max_size=6), max_size=6), st.integers(1, 9))
def test_word_chars(words: list[str], k: int) -> None:
    """The runs of all characters, without those that have a space inside."""
    text, spaced = " \u2003".join(words), "".join(f" {word} " for word in words)
    expected = [spaced[at : at + k] for at in range(len(spaced) - k + 1)]
    expected = [each for each in expected if " " not in each[1:-1] and each != "  "]
    expected += [f" {word} " for word in words if len(word) + 2 < k]
    runs = Runs(k, word_chars=True)
    assert sorted(runs(text)) == sorted(expected)
    rolled = hashing_of(runs, "rolling", PUBLIC)(text).split()
    assert rolled == [slow_rolling(list(run)) for run in runs(text)]
    assert Hashed(runs, "md5")(text).split() == [slow_hash("md5", run.encode()) for run in runs(text)]


def test_readable() -> None:
    assert Runs(2)("to be  or") == ["to be", "be or"]
    assert Runs(3, chars=True)("a  bc") == ["a b", " bc"]
    assert Runs(3)("a") == ["a"]
    assert Runs(3)("") == []


@pytest.mark.parametrize(
    ("options", "shingles", "via"),
    [
        (["-k", "2", "--readable"], ["a b", "b c"], "shingle k=2 readable"),
        (["-k", "4", "--chars", "--readable"], ["a b ", " b c"], "shingle k=4 chars readable"),
        (["-k", "4", "--word-chars", "--readable"], [" a ", " b ", " c "], "shingle k=4 word-chars readable"),
        (
            ["-k", "2", "--hash", "crc32"],
            f"{zlib.crc32(b'a b'):08x} {zlib.crc32(b'b c'):08x}",
            "shingle k=2 hash=crc32",
        ),
        (["--hash", "rolling", "-k3"], slow_rolling(["a", "b", "c"]), "shingle k=3"),
        ([], slow_rolling(["a", "b", "c"]), "shingle k=10"),
    ],
)
def test_command(options: list[str], shingles: object, via: str) -> None:
    record = {"id": 1, "text": "a b c", "url": "u", "via": "mine"}
    expected = {"id": 1, "shingles": shingles, "url": "u", "via": f"mine | {via}"}
    assert run("shingle", *options, stdin=jsonl(record)).records() == [expected]


def test_old_payload_does_not_survive() -> None:
    out = run("shingle", "-k1", "--readable", stdin=b'{"shingles":"old","id":1,"text":"new"}\n').good()
    assert out == b'{"shingles":["new"],"id":1,"via":"shingle k=1 readable"}\n'


@pytest.mark.parametrize("k", ["0", "-1", "x", "1.5", "1000001", "", "9" * 30])
def test_k_out_of_range(k: str) -> None:
    ran = run("shingle", "-k", k)
    assert ran.status == 2
    assert "argument -k: " in ran.err
