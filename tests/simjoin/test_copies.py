"""simjoin --copies once: which pairs it leaves out, and that removals and groups are those of all pairs."""

import json
import random
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import Record, collect, jsonl, run_here
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.join_options import JoinOptions, Scope
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.system.scratch import Memory

ON_DISK = Memory(1, "/tmp")
SMALL = Limits(documents=2, portion=3, candidates=4)


def records(texts: list[tuple[int, ...]]) -> list[Record]:
    payloads = [" ".join(f"{token:08x}" for token in text) for text in texts]
    return [{"id": number, "sketch": each, "lang": number % 2} for number, each in enumerate(payloads)]


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4).map(tuple), max_size=14), st.booleans())
def test_against_brute_force(texts: list[tuple[int, ...]], within: bool) -> None:
    same = [[not within or (a - b) % 2 == 0 for b in range(len(texts))] for a in range(len(texts))]
    first = [min(a for a in range(b + 1) if texts[a] == texts[b] and same[a][b]) for b in range(len(texts))]
    expected = []
    for a, b in combinations(range(len(texts)), 2):
        agreeing = sum(map(int.__eq__, texts[a], texts[b]))
        if first[b] == a:
            expected.append({"a": a, "b": b, "similarity": 1.0, "copy": True})
        elif first[a] == a and first[b] == b and agreeing >= 2 and same[a][b]:
            expected.append({"a": a, "b": b, "similarity": agreeing / 4})
    wanted = JoinOptions(Fraction(1, 2), copies_once=True, scope=Scope(within=("lang",) * within))
    for memory, limits in product([None, ON_DISK], [DEFAULT, SMALL]):
        join = JoinCollector(JoinSpec("id", wanted, (), memory), 2, limits)
        for record in records(texts):
            collect(join, jsonl(record))
        assert [json.loads(line) for each in join.finish() for line in each.output.splitlines()] == expected


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents in the order of the join and in another one; some are in no pair, and some are missing."""
    folder, rng = tmp_path_factory.mktemp("copies"), random.Random(5)
    kinds = [tuple(rng.randrange(4) for _ in range(4)) for _ in range(25)]
    (folder / "sketches").write_bytes(jsonl(*records(rng.choices(kinds, k=90))))
    for pairs, option in (("all", "all"), ("once", "once")):
        run_here(f"simjoin -t 0.5 --copies {option} sketches -o {pairs}", cwd=folder).good()
    documents = [{"id": number, "text": "x" * rng.randrange(3)} for number in range(100)]
    (folder / "docs").write_bytes(jsonl(*documents))
    rng.shuffle(documents)
    (folder / "mixed").write_bytes(jsonl(*documents[:80]))
    return folder


@pytest.mark.parametrize("memory", ["", "-S1M"])
@pytest.mark.parametrize("options", ["", "--keep longest", "--annotate", "--annotate --keep shortest", "-t 0.75"])
def test_removal_is_that_of_all_pairs(options: str, memory: str, folder: Path) -> None:
    for documents in ("docs", "mixed"):
        command = f"dedup --pairs {{}} {options} {memory} -v {documents}"
        every, once = (run_here(command.format(pairs), cwd=folder) for pairs in ("all", "once"))
        assert once.out == every.out != b""
        assert figures(once.err) == figures(every.err)


def figures(summary: str) -> list[str]:
    """Those of the removal; the others are the seconds, and the pairs of documents that are not there."""
    return [part for part in summary.split(", ") if "kept" in part or "removed" in part or "lowest" in part]


@pytest.mark.parametrize("memory", ["", "-S1M"])
@pytest.mark.parametrize("options", ["", "--star", "-t 0.75", "--star -t 0.75"])
def test_groups_are_those_of_all_pairs(options: str, memory: str, folder: Path) -> None:
    every, once = (run_here(f"simgroup {options} {memory} -v {pairs}", cwd=folder) for pairs in ("all", "once"))
    groups = [[json.loads(line)["members"] for line in each.out.splitlines()] for each in (every, once)]
    assert sorted(map(sorted, groups[1])) == sorted(map(sorted, groups[0])) != []
    assert once.err[once.err.index("groups") :] == every.err[every.err.index("groups") :]


def test_what_it_cannot_be_combined_with(folder: Path) -> None:
    (folder / "other").write_bytes(jsonl({"id": 1, "sketch": "00000001"}))
    for option in ("--forest", "--best 1", "--across lang", "--against other"):
        ran = run_here(f"simjoin --copies once {option} sketches", cwd=folder)
        assert (ran.status, ran.out) == (2, b"")
        assert f"--copies once cannot be combined with {option.split()[0]}, " in ran.err


def test_what_needs_all_pairs_says_so(folder: Path) -> None:
    ran = run_here("simscore --truth all once", cwd=folder)
    assert (ran.status, ran.out) == (2, b"")
    assert "pairs of simjoin --copies once leave out those of copies; simscore needs all pairs" in ran.err


def test_a_mark_that_is_neither_true_nor_false(folder: Path) -> None:
    for command in ("simgroup", "dedup docs --pairs -"):
        ran = run_here(command, stdin=jsonl({"a": 1, "b": 2, "copy": 1}), cwd=folder)
        assert 'field "copy" is neither true nor false' in ran.err


@pytest.mark.parametrize("command", ["simjoin -t 0.9 --best 1", "simjoin -t 0.9 --copies once"])
def test_copies_cost_no_pairs(command: str, tmp_path: Path) -> None:
    """All pairs of 30,000 copies would be 450 million."""
    (tmp_path / "in").write_bytes(b"".join(b'{"id":%d,"sketch":"00000001"}\n' % number for number in range(30_000)))
    ran = run_here(f"{command} in", cwd=tmp_path)
    assert ran.good().count(b"\n") == 29_999
