"""The ties of a group: its density, its weakest link, and the steps between its documents."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.independent_set import EITHER_MAY, PairEnds, Partners
from shingletools.kernel.types import Index
from shingletools.numbers.union_find import UnionFind


class Edge(NamedTuple):
    """A pair that holds a group together."""

    a: int
    b: int
    similarity: float


class Ties(NamedTuple):
    """A group of documents, which are numbers in ascending order; the first is the representative."""

    members: list[int]
    pairs: int  # number of distinct pairs
    weakest: Edge  # without it, and all less similar pairs, the group falls apart

    @property
    def density(self) -> Fraction:
        """Returns the share of all possible pairs that exist."""
        return Fraction(2 * self.pairs, len(self.members) * (len(self.members) - 1))


class Graph:
    """A graph of pairs of documents, which are numbers from 0 on. Memory: 25 bytes a pair.

    >>> graph = Graph()
    >>> for a, b, similarity in [(0, 1, 0.9), (1, 2, 0.5), (2, 0, 0.7), (3, 4, 1.0)]:
    ...     graph.add(a, b, similarity)
    >>> for ties in graph.groups(5):
    ...     print(ties.members, ties.density, ties.weakest)
    [0, 1, 2] 1 Edge(a=2, b=0, similarity=0.7)
    [3, 4] 1 Edge(a=3, b=4, similarity=1.0)
    """

    def __init__(self) -> None:
        self.a, self.b, self.similarity, self.copies = array("q"), array("q"), array("d"), array("b")

    def __len__(self) -> int:
        return len(self.a)

    def add(self, a: int, b: int, similarity: float, copy: bool = False) -> None:
        """Adds a pair of two different documents. copy: they have the same words in the same order."""
        self.a.append(a)
        self.b.append(b)
        self.similarity.append(similarity)
        self.copies.append(copy)

    def once(self, documents: int) -> tuple[Index, list[float], int]:
        """Returns each pair once, as it first came, whichever document was a. documents: their number.

        Pairs as numbers, ascending: the lesser document times `documents`, plus the other. Similarities of those that
        are no exact copies; the number of copies.

        >>> graph = Graph()
        >>> for a, b, similarity in [(0, 1, 0.9), (2, 1, 0.5), (1, 0, 0.7)]:
        ...     graph.add(a, b, similarity)
        >>> pairs, similarities, copies = graph.once(3)
        >>> pairs.tolist(), similarities, copies
        ([1, 5], [0.9, 0.5], 0)
        """
        a, b = np.array(self.a, np.int64), np.array(self.b, np.int64)
        pairs, first = np.unique(np.minimum(a, b) * documents + np.maximum(a, b), return_index=True)
        first = np.sort(first)
        copies = np.array(self.copies, bool)[first]
        return pairs, np.array(self.similarity)[first][~copies].tolist(), int(copies.sum())

    def without_star(self, members: Sequence[int]) -> "Graph":
        """Removes the last pairs, if they are of the first of these documents with each other one; gives these.

        >>> graph = Graph()
        >>> graph.add(0, 1, 0.9)
        >>> graph.add(0, 2, 0.5)
        >>> len(graph.without_star([0, 2, 1])), graph.without_star([0, 1, 2]).similarity, len(graph)
        (0, array('d', [0.9, 0.5]), 0)
        """
        first, *others = members
        start = len(self) - len(others)
        if start < 0 or self.a[start:].tolist() != [first] * len(others) or self.b[start:].tolist() != others:
            return Graph()
        star = Graph()
        star.extend(self, start)
        del self.a[start:], self.b[start:], self.similarity[start:], self.copies[start:]
        return star

    def extend(self, other: "Graph", start: int = 0) -> None:
        """Adds the pairs of another graph, from one on."""
        self.a += other.a[start:]
        self.b += other.b[start:]
        self.similarity += other.similarity[start:]
        self.copies += other.copies[start:]

    def thinned(self, order: Sequence[int], copies: Mapping[int, int] = MappingProxyType({})) -> list[int]:
        """Returns the documents that `dedup --pairs` would remove. order: all documents, the ones to be kept first.

        copies: the originals of copies that have no other pair, since they have all pairs of their originals.

        >>> graph = Graph()
        >>> for a, b in [(0, 1), (1, 2), (2, 3)]:
        ...     graph.add(a, b, 0.9)
        >>> graph.thinned([0, 1, 2, 3]), graph.thinned([1, 0, 2, 3]), graph.thinned([0, 1, 2, 3], {2: 1})
        ([1, 3], [0, 2], [1, 2])
        """
        original = np.arange(len(order))
        original[list(copies)] = list(copies.values())
        ends = original[np.stack([np.array(self.a, np.int32), np.array(self.b, np.int32)], axis=1)]
        some = ends[:, 0] != ends[:, 1]
        ends = ends[some].reshape(-1).astype(np.int32)
        before, last = np.empty_like(ends), np.full(len(order), -1, np.int32)
        kernel.list_ends(ends, before, last)
        kept = Partners(np.full(len(order), -1, np.int32), np.zeros(len(order)))
        ordered = np.array(order, np.int64)
        first = ordered[np.sort(np.unique(original[ordered], return_index=True)[1])]  # of documents that are copies
        similarity = np.array(self.similarity)[some]
        greedy = PairEnds(ends, before, last, similarity, np.full(len(similarity), EITHER_MAY, np.uint8))
        kernel.greedy_independent_set(original[first], greedy, kept)
        stays = first[kept.partner[original[first]] < 0]
        gone: list[int] = np.setdiff1d(ordered, stays).tolist()
        return gone

    def groups(self, documents: int) -> Iterator[Ties]:
        """Yields the groups that the pairs connect, in the order of their representatives. documents: their number.

        The weakest link is the least edge of a maximum spanning tree, by Kruskal's algorithm (1956): pairs are joined
        from the most similar down, so the last one that joins two parts of a group is its weakest link.
        """
        a, b, similarity = np.array(self.a), np.array(self.b), np.array(self.similarity)
        order = np.argsort(-similarity, kind="stable")
        connected = UnionFind(documents)
        tree = order[connected.join(a[order], b[order])]
        first = connected.representatives()
        weakest = np.full(documents, -1)
        weakest[first[a[tree]]] = tree  # the last edge of each group remains
        distinct = np.unique(np.minimum(a, b) * documents + np.maximum(a, b))
        pairs = np.bincount(first[distinct // max(documents, 1)], minlength=documents)
        sizes = np.bincount(first, minlength=documents)
        members = np.argsort(first, kind="stable")
        ends = np.cumsum(sizes)
        for group in np.flatnonzero(sizes > 1).tolist():
            edge = weakest[group]
            link = Edge(self.a[edge], self.b[edge], self.similarity[edge])
            yield Ties(members[ends[group] - sizes[group] : ends[group]].tolist(), int(pairs[group]), link)


class Steps:
    """Counts the pairs on the way from one document of a graph to others."""

    def __init__(self, graph: Graph, documents: int) -> None:
        a, b = np.array(graph.a), np.array(graph.b)
        source, target = np.concatenate([a, b]), np.concatenate([b, a])
        order = np.argsort(source, kind="stable")
        self.partners = target[order]
        self.starts = np.searchsorted(source[order], np.arange(documents + 1))

    def from_first(self, members: list[int]) -> dict[int, tuple[int, int]]:
        """Returns for each member of a group its distance from the first one in pairs, and the member before it.

        Breadth first. If several documents can be before it, the one that was reached first is.
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
