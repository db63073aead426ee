"""Runs that stood before: exactly those that brute force and a suffix array find, whatever fingerprints do."""

import os
import random
import tracemalloc
from itertools import product
from pathlib import Path

import pytest

from harness import DOCS, Record, collect, finished, jsonl, pipe, run
from repeats.oracles import Spans, Texts, by_suffixes, runs_of, stood_before, windows
from shingletools.commands.repeats.earlier_runs import Portions
from shingletools.commands.repeats.spec import Treatment, WithinSpec
from shingletools.commands.repeats.within_corpus import WithinCorpus
from shingletools.kernel.winnowing import ALL_BITS, Winnowing
from shingletools.record.wire import parse_json
from shingletools.system.memory_limit import Memory


def some_texts(chance: random.Random, alphabet: int, documents: int = 5, most: int = 24) -> list[list[str]]:
    return [[f"w{chance.randrange(alphabet)}" for _ in range(chance.randrange(most))] for _ in range(documents)]


def records(texts: Texts) -> list[Record]:
    return [{"id": number, "text": " ".join(words)} for number, words in enumerate(texts)]


def spans(output: bytes) -> list[Spans]:
    return [[(each["from"], each["to"]) for each in parse_json(line)["repeats"]] for line in output.splitlines()]


def found(texts: Texts, how: Winnowing, portions: Portions, *, every: bool = False) -> list[Spans]:
    spec = WithinSpec(Treatment("id", "text"), how.run, Memory(1, "/tmp"), every)
    collector = WithinCorpus(spec, how, portions)
    collect(collector, jsonl(*records(texts)))
    return spans(finished(collector))


@pytest.mark.parametrize("mask", [ALL_BITS, 1])
def test_exactly_the_runs_that_stood_before(mask: int) -> None:
    """With fingerprints of one bit, nearly all that is compared differs; and with portions of one entry."""
    chance = random.Random(mask)
    for alphabet, (gram, k), every in product((1, 2, 3), ((1, 1), (1, 3), (2, 4), (3, 3), (4, 7)), (False, True)):
        texts = some_texts(chance, alphabet)
        how = Winnowing(chance.getrandbits(64), gram, k, mask)
        wanted = stood_before(texts, k, every)
        assert found(texts, how, Portions(), every=every) == wanted
        assert found(texts, how, Portions(1 << 12, 1, 1, 1), every=every) == wanted
        if not every:
            assert by_suffixes(texts, k) == wanted


