"""What became of marin-community/marin#6854: 859,092 documents, of which 2 were kept; a corpus like that one.

There, calls of functions in one template were cut into runs of five characters, and documents that agreed in one of 26
bands of 11 min-hashes were joined, with no look at the pair, and all that hung together was one group.
"""

import json
import random
import subprocess
from pathlib import Path

import pytest

from harness import ENVIRONMENT, jsonl, pipe, run

CALLS, COPIES = 1600, 60
OWN = 5, 25  # words of a call other than its template
SYLLABLES = "ba de fi go ku la me ni po ru sa te vi wo zu".split()
TEMPLATE = (
    "You are a helpful assistant. You have access to the functions below, and use one of them if the question asks for"
    " it. Answer with the name of the function and its arguments as JSON, in one line, and with nothing else. If no"
    " function fits, say so. If an argument is missing, ask for it. Never make up a function that is not listed, and"
    " never call the same function twice with the same arguments. The question is this:"
)


def word(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=3))


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Canonical: calls, each with some words of its own; behind them copies of the first ones, a word replaced."""
    rng = random.Random(6854)
    lengths = sorted((rng.randrange(*OWN) for _ in range(CALLS)), reverse=True)  # so a long one represents a group
    questions = [[word(rng) for _ in range(length)] for length in lengths]
    for each in questions[:COPIES]:
        copy = each.copy()
        copy[rng.randrange(len(copy))] = word(rng)
        questions.append(copy)
    records = ({"id": number, "text": f"{TEMPLATE} {' '.join(each)}"} for number, each in enumerate(questions))
    path = tmp_path_factory.mktemp("calls") / "calls.canon"
    path.write_bytes(run("canon", stdin=jsonl(*records)).out)
    return path


def test_a_group_that_chains_make_is_reported(calls: Path) -> None:
    joined = pipe(calls.read_bytes(), "shingle --chars -k 5", "simjoin -t 0.7")
    pairs = [(each["a"], each["b"]) for each in map(json.loads, joined.splitlines())]
    ran = run("simgroup", stdin=joined)
    groups = [json.loads(line)["members"] for line in ran.out.splitlines()]
    most = max(groups, key=len)
    named = {name for pair in pairs for name in pair}
    near = {frozenset(pair) for pair in pairs}
    apart = sum(frozenset((most[0], other)) not in near for other in most[1:])
    assert 2 * apart > len(most) > len(named) / 10 > 100
    assert (ran.status, ran.err) == (
        0,
        f"simgroup: the group of {most[0]} has {len(most)} of {len(named)} documents, {apart} of them without a pair"
        " with it: chains join what differs, so remove by pairs\n",
    )
    assert run("simgroup", "--star", stdin=joined).err == ""


@pytest.mark.parametrize(
    ("sizes", "warned"), [((999,), False), ((1000,), True), ((101, 900), True), ((100, 900), False)]
)
def test_only_large_chains_among_many_are_reported(sizes: tuple[int, ...], warned: bool) -> None:
    """The first size is that of a chain; the others' documents are in groups of two. No pair is one too many."""
    chain, others = sizes[0], sum(sizes[1:])
    lines = jsonl(
        *({"a": number, "b": number + 1} for number in range(chain - 1)),
        *({"a": -number, "b": -number - 1} for number in range(1, others, 2)),
    )
    assert run("simgroup", stdin=lines).err == ""  # as simjoin --forest may leave of any pairs
    lines += jsonl({"a": 0, "b": 2})
    said = (
        f"simgroup: the group of 0 has {chain} of {sum(sizes)} documents, {chain - 3} of them without a pair with it:"
        " chains join what differs, so remove by pairs\n"
    )
    assert run("simgroup", stdin=lines).err == (said if warned else "")


def test_documents_in_no_pair_count(tmp_path: Path) -> None:
    chain = jsonl({"a": 0, "b": 2}, *({"a": number, "b": number + 1} for number in range(99)))
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number} for number in range(1000))))
    assert "the group of 0" not in run("simgroup", "--singletons", tmp_path / "docs", stdin=chain).err
    chain += jsonl({"a": 99, "b": 100})
    assert "has 101 of 1000 documents, 98 of" in run("simgroup", "--singletons", tmp_path / "docs", stdin=chain).err


def test_a_star_is_not_reported() -> None:
    """A thousand copies of one text are no chain, however many they are."""
    assert run("simgroup", stdin=jsonl(*({"a": "x", "b": number} for number in range(2000)))).err == ""


def test_advice_removes_copies_and_no_other(calls: Path, tmp_path: Path) -> None:
    advice = json.loads(run("simtune", calls).out.splitlines()[-1])["pipeline"]
    assert "--weights counted" in advice  # what all have weighs nothing
    with calls.open("rb") as stdin:
        pairs = subprocess.run(
            ["sh", "-c", advice], stdin=stdin, stdout=subprocess.PIPE, env=ENVIRONMENT, cwd=tmp_path, check=True
        ).stdout
    (tmp_path / "pairs").write_bytes(pairs)
    kept = {each["id"] for each in run("dedup", "--pairs", tmp_path / "pairs", calls).records()}
    assert set(range(CALLS)) <= kept
    assert len(kept) < CALLS + COPIES / 2
