"""The pairs of a page: which groups they connect, and which documents `dedup` removes by them."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.independent_set import EITHER_MAY, PairEnds
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.covered_documents import staying
from shingletools.numbers.union_find import UnionFind


class PairGraph:
    """A graph of pairs of documents, which are numbers from 0 on. Memory: 17 bytes a pair.

    >>> graph = PairGraph()
    >>> for a, b, may_go in [(0, 1, EITHER_MAY), (1, 2, 1), (2, 0, 0), (3, 4, 0)]:
    ...     graph.add(a, b, may_go)
    >>> list(graph.groups(5))
    [[0, 1, 2]]
    """

    def __init__(self) -> None:
        self.a, self.b = array("q"), array("q")
        self.may_go = array("B")  # bits of PairEnds.may_go

    def __len__(self) -> int:
        return len(self.a)

    def add(self, a: int, b: int, may_go: int = EITHER_MAY) -> None:
        """Adds a pair of two different documents."""
        self.a.append(a)
        self.b.append(b)
        self.may_go.append(may_go)

    def distinct(self, documents: int) -> Index:
        """Returns each pair once, whichever document was a, as the lesser number times `documents`, plus the other.

        >>> graph = PairGraph()
        >>> for a, b in [(0, 1), (2, 1), (1, 0)]:
        ...     graph.add(a, b)
        >>> graph.distinct(3).tolist()
        [1, 5]
        """
        a, b = np.array(self.a, np.int64), np.array(self.b, np.int64)
        return np.unique(np.minimum(a, b) * documents + np.maximum(a, b))

    def without_star(self, members: Sequence[int]) -> "PairGraph":
        """Removes the last pairs, if they are of the first of these documents with each other one; gives these.

        >>> graph = PairGraph()
        >>> graph.add(0, 1)
        >>> graph.add(0, 2)
        >>> len(graph.without_star([0, 2, 1])), len(graph.without_star([0, 1, 2])), len(graph)
        (0, 2, 0)
        """
        first, *others = members
        start = len(self) - len(others)
        star = PairGraph()
        if start >= 0 and self.a[start:].tolist() == [first] * len(others) and self.b[start:].tolist() == others:
            star.a, star.b, star.may_go = self.a[start:], self.b[start:], self.may_go[start:]
            del self.a[start:], self.b[start:], self.may_go[start:]
        return star

    def extend(self, other: "PairGraph") -> None:
        """Adds the pairs of another graph."""
        self.a += other.a
        self.b += other.b
        self.may_go += other.may_go

    def thinned(self, order: Sequence[int], copies: Mapping[int, int] = MappingProxyType({})) -> list[int]:
        """Returns the documents that `dedup --pairs` removes. order: all documents, the ones to be kept first.

        copies: the originals of copies that have no other pair, since they have all pairs of their originals.

        >>> graph = PairGraph()
        >>> for a, b in [(0, 1), (1, 2), (2, 3)]:
        ...     graph.add(a, b)
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
        ordered = np.array(order, np.int64)
        first = ordered[np.sort(np.unique(original[ordered], return_index=True)[1])]  # of documents that are copies
        may_go = np.array(self.may_go, np.uint8)[some]
        pairs = PairEnds(ends, before, last, np.zeros(len(may_go)), may_go)
        stays = first[np.isin(original[first], staying(original[first], pairs))]
        gone: list[int] = np.setdiff1d(ordered, stays).tolist()
        return gone

    def removing(self, sides: int = EITHER_MAY) -> Flags:
        """Returns which pairs may remove a document of some sides, which are bits of PairEnds.may_go."""
        return np.array(self.may_go, np.uint8) & sides > 0

    def groups(self, documents: int, sides: int = EITHER_MAY) -> Iterator[list[int]]:
        """Yields the groups that pairs connect which may remove a document of some sides.

        Their documents are in ascending order. documents: the number of all.
        """
        connected, some = UnionFind(documents), self.removing(sides)
        connected.join(np.array(self.a, np.int64)[some], np.array(self.b, np.int64)[some])
        first = connected.representatives()
        members = np.argsort(first, kind="stable")
        for group in np.split(members, np.flatnonzero(np.diff(first[members])) + 1):
            if len(group) > 1:
                yield group.tolist()