@pytest.mark.parametrize("mask", [ALL_BITS, 1])
def test_passages_in_more_than_so_many_documents(mask: int) -> None:
    """Of all windows of all documents; parts in a row of one document count once."""
    chance = random.Random(7)
    for alphabet, k, more_than, every, several in product((1, 2), (1, 3), (1, 2, 4), (False, True), (False, True)):
        texts = some_texts(chance, alphabet, documents=8)
        of = [number // 2 if several else number for number in range(len(texts))]
        where: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for document, first in windows(texts, k):
            where.setdefault(tuple(texts[document][first : first + k]), []).append((document, first))
        firsts: list[list[int]] = [[] for _ in texts]
        for places in where.values():
            if len({of[document] for document, _ in places}) > more_than:
                for document, first in places if every else places[1:]:
                    firsts[document].append(first)
        wanted = [runs_of(sorted(some), k) for some in firsts]
        how = Winnowing(chance.getrandbits(64), max(k - 1, 1), k, mask)
        parts = [record | {"of": name} if several else record for record, name in zip(records(texts), of, strict=True)]
        for portions in (Portions(), Portions(1 << 12, 1, 1, 1)):
            spec = WithinSpec(Treatment("id", "text"), k, Memory(1, "/tmp"), every, more_than=more_than)
            collector = WithinCorpus(spec, how, portions)
            collect(collector, jsonl(*parts))
            assert spans(finished(collector)) == wanted


def test_boilerplate_goes_with_all_its_copies_if_that_is_asked_for() -> None:
    docs = jsonl(*({"id": number, "text": f"Home, About us. {number}: own words."} for number in range(4)))
    left = pipe(docs, "canon --offsets", "repeats -k 3 --more-than 3 --all --cut")
    assert [parse_json(line)["text"] for line in left.splitlines()] == [f"{number}: own words." for number in range(4)]
    kept = pipe(docs, "canon --offsets", "repeats -k 3 --more-than 4 --all --cut")
    assert [*map(parse_json, kept.splitlines())] == [*map(parse_json, docs.splitlines())]


def test_one_word_takes_memory_in_proportion() -> None:
    """At most 200 bytes for each copy of the most frequent passage, in addition to those for the longest document."""
    line = jsonl({"id": 1, "text": "0 " * 300_000})
    tracemalloc.start()
    run("repeats", stdin=line)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * 300_000


def test_runs_overlap_nest_touch_and_cross_documents() -> None:
    texts = [line.split() for line in ("a b c d e", "c d e f", "b c d", "a b c d e f", "d e f a b c", "x x x x x", "")]
    expected: list[Spans] = [[], [(0, 3)], [(0, 3)], [(0, 6)], [(0, 3), (3, 6)], [(1, 5)], []]
    assert stood_before(texts, 3) == by_suffixes(texts, 3) == expected
    assert spans(pipe(jsonl(*records(texts)), "repeats -k 3")) == expected


def test_memory_and_input_do_not_change_the_output(tmp_path: Path) -> None:
    chance = random.Random(5)
    texts = some_texts(chance, 3, documents=40, most=60)
    (tmp_path / "docs").write_bytes(jsonl(*records(texts)))
    expected = run("repeats", "-k", "6", "--ids", tmp_path / "docs").good()
    for options in ("-S1b", f"-S1b -T {tmp_path}", "-j3", "-S1M"):
        assert pipe((tmp_path / "docs").read_bytes(), f"repeats -k 6 --ids {options}") == expected
    numpy = run("repeats", "-k", "6", "--ids", tmp_path / "docs", env={"SHINGLETOOLS_KERNEL": "numpy"}).good()
    assert numpy == expected
    assert spans(expected) == by_suffixes(texts, 6)


def test_ids_say_where_the_first_copy_stands() -> None:
    chance = random.Random(6)
    texts = some_texts(chance, 3, documents=30, most=30)
    texts[3] = texts[0] + texts[0]
    output = pipe(jsonl(*records(texts)), "repeats -k 5 --ids")
    count = 0
    for number, line in enumerate(output.splitlines()):
        for each in parse_json(line)["repeats"]:
            of = each["of"]
            first = texts[number][each["from"] : each["to"]]
            there = texts[of["id"]]
            size = of["to"] - of["from"]
            assert size >= 5
            assert there[of["from"] : of["to"]] == first[:size]
            assert size == len(first) or there[of["to"] : of["to"] + 1] != first[size : size + 1]
            earlier = [
                (document, at)
                for document, words in enumerate(texts)
                for at in range(len(words))
                if words[at : at + 5] == first[:5]
            ]
            assert (of["id"], of["from"]) == min(earlier)
            count += 1
    assert count > 20


ODD = [
    "One 🙂 two\r\nthree, four — five.",
    "Before: one two\n\n\nTHREE   four 'five' 👩‍👩‍👧 and cafe\u0301 au lait",
    "caf\u00e9 au LAIT, one-two three; Four five!",
]


def test_places_are_those_in_the_source() -> None:
    canonized = pipe(jsonl(*({"id": number, "text": text} for number, text in enumerate(ODD))), "canon --offsets")
    output = [parse_json(line) for line in pipe(canonized, "repeats -k 3").splitlines()]
    marked = [
        [ODD[number][each["from"] : each["to"]] for each in record["repeats"]] for number, record in enumerate(output)
    ]
    assert marked == [[], ["one two\n\n\nTHREE   four 'five"], ["café au LAIT", "one-two three; Four five"]]
    cut = [parse_json(line)["text"] for line in pipe(canonized, "repeats -k 3 --cut").splitlines()]
    assert cut[1:] == ["Before: 👩‍👩‍👧 and cafe\u0301 au lait", ""]


@pytest.mark.parametrize("member", [b'"m.n.t":%b', b'"m":{"a":"}","n":{"b":[1], "t": %b,"c":2}}'])
def test_a_text_inside_an_object_is_cut_in_its_place(member: bytes) -> None:
    lines = [
        b'{"id":%d,%b,"last":1.0}\n' % (number, member % text)
        for number, text in enumerate((b'"A, B. c! d -- e (A b c d e) F"', b'"No  \\u0052uns."', b'"f: a b c d!"'))
    ]
    left = [b'"A, B. c! d -- e ( F"', b'"No  \\u0052uns."', b'"f:"']
    canonized = pipe(b"".join(lines), "canon --offsets --text m.n.t")
    expected = b"".join(
        b'{"id":%d,%b,"last":1.0,"named":"--id id --text m.n.t"}\n' % (number, member % text)
        for number, text in enumerate(left)
    )
    assert pipe(canonized, "repeats -k 4 --cut --text m.n.t") == expected


def test_what_is_cut_has_no_marks_of_an_earlier_run() -> None:
    documents = jsonl({"id": 1, "text": "A b c d e."}, {"id": 2, "text": "X, a b c d y."}, {"id": 3, "text": "Z."})
    for options, left in (("--offsets", ["A b c d e.", "X, y.", "Z."]), ("", ["a b c d e", "x y", "z"])):
        canonized = pipe(documents, f"canon {options}")
        ways = ("repeats -k 4 --cut",), ("repeats -k 4", "repeats -k 4 --cut")
        once, twice = ([parse_json(line) for line in pipe(canonized, *way).splitlines()] for way in ways)
        assert twice == once
        assert [record["text"] for record in once] == left


def test_what_is_cut_has_no_runs_and_what_stood_once_stays() -> None:
    whole = DOCS.read_bytes()
    canonized = pipe(whole, "canon --offsets")
    marked = [parse_json(line) for line in pipe(canonized, "repeats -k 8").splitlines()]
    cut = pipe(canonized, "repeats -k 8 --cut")
    again = pipe(cut, "canon --offsets")
    assert sum(bool(record["repeats"]) for record in marked) > 20
    assert sum(len(parse_json(line)["repeats"]) for line in pipe(again, "repeats -k 8").splitlines()) == 0
    for record, left, line in zip(marked, again.splitlines(), cut.splitlines(), strict=True):
        words, places = record["text"].split(), [tuple(map(int, place.split("-"))) for place in record["at"].split()]
        stays = [
            word
            for word, (start, end) in zip(words, places, strict=True)
            if not any(each["from"] <= start and end <= each["to"] for each in record["repeats"])
        ]
        assert parse_json(left)["text"].split() == stays
        assert set(parse_json(line)) == set(record) - {"source", "at", "via", "repeats"}
        assert record["repeats"] or parse_json(line)["text"] == record["source"]


def test_documents_that_are_left_out_and_what_is_kept_of_them(tmp_path: Path) -> None:
    lines = [b'{"id": 1,  "text":"a b c d"}\n', b'{"id":2,"text":"a b c x","n":1.50}\n', b'{"id":3,"text":"a b c x"}\n']
    removed = tmp_path / "removed"
    kept = run("repeats", "-k", "3", "--drop", "3/4", "--removed", removed, stdin=b"".join(lines)).good()
    marks = [b"[]", b'[{"from":0,"to":3,"words":3}]', b'[{"from":0,"to":4,"words":4}]']
    assert [*kept.splitlines(), *removed.read_bytes().splitlines()] == [
        line[:-2] + b',"repeats":%b}' % mark for line, mark in zip(lines, marks, strict=True)
    ]
    kept = run("repeats", "-k", "3", "--cut", "--removed", removed, stdin=b"".join(lines)).good()
    assert kept == lines[0] + b'{"id":2,"text":"x","n":1.50}\n' + b'{"id":3,"text":""}\n'
    assert removed.read_bytes() == b"".join(lines[1:])


def test_bad_places() -> None:
    for bad, cause in (
        ({"at": "0-1"}, 'field "at" has 1 places for 2 words'),
        ({"at": "0-1 2-4", "source": "a b"}, 'field "at" has a place that is not in the field "source"'),
        ({"at": 7}, 'field "at" is not a string'),
    ):
        ran = run("repeats", stdin=jsonl({"id": 1, "text": "a b"} | bad, {"id": 2, "text": "a b"}))
        assert (ran.status, ran.err) == (1, f"repeats: -:1: {cause}\n")


def test_recipes_that_differ() -> None:
    ran = run("repeats", stdin=jsonl({"id": 1, "text": "a"}, {"id": 2, "text": "a", "via": "canon"}))
    said = 'made by "canon", but the records before by an unnamed recipe'
    assert (ran.status, ran.err) == (2, f"repeats: -:2: {said}\n")


def test_options_that_do_not_go_together() -> None:
    against = f"--against {os.devnull}"
    for options, said in (
        ("--least 3", "--least needs --against"),
        ("--share 0.8", "--share needs --against"),
        ("--items i", "--items needs --against"),
        (f"{against} --all", "--all cannot be combined with --against"),
        (f"{against} --ids", "--ids cannot be combined with --against"),
        (f"{against} -S 1M", "-S cannot be combined with --against, which keeps the reference in memory"),
        ("--removed r", "--removed needs --cut or --drop, without which nothing is removed"),
        ("--all --cut", "--all cannot be combined with --cut or --drop, which would also remove first copies"),
        (f"{against} --more-than 2", "--more-than cannot be combined with --against"),
        ("--all --drop 0.5", "--all cannot be combined with --cut or --drop, which would also remove first copies"),
        ("--ids --cut", "--ids cannot be combined with --cut, which writes no marks"),
        (f"{against} --cut --items i --removed r", "--items cannot be combined with --removed: run it twice"),
        ("--text at", 'the id and the text need fields of their own, not "at"'),
        ("--id repeats.x", 'the id and the text need fields of their own, not "repeats.x"'),
        ("--id text", 'the id and the text need fields of their own, not "text"'),
    ):
        ran = run("repeats", *options.split())
        assert (ran.status, ran.out, ran.err) == (2, b"", f"repeats: {said}\n")
