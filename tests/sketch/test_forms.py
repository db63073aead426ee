"""sketch --super, --mega, --simhash, --weights, --keep: against definitions written differently."""

import json
import math
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, jsonl, pipe, run
from shingletools.commands.sketch.minhash import MinHash, Supershingles
from shingletools.commands.sketch.simhash import simhash
from shingletools.commands.sketch.weighted_simhash import WeightedSimHash
from shingletools.kernel import arrays as kernel
from shingletools.numbers.inverse_document_frequency import UNIT
from shingletools.reading.shingle_weights import Weights


@cache
def shingles() -> bytes:
    return pipe(DOCS.read_bytes(), "canon", "shingle -k 1")


def test_supershingles_and_megashingles() -> None:
    sketches = [json.loads(line)["sketch"].split() for line in pipe(shingles(), "sketch").splitlines()]
    supers = [json.loads(line)["sketch"].split() for line in pipe(shingles(), "sketch --super 14").splitlines()]
    megas = [json.loads(line)["sketch"].split() for line in pipe(shingles(), "sketch --mega 14").splitlines()]
    for minima, six, fifteen in zip(sketches, supers, megas, strict=True):
        groups = [bytes.fromhex("".join(minima[i : i + 14])) for i in range(0, 84, 14)]
        assert six == [blake3(group).hexdigest()[:16] for group in groups]
        assert fifteen == [blake3(bytes.fromhex(a + b)).hexdigest()[:16] for a, b in combinations(six, 2)]
    for made, pairs in ((supers, False), (megas, True)):
        definition = Supershingles(MinHash(84, "0"), 14, pairs)
        assert made[:20] == [definition(json.loads(line)["shingles"]).split() for line in shingles().splitlines()[:20]]


def slow_simhash(weighted: dict[int, int]) -> int:
    """Bit by bit, in Python's own integers."""
    bits = 0
    for bit in range(64):
        total = sum(weight if word >> bit & 1 else -weight for word, weight in weighted.items())
        bits |= (total > 0) << bit
    return bits


@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=30), st.dictionaries(st.integers(0, 9), st.integers(1, 9))
)
def test_simhash(words: list[int], repeats: dict[int, int]) -> None:
    counts = Counter({word: repeats.get(i, 1) for i, word in enumerate(words)})
    payload = " ".join(f"{word:016x}" for word in counts.elements())
    assert int(simhash(payload), 16) == slow_simhash(counts)
    weights = {word: 1 + word % 7 for word in words}
    weighted = {word: weights[word] * times for word, times in counts.items()}
    assert int(WeightedSimHash(Weights(weights))(payload), 16) == slow_simhash(weighted)


def test_simhash_of_32_bits_uses_all_64() -> None:
    halves = [simhash(f"{word:08x}") for word in range(1, 50)]
    assert all(
        half == f"{int(kernel.fmix64(np.array([word], np.uint64))[0]):016x}" for word, half in enumerate(halves, 1)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This is a test string for testing", 9227187964509734024),
        ("This is a test string for testing, This is a test string for testing abcdef", 9227187964518122632),
        ("This is a test string for testing als", 9227223148898608264),
    ],
)
def test_the_java_article(text: str, expected: int) -> None:
    """Its hash of a word is its own, and a bit of its signature is set where the sum is 0 too."""

    def java(word: str) -> int:
        x = ord(word[0]) << 7
        for character in word:
            x = (x * 1000003 ^ ord(character)) & (1 << 64) - 1
        return x ^ len(word)

    words = np.array([java(word) for word in text.split()], np.uint64)
    sums = kernel.bit_sums(words, np.ones(len(words), np.int64))
    assert int.from_bytes(np.packbits(sums >= 0).tobytes(), "big") == expected


