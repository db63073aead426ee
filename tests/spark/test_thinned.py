"""Which documents of pairs stay, in rounds of many tasks, and dedup --pairs by them: brute force, and the shell."""

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from harness import jsonl, run
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.spark import dedup, thinned
from shingletools.spark.packed_names import StepInput
from shingletools.spark.pipeline import build
from shingletools.spark.spark_files import Kept
from spark.packing import framed, unpacked

Edges = list[tuple[int, int]]


def greedy(edges: Edges) -> dict[int, bool]:
    """One document after the other."""
    stays: dict[int, bool] = {}
    for node in sorted({node for edge in edges for node in edge}):
        stays[node] = not any(stays[v] for u, v in edges if u == node)
    return stays


def shapes(rng: random.Random) -> Edges:
    """A path, one whose documents stand in any order, a clique, hubs that come first and last, others, and doubles."""
    names = rng.sample(range(90), 90)
    every: list[Edges] = [
        [(u, u - 1) for u in range(1, 120)],
        [ordered(pair) for pair in pairwise(names)],
        [(u, v) for u in range(15) for v in range(u)],
        [(u, 0) for u in range(1, 120)],
        [(100, v) for v in range(100)],
        [ordered(rng.sample(names, 2)) for _ in range(150)],
        [(2, 1), (2, 1), (3, 2), (3, 2)],
    ]
    return [edge for place, edges in enumerate(every) for edge in shifted(edges, 10**10 + 1000 * place)]


def ordered(pair: Sequence[int]) -> tuple[int, int]:
    return max(pair), min(pair)


def shifted(edges: Edges, by: int) -> Edges:
    return [(u + by, v + by) for u, v in edges]


@pytest.mark.parametrize("most", [150, 1 << 20])
def test_who_stays_by_brute_force(most: int, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a chain is, there are at most as many rounds as tasks; ranges of tasks are not quite equal."""
    monkeypatch.setattr(thinned, "EDGES", most)
    edges = shapes(random.Random(6))
    frame = kept.spark.createDataFrame(edges, "u long, v long")
    found, rounds = thinned.thinned(frame, len(edges), kept)
    rows = found.collect()
    assert {row["node"]: row["stays"] for row in rows} == greedy(edges)
    assert len(rows) == len(greedy(edges))
    assert (rounds == 1) == (most > len(edges))
    assert rounds <= -(-len(edges) // most)


def test_no_pairs(kept: Kept) -> None:
    found, rounds = thinned.thinned(kept.spark.createDataFrame([], "u long, v long"), 0, kept)
    assert (found.collect(), rounds) == ([], 0)


def test_what_is_sure_by_brute_force() -> None:
    """A node is decided if and only if it has one fate, whatever becomes of what is open before it."""
    rng = random.Random(7)
    for _ in range(60):
        edges = sorted({ordered(rng.sample(range(12), 2)) for _ in range(rng.randrange(1, 16))})
        mine = [edge for edge in edges if edge[0] > 4]
        if not mine:
            continue
        known = {v: rng.choice([0, 1, thinned.OPEN]) for _, v in mine}
        known |= {u: thinned.OPEN for u, _ in mine}
        u, v = np.array(mine).T
        nodes, stays = thinned.decided(u, v, np.array([known[each] for each in v.tolist()]))
        sure = dict(zip(nodes.tolist(), stays.tolist(), strict=True))
        outside = [node for node in known if node not in u and known[node] == thinned.OPEN]
        fates: list[dict[int, bool]] = []
        for bits in range(1 << len(outside)):
            fate = {node: known[node] == 1 for node in known if known[node] != thinned.OPEN}
            fate |= {node: bool(bits >> place & 1) for place, node in enumerate(outside)}
            for node in sorted(set(u.tolist())):
                fate[node] = not any(fate[other] for one, other in mine if one == node)
            fates.append(fate)
        for node in set(u.tolist()):
            ends = {fate[node] for fate in fates}
            if node in sure:
                assert ends == {sure[node]}


RULES = ["", "--keep max:n --known known"]


@pytest.mark.parametrize("rule", RULES)
def test_pairs(rule: str, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In rounds of small tasks: the shell's bytes and figures; and what removal by pairs promises."""
    monkeypatch.setattr(thinned, "EDGES", 120)
    rng = random.Random(len(rule))
    ids = [number if number % 3 else f"{number} \u00e9" for number in range(220)]
    values = [1, 2.5, "7", None]
    documents = jsonl(*({"id": each, "text": "a" * rng.randrange(4), "n": rng.choice(values)} for each in ids))
    pairs = [(*rng.sample([*ids, "outside"], 2), rng.choice([0.4, 0.5, 0.75, 1])) for _ in range(300)]
    pairs += [(b, a, similarity) for a, b, similarity in pairs[:20]]
    data = jsonl(
        *({"a": a, "b": b, "similarity": similarity} for a, b, similarity in pairs), {"a": ids[0], "b": ids[7]}
    )
    known = jsonl(*({"a": each, "b": "old", "similarity": 0.5, "against": True} for each in ids[::20]))
    (tmp_path / "pairs").write_bytes(data)
    (tmp_path / "known").write_bytes(known)
    command = f"dedup -v --annotate --pairs {tmp_path / 'pairs'} {rule.replace(' known', f' {tmp_path}/known')}"
    ran = run(command, stdin=documents)
    beside = [data, known] if "known" in rule else [data]
    frames = framed(kept.spark, 1, documents, *beside)
    stage = build(command.replace(" -v", "")).stage
    assert isinstance(stage, DedupSpec)
    found = dedup.deduplicated(StepInput(frames[0], frames[1:], 1, kept, str), stage)
    assert unpacked(found.lines) == ran.out
    assert ran.out.count(b"duplicate_of") > 50
    assert ran.err.splitlines()[-1].endswith(", ".join(found.figures))
