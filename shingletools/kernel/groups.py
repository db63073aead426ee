"""Groups of numbered ids: the definition. What reads lines at once is in C only; it leaves all lines here.

Readers take lines, and where the first begins; they stop at the first that is out of the ordinary. All that they give
but the ids is int64. See groups.c.
"""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.ids import IdsAt, names_of
from shingletools.kernel.types import U8, Index

DECIMALS = 12  # of similarities that are read at once


class ReadPairs(NamedTuple):
    """Of some lines the pairs that are similar enough: two ids of each."""

    lines: int
    end: int  # where the next line begins
    ids: bytes
    id_sizes: bytes


class ReadSimilarities(NamedTuple):
    """Pairs of some lines: two ids of each, and how similar the two are."""

    lines: int
    end: int
    ids: bytes  # of a
    id_sizes: bytes
    others: bytes  # of b
    other_sizes: bytes
    similarities: bytes  # in units of 10^-DECIMALS, -1 where there is none
    against: bytes  # a byte each: whether b is of another side than a


class DocumentFields(NamedTuple):
    """Names of fields of documents, as JSON has them between quotes."""

    id: bytes
    text: bytes | None = None  # whose length counts
    marked: bool = True  # whether marks may stand there at all
    mark: bytes | None = None  # may not stand twice
    second: bytes | None = None  # nor may this
    value: bytes | None = None  # which is asked for


class ReadDocuments(NamedTuple):
    """As many of each as there are lines; lengths and values only where they are asked for."""

    lines: int
    end: int
    ids: bytes
    id_sizes: bytes
    places: bytes  # where each line begins
    lasts: bytes  # where the last value of each ends
    lengths: bytes  # characters of each text
    values: bytes  # where each value begins and ends, 0 and 0 if there is none


class Grouped(NamedTuple):
    """The ids of some groups, a line each."""

    lines: int
    end: int
    ids: bytes
    id_sizes: bytes
    counts: bytes  # how many ids each has


def read_pairs(_lines: bytes, at: int, _least: int, /) -> ReadPairs:
    return ReadPairs(0, at, b"", b"")


def read_similarities(_lines: bytes, at: int, /) -> ReadSimilarities:
    return ReadSimilarities(0, at, b"", b"", b"", b"", b"", b"")


def read_documents(_lines: bytes, at: int, _fields: DocumentFields, /) -> ReadDocuments:
    return ReadDocuments(0, at, b"", b"", b"", b"", b"", b"")


def read_members(_lines: bytes, at: int, /) -> Grouped:
    return Grouped(0, at, b"", b"", b"")


def group_lines(members: IdsAt, sizes: Index, /) -> bytes:
    r"""Lines of groups, whose members stand one group after the other; the first gives each its name.

    >>> members = IdsAt(b'"x"7', np.array([3, 4]), np.array([1, 0, 0]))
    >>> group_lines(members, np.array([2, 1]))
    b'{"group":7,"size":2,"members":[7,"x"]}\n{"group":"x","size":1,"members":["x"]}\n'
    """
    names = list(names_of(members))
    if sum(sizes.tolist()) != len(names) or min(sizes.tolist(), default=1) < 1:
        raise ValueError("the sizes are not those of the groups")
    lines, at = [], 0
    for size in sizes.tolist():
        group = names[at : at + size]
        lines.append(b'{"group":%b,"size":%d,"members":[%b]}\n' % (group[0], size, b",".join(group)))
        at += size
    return b"".join(lines)


def connect(parent: Index, left: Index, right: Index, news: U8, /) -> None:
    """Connects numbers, in order; sets in `news` whether the two of each pair were not connected before.

    Shapes: (numbers,), (pairs,) of each of the others. Each number's parent is one that it is connected with and no
    greater, itself if it is the first of all those. Union by the smallest number, with path halving.

    >>> parent, news = np.arange(4), np.zeros(2, np.uint8)
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

    above = parent.data  # which is faster than an array, number by number
    for place, (a, b) in enumerate(pairs.tolist()):
        one, two = first_of(a), first_of(b)
        above[max(one, two)] = min(one, two)
        news[place] = one != two
