"""Ids that are numbered, and pairs of them as lines: the definition. What reads lines at once is in C only.

Ids are JSON, one after the other, and beside them either the bytes of each or where each ends, int64.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import Index

Buffer = bytes | bytearray | Index


class IdsAt(NamedTuple):
    """Ids that stand somewhere among others."""

    data: Buffer
    ends: Buffer
    numbers: Index


class SignedFields(NamedTuple):
    """What lines must be like to be taken at once; names and recipe as JSON has them between quotes."""

    id: bytes
    via: bytes | None  # None if there must be none
    absent: tuple[bytes, ...]  # what must not be there
    payloads: tuple[tuple[bytes, int, int], ...]  # one or two: name, digits of a group, bytes or 0 for sets


class SignedLines(NamedTuple):
    """What a join takes of some lines: as many ids, places and payloads as there are lines."""

    lines: int
    end: int  # where the next line begins
    ids: bytes
    id_sizes: bytes
    places: bytes  # where each line begins
    payloads: tuple[bytes, ...]  # one column or two
    sizes: tuple[bytes, ...]


def read_signed(_lines: bytes, at: int, _fields: SignedFields, /) -> SignedLines:
    """Takes nothing of lines from a place on: the compiled one takes of ordinary lines what collect.c says."""
    return SignedLines(0, at, b"", b"", b"", (), ())


class Ids:
    """Ids, each kept once and numbered in the order in which they came.

    >>> ids = Ids()
    >>> ids.add(b'"a"7"a"', np.array([3, 1, 3])), bytes(ids.data)
    (2, b'"a"7')
    >>> np.frombuffer(ids.find(b'7"b"', np.array([1, 3])), np.int64).tolist()
    [1, -1]
    """

    def __init__(self, _key: bytes = b"") -> None:
        self.numbers: dict[bytes, int] = {}
        self.data, self.ends = bytearray(), bytearray()

    def __len__(self) -> int:
        """How many there are."""
        return len(self.ends) // 8

    def add(self, ids: bytes, sizes: Buffer, /) -> int:
        """Adds them up to the first that is there already, and says how many."""
        added = 0
        for name in split(ids, sizes):
            if name in self.numbers:
                break
            self._add(name)
            added += 1
        return added

    def number(self, ids: bytes, sizes: Buffer, /) -> bytes:
        """The number of each, int64; those that are not there are added."""
        for name in split(ids, sizes):
            if name not in self.numbers:
                self._add(name)
        return self.find(ids, sizes)

    def find(self, ids: bytes, sizes: Buffer, /) -> bytes:
        """The number of each, int64; -1 if it is not there."""
        return np.array([self.numbers.get(name, -1) for name in split(ids, sizes)], np.int64).tobytes()

    def close(self) -> None:
        """Lets go of what finds them: none are added or found any more."""
        self.numbers.clear()

    def _add(self, name: bytes) -> None:
        self.numbers[name] = len(self.numbers)
        self.data += name
        self.ends += len(self.data).to_bytes(8, sys.byteorder)


def split(ids: Buffer, sizes: Buffer) -> Iterator[bytes]:
    """The ids one by one; raises ValueError where the sizes are not those of the data."""
    counts = np.frombuffer(sizes, np.int64).tolist()
    data = bytes(ids)
    if sum(counts) != len(data) or min(counts, default=0) < 0:
        raise ValueError("the sizes are not those of the ids")
    at = 0
    view = memoryview(data)
    for size in counts:
        yield bytes(view[at : at + size])  # never `data` itself, of which orjson takes a kilobyte
        at += size


def pair_lines(a: IdsAt, b: IdsAt, rests: Sequence[bytes], which: Index, /) -> bytes:
    r"""Lines of pairs: the two ids of each, and behind them one of the `rests`, by its number.

    >>> one = IdsAt(b'"x"7', np.array([3, 4]), np.array([0]))
    >>> pair_lines(one, one._replace(numbers=np.array([1])), [b'"similarity":1}\n'], np.array([0]))
    b'{"a":"x","b":7,"similarity":1}\n'
    """
    return b"".join(
        b'{"a":%b,"b":%b,%b' % (one, two, rests[number])
        for one, two, number in zip(names_of(a), names_of(b), which.tolist(), strict=True)
    )


def names_of(ids: IdsAt) -> Iterator[bytes]:
    """The ids of the numbers, one by one; raises ValueError where there is no such."""
    data, ends = np.frombuffer(ids.data, np.uint8).data, np.frombuffer(ids.ends, np.int64)
    if np.any((ids.numbers < 0) | (ids.numbers >= len(ends))):
        raise ValueError("no ids of these numbers")
    for number in ids.numbers.tolist():
        yield bytes(data[ends[number - 1] if number else 0 : ends[number]])
