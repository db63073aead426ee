"""simjoin on shingles: the exact set join against brute force in Python's sets and fractions; -m by what is shared."""

import json
import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, jsonl, pipe, run
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.measures import MEASURES
from shingletools.commands.simjoin.sets import least_common
from shingletools.system.memory_limit import Memory
from simjoin.all_pairs import RATIOS, brute_force, check_forest, joined, lines, reaches

Sets = list[set[int]]
thresholds = st.fractions(Fraction(1, 20), 1, max_denominator=20)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 60), thresholds, st.sampled_from([*RATIOS]))
def test_bounds(a: int, b: int, o: int, t: Fraction, name: str) -> None:
    """The least overlap is exact, and no set that is a pair has less than `least`."""
    a, b = min(a, b), max(a, b)
    o = min(o, a)
    measure = MEASURES[name](t)
    least = int(least_common(measure, np.array([a]), np.array([b]))[0])
    reached = reaches(name, RATIOS[name](o, a, b), t)
    assert (o >= least) == reached or not o
    if reached:
        assert o >= max(measure.least(a), measure.least(b), 1)
        assert o >= measure.least_in_larger(a)
    assert measure.least_in_larger(a) == least_common(measure, np.array([a]), np.array([a]))[0]  # no smaller bound


@given(st.integers(1, 1 << 29), st.integers(2, 1 << 29), st.integers(1, 15), st.integers(-1, 1), thresholds)
def test_roots_of_great_products(a: int, b: int, common: int, more: int, t: Fraction) -> None:
    """Sizes whose product is the square of a whole number, or next to one."""
    a, b = common * a**2, common * b**2 + more
    o = int(least_common(MEASURES["cosine"](t), np.array([a]), np.array([b]))[0])
    assert [reaches("cosine", Fraction(each * each, a * b), t) for each in (o - 1, o)] == [False, True]


def random_documents(rng: random.Random) -> Sets:
    documents: Sets = []
    for _ in range(150):
        size = rng.randrange(1, 120)
        document = {int(rng.paretovariate(0.4)) % 5000 for _ in range(size)}
        if documents and rng.random() < 0.6:
            document = {token if rng.random() < 0.9 else rng.randrange(5000) for token in rng.choice(documents)}
        documents.append(document)
    return documents


def nested_documents(rng: random.Random) -> Sets:
    """Sets of very different sizes, some within others, with common tokens, and several equally large or equal."""
    documents: Sets = []
    for _ in range(60):
        if documents and rng.random() < 0.5:
            source = sorted(rng.choice(documents))
            document = set(rng.sample(source, rng.randint(1, len(source))))
            documents.append(document | {rng.randrange(300) for _ in range(rng.choice([0, 0, 1, 3]))})
        else:
            size = rng.choice([1, 2, 3, 5, 5, 30, 150])
            documents.append({int(rng.paretovariate(0.4)) % 300 for _ in range(size)})
    return documents


def reuse(rng: random.Random) -> Sets:
    """Sets of very different sizes: common tokens, passages of others, copies."""
    documents: Sets = []
    for _ in range(80):
        document = {int(rng.paretovariate(0.4)) % 2000 for _ in range(rng.choice([0, 1, 3, 10, 40, 400]))}
        for _ in range(rng.choice([0, 0, 1, 3])):
            source = sorted(rng.choice(documents)) if documents else []
            start = rng.randrange(len(source) + 1)
            document |= set(source[start : start + rng.choice([2, 7, 30])])
        documents.append(set(rng.choice(documents)) if documents and rng.random() < 0.2 else document)
    return documents


@pytest.mark.slow
@pytest.mark.parametrize("measure", RATIOS)
@pytest.mark.parametrize("t", ["0.3", "0.8", "1"])
def test_the_command_against_brute_force(measure: str, t: str) -> None:
    documents = random_documents(random.Random(8))
    expected = brute_force(documents, JoinOptions(Fraction(t), measure=measure))
    assert expected
    stdin = b"".join(lines(documents))
    jobs = "2" if t == "0.3" else "1"
    assert run("simjoin", "--measure", measure, "-t", t, "-j", jobs, stdin=stdin).records() == expected


