"""Groups of numbered ids: the definition."""

import numpy as np

from shingletools.kernel.ids import SelectedIds, each_id
from shingletools.kernel.types import I32, U8, Index


def group_lines(members: SelectedIds, sizes: Index, /) -> bytes:
    r"""Returns the lines of groups. Members stand group by group; the first member is the group's name.

    >>> members = SelectedIds(b'"x"7', np.array([3, 4]), np.array([1, 0, 0]))
    >>> group_lines(members, np.array([2, 1]))
    b'{"group":7,"size":2,"members":[7,"x"]}\n{"group":"x","size":1,"members":["x"]}\n'
    """
    names = list(each_id(members))
    if sum(sizes.tolist()) != len(names) or min(sizes.tolist(), default=1) < 1:
        raise ValueError("the sizes are not those of the groups")
    lines, at = [], 0
    for size in sizes.tolist():
        group = names[at : at + size]
        lines.append(b'{"group":%b,"size":%d,"members":[%b]}\n' % (group[0], size, b",".join(group)))
        at += size
    return b"".join(lines)


def connect(parent: I32, left: Index, right: Index, news: U8, /) -> None:
    """Connects pairs of numbers, in order, and sets `news` where the two were not connected before.

    Shapes: (numbers,), (pairs,), (pairs,), (pairs,). The parent of a number is connected with it and not greater; the
    least of connected numbers is its own parent. Union by the least number, with path halving.

    >>> parent, news = np.arange(4, dtype=np.int32), np.zeros(2, np.uint8)
    >>> connect(parent, np.array([3, 1]), np.array([1, 3]), news)
    >>> parent.tolist(), news.tolist()
    ([0, 1, 2, 1], [1, 0])
    """
    pairs = np.stack([left, right], axis=1)
    if len(news) != len(pairs) or np.any((pairs < 0) | (pairs >= len(parent))):
        raise ValueError("no pairs of these numbers")

    def first_of(number: int) -> int:
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    above = parent.data  # faster than an array to read number by number
    for place, (a, b) in enumerate(pairs.tolist()):
        one, two = first_of(a), first_of(b)
        above[max(one, two)] = min(one, two)
        news[place] = one != two
