"""What edges connect, and which documents of pairs stay, in one task and in rounds of many: against brute force."""

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from connected import connected
from shingletools.kernel.independent_set import OPEN
from shingletools.spark import graph
from shingletools.spark.storage import Checkpoint

Edges = list[tuple[int, int]]


def least_of_each(edges: Edges) -> dict[int, int]:
    return {node: least for node, group in connected(edges).items() if (least := min(group)) != node}


def edges_of_shapes(rng: random.Random) -> Edges:
    """Returns a path, one whose nodes stand in any order, a star, a clique, others, doubles, and a node with itself."""
    names = rng.sample(range(60), 60)
    some: list[Edges] = [
        [(node, node + 1) for node in range(20)],
        list(pairwise(names[:20])),
        [(7, node) for node in range(30)],
        [(one, other) for one in range(8) for other in range(one)],
        [(rng.randrange(60), rng.randrange(60)) for _ in range(40)],
        [(1, 2), (2, 1), (1, 2), (5, 5)],
    ]
    return [(u + 10**11 * place, v + 10**11 * place) for place, edges in enumerate(some) for u, v in edges]


@pytest.mark.parametrize("most", [120, 1 << 20])
def test_components_by_brute_force(most: int, checkpoint: Checkpoint) -> None:
    edges = edges_of_shapes(random.Random(3))
    frame = checkpoint.spark.createDataFrame(edges, "u long, v long")
    rows = graph.connected(frame, checkpoint, most).collect()
    assert {row["u"]: row["v"] for row in rows} == least_of_each(edges)
    assert len(rows) == len(least_of_each(edges))
    assert (checkpoint.count > 0) == (most < len(edges))  # there was a round


def test_no_edges(checkpoint: Checkpoint) -> None:
    assert graph.connected(checkpoint.spark.createDataFrame([], "u long, v long"), checkpoint, 9).collect() == []


def greedy(edges: Edges) -> dict[int, bool]:
    """One document after the other."""
    stays: dict[int, bool] = {}
    for node in sorted({node for edge in edges for node in edge}):
        stays[node] = not any(stays[v] for u, v in edges if u == node)
    return stays


def pairs_of_shapes(rng: random.Random) -> Edges:
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
def test_who_stays_by_brute_force(most: int, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a chain is, there are at most as many rounds as tasks; ranges of tasks are not quite equal."""
    monkeypatch.setattr(graph, "TASK_PAIRS", most)
    edges = pairs_of_shapes(random.Random(6))
    frame = checkpoint.spark.createDataFrame(edges, "u long, v long")
    found, rounds = graph.thinned(frame, len(edges), checkpoint)
    rows = found.collect()
    assert {row["node"]: row["stays"] for row in rows} == greedy(edges)
    assert len(rows) == len(greedy(edges))
    assert (rounds == 1) == (most > len(edges))
    assert rounds <= -(-len(edges) // most)


@pytest.mark.parametrize("most", [60, 1 << 20])
def test_circles_by_brute_force(most: int, checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing follows, the least node that is open stays: rule by rule, on sets."""
    monkeypatch.setattr(graph, "TASK_PAIRS", most)
    rng = random.Random(9)
    edges = [(u, v) for u, v in ((rng.randrange(90), rng.randrange(90)) for _ in range(100)) if u != v]
    edges += [
        (u, v)
        for first in (100, 200, 300)
        for u, v in pairwise([first, *rng.sample(range(first + 1, first + 9), 6), first])
    ]
    before = {node: {v for u, v in edges if u == node} for edge in edges for node in edge}
    stay, gone = set[int](), set[int]()
    while left := sorted(before.keys() - stay - gone):
        goes = [node for node in left if before[node] & stay]
        free = [node for node in left if before[node] <= gone]
        gone.update(goes)
        stay.update(free or left[: not goes])
    found, rounds = graph.thinned(checkpoint.spark.createDataFrame(edges, "u long, v long"), len(edges), checkpoint)
    assert sorted(map(tuple, found.collect())) == sorted((node, node in stay) for node in before)
    assert (rounds == 1) == (most > len(edges))


def test_no_pairs(checkpoint: Checkpoint) -> None:
    found, rounds = graph.thinned(checkpoint.spark.createDataFrame([], "u long, v long"), 0, checkpoint)
    assert (found.collect(), rounds) == ([], 0)


def test_what_is_sure_by_brute_force() -> None:
    """A node is decided if and only if it has one fate, whatever becomes of what is open before it."""
    rng = random.Random(7)
    for _ in range(60):
        edges = sorted({ordered(rng.sample(range(12), 2)) for _ in range(rng.randrange(1, 16))})
        mine = [edge for edge in edges if edge[0] > 4]
        if not mine:
            continue
        known = {v: rng.choice([0, 1, OPEN]) for _, v in mine}
        known |= {u: OPEN for u, _ in mine}
        u, v = np.array(mine).T
        nodes, stays = graph.decide(u, v, np.array([known[each] for each in v.tolist()]), alone=False)
        sure = dict(zip(nodes.tolist(), stays.tolist(), strict=True))
        outside = [node for node in known if node not in u and known[node] == OPEN]
        fates: list[dict[int, bool]] = []
        for bits in range(1 << len(outside)):
            fate = {node: known[node] == 1 for node in known if known[node] != OPEN}
            fate |= {node: bool(bits >> place & 1) for place, node in enumerate(outside)}
            for node in sorted(set(u.tolist())):
                fate[node] = not any(fate[other] for one, other in mine if one == node)
            fates.append(fate)
        for node in set(u.tolist()):
            ends = {fate[node] for fate in fates}
            if node in sure:
                assert ends == {sure[node]}
