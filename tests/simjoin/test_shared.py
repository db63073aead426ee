"""simjoin -m on shingles: pairs with so many in common, against the intersections of Python's sets."""

import json
import math
import random
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, Record, collect, jsonl, pipe, run
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.kernel import arrays, reference_arrays
from shingletools.system.memory_limit import Memory

Sets = list[set[int]]


def brute_force(documents: Sets, least: int, measure: str = "jaccard", cross: int | None = None) -> list[Record]:
    pairs, against = [], {} if cross is None else {"against": True}
    for (i, one), (j, two) in combinations(enumerate(documents), 2):
        o, a, b = len(one & two), len(one), len(two)
        if o >= least and (cross is None or i < cross <= j):
            similarity = {"jaccard": o / (a + b - o), "containment": o / min(a, b)}[measure] if o else 0
            contained = {"contained": "both" if a == b else "a" if a < b else "b"} if measure == "containment" else {}
            pairs.append({"a": i, "b": j, "similarity": round(similarity, 6), **contained, "shared": o, **against})
    return pairs


def records(documents: Sets, digits: int = 16) -> list[Record]:
    rng = random.Random(3)
    words = [[f"{token:0{digits}x}" for token in sorted(one) for _ in range(rng.randint(1, 2))] for one in documents]
    return [{"id": i, "shingles": " ".join(rng.sample(each, len(each)))} for i, each in enumerate(words)]


def joined(
    documents: Sets,
    wanted: JoinOptions,
    cross: int | None = None,
    memory: Memory | None = None,
    limits: Limits = DEFAULT,
) -> list[Record]:
    join = JoinCollector(JoinSpec("id", wanted, () if cross is None else ("archive",), memory), limits=limits)
    for record in records(documents):
        collect(join, jsonl(record), int(cross is not None and record["id"] >= cross))
    return [json.loads(line) for written in join.finish() for line in written.output.splitlines()]


small = st.lists(st.sets(st.integers(0, 12), max_size=9), max_size=14)


@given(small, st.integers(1, 10), st.sampled_from(["jaccard", "containment"]), st.integers(0, 14), st.integers(1, 5))
def test_against_brute_force(documents: Sets, least: int, measure: str, cross: int, block: int) -> None:
    """Copies of a set that is too small are no pair, either."""
    wanted = JoinOptions(agreeing=least, measure=measure)
    with pytest.MonkeyPatch.context() as patch:
        for some in (None, cross):
            assert joined(documents, wanted, some) == brute_force(documents, least, measure, some)
        patch.setattr(reference_arrays, "BLOCK_NUMBERS", block)
        for name in ("overlaps", "rarest", "set_keys", "count_tokens", "shared_counts"):
            patch.setattr(arrays, name, getattr(reference_arrays, name))
        assert joined(documents, wanted, cross) == brute_force(documents, least, measure, cross)


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


def connected(pairs: list[Record], documents: int) -> list[set[int]]:
    """With what each document is connected."""
    groups = [{number} for number in range(documents)]
    for pair in pairs:
        groups[pair["a"]] |= groups[pair["b"]]
        for member in groups[pair["a"]]:
            groups[member] = groups[pair["a"]]
    return groups


@pytest.mark.parametrize("least", [1, 2, 7, 30])
@pytest.mark.parametrize("cross", [None, 30])
@pytest.mark.parametrize("memory", [None, Memory(1, "/tmp")])
def test_in_every_way(memory: Memory | None, cross: int | None, least: int) -> None:
    for seed in range(1):
        documents = reuse(random.Random(seed))
        expected = brute_force(documents, least, cross=cross)
        assert expected
        for limits in (DEFAULT, Limits(meetings=500)):
            assert joined(documents, JoinOptions(agreeing=least), cross, memory, limits) == expected
        forest = joined(documents, JoinOptions(agreeing=least, forest=True), cross, memory)
        assert all(pair in expected for pair in forest)
        assert len(forest) < len(documents)
        assert connected(forest, len(documents)) == connected(expected, len(documents))


