"""What is connected with what: union by the smallest number, with path halving."""

from array import array


class UnionFind:
    """Numbers from 0 on, each alone until it is joined with another. Memory: 8 bytes a number.

    >>> groups = UnionFind(4)
    >>> groups.join(3, 1), groups.join(1, 3), groups.find(3), list(groups.representatives())
    (True, False, 1, [0, 1, 2, 1])
    """

    def __init__(self, numbers: int = 0) -> None:
        self.parent = array("q", range(numbers))

    def add(self) -> None:
        """One more number."""
        self.parent.append(len(self.parent))

    def find(self, number: int) -> int:
        """The first of those that it is connected with."""
        parent = self.parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def join(self, a: int, b: int) -> bool:
        """Connects two; whether they were not connected before."""
        one, two = self.find(a), self.find(b)
        self.parent[max(one, two)] = min(one, two)
        return one != two

    def representatives(self) -> "array[int]":
        """For each number the first of those that it is connected with."""
        return array("q", map(self.find, range(len(self.parent))))
