"""simjoin on shingles: the exact set join against brute force in Python's sets and fractions."""

import json
import math
import random
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, Record, collect, jsonl, pipe, run
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.measures import MEASURES
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.kernel import arrays, reference_arrays
from shingletools.system.memory_limit import Memory

NAMES = ["jaccard", "dice", "cosine", "overlap", "containment"]


def reaches(measure: str, o: int, a: int, b: int, t: Fraction) -> bool:
    """By each measure's own definition; the cosine squared, to stay with whole numbers."""
    if not o:
        return False
    if measure == "cosine":
        return Fraction(o * o, a * b) >= t * t
    return {
        "jaccard": Fraction(o, a + b - o),
        "dice": Fraction(2 * o, a + b),
        "overlap": Fraction(o, min(a, b)),
        "containment": max(Fraction(o, a), Fraction(o, b)),
    }[measure] >= t


def similarity(measure: str, o: int, a: int, b: int) -> float:
    values = {"jaccard": o / (a + b - o), "dice": 2 * o / (a + b), "cosine": o / math.sqrt(a * b)}
    return round(values.get(measure, o / min(a, b)), 6)


def brute_force(documents: list[set[int]], measure: str, t: Fraction) -> list[Record]:
    pairs = []
    for (i, one), (j, two) in combinations(enumerate(documents), 2):
        o, a, b = len(one & two), len(one), len(two)
        if reaches(measure, o, a, b, t):
            pair: Record = {"a": i, "b": j, "similarity": similarity(measure, o, a, b)}
            if measure == "containment":
                pair["contained"] = "both" if a == b else "a" if a < b else "b"
            pairs.append(pair)
    return pairs


def records(documents: list[set[int]]) -> list[Record]:
    rng = random.Random(3)
    shingles = [[f"{token:016x}" for token in document for _ in range(rng.randint(1, 2))] for document in documents]
    return [{"id": i, "shingles": " ".join(rng.sample(words, len(words)))} for i, words in enumerate(shingles)]


def joined(documents: list[set[int]], measure: str, t: Fraction) -> list[Record]:
    join = JoinCollector(JoinSpec("id", JoinOptions(similarity=t, measure=measure)))
    for record in records(documents):
        collect(join, jsonl(record))
    return [json.loads(line) for written in join.finish() for line in written.output.splitlines()]


small = st.lists(st.sets(st.integers(0, 12), max_size=9), max_size=14)
thresholds = st.fractions(Fraction(1, 20), 1, max_denominator=20)


@given(small, thresholds, st.sampled_from(NAMES), st.integers(1, 5))
def test_against_brute_force(documents: list[set[int]], t: Fraction, measure: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        assert joined(documents, measure, t) == brute_force(documents, measure, t)
        patch.setattr(reference_arrays, "BLOCK_NUMBERS", block)
        for name in ("overlaps", "rarest", "set_keys", "count_tokens"):
            patch.setattr(arrays, name, getattr(reference_arrays, name))
        assert joined(documents, measure, t) == brute_force(documents, measure, t)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 60), thresholds, st.sampled_from(NAMES))
def test_bounds(a: int, b: int, o: int, t: Fraction, name: str) -> None:
    """The least overlap is exact, and no set that is a pair has less than `least`."""
    a, b = min(a, b), max(a, b)
    o = min(o, a)
    measure = MEASURES[name](t)
    import numpy as np

    from shingletools.commands.simjoin.sets import least_common

    least = int(least_common(measure, np.array([a]), np.array([b]))[0])
    assert (o >= least) == reaches(name, o, a, b, t) or not o
    if reaches(name, o, a, b, t):
        assert o >= max(measure.least(a), measure.least(b), 1)
        assert o >= measure.least_in_larger(a)


@given(st.integers(1, 1 << 29), st.integers(2, 1 << 29), st.integers(1, 15), st.integers(-1, 1), thresholds)
def test_roots_of_great_products(a: int, b: int, common: int, more: int, t: Fraction) -> None:
    """Sizes whose product is the square of a whole number, or next to one."""
    import numpy as np

    from shingletools.commands.simjoin.sets import least_common

    a, b = common * a**2, common * b**2 + more
    o = int(least_common(MEASURES["cosine"](t), np.array([a]), np.array([b]))[0])
    assert [reaches("cosine", each, a, b, t) for each in (o - 1, o)] == [False, True]