@pytest.mark.parametrize("measure", RATIOS)
@pytest.mark.parametrize("t", ["1/5000000000", "1/999999999999999999", "0.999999999999999999"])
def test_thresholds_of_many_digits(measure: str, t: str) -> None:
    """Their squares need more than 64 bits."""
    documents = [{1, 2}, {1, 3}, {4}, {1, 2}]
    expected = brute_force(documents, JoinOptions(Fraction(t), measure=measure))
    assert len(expected) == (3 if Fraction(t) < 1 / 2 else 1)
    assert run("simjoin", "--measure", measure, "-t", t, stdin=b"".join(lines(documents))).records() == expected


CONTAINED = [JoinOptions(Fraction(t), measure="containment") for t in ("1/20", "1/3", "0.5", "0.8", "1")]


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        *(pytest.param(nested_documents, wanted, marks=pytest.mark.slow) for wanted in CONTAINED),
        *((reuse, JoinOptions(agreeing=least)) for least in (1, 2, 7, 30)),
    ],
)
@pytest.mark.parametrize("cross", [None, 25])
@pytest.mark.parametrize("memory", [None, Memory(1, "/tmp")])
def test_in_every_way(
    memory: Memory | None, cross: int | None, make: Callable[[random.Random], Sets], wanted: JoinOptions
) -> None:
    for seed in range(2 if make is nested_documents else 1):
        documents = make(random.Random(seed))
        expected, records = brute_force(documents, wanted, cross), lines(documents)
        assert expected
        for limits in (DEFAULT, Limits(meetings=500)):
            assert joined(records, wanted, cross, memory, limits) == expected
        check_forest(joined(records, wanted._replace(forest=True), cross, memory), expected, len(documents))


# Of sets of 9 shingles, 8 are needed at 0.8: one of its 2 rarest, which no other has; but a set within another
WITHIN: Sets = [{0, *range(8 * number + 1, 8 * number + 9)} for number in range(2000)]
WITHIN.append({0, *range(1, 9), *range(20_000, 20_040)})
# Four shingles that all have, where five are needed: each is looked up by the others only
PASSAGES: Sets = [{0, 1, 2, 3, *range(40 * number + 4, 40 * number + 44)} for number in range(1000)]
PASSAGES.append({0, 1, 2, 3, 4, *range(50_000, 50_900)})


SHARING: dict[str, tuple[Sets, int, dict[str, object]]] = {
    "--measure overlap": (WITHIN, 2, {"similarity": 1.0}),  # met by both of its rarest
    "--measure containment": (WITHIN, 2, {"similarity": 1.0, "contained": "a"}),
    "-m 5": (PASSAGES, 1, {"similarity": round(5 / 944, 6), "shared": 5}),
}


@pytest.mark.parametrize("wanted", SHARING)
@pytest.mark.parametrize("options", ["", "--forest", "-S 1M", "--forest -S 1M", "--against old"])
def test_what_all_sets_share_makes_no_candidates(options: str, wanted: str, tmp_path: Path) -> None:
    documents, most, similarity = SHARING[wanted]
    half, records = len(documents) // 2, lines(documents)
    against = {"against": True} if "--against" in options else {}
    (tmp_path / "old").write_bytes(b"".join(records[half:]))
    (tmp_path / "new").write_bytes(b"".join(records[:half] if against else records))
    ran = run(f"simjoin -v {wanted} {options} new", cwd=tmp_path)
    assert json.loads(ran.out) == {"a": 0, "b": len(documents) - 1, **similarity, **against}
    counted = re.search(r", (\d+) candidates?, 1 pair\n$", ran.err)
    assert counted and int(counted[1]) <= most, ran.err


@pytest.mark.parametrize(
    ("mod", "wanted"),
    [
        ("", JoinOptions(Fraction("0.8"))),
        ("", JoinOptions(agreeing=20)),
        ("", JoinOptions(agreeing=20, measure="containment")),
        ("--mod 4", JoinOptions(agreeing=5)),
    ],
)
def test_sample_data_against_brute_force(mod: str, wanted: JoinOptions) -> None:
    shingled = pipe(DOCS.read_bytes(), "canon", f"shingle -k 3 {mod}")
    made = [json.loads(line) for line in shingled.splitlines()]
    documents = [{int(word, 16) for word in record["shingles"].split()} for record in made]
    expected = [
        pair | {"a": made[pair["a"]]["id"], "b": made[pair["b"]]["id"]} for pair in brute_force(documents, wanted)
    ]
    assert len(expected) > 50
    assert run(f"simjoin {wanted.shown()}", stdin=shingled).records() == expected


