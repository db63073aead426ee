"""The pairs of a page, and the groups that they connect."""

from array import array
from collections.abc import Iterator

import numpy as np

from shingletools.kernel.independent_set import EITHER_MAY
from shingletools.kernel.types import Index
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

    def groups(self, documents: int, sides: int = EITHER_MAY) -> Iterator[list[int]]:
        """Yields the groups that pairs connect which may remove a document of some sides.

        Their documents are in ascending order. documents: the number of all.
        """
        connected, removing = UnionFind(documents), np.array(self.may_go, np.uint8) & sides > 0
        connected.join(np.array(self.a, np.int64)[removing], np.array(self.b, np.int64)[removing])
        first = connected.representatives()
        members = np.argsort(first, kind="stable")
        for group in np.split(members, np.flatnonzero(np.diff(first[members])) + 1):
            if len(group) > 1:
                yield group.tolist()
