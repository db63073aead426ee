"""shingle --mod, --longest, --df."""

import json
from collections import Counter
from functools import cache

import numpy as np
import pytest

from harness import DOCS, jsonl, pipe, run
from shingletools.commands.shingle.fingerprints import Runs
from shingletools.kernel import arrays as kernel


@cache
def canonical() -> bytes:
    return pipe(DOCS.read_bytes(), "canon")


@pytest.mark.parametrize(("hashing", "m"), [("", 2), ("", 25), ("--hash crc32", 8), ("--hash md5", 8)])
def test_a_fair_share_of_the_fingerprints(hashing: str, m: int) -> None:
    whole = [json.loads(line)["shingles"].split() for line in pipe(canonical(), f"shingle -k 3 {hashing}").splitlines()]
    some = [
        json.loads(line)["shingles"].split()
        for line in pipe(canonical(), f"shingle -k 3 {hashing} --mod {m}").splitlines()
    ]
    for every, kept in zip(whole, some, strict=True):
        mixed = kernel.fmix64(np.array([int(word, 16) for word in every], np.uint64)).tolist()
        assert kept == [word for word, value in zip(every, mixed, strict=True) if value % m == 0]
    distinct = len({word for words in whole for word in words})
    share = len({word for words in some for word in words}) / distinct
    assert abs(share - 1 / m) < 4 * (1 / m * (1 - 1 / m) / distinct) ** 0.5


def test_longest_sentences() -> None:
    text = "b a c\nz z\na a a\nz z\n\none two three four\nq"
    stdin = jsonl({"id": 1, "text": text})
    for argv, expected in [
        (("--longest", "2", "-k", "1"), ["one two three four", "a a a"]),
        (("--longest", "3", "-k", "2"), ["one two three four a a a", "a a a b a c"]),
        (("--longest", "9"), ["one two three four a a a b a c z z q"]),
    ]:
        (record,) = run("shingle", *argv, "--readable", stdin=stdin).records()
        assert record["shingles"] == expected
    (record,) = run("shingle", "--longest", "2", stdin=jsonl({"id": 1, "text": ""})).records()
    assert (record["shingles"], record["via"]) == ("", "shingle k=10 longest=2")
    shuffled = "\n".join(sorted(text.split("\n")))
    one, two = run(
        "shingle", "--longest", "3", stdin=jsonl({"id": 1, "text": text}, {"id": 2, "text": shuffled})
    ).records()
    assert one["shingles"] == two["shingles"]
    lines = [f"{number:02} x" for number in range(40)]  # by number of words they are all equal
    assert Runs(1, longest=30).units("\n".join(reversed(lines))) == lines[:30]


def test_document_frequencies() -> None:
    texts = [json.loads(line)["text"].split() for line in canonical().splitlines()]
    for k in (1, 2):
        counts = Counter(
            run for words in texts for run in {" ".join(words[i : i + k]) for i in range(len(words) - k + 1)}
        )
        table = run("shingle", "-k", str(k), "--df", stdin=canonical()).records()
        assert {line["words"]: line["df"] for line in table} == counts
        assert [line["words"] for line in table] == sorted(counts)
        shingles = pipe(jsonl({"id": 1, "text": table[0]["words"]}), f"shingle -k {k}")
        assert json.loads(shingles)["shingles"] == table[0]["shingle"]
    assert run("shingle", "--df").good() == b""


def test_usage() -> None:
    for argv, message in [
        (("--df", "--chars"), "--df cannot be combined with --chars, --word-chars, --longest or --spots"),
        (("--df", "--word-chars"), "--df cannot be combined with --chars, --word-chars, --longest or --spots"),
        (("--df", "--longest", "2"), "--df cannot be combined with --chars, --word-chars, --longest or --spots"),
        (("--readable", "--mod", "2"), "--readable cannot be combined with --hash, --mod or --key-file"),
        (("--readable", "--hash", "md5"), "--readable cannot be combined with --hash, --mod or --key-file"),
        (("--chars", "--longest", "2"), "argument --longest: not allowed with argument --chars (see shingle --help)"),
        (("--mod", "0"), 'argument --mod: not a whole number from 1 to 1000000: "0" (see shingle --help)'),
    ]:
        ran = run("shingle", *argv)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: {message}\n")
