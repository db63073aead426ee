"""Groups of numbered ids: the definition. Only C reads many lines at once; the readers here take no lines.

Readers get lines and the start of the first one. They stop at the first line that is not ordinary. All that they give
except ids is int64. See groups.c.
"""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.ids import IdsAt, names_of
from shingletools.kernel.types import I32, U8, Index

DECIMALS = 12  # of similarities in ordinary lines


class ReadPairs(NamedTuple):
    """The pairs in lines that are similar enough: two ids for each."""

    lines: int
    end: int  # the start of the next line
    ids: bytes
    id_sizes: bytes


class ReadSimilarities(NamedTuple):
    """The pairs in lines: two ids for each, and the similarity."""

    lines: int
    end: int
    ids: bytes  # of a
    id_sizes: bytes
    others: bytes  # of b
    other_sizes: bytes
    similarities: bytes  # in units of 10^-DECIMALS; -1 for none
    against: bytes  # a byte for each: whether a and b are of two sides


class DocumentFields(NamedTuple):
    """The names of fields of documents, as JSON without the quotes."""

    id: bytes
    text: bytes | None = None  # the text, if its length counts
    marked: bool = True  # whether an ordinary line may have marks
    mark: bytes | None = None  # the first mark, which may not stand twice
    second: bytes | None = None  # the second mark, likewise
    value: bytes | None = None  # the value, if it counts
    whole: bytes | None = None  # what a document is a part of, if that counts


class ReadDocuments(NamedTuple):
    """The documents in lines: as many of each as lines. Lengths and values only if they count."""

    lines: int
    end: int
    ids: bytes
    id_sizes: bytes
    places: bytes  # the start of each line
    lasts: bytes  # the end of each document's last value
    lengths: bytes  # of each text, in characters
    values: bytes  # start and end of each value; 0 and 0 if there is none
    wholes: bytes  # likewise


class Grouped(NamedTuple):
    """The ids of the groups in lines."""

    lines: int
    end: int
    ids: bytes
    id_sizes: bytes
    counts: bytes  # number of ids of each group


def read_pairs(_lines: bytes, at: int, _least: int, /) -> ReadPairs:
    return ReadPairs(0, at, b"", b"")


def read_similarities(_lines: bytes, at: int, /) -> ReadSimilarities:
    return ReadSimilarities(0, at, b"", b"", b"", b"", b"", b"")


def read_documents(_lines: bytes, at: int, _fields: DocumentFields, /) -> ReadDocuments:
    return ReadDocuments(0, at, b"", b"", b"", b"", b"", b"", b"")


def read_members(_lines: bytes, at: int, /) -> Grouped:
    return Grouped(0, at, b"", b"", b"")


def group_lines(members: IdsAt, sizes: Index, /) -> bytes:
    r"""The lines of groups, whose members stand group by group. The first member is the group's name.

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


def connect(parent: I32, left: Index, right: Index, news: U8, /) -> None:
    """Connects pairs of numbers, in order, and sets in `news` whether the two were not connected before.

    Shapes: (numbers,), (pairs,), (pairs,), (pairs,). A number's parent is connected with it and not greater; the least
    of connected numbers is its own parent. Union by the least number, with path halving.

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
