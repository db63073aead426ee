"""What pairs connect, by brute force."""

from collections.abc import Collection, Iterable
from typing import TypeVar

Node = TypeVar("Node")


def connected(pairs: Iterable[Collection[Node]], nodes: Iterable[Node] = ()) -> dict[Node, set[Node]]:
    """Returns with what each node is connected: sets that are merged as long as a pair has its ends in two of them."""
    sets = {node: {node} for node in nodes}
    for pair in pairs:
        merged = set().union(*(sets.get(node, {node}) for node in pair))
        sets.update(dict.fromkeys(merged, merged))
    return sets
