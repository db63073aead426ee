"""simjoin as a command: output, refusals, --against."""

import json
import random
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from harness import DOCS, Record, jsonl, pipe, run
from shingletools.commands.simjoin.join_options import JoinOptions
from simjoin.all_pairs import brute_force

WORDS = "00000001 00000002 00000003 00000004 00000005"
NEAR = "00000001 00000002 00000003 00000004 0000000a"
FAR = "0000000b 0000000c 0000000d 0000000e 0000000f"


def sketches(**payloads: str) -> bytes:
    return jsonl(*({"id": name, "sketch": payload} for name, payload in payloads.items()))


def test_output() -> None:
    stdin = jsonl(
        {"id": 10, "sketch": WORDS, "url": "u"},
        {"id": "10", "sketch": FAR},
        {"id": "é\n", "sketch": NEAR.upper()},
        {"id": 2**63, "sketch": WORDS},
        {"id": -1, "sketch": ""},
        {"id": -2, "sketch": ""},
    )
    assert run("simjoin", stdin=stdin).good().decode().splitlines() == [
        '{"a":10,"b":"é\\n","similarity":0.8}',
        '{"a":10,"b":9223372036854775808,"similarity":1.0}',
        '{"a":"é\\n","b":9223372036854775808,"similarity":0.8}',
    ]


@cache
def sample() -> bytes:
    return pipe(DOCS.read_bytes(), "canon", "shingle -k 10", "sketch -n 84")


@pytest.mark.slow
@pytest.mark.parametrize("threshold", ["0.05", "1/3", "0.8", ".95", "1"])
def test_sample_data_against_brute_force(threshold: str) -> None:
    stdin = sample()
    made = [json.loads(line) for line in stdin.splitlines()]
    words = [[int(word, 16) for word in record["sketch"].split()] for record in made]
    pairs = brute_force(words, JoinOptions(Fraction(threshold)))
    expected = [pair | {"a": made[pair["a"]]["id"], "b": made[pair["b"]]["id"]} for pair in pairs]
    assert run("simjoin", "-t", threshold, stdin=stdin).records() == expected
    assert len(expected) >= 2


def test_sample_data_against_a_part_of_it(tmp_path: Path) -> None:
    lines = sample().splitlines(keepends=True)
    random.Random(3).shuffle(lines)
    (tmp_path / "old").write_bytes(b"".join(lines[:200]))
    (tmp_path / "new").write_bytes(b"".join(lines[200:]))
    new = {record["id"] for record in run("cat", tmp_path / "new").records()}
    everything = run("simjoin", tmp_path / "new", tmp_path / "old").records()
    crossing = [pair for pair in everything if pair["a"] in new and pair["b"] not in new]
    assert len(crossing) > 20
    crossing = [{**pair, "against": True} for pair in crossing]
    assert run("simjoin", "--against", tmp_path / "old", tmp_path / "new").records() == crossing
    from_pipe = run("simjoin", "--against", "-", tmp_path / "new", stdin=(tmp_path / "old").read_bytes())
    assert from_pipe.records() == crossing


