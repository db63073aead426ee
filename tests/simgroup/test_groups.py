"""simgroup: components and stars against brute force, bad pairs, singletons, chaining."""

import json
import random
import tracemalloc
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connected import connected
from harness import DOCS, Record, collect, finished, jsonl, pipe, run
from shingletools.commands.simgroup import group_collector
from shingletools.commands.simgroup.group_collector import Groups
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.numbers import union_find
from shingletools.system.errors import Failed

MEGABYTE = 1 << 20

Pair = tuple[int, int]
pairs = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] != pair[1]), max_size=30)


def first_seen(edges: list[Pair]) -> list[int]:
    return list(dict.fromkeys(name for edge in edges for name in edge))


def slow_components(edges: list[Pair]) -> list[list[int]]:
    order = first_seen(edges)
    groups = {frozenset(group) for group in connected(edges).values()}
    return sorted((sorted(group, key=order.index) for group in groups), key=lambda group: order.index(group[0]))


def slow_stars(edges: list[Pair]) -> list[list[int]]:
    order = first_seen(edges)
    near = {frozenset(edge) for edge in edges}
    left, groups = order.copy(), []
    while left:
        members = [left[0], *(name for name in left[1:] if frozenset((left[0], name)) in near)]
        left = [name for name in left if name not in members]
        groups.append(members)
    return [group for group in groups if len(group) > 1]


def grouped(star: bool, edges: list[Pair]) -> list[list[int]]:
    groups = Groups(GroupSpec("id", star))
    collect(groups, jsonl(*({"a": a, "b": b} for a, b in edges)))
    return [json.loads(line)["members"] for line in finished(groups).splitlines()]


@given(pairs)
def test_components_and_stars_against_brute_force(edges: list[Pair]) -> None:
    assert grouped(False, edges) == slow_components(edges)
    stars = grouped(True, edges)
    assert stars == slow_stars(edges)
    near = {frozenset(edge) for edge in edges}
    assert all(frozenset((group[0], name)) in near for group in stars for name in group[1:])


@given(pairs)
def test_components_a_few_documents_at_a_time(edges: list[Pair]) -> None:
    with patch.object(union_find, "BATCH_NUMBERS", 3), patch.object(group_collector, "BATCH_DOCUMENTS", 3):
        assert grouped(False, edges) == slow_components(edges)
        assert grouped(True, edges) == slow_stars(edges)


@given(pairs, st.randoms(use_true_random=False))
def test_components_do_not_depend_on_the_order_of_pairs(edges: list[Pair], rng: random.Random) -> None:
    shuffled = rng.sample([(b, a) if rng.random() < 0.5 else (a, b) for a, b in edges], len(edges))
    assert {frozenset(group) for group in grouped(False, shuffled)} == {
        frozenset(group) for group in grouped(False, edges)
    }


CHAIN = jsonl(*({"a": f"d{i}", "b": f"d{i + 1}", "similarity": 0.8 + i / 100} for i in range(5)))


def test_a_chain() -> None:
    ran = run("simgroup", "-v", stdin=CHAIN)
    assert ran.out == b'{"group":"d0","size":6,"members":["d0","d1","d2","d3","d4","d5"]}\n'
    assert ran.err.endswith("1 group, 6 documents in them, 6 in the largest, 4 without a pair with their first\n")
    ran = run("simgroup", "-v", "--star", stdin=CHAIN)
    assert [record["members"] for record in map(json.loads, ran.out.splitlines())] == [
        ["d0", "d1"],
        ["d2", "d3"],
        ["d4", "d5"],
    ]
    assert ran.err.endswith("3 groups, 6 documents in them, 2 in the largest, 0 without a pair with their first\n")


def test_threshold_is_exact() -> None:
    stdin = jsonl(*({"a": i, "b": -i - 1, "similarity": value} for i, value in enumerate([0.7, 0.82, 0.1 + 0.2, 1])))
    for threshold, expected in [
        ("0.7", [0, 1, 3]),
        ("7/10", [0, 1, 3]),
        ("0.82", [1, 3]),
        ("0.8200001", [3]),
        ("1", [3]),
    ]:
        for lines in (stdin, stdin.replace(b'"a"', b'"\\u0061"')):  # which are taken at once, and one by one
            assert [record["group"] for record in run("simgroup", "-t", threshold, stdin=lines).records()] == expected


def test_a_threshold_of_more_digits_than_are_compared_at_once() -> None:
    stdin = jsonl({"a": 1, "b": 2, "similarity": 0.8}, {"a": 3, "b": 4, "similarity": 0.800000000001})
    assert [group["members"] for group in run("simgroup -t 0.8000000000001", stdin=stdin).records()] == [[3, 4]]


def test_ids_of_other_types_are_other_ids(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl({"id": 1}, {"id": "1"}, {"id": "2"}, {"id": 3}))
    ran = run("simgroup", "--singletons", "docs", stdin=jsonl({"a": 1, "b": "2"}), cwd=tmp_path)
    assert ran.records() == [
        {"group": 1, "size": 2, "members": [1, "2"]},
        {"group": "1", "size": 1, "members": ["1"]},
        {"group": 3, "size": 1, "members": [3]},
    ]