def random_documents(rng: random.Random) -> list[set[int]]:
    documents: list[set[int]] = []
    for _ in range(150):
        size = rng.randrange(1, 120)
        document = {int(rng.paretovariate(0.4)) % 5000 for _ in range(size)}
        if documents and rng.random() < 0.6:
            document = {token if rng.random() < 0.9 else rng.randrange(5000) for token in rng.choice(documents)}
        documents.append(document)
    return documents


@pytest.mark.slow
@pytest.mark.parametrize("measure", NAMES)
@pytest.mark.parametrize("t", ["0.3", "0.8", "1"])
def test_the_command_against_brute_force(measure: str, t: str) -> None:
    documents = random_documents(random.Random(8))
    expected = brute_force(documents, measure, Fraction(t))
    assert expected
    stdin = jsonl(*records(documents))
    jobs = "2" if t == "0.3" else "1"
    assert run("simjoin", "--measure", measure, "-t", t, "-j", jobs, stdin=stdin).records() == expected


@pytest.mark.parametrize("measure", NAMES)
@pytest.mark.parametrize("t", ["1/5000000000", "1/999999999999999999", "0.999999999999999999"])
def test_thresholds_of_many_digits(measure: str, t: str) -> None:
    """Their squares need more than 64 bits."""
    documents = [{1, 2}, {1, 3}, {4}, {1, 2}]
    expected = brute_force(documents, measure, Fraction(t))
    assert len(expected) == (3 if Fraction(t) < 1 / 2 else 1)
    assert run("simjoin", "--measure", measure, "-t", t, stdin=jsonl(*records(documents))).records() == expected


def nested_documents(rng: random.Random) -> list[set[int]]:
    """Sets of very different sizes, some within others, with common tokens, and several equally large or equal."""
    documents: list[set[int]] = []
    for _ in range(60):
        if documents and rng.random() < 0.5:
            source = sorted(rng.choice(documents))
            document = set(rng.sample(source, rng.randint(1, len(source))))
            documents.append(document | {rng.randrange(300) for _ in range(rng.choice([0, 0, 1, 3]))})
        else:
            size = rng.choice([1, 2, 3, 5, 5, 30, 150])
            documents.append({int(rng.paretovariate(0.4)) % 300 for _ in range(size)})
    return documents


def connected(pairs: list[tuple[int, int]], documents: int) -> list[set[int]]:
    """With what each document is connected."""
    groups = [{number} for number in range(documents)]
    for a, b in pairs:
        groups[a] |= groups[b]
        for member in groups[a]:
            groups[member] = groups[a]
    return groups


@pytest.mark.slow
@pytest.mark.parametrize("t", ["1/20", "1/3", "0.5", "0.8", "1"])
@pytest.mark.parametrize("cross", [None, 25])
@pytest.mark.parametrize("memory", [None, Memory(1, "/tmp")])
def test_sets_within_larger_ones(memory: Memory | None, cross: int | None, t: str) -> None:
    for seed in range(2):
        documents = nested_documents(random.Random(seed))
        expected = [
            (pair["a"], pair["b"])
            for pair in brute_force(documents, "containment", Fraction(t))
            if cross is None or pair["a"] < cross <= pair["b"]
        ]
        found = {}
        for forest in (False, True):
            wanted = JoinOptions(similarity=Fraction(t), measure="containment", forest=forest)
            join = JoinCollector(JoinSpec("id", wanted, () if cross is None else ("archive",), memory))
            for record in records(documents):
                collect(join, jsonl(record), int(cross is not None and record["id"] >= cross))
            lines = [line for written in join.finish() for line in written.output.splitlines()]
            found[forest] = [(pair["a"], pair["b"]) for pair in map(json.loads, lines)]
        assert found[False] == expected
        assert set(found[True]) <= set(expected)
        assert connected(found[True], len(documents)) == connected(expected, len(documents))