def test_weights(tmp_path: Path) -> None:
    texts = jsonl({"id": 1, "text": "a a b"}, {"id": 2, "text": "b c"}, {"id": 3, "text": "b"}, {"id": 4, "text": ""})
    table = run("shingle", "-k", "1", "--df", stdin=texts).records()
    assert [(line["words"], line["df"], line["weight"]) for line in table] == [
        ("a", 1, 2.0),
        ("b", 3, round(math.log2(4 / 3), 6)),
        ("c", 1, 2.0),
    ]
    (tmp_path / "df").write_bytes(jsonl(*table))
    shingled = pipe(texts, "shingle -k 1")
    records = run("sketch", "--simhash", "--weights", "df", stdin=shingled, cwd=tmp_path).records()
    weight = {line["shingle"]: round(line["weight"] * UNIT) for line in table}
    for record, shingles in zip(records, map(json.loads, shingled.splitlines()), strict=True):
        counts = Counter(shingles["shingles"].split())
        expected = slow_simhash({int(word, 16): times * weight[word] for word, times in counts.items()})
        assert record["simhash"] == (f"{expected:016x}" if counts else "")
        label = f"df@{blake3((tmp_path / 'df').read_bytes()).hexdigest()[:16]}"
        assert record["via"] == f"shingle k=1 | sketch/2 simhash weights={label}"


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b"{", "not JSON (column 2)"),
        (b'{"weight":1}', 'field "shingle" is missing'),
        (b'{"shingle":"0000000000000001"}', 'field "weight" is not a number from 0 to 65536'),
        (b'{"shingle":"0000000000000001","weight":-1}', 'field "weight" is not a number from 0 to 65536'),
        (b'{"shingle":"xyz","weight":1}', 'field "shingle" is not a group of 16 hex digits'),
        (
            b'{"shingle":"0000000000000001 0000000000000001","weight":1}',
            'field "shingle" is not a group of 16 hex digits',
        ),
        (b'{"shingle":"0000000000000001","weight":1,"weight":2}', 'field "weight" occurs twice'),
        (b'{"shingle":"","weight":1}', 'field "shingle" is not a group of 16 hex digits'),
    ],
)
def test_weights_that_are_none(line: bytes, cause: str, tmp_path: Path) -> None:
    (tmp_path / "df").write_bytes(b'{"shingle":"00000000000000ff","weight":2}\n' + line + b"\n")
    ran = run("sketch", "--simhash", "--weights", "df", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"sketch: df:2: {cause}\n")


def test_keep() -> None:
    (record,) = run("sketch", "--keep", "-n", "2", stdin=jsonl({"id": 1, "shingles": "0" * 16, "x": 5})).records()
    plain = run("sketch", "-n", "2", stdin=jsonl({"id": 1, "shingles": "0" * 16, "x": 5})).records()[0]
    assert record == {"id": 1, "shingles": "0" * 16, "x": 5, "sketch": plain["sketch"], "via": plain["via"]}


def test_empty_shingles_give_empty_signatures() -> None:
    for argv, field in ((("--super", "14"), "sketch"), (("--mega", "14"), "sketch"), (("--simhash",), "simhash")):
        (record,) = run("sketch", *argv, stdin=jsonl({"id": 1, "shingles": ""})).records()
        assert record[field] == ""


def test_recipes() -> None:
    for argv, recipe in [
        (("--super", "14"), "sketch n=84 super=14"),
        (("--mega", "7", "-n", "42", "--seed", "x y"), "sketch n=42 seed=x%20y mega=7"),
        (("--simhash",), "sketch simhash"),
        (("--bits", "8", "--seed", "x"), "sketch n=84 bits=8 seed=x"),
        (("--bits", "32"), "sketch n=84"),
    ]:
        (record,) = run("sketch", *argv, stdin=jsonl({"id": 1, "shingles": ""})).records()
        assert record["via"] == recipe
    for argv, message in [
        (("--super", "13"), "84 min-hashes cannot be divided into groups of 13"),
        (
            ("--bits", "8", "--super", "14"),
            "--bits cannot be combined with --super or --mega, which hash whole min-hashes",
        ),
        (
            ("--bits", "32", "--simhash"),
            "--bits cannot be combined with --lexicon, --top or --simhash, which make no min-hashes",
        ),
        (("--mega", "84"), "--mega needs two or more supershingles"),
        (
            ("--weights", "none"),
            "--weights needs --simhash or --top; simjoin --weights compares weighted shingles exactly",
        ),
        (("--simhash", "--weights", "none"), "--weights: none: No such file or directory"),
        (("--super", "14", "--simhash"), "argument --simhash: not allowed with argument --super (see sketch --help)"),
    ]:
        ran = run("sketch", *argv)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"sketch: {message}\n")
