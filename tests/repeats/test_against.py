"""Runs of a reference: exactly those that brute force finds, and the record of each item."""

import random
import tracemalloc
from itertools import product
from pathlib import Path

from harness import Record, jsonl, run
from repeats.oracles import Texts, in_reference, runs_of
from shingletools.record.wire import parse_json


def records(texts: Texts) -> list[Record]:
    return [{"id": f"i{number}", "text": " ".join(words)} for number, words in enumerate(texts)]


def some_texts(chance: random.Random, alphabet: int, documents: int, most: int) -> list[list[str]]:
    return [[f"w{chance.randrange(alphabet)}" for _ in range(chance.randrange(most))] for _ in range(documents)]


def marks_of(line: bytes) -> list[tuple[tuple[int, int], list[int]]]:
    return [
        ((each["from"], each["to"]), [int(name[1:]) for name in each["ids"]]) for each in parse_json(line)["repeats"]
    ]


def test_exactly_the_runs_that_items_have(tmp_path: Path) -> None:
    chance = random.Random(1)
    bench = tmp_path / "bench"
    for alphabet, (k, least) in product((1, 2, 3), ((1, 1), (3, 1), (4, 2), (5, 9))):
        items, texts = some_texts(chance, alphabet, 7, 12), some_texts(chance, alphabet, 6, 25)
        bench.write_bytes(jsonl(*records(items)))
        output = run("repeats", "-k", str(k), "--least", str(least), "--against", bench, stdin=jsonl(*records(texts)))
        assert [marks_of(line) for line in output.out.splitlines()] == [
            in_reference(text, items, k, least) for text in texts
        ]


def fibonacci(length: int) -> list[str]:
    one, two = "a", "ab"
    while len(two) < length:
        one, two = two, two + one
    return [*two[:length]]


def dumped(number: int) -> tuple[list[list[str]], list[str]]:
    """Items with a beginning and an end in common, and all of them in one text."""
    items = [["a", "b", "c", "d", f"w{each}", f"x{each}", "e", "f", "g"] for each in range(number)]
    return items, [word for item in items for word in item]


def test_texts_that_repeat_themselves(tmp_path: Path) -> None:
    """One word, periods, Fibonacci's word, items that begin and end alike; short items of all lengths."""
    bench, texts = tmp_path / "bench", [["a"] * 30, ["a", "b", "c"] * 12, fibonacci(60), dumped(14)[1]]
    texts += [["x", *["a"] * 9, "x", *["a"] * 2, "b"], [*"abcabxabcabcy"]]
    for items in (texts, dumped(14)[0], [["a"] * words for words in range(9)], [fibonacci(7), [*"bc"], [*"abcab"]]):
        bench.write_bytes(jsonl(*records(items)))
        for k, least in ((4, 2), (3, 3), (8, 1)):
            words = ("repeats", "-k", str(k), "--least", str(least), "--against", bench)
            lines = run(*words, stdin=jsonl(*records(texts))).out.splitlines()
            expected = [in_reference(text, items, k, least) for text in texts]
            assert [marks_of(line) for line in lines] == [[(run, some[:10]) for run, some in each] for each in expected]
            marks = [each for line in lines for each in parse_json(line)["repeats"]]
            assert [each["items"] for each in marks] == [len(some) for each in expected for _, some in each]


def test_cost_does_not_grow_with_what_comes_often(tmp_path: Path) -> None:
    """At most 200 bytes a word, of which those of records, lines and marks are most."""
    items, dump = dumped(2000)
    for reference, text in (([["a"] * 30000], ["a"] * 30000), (items, dump), ([fibonacci(30000)], fibonacci(30000))):
        bench = tmp_path / "bench"
        bench.write_bytes(jsonl(*records(reference)))
        document = jsonl(*records([text]))
        for options in ((), ("--items", str(tmp_path / "items"), "--share", "1/2")):
            tracemalloc.start()
            run("repeats", "-k", "4", "--against", bench, *options, stdin=document)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 200 * (len(text) + sum(map(len, reference))) + (1 << 22)


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


def test_records_of_items(tmp_path: Path) -> None:
    """Against all windows of all items and documents."""
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
        for at, text in enumerate(texts if len(item) >= least else ()):
            has = {tuple(text[first : first + size]) for first in range(len(text) - size + 1)}
            firsts = [first for first in range(len(item) - size + 1) if tuple(item[first : first + size]) in has]
            spans = runs_of(firsts, size)
            longest = max(longest, *(last - first for first, last in spans), 0)
            words |= {word for first, last in spans for word in range(first, last)}
            documents += [f"i{at}"] if spans else []
        expected = {
            "id": f"i{number}",
            "words": len(item),
            "by": "runs" if len(item) >= k else "whole" if len(item) >= least else "nothing",
            "found": len(words),
            "share": round(len(words) / len(item), 6) if item else 0.0,
            "longest": longest,
            "documents": len(documents),
            "in": documents[:10],
        }
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