def test_against_keeps_the_names_of_both_sides_apart(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(sketches(x=WORDS, y=NEAR))
    ran = run("simjoin", "--against", tmp_path / "old", stdin=sketches(x=NEAR, y=FAR, z=NEAR))
    assert ran.records() == [
        {"a": "x", "b": "x", "similarity": 0.8, "against": True},
        {"a": "x", "b": "y", "similarity": 1.0, "against": True},
        {"a": "z", "b": "x", "similarity": 0.8, "against": True},
        {"a": "z", "b": "y", "similarity": 1.0, "against": True},
    ]


@pytest.mark.parametrize(
    ("field", "payload", "options", "rest"),
    [
        ("sketch", WORDS, "--interval -t 0.1", '"similarity":1.0,"low":0.478176,"high":1.0'),
        ("simhash", "0123456789abcdef", "", '"similarity":1.0,"distance":0'),
        ("shingles", "0123456789abcdef", "--measure containment", '"similarity":1.0,"contained":"both"'),
        ("shingles", "0123456789abcdef", "-m 1 -S 1M", '"similarity":1.0,"shared":1'),
        ("sketch", WORDS, "--forest", '"similarity":1.0'),
    ],
)
def test_a_pair_of_two_sides_says_so_at_its_end(
    field: str, payload: str, options: str, rest: str, tmp_path: Path
) -> None:
    """Whatever else it says; pairs of one side do not."""
    lines = jsonl({"id": "x", field: payload}, {"id": "y", field: payload})
    (tmp_path / "old").write_bytes(lines.splitlines(keepends=True)[1])
    stdin = lines.splitlines(keepends=True)[0]
    ran = run("simjoin", *options.split(), "--against", "old", stdin=stdin, cwd=tmp_path)
    assert ran.good() == b'{"a":"x","b":"y",%b,"against":true}\n' % rest.encode()
    assert run("simjoin", *options.split(), stdin=lines).good() == b'{"a":"x","b":"y",%b}\n' % rest.encode()


def test_against_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert run("simjoin", "--against", tmp_path / "empty", stdin=sketches(a=WORDS, b=WORDS)).good() == b""
    (tmp_path / "old").write_bytes(sketches(a=WORDS, b=WORDS))
    assert run("simjoin", "--against", tmp_path / "old").good() == b""


def test_standard_input_only_once() -> None:
    ran = run("simjoin", "--against", "-", stdin=sketches(a=WORDS))
    assert (ran.status, ran.err) == (2, "simjoin: standard input can be read only once: name a FILE\n")


OWN = '; "via" is the field of recipes: rename yours'


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            {"via": "sketch n=5"},
            {"via": "sketch n=5 seed=1"},
            'made by "sketch n=5 seed=1", but the records before by "sketch n=5"',
        ),
        (
            {"via": "phone | canon | shingle k=2"},
            {"via": "canon | shingle k=2"},
            'made by "canon | shingle k=2", but the records before by "phone | canon | shingle k=2"' + OWN,
        ),
        ({"via": "canon"}, {"via": "web"}, 'made by "web", but the records before by "canon"' + OWN),
        (
            {"via": "parts by=line | canon/2 html=main"},
            {"via": "canon"},
            'made by "canon", but the records before by "parts by=line | canon/2 html=main"',
        ),
        ({"via": "canon"}, {}, 'made by an unnamed recipe, but the records before by "canon"'),
        ({}, {"via": "canon"}, 'made by "canon", but the records before by an unnamed recipe'),
        (
            {},
            {"sketch": WORDS[:-9]},
            "a sketch of 4 components of 8 hex digits, "
            "but the records before have a sketch of 5 components of 8 hex digits",
        ),
    ],
)
def test_refuses_what_cannot_be_compared(first: Record, second: Record, message: str, tmp_path: Path) -> None:
    records = [{"id": 1, "sketch": WORDS} | first, {"id": 2, "sketch": WORDS} | second]
    (tmp_path / "in").write_bytes(jsonl(*records))
    ran = run("simjoin", "in", "-o", "out", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simjoin: in:2: {message}\n")
    (tmp_path / "one").write_bytes(jsonl(records[0]))
    ran = run("simjoin", "one", "--against", "-", stdin=jsonl(records[1]), cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simjoin: -:1: {message}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "one"]


ONE, TWO = "0" * 8, "0" * 8 + " 00000001"
SHINGLE = "0" * 16
BAD_SHINGLES = 'field "shingles" is not groups of 8 or 16 hex digits, all alike'
AGAIN = "id 0 was seen before"


@pytest.mark.parametrize("way", ["simjoin -t 1", "simjoin -t 1 -S1M"])
@pytest.mark.parametrize(
    ("options", "rejected", "cause"),
    [
        ("--verify", [{"id": 1, "sketch": ONE, "shingles": "x", "via": "other"}], BAD_SHINGLES),
        ("--verify", [{"id": 1, "sketch": TWO, "shingles": "", "via": "mine"}], BAD_SHINGLES),
        ("--verify", [{"id": 1, "sketch": TWO, "via": "mine"}], 'field "shingles" is missing; sketch --keep leaves it'),
        ("", [{"id": 0, "sketch": "", "via": "mine"}, {"id": 0, "sketch": TWO, "via": "mine"}], AGAIN),
    ],
)
def test_what_is_rejected_leaves_no_trace(
    way: str, options: str, rejected: list[Record], cause: str, tmp_path: Path
) -> None:
    """The records behind it are compared with each other only, and may have its id."""
    pair = [{"id": number, "sketch": ONE, "shingles": SHINGLE, "via": "mine"} for number in (1, 2)]
    ran = run(f"{way} {options}", "--rejects", tmp_path / "bad", stdin=jsonl(*rejected, *pair))
    assert (ran.status, ran.err) == (1, f"simjoin: -:{len(rejected)}: {cause}\n")
    assert ran.out == b'{"a":1,"b":2,"similarity":1.0}\n'
    assert (tmp_path / "bad").read_bytes() == jsonl(rejected[-1])


@pytest.mark.parametrize("way", ["simjoin -t 1", "simjoin -t 1 -S1M"])
@pytest.mark.parametrize(
    ("options", "records", "cause"),
    [
        ("", [{"id": 1, "via": "x"}, {"id": 1, "via": "y"}], 'made by "y", but the records before by "x"' + OWN),
        (
            "",
            [{"id": 1}, {"id": 1, "sketch": TWO}],
            "a sketch of 2 components of 8 hex digits, "
            "but the records before have a sketch of 1 components of 8 hex digits",
        ),
        (
            "--verify",
            [{"id": 1}, {"id": 2, "shingles": "x", "via": "y"}],
            'made by "y", but the records before by an unnamed recipe' + OWN,
        ),
    ],
)
def test_a_record_that_fails_the_run_does_so_even_if_it_were_rejected(
    way: str, options: str, records: list[Record], cause: str
) -> None:
    stdin = jsonl(*({"sketch": ONE, "shingles": SHINGLE} | record for record in records))
    ran = run(f"{way} {options}", stdin=stdin)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simjoin: -:2: {cause}\n")


@pytest.mark.parametrize(
    ("record", "cause"),
    [
        ({"id": "a", "sketch": WORDS}, 'id "a" was seen before'),
        ({"id": 5, "sketch": WORDS}, "id 5 was seen before"),
        ({"id": "x", "sketch": WORDS + " "}, 'field "sketch" is not groups of 2, 4, 8 or 16 hex digits, all alike'),
        (
            {"id": "x", "sketch": WORDS.replace("1", "g")},
            'field "sketch" is not groups of 2, 4, 8 or 16 hex digits, all alike',
        ),
        (
            {"id": "x", "sketch": WORDS.replace(" ", "  ")},
            'field "sketch" is not groups of 2, 4, 8 or 16 hex digits, all alike',
        ),
        ({"id": "x", "sketch": WORDS, "via": 1}, 'field "via" is not a string'),
        ({"id": "x", "note": "no sketch"}, 'field "sketch" is missing'),
    ],
)
def test_rejects(record: Record, cause: str) -> None:
    good: list[Record] = [{"id": "a", "sketch": WORDS}, {"id": 5, "sketch": ""}]
    ran = run("simjoin", stdin=jsonl(*good, record, {"id": "5", "sketch": WORDS}))
    assert (ran.status, ran.err) == (1, f"simjoin: -:3: {cause}\n")
    assert ran.out == b'{"a":"a","b":"5","similarity":1.0}\n'


@pytest.mark.parametrize(
    "threshold", ["-1", "1.1", "nan", "inf", "1e400", "1e-1", "0.8x", "", "1/0", "1/", "٠.٨", ".", "80%"]
)
def test_threshold_out_of_range(threshold: str) -> None:
    ran = run("simjoin", f"-t={threshold}" if threshold.startswith("-") else f"-t{threshold}" if threshold else "-t=")
    assert (ran.status, ran.out) == (2, b"")
    assert (
        "argument -t/--threshold: not a number above 0 and at most 1, such as 0.8 or 4/5, of at most 18 digits: "
        in ran.err
    )


@pytest.mark.parametrize("zero", ["0", "0.0", "0/7"])
def test_a_threshold_of_nothing(zero: str) -> None:
    """What the message names finds each pair that shares a shingle, and no other."""
    message = "0 is every pair: -m 1 finds all that agree anywhere (see simjoin --help)"
    assert run("simjoin -t", zero).err == f"simjoin: argument -t/--threshold: {message}\n"
    shingles = pipe(DOCS.read_bytes(), "canon", "shingle -k 3")
    sets = {each["id"]: set(each["shingles"].split()) for each in map(json.loads, shingles.splitlines())}
    found = [(each["a"], each["b"]) for each in run("simjoin -m 1", stdin=shingles).records()]
    assert found == [(a, b) for a, b in combinations(sets, 2) if sets[a] & sets[b]]


@pytest.mark.parametrize(("n", "threshold", "agreeing"), [(25, "0.28", 7), (100, "0.29", 29), (84, "17/21", 68)])
def test_exact_ties_are_in(n: int, threshold: str, agreeing: int) -> None:
    """In floating point, 0.28 * 25 is more than 7, and an eighth word would be asked for."""
    words = [f"{i:08x}" for i in range(n)]
    for same, found in ((agreeing, 1), (agreeing - 1, 0)):
        other = words[:same] + [f"{i + n:08x}" for i in range(n - same)]
        stdin = sketches(a=" ".join(words), b=" ".join(other))
        assert len(run("simjoin", "-t", threshold, stdin=stdin).records()) == found


def test_no_recipe_and_an_empty_one_are_the_same() -> None:
    stdin = jsonl({"id": 1, "sketch": WORDS, "via": ""}, {"id": 2, "sketch": WORDS})
    assert len(run("simjoin", stdin=stdin).records()) == 1


def test_bad_records_before_what_cannot_be_compared_are_not_lost(tmp_path: Path) -> None:
    stdin = b"bad 1\n" + sketches(a=WORDS) + b"bad 2\n" + sketches(b=WORDS[:-9])
    ran = run("simjoin", "--rejects", tmp_path / "bad", stdin=stdin)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines() == [
        "simjoin: -:1: not JSON (column 1)",
        "simjoin: -:3: not JSON (column 1)",
        "simjoin: -:4: a sketch of 4 components of 8 hex digits, "
        "but the records before have a sketch of 5 components of 8 hex digits",
    ]
    assert (tmp_path / "bad").read_bytes() == b"bad 1\nbad 2\n"
    assert run("simjoin", "--strict", stdin=stdin).err == "simjoin: -:1: not JSON (column 1)\n"


def test_a_long_id_is_not_shown_whole() -> None:
    name = "x" * 5000
    ran = run("simjoin", stdin=jsonl({"id": name, "sketch": WORDS}, {"id": name, "sketch": WORDS}))
    assert ran.err == f'simjoin: -:2: id "{"x" * 200}"... (5000 characters) was seen before\n'


def test_recall() -> None:
    """At 0.3, R = 0.3 needs 24 bands instead of 59; what is found is part of all, and the figures say so."""
    stdin = pipe(DOCS.read_bytes(), "canon", "shingle -k 4", "sketch")
    every = run("simjoin", "-t", "0.3", stdin=stdin).records()
    ran = run("simjoin", "-t", "0.3", "--recall", "0.3", "-v", stdin=stdin)
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert ", 24 bands, recall 0.3634, " in ran.err
    assert all(pair in every for pair in lines)
    assert 0.3 * len(every) < len(lines) < len(every)
    for option in ("-S1M", "-j2"):
        assert run("simjoin", "-t", "0.3", "--recall", "3/10", option, stdin=stdin).good() == ran.out


def test_no_recall_below_one_for_sets() -> None:
    ran = run("simjoin", "--recall", "0.9", stdin=jsonl({"id": 1, "shingles": "0123456789abcdef"}))
    message = "simjoin: -:1: --recall needs sketches; sets of shingles are always joined with recall 1\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


def test_figures() -> None:
    ran = run("simjoin", "-v", "-t", "0.8", stdin=sketches(a=WORDS, b=NEAR, c=FAR, d=""))
    figures = ran.err.strip().split(", ")
    assert figures[:2] == ["simjoin: 4 records", "0 rejected"]
    assert figures[4:] == ["2 bands", "recall 1", "1 candidate", "1 pair"]