def test_the_command(tmp_path: Path) -> None:
    documents = reuse(random.Random(5))
    lines = jsonl(*records(documents)).splitlines(keepends=True)
    (tmp_path / "new").write_bytes(b"".join(lines[:30]))
    (tmp_path / "old").write_bytes(b"".join(lines[30:]))
    expected = brute_force(documents, 7)
    for options in ([], ["-j", "2"], ["-S", "1M"], ["-S", "1M", "-j", "2"]):
        assert run("simjoin", "-m", "7", *options, stdin=b"".join(lines)).records() == expected
        cross = run("simjoin", "--agreeing", "7", *options, "--against", "old", "new", cwd=tmp_path)
        assert cross.records() == brute_force(documents, 7, cross=30)
    short = run("simjoin", "-m", "7", stdin=jsonl(*records(documents, 8)))
    assert short.records() == expected


def test_what_is_too_small() -> None:
    """Equal sets of fewer shingles are no pair, however alike, nor are empty ones; those that just have enough are."""
    three, two = {"shingles": "00000001 00000002 00000003"}, {"shingles": "00000001 00000002 00000002"}
    stdin = jsonl(*({"id": number, **one} for number, one in enumerate([two, two, three, three, {"shingles": ""}])))
    assert run("simjoin", "-m", "3", stdin=stdin).records() == [{"a": 2, "b": 3, "similarity": 1.0, "shared": 3}]
    assert run("simjoin", "-m", "3", "--forest", stdin=stdin).records()[0]["shared"] == 3
    assert run("simjoin", "-m", "4", stdin=stdin).good() == b""
    assert run("simjoin", "-m", "1000000", stdin=stdin).good() == b""


@pytest.mark.parametrize("options", [(), ("--forest",), ("-S", "1M"), ("--against", "old")])
def test_what_all_sets_share_makes_no_candidates(options: tuple[str, ...], tmp_path: Path) -> None:
    """Four shingles that all have, where five are needed: each is looked up by the others only."""
    documents = [{0, 1, 2, 3, *range(40 * number + 4, 40 * number + 44)} for number in range(1000)]
    documents.append({0, 1, 2, 3, 4, *range(50_000, 50_900)})
    lines = jsonl(*records(documents)).splitlines(keepends=True)
    (tmp_path / "old").write_bytes(b"".join(lines[500:]))
    (tmp_path / "new").write_bytes(b"".join(lines[:500] if "--against" in options else lines))
    ran = run("simjoin", "-v", "-m", "5", *options, "new", cwd=tmp_path)
    against = {"against": True} if "--against" in options else {}
    assert json.loads(ran.out) == {"a": 0, "b": 1000, "similarity": round(5 / 944, 6), "shared": 5, **against}
    assert ", 1 candidate, 1 pair\n" in ran.err


def test_sample_data_against_brute_force() -> None:
    shingled = pipe(DOCS.read_bytes(), "canon", "shingle -k 3")
    made = [json.loads(line) for line in shingled.splitlines()]
    documents = [{int(word, 16) for word in record["shingles"].split()} for record in made]
    for measure in ("jaccard", "containment"):
        expected = [
            pair | {"a": made[pair["a"]]["id"], "b": made[pair["b"]]["id"]}
            for pair in brute_force(documents, 20, measure)
        ]
        assert len(expected) > 50
        assert run("simjoin", "-m", "20", "--measure", measure, stdin=shingled).records() == expected


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


def test_sampled_shingles_are_counted() -> None:
    shingled = pipe(DOCS.read_bytes(), "canon", "shingle -k 3 --mod 4")
    made = [json.loads(line) for line in shingled.splitlines()]
    documents = [{int(word, 16) for word in record["shingles"].split()} for record in made]
    expected = [pair | {"a": made[pair["a"]]["id"], "b": made[pair["b"]]["id"]} for pair in brute_force(documents, 5)]
    assert len(expected) > 50
    assert run("simjoin", "-m", "5", stdin=shingled).records() == expected


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
