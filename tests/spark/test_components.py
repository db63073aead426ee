"""What edges connect, in one task and in rounds: against brute force."""

import random
from itertools import pairwise

import pytest

from shingletools.spark.graph import connected
from shingletools.spark.storage import Checkpoint

Edges = list[tuple[int, int]]


def least_of_each(edges: Edges) -> dict[int, int]:
    """Returns the least node that each is connected with, by passing it on until nothing changes."""
    least = {node: node for edge in edges for node in edge}
    changed = True
    while changed:
        changed = False
        for edge in edges:
            first = min(least[node] for node in edge)
            changed |= any(least[node] != first for node in edge)
            least.update(dict.fromkeys(edge, first))
    return {node: first for node, first in least.items() if node != first}


def shapes(rng: random.Random) -> Edges:
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
    edges = shapes(random.Random(3))
    frame = checkpoint.spark.createDataFrame(edges, "u long, v long")
    rows = connected(frame, checkpoint, most).collect()
    assert {row["u"]: row["v"] for row in rows} == least_of_each(edges)
    assert len(rows) == len(least_of_each(edges))
    assert (checkpoint.count > 0) == (most < len(edges))  # there was a round


def test_no_edges(checkpoint: Checkpoint) -> None:
    assert connected(checkpoint.spark.createDataFrame([], "u long, v long"), checkpoint, 9).collect() == []
