"""Runs of a reference: exactly those that brute force finds, and what is told of each item."""

import random
from itertools import product
from pathlib import Path

import pytest

from harness import Record, jsonl, run
from repeats.oracles import Texts, in_reference
from shingletools.commands.repeats import item_texts as reference_module
from shingletools.commands.repeats.item_texts import Reference
from shingletools.commands.repeats.meetings import by_item, meetings, words_found
from shingletools.kernel.winnowing import Winnowing
from shingletools.record.wire import parse_json
from shingletools.running.worded import Worded


def records(texts: Texts) -> list[Record]:
    return [{"id": f"i{number}", "text": " ".join(words)} for number, words in enumerate(texts)]


def some_texts(chance: random.Random, alphabet: int, documents: int, most: int) -> list[list[str]]:
    return [[f"w{chance.randrange(alphabet)}" for _ in range(chance.randrange(most))] for _ in range(documents)]


def told(line: bytes) -> list[tuple[tuple[int, int], list[int]]]:
    return [
        ((each["from"], each["to"]), [int(name[1:]) for name in each["ids"]]) for each in parse_json(line)["repeats"]
    ]


def test_exactly_the_runs_that_items_have(tmp_path: Path) -> None:
    chance = random.Random(1)
    bench = tmp_path / "bench"
    for alphabet, (k, least) in product((1, 2, 3), ((1, 1), (3, 1), (4, 2), (5, 9))):
        items, texts = some_texts(chance, alphabet, 7, 12), some_texts(chance, alphabet, 6, 25)
        bench.write_bytes(jsonl(*records(items)))
        output = run(
            "repeats", "-k", str(k), "--least", str(least), "--against", bench, stdin=jsonl(*records(texts))
        )  # fmt: skip
        assert [told(line) for line in output.out.splitlines()] == [
            in_reference(text, items, k, least) for text in texts
        ]


def test_equal_fingerprints_of_different_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three bits."""
    chance = random.Random(2)
    for _ in range(20):
        items, texts = some_texts(chance, 2, 5, 12), some_texts(chance, 2, 5, 25)
        packed = [" ".join(words).encode() for words in items]
        names = [b"%d" % number for number in range(len(items))]
        plain = Reference(names, packed, 3, 2, None)
        with monkeypatch.context() as patch:
            patch.setattr(reference_module, "Winnowing", lambda seed, gram, words: Winnowing(seed, gram, words, 7))
            weak = Reference(names, packed, 3, 2, None)
        for words in texts:
            text = Worded(" ".join(words), len(words), None)
            assert sorted(meetings(weak, text)) == sorted(meetings(plain, text))


def test_workers_kernels_and_items_do_not_change_documents(tmp_path: Path) -> None:
    chance = random.Random(3)
    items, texts = some_texts(chance, 3, 20, 14), some_texts(chance, 3, 30, 40)
    bench, docs, found = tmp_path / "bench", tmp_path / "docs", tmp_path / "items"
    bench.write_bytes(jsonl(*records(items)))
    docs.write_bytes(jsonl(*records(texts)))
    for options in ((), ("--share", "0.7"), ("--cut",), ("--drop", "1/2")):
        words = ("repeats", "-k", "5", "--least", "3", *options, docs, "--against", bench)
        expected = run(*words).out
        assert run(*words, "-j2").out == expected
        assert run(*words, env={"SHINGLETOOLS_KERNEL": "numpy"}).out == expected
        assert run(*words, "--items", found).out == expected
        assert run(*words[:-1], "-", stdin=bench.read_bytes()).out == expected


def test_what_is_told_of_items(tmp_path: Path) -> None:
    """Against the meetings of all documents, by sets of words."""
    chance = random.Random(4)
    items, texts = some_texts(chance, 3, 12, 14), some_texts(chance, 3, 30, 40)
    bench, found = tmp_path / "bench", tmp_path / "items"
    bench.write_bytes(jsonl(*records(items)))
    k, least = 5, 3
    run("repeats", "-k5", "--least=3", "--against", bench, "--items", found, stdin=jsonl(*records(texts)))
    for number, (item, line) in enumerate(zip(items, found.read_bytes().splitlines(), strict=True)):
        words: set[int] = set()
        documents: list[str] = []
        size, longest = min(k, len(item)), 0
        for text in texts if len(item) >= least else ():
            before = len(documents)
            for at, first in product(range(len(item) - size + 1), range(len(text) - size + 1)):
                length = 0
                while item[at + length : at + length + 1] == text[first + length : first + length + 1] != []:
                    length += 1
                if length >= size:
                    longest, words = max(longest, length), words | set(range(at, at + length))
                    documents[before:] = [f"i{texts.index(text)}"]
        expected = {
            "id": f"i{number}", "words": len(item),
            "by": "runs" if len(item) >= k else "whole" if len(item) >= least else "nothing", "found": len(words),
            "share": round(len(words) / len(item), 6) if item else 0.0, "longest": longest,
            "documents": len(documents), "in": documents[:10],
        }  # fmt: skip
        assert parse_json(line) == expected


def test_a_share_decides(tmp_path: Path) -> None:
    item = [f"w{number}" for number in range(10)]
    bench = tmp_path / "bench"
    bench.write_bytes(jsonl({"id": "i0", "text": " ".join(item)}))
    for share, runs in (("0.8", 1), ("81/100", 0)):
        text = " ".join([*item[:4], "x", *item[6:]])
        ran = run("repeats", "-k4", "--share", share, "--against", bench, stdin=jsonl({"id": 1, "text": text}))
        assert len(parse_json(ran.good())["repeats"]) == 2 * runs


def test_messages(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    bench.write_bytes(jsonl({"id": 1, "text": "a b"}, {"id": 2}))
    ran = run("repeats", "--against", bench, stdin=b"")
    assert (ran.status, ran.err) == (2, f'repeats: --against: {bench}:2: field "text" is missing\n')
    bench.write_bytes(jsonl({"id": 1, "text": "a b", "via": "canon stop=en"}))
    ran = run("repeats", "--against", bench, stdin=jsonl({"id": 2, "text": "a", "via": "canon offsets"}))
    said = '-:1: made by "canon offsets", not by "canon stop=en" as --against'
    assert (ran.status, ran.err.splitlines()[0]) == (2, f"repeats: {said}")
    bench.write_bytes(jsonl({"id": 1, "text": "a b"}, {"id": 2, "text": ""}))
    ran = run("repeats", "--against", bench, stdin=jsonl({"id": 2, "text": "a"}))
    assert ran.err == "repeats: --against: items of fewer than 8 words are not looked for: 2\n"
    bench.write_bytes(b"")
    differ = jsonl({"id": 2, "text": "a", "via": "canon"}, {"id": 3, "text": "a", "via": "canon stop=en"})
    assert len(run("repeats", "--against", bench, stdin=differ).good().splitlines()) == 2
    assert by_item([]) == {}
    assert words_found([]) == 0