@pytest.mark.parametrize("options", [(), ("--forest",), ("-S", "1M"), ("--forest", "-S", "1M"), ("--against", "old")])
def test_what_all_sets_share_makes_no_candidates(options: tuple[str, ...], tmp_path: Path) -> None:
    """Of sets of 9 shingles, 8 are needed at 0.8: one of its 2 rarest, which no other has; but a set within another."""
    sets = [{0, *range(8 * number + 1, 8 * number + 9)} for number in range(2000)]
    sets.append({0, *range(1, 9), *range(20_000, 20_040)})
    lines = jsonl(*records(sets)).splitlines(keepends=True)
    (tmp_path / "old").write_bytes(b"".join(lines[1000:]))
    (tmp_path / "new").write_bytes(b"".join(lines[:1000] if "--against" in options else lines))
    for measure, pair in [
        ("overlap", {"a": 0, "b": 2000, "similarity": 1.0}),
        ("containment", {"a": 0, "b": 2000, "similarity": 1.0, "contained": "a"}),
    ]:
        ran = run("simjoin", "-v", "--measure", measure, *options, "new", cwd=tmp_path)
        found = ran.out.replace(b',"against":true', b"") if "--against" in options else ran.out
        assert [json.loads(line) for line in found.splitlines()] == [pair]
        counted = re.search(r", (\d+) candidates?, 1 pair\n$", ran.err)
        assert counted and int(counted[1]) <= 2, ran.err  # met by both of its rarest


def test_sample_data_against_brute_force() -> None:
    shingled = pipe(DOCS.read_bytes(), "canon", "shingle -k 3")
    names = [json.loads(line)["id"] for line in shingled.splitlines()]
    documents = [{int(word, 16) for word in json.loads(line)["shingles"].split()} for line in shingled.splitlines()]
    expected = [
        pair | {"a": names[pair["a"]], "b": names[pair["b"]]}
        for pair in brute_force(documents, "jaccard", Fraction("0.8"))
    ]
    assert len(expected) > 50
    assert run("simjoin", "-t", "0.8", stdin=shingled).records() == expected


def test_against_a_file_and_ties(tmp_path: object) -> None:
    documents = random_documents(random.Random(9))
    lines = jsonl(*records(documents)).splitlines(keepends=True)
    assert isinstance(tmp_path, type(DOCS))
    (tmp_path / "new").write_bytes(b"".join(lines[:100]))
    (tmp_path / "old").write_bytes(b"".join(lines[100:]))
    pairs = run("simjoin", "-t", "0.7", "--against", "old", "new", cwd=tmp_path).records()
    assert pairs == [
        {**pair, "against": True}
        for pair in brute_force(documents, "jaccard", Fraction("0.7"))
        if pair["a"] < 100 <= pair["b"]
    ]
    four_of_five = jsonl(
        {"id": 1, "shingles": " ".join(f"{i:08x}" for i in range(5))},
        {"id": 2, "shingles": " ".join(f"{i:08x}" for i in range(4))},
    )
    assert run("simjoin", "-t", "0.8", stdin=four_of_five).records() == [{"a": 1, "b": 2, "similarity": 0.8}]
    assert run("simjoin", "-t", "0.800001", stdin=four_of_five).good() == b""


def test_dice_of_sketches() -> None:
    sketches = pipe(DOCS.read_bytes(), "canon", "shingle -k 4", "sketch")
    plain = {
        (pair["a"], pair["b"]): pair["similarity"] for pair in run("simjoin", "-t", "0.1", stdin=sketches).records()
    }
    pairs = run("simjoin", "--measure", "dice", "-t", "0.8", "--interval", stdin=sketches).records()
    expected = {
        names: j for names, j in plain.items() if Fraction(2 * round(84 * j), 84 + round(84 * j)) >= Fraction(4, 5)
    }
    assert [(pair["a"], pair["b"]) for pair in pairs] == list(expected)
    for pair in pairs:
        j = round(84 * expected[pair["a"], pair["b"]])
        assert pair["similarity"] == round(2 * j / (84 + j), 6)
        assert pair["low"] < pair["similarity"] < pair["high"] <= 1 or pair["similarity"] == 1


LEAST = {"jaccard": 0.6, "dice": 0.6 / 1.4, "cosine": 0.36}


