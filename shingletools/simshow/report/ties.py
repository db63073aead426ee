"""What holds a group together: how many of its pairs there are, its weakest link, and how far apart documents are."""

from array import array
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shingletools.unionfind import UnionFind


class Link(NamedTuple):
    """A pair that holds a group together."""

    a: int
    b: int
    similarity: float


class Ties(NamedTuple):
    """A group of documents, which are numbers, in their order; the first is the representative."""

    members: list[int]
    pairs: int  # that there are, each once
    weakest: Link  # without it, and all below its similarity, the group falls apart

    @property
    def density(self) -> Fraction:
        """The pairs that there are, of all that there might be."""
        return Fraction(2 * self.pairs, len(self.members) * (len(self.members) - 1))


class Graph:
    """Pairs of documents, which are numbers from 0 on. Memory: 24 bytes a pair.

    >>> graph = Graph()
    >>> for a, b, similarity in [(0, 1, 0.9), (1, 2, 0.5), (2, 0, 0.7), (3, 4, 1.0)]:
    ...     graph.add(a, b, similarity)
    >>> for ties in graph.groups(5):
    ...     print(ties.members, ties.density, ties.weakest)
    [0, 1, 2] 1 Link(a=2, b=0, similarity=0.7)
    [3, 4] 1 Link(a=3, b=4, similarity=1.0)
    """

    def __init__(self) -> None:
        self.a, self.b, self.similarity = array("q"), array("q"), array("d")

    def __len__(self) -> int:
        return len(self.a)

    def add(self, a: int, b: int, similarity: float) -> None:
        """A pair of two different documents."""
        self.a.append(a)
        self.b.append(b)
        self.similarity.append(similarity)

    def groups(self, documents: int) -> Iterator[Ties]:
        """What the pairs connect, of so many documents; in the order of the representatives.

        The weakest link is the least edge of a maximum spanning tree, by Kruskal's algorithm (1956): pairs are joined
        from the most similar on, so the last that joins two parts of a group is its weakest link.
        """
        a, b, similarity = np.array(self.a), np.array(self.b), np.array(self.similarity)
        order = np.argsort(-similarity, kind="stable")
        connected = UnionFind(documents)
        tree = order[connected.join(a[order], b[order])]
        first = connected.representatives()
        weakest = np.full(documents, -1)
        weakest[first[a[tree]]] = tree  # of those of one group the last stays
        distinct = np.unique(np.minimum(a, b) * documents + np.maximum(a, b))
        pairs = np.bincount(first[distinct // max(documents, 1)], minlength=documents)
        sizes = np.bincount(first, minlength=documents)
        members = np.argsort(first, kind="stable")
        ends = np.cumsum(sizes)
        for group in np.flatnonzero(sizes > 1).tolist():
            edge = weakest[group]
            link = Link(self.a[edge], self.b[edge], self.similarity[edge])
            yield Ties(members[ends[group] - sizes[group] : ends[group]].tolist(), int(pairs[group]), link)


class Steps:
    """How many pairs lie between documents of a graph and a first one."""

    def __init__(self, graph: Graph, documents: int) -> None:
        a, b = np.array(graph.a), np.array(graph.b)
        source, target = np.concatenate([a, b]), np.concatenate([b, a])
        order = np.argsort(source, kind="stable")
        self.partners = target[order]
        self.starts = np.searchsorted(source[order], np.arange(documents + 1))

    def of(self, members: list[int]) -> dict[int, tuple[int, int]]:
        """For each member of a group: the pairs between it and the first one, and the document before it on the way.

        Breadth first; of several documents before it, the one that was reached first.
        """
        found = {members[0]: (0, members[0])}
        edge = [members[0]]
        while edge and len(found) < len(members):
            further = []
            for document in edge:
                steps = found[document][0] + 1
                for partner in self.partners[self.starts[document] : self.starts[document + 1]].tolist():
                    if partner not in found:
                        found[partner] = steps, document
                        further.append(partner)
            edge = further
        return found