def test_the_command_on_files(tmp_path: Path) -> None:
    for documents, wanted in (
        (random_documents(random.Random(9)), JoinOptions(Fraction("0.7"))),
        (reuse(random.Random(5)), JoinOptions(agreeing=7)),
    ):
        records, command = lines(documents), f"simjoin {wanted.threshold()}"
        (tmp_path / "new").write_bytes(b"".join(records[:30]))
        (tmp_path / "old").write_bytes(b"".join(records[30:]))
        every, cross = brute_force(documents, wanted), brute_force(documents, wanted, 30)
        for more in ("", "-j 2", "-S 1M", "-S 1M -j 2"):
            assert run(f"{command} {more}", stdin=b"".join(records)).records() == every
            assert run(f"{command} {more} --against old new", cwd=tmp_path).records() == cross
        assert run(command, stdin=b"".join(lines(documents, digits=8))).records() == every


def test_ties() -> None:
    four_of_five = jsonl(
        {"id": 1, "shingles": " ".join(f"{i:08x}" for i in range(5))},
        {"id": 2, "shingles": " ".join(f"{i:08x}" for i in range(4))},
    )
    assert run("simjoin", "-t", "0.8", stdin=four_of_five).records() == [{"a": 1, "b": 2, "similarity": 0.8}]
    assert run("simjoin", "-t", "0.800001", stdin=four_of_five).good() == b""


def test_what_is_too_small() -> None:
    """Equal sets of fewer shingles are no pair, however alike, nor are empty ones; those that just have enough are."""
    three, two = {"shingles": "00000001 00000002 00000003"}, {"shingles": "00000001 00000002 00000002"}
    stdin = jsonl(*({"id": number, **one} for number, one in enumerate([two, two, three, three, {"shingles": ""}])))
    assert run("simjoin", "-m", "3", stdin=stdin).records() == [{"a": 2, "b": 3, "similarity": 1.0, "shared": 3}]
    assert run("simjoin", "-m", "3", "--forest", stdin=stdin).records()[0]["shared"] == 3
    assert run("simjoin", "-m", "4", stdin=stdin).good() == b""
    assert run("simjoin", "-m", "1000000", stdin=stdin).good() == b""


def test_a_passage_is_found_however_long_the_texts() -> None:
    """A passage of L words has L - k + 1 shingles."""
    rng = random.Random(6)
    passage = [f"p{number}" for number in range(29)]
    texts = [[f"w{rng.randrange(10**9)}" for _ in range(length)] for length in (30, 3000, 20_000)]
    for number, text in enumerate(texts):
        start = rng.randrange(len(text))
        text[start:start] = passage[: 29 - number % 2]
    stdin = pipe(jsonl(*({"id": i, "text": " ".join(text)} for i, text in enumerate(texts))), "shingle -k 10")
    pairs = run("simjoin", "-m", "20", stdin=stdin).records()
    assert [(pair["a"], pair["b"], pair["shared"]) for pair in pairs] == [(0, 2, 20)]


def test_how_many_passages_are_found_by_sampled_shingles() -> None:
    """Of 600 pairs with 31 shingles in common, of which one in 8 is left, those with 2 or more: a binomial tail."""
    rng = random.Random(7)
    found_by_chance = 1 - sum(math.comb(31, i) * (1 / 8) ** i * (7 / 8) ** (31 - i) for i in range(2))
    texts = []
    for _ in range(600):
        passage = [f"w{rng.randrange(10**12)}" for _ in range(31)]
        texts += [" ".join([*passage, *(f"w{rng.randrange(10**12)}" for _ in range(50))]) for _ in range(2)]
    stdin = pipe(jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))), "shingle -k 1 --mod 8")
    found = run("simjoin", "-m", "2", stdin=stdin).records()
    assert all(pair["b"] == pair["a"] + 1 for pair in found)
    deviation = math.sqrt(600 * found_by_chance * (1 - found_by_chance))
    assert abs(len(found) - 600 * found_by_chance) < 3 * deviation


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
    kept = pipe(b"".join(lines(documents)), "sketch -n 50 --keep")
    sketches = [json.loads(line)["sketch"].split() for line in kept.splitlines()]
    lowered = LEAST[measure] - 3 * math.sqrt(LEAST[measure] * (1 - LEAST[measure]) / 50)
    exact = brute_force(documents, JoinOptions(Fraction("0.6"), measure=measure))
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