@pytest.mark.parametrize("measure", LEAST)
def test_sketches_propose_and_shingles_decide(measure: str) -> None:
    documents = [document for document in random_documents(random.Random(11)) if document]
    kept = pipe(jsonl(*records(documents)), "sketch -n 50 --keep")
    sketches = [json.loads(line)["sketch"].split() for line in kept.splitlines()]
    lowered = LEAST[measure] - 3 * math.sqrt(LEAST[measure] * (1 - LEAST[measure]) / 50)
    exact = brute_force(documents, measure, Fraction("0.6"))
    expected = [
        pair for pair in exact if sum(map(str.__eq__, sketches[pair["a"]], sketches[pair["b"]])) >= lowered * 50 - 1e-9
    ]
    assert len(exact) - 3 <= len(expected) <= len(exact)
    assert run("simjoin", "--verify", "--measure", measure, "-t", "0.6", stdin=kept).records() == expected


def test_verify_needs_both() -> None:
    whole = {"id": 1, "sketch": "0" * 8, "shingles": "0" * 16}
    ran = run(
        "simjoin", "--verify", stdin=jsonl(whole, {"id": 2, "sketch": "0" * 8}, {**whole, "id": 3, "shingles": ""})
    )
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.splitlines() == [
        'simjoin: -:2: field "shingles" is missing; sketch --keep leaves it',
        'simjoin: -:3: field "shingles" is not groups of 8 or 16 hex digits, all alike',
    ]
    for argv, record, message in [
        ([], {"id": 1, "simhash": "0" * 16}, "--verify needs sketches of min-hashes, but the records have simhashes"),
        (["-m", "1"], whole, "-m cannot be combined with --verify, where the shingles decide; give -t"),
        (["--interval"], whole, "--interval cannot be combined with --verify, whose similarity is exact"),
        ([], whole | {"sketch": "0" * 16}, "--verify needs min-hashes, not components of 16 hex digits"),
        ([], {"id": 1, "shingles": "0" * 16}, "--verify needs a sketch beside the shingles"),
        (
            ["--measure", "overlap"],
            whole,
            "--verify cannot be combined with --measure overlap; join the shingles alone",
        ),
    ]:
        ran = run("simjoin", "--verify", *argv, stdin=jsonl(record))
        assert (ran.status, ran.err) == (2, f"simjoin: -:1: {message}\n")


@pytest.mark.parametrize(
    ("argv", "field", "message"),
    [
        (["-m", "1", "--interval"], "shingles", "--interval needs sketches; the similarity of shingles is exact"),
        (["-m", "1", "--verify"], "shingles", "--verify needs a sketch beside the shingles"),
        (
            ["-m", "1", "--recall", "0.9"],
            "shingles",
            "--recall needs sketches; sets of shingles are always joined with recall 1",
        ),
        (["-d", "1"], "shingles", "-d counts the bits of simhashes, but the records have shingles"),
        (["--interval"], "shingles", "--interval needs sketches; the similarity of shingles is exact"),
        (["--measure", "cosine"], "sketch", "--measure cosine needs the shingles; a sketch cannot estimate it"),
        (
            ["--measure", "dice"],
            "simhash",
            "--measure dice needs sketches of min-hashes, but the records have simhashes",
        ),
    ],
)
def test_what_does_not_go_together(argv: list[str], field: str, message: str) -> None:
    word = "0" * (8 if field == "sketch" else 16)
    ran = run("simjoin", *argv, stdin=jsonl({"id": 1, field: word}))
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simjoin: -:1: {message}\n")


def test_bad_shingles() -> None:
    for value in ("0" * 7, "0" * 17, "g" * 16, ["a b"]):
        ran = run("simjoin", stdin=jsonl({"id": 1, "shingles": value}))
        assert (ran.status, ran.err.count("\n")) == (2, 2)
    stdin = jsonl({"id": 1, "shingles": "0" * 16}, {"id": 2, "shingles": "0" * 8})
    ran = run("simjoin", stdin=stdin)
    assert ran.err == "simjoin: -:2: shingles of 8 hex digits, but the records before have shingles of 16 hex digits\n"