@pytest.mark.parametrize(
    ("record", "cause"),
    [
        ({"a": 1, "b": 1}, "pairs 1 with itself"),
        ({"a": 1}, 'field "b" is missing'),
        ({"b": 1}, 'field "a" is missing'),
        ({"a": 1, "b": 1.5}, 'field "b" is neither a string nor an integer of 64 bits'),
    ],
)
def test_bad_pairs(record: Record, cause: str, tmp_path: Path) -> None:
    good = {"a": 1, "b": 2, "similarity": 1}
    ran = run("simgroup", "--rejects", "bad", stdin=jsonl(good, record, good), cwd=tmp_path)
    assert (ran.status, ran.err) == (1, f"simgroup: -:2: {cause}\n")
    assert ran.out == b'{"group":1,"size":2,"members":[1,2]}\n'
    assert (tmp_path / "bad").read_bytes() == jsonl(record)


@pytest.mark.parametrize(
    "pair",
    [
        b'{"a":3,"b":1,"similarity":1.0,"against":true}',
        b'{ "against" : true, "b":3,"a":3}',  # equal ids of two sides are two documents
        b'{"a":3,"b":4,"similarity":0.1,"\\u0061gainst":true}\r',
        b'{"against":true}',
    ],
)
@pytest.mark.parametrize("options", ["", "-t 0.8", "--star"])
def test_pairs_of_two_sides_are_refused(pair: bytes, options: str, tmp_path: Path) -> None:
    """To group them would confuse equal ids of the two, and dedup would then keep what the other side has."""
    good = jsonl({"a": 1, "b": 2, "similarity": 1.0})
    ran = run("simgroup", *options.split(), "-o", "out", stdin=good + pair + b"\n" + good, cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == (
        "simgroup: -:2: pairs of simjoin --against make no groups, for its sides may use the same ids; "
        "dedup --known takes them\n"
    )
    assert not (tmp_path / "out").exists()


NOT_ONE = "simgroup: -: not one good record"


def test_pairs_that_say_that_they_are_of_one_side() -> None:
    pair = {"a": 1, "b": 2, "similarity": 1.0, "against": False}
    assert run("simgroup", stdin=jsonl(pair)).records() == [{"group": 1, "size": 2, "members": [1, 2]}]
    for wrong in (1, "true", [True], "null"):
        ran = run("simgroup", stdin=jsonl({**pair, "against": wrong}))
        assert (ran.status, ran.err.splitlines()) == (
            2,
            ['simgroup: -:1: field "against" is neither true nor false', NOT_ONE],
        )
    ran = run("simgroup", stdin=b'{"a":1,"b":2,"against":true,"against":false}\n')
    assert (ran.status, ran.err.splitlines()) == (2, ['simgroup: -:1: field "against" occurs twice', NOT_ONE])


def test_similarity_is_asked_for_only_with_a_threshold() -> None:
    assert run("simgroup", stdin=jsonl({"a": 1, "b": 2})).records() == [{"group": 1, "size": 2, "members": [1, 2]}]
    cases: list[tuple[Record, str]] = [
        ({}, "is missing"),
        ({"similarity": "1"}, "is not a number"),
        ({"similarity": True}, "is not a number"),
    ]
    for value, cause in cases:
        ran = run("simgroup", "-t", "0.5", stdin=jsonl({"a": 1, "b": 2, **value}))
        assert (ran.status, ran.err.splitlines()) == (2, [f'simgroup: -:1: field "similarity" {cause}', NOT_ONE])


def test_sample_data() -> None:
    found = pipe(DOCS.read_bytes(), "canon", "shingle -k 10", "sketch -n 84", "simjoin -t 0.8")
    edges = [(record["a"], record["b"]) for record in map(json.loads, found.splitlines())]
    for argv, slow in (((), slow_components), (("--star",), slow_stars)):
        records = run("simgroup", *argv, stdin=found).records()
        assert [record["members"] for record in records] == slow(edges)
        assert all(record["group"] == record["members"][0] for record in records)
        assert all(record["size"] == len(record["members"]) for record in records)


def test_no_pairs_no_groups(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl({"id": 1}))
    for argv in ((), ("--star",)):
        assert run("simgroup", *argv).good() == b""
        out = run("simgroup", *argv, "--singletons", "docs", cwd=tmp_path).records()
        assert out == [{"group": 1, "size": 1, "members": [1]}]


@pytest.mark.parametrize("singletons", [False, True])
def test_long_ids_do_not_pile_up(singletons: bool) -> None:
    """Two ids of a megabyte each, again and again, in lines that are taken one by one."""
    one, two = "1" * MEGABYTE, "2" * MEGABYTE
    groups = Groups(GroupSpec("id", against=("documents",) * singletons))
    tracemalloc.start()
    for _ in range(64):
        if singletons:
            collect(groups, jsonl({"id": one}).replace(b"id", b"i\\u0064"), 1)
        else:
            collect(groups, jsonl({"a": one, "b": two}).replace(b"a", b"\\u0061"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * MEGABYTE  # orjson keeps 16 for each that it wrote
    group = json.loads(finished(groups))
    assert group["members"] == [one] + [two] * (not singletons)


@pytest.mark.parametrize("side", [0, 1])
def test_too_many_ids(side: int) -> None:
    """Of pairs, whose numbers would not fit in 32 bits, or of other documents."""
    with patch.object(group_collector, "MAX_NUMBERS", 3):
        for most in (3, 4):
            groups = Groups(GroupSpec("id", star=True, against=("documents",)))
            with nullcontext() if most == 3 else pytest.raises(Failed, match="more than 3 ids"):
                for name in range(2 - side, most + 1):
                    collect(groups, jsonl({"id": name} if side else {"a": 1, "b": name}), side)
                assert finished(groups)
