"""Ids with numbers, and lines of pairs of ids: the definition. Only C reads many lines at once.

Ids are JSON, one after the other, with either the size or the end of each, int64.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import U8, Flags, Index

Buffer = bytes | bytearray | U8 | Index


class SelectedIds(NamedTuple):
    """Some of many ids: the data and the ends of all ids, and the numbers of the selected ones."""

    data: Buffer
    ends: Buffer
    numbers: Index


class Ids:
    """Distinct ids, numbered in the order of their first occurrence.

    >>> ids = Ids()
    >>> np.frombuffer(ids.number(b'"a"7"a"', np.array([3, 1, 3])), np.int64).tolist(), bytes(ids.data)
    ([0, 1, 0], b'"a"7')
    >>> np.frombuffer(ids.find(b'7"b"', np.array([1, 3])), np.int64).tolist()
    [1, -1]
    """

    def __init__(self, key: bytes = b"") -> None:
        self.key = key
        self.numbers: dict[bytes, int] = {}
        self.data, self.ends = bytearray(), bytearray()

    def __len__(self) -> int:
        """Returns the number of ids."""
        return len(self.ends) // 8

    def number(self, ids: bytes, sizes: Buffer, /) -> bytes:
        """Returns the number of each id, int64; adds new ids."""
        for name in split_ids(ids, sizes):
            if name not in self.numbers:
                self.numbers[name] = len(self.numbers)
                self.data += name
                self.ends += len(self.data).to_bytes(8, sys.byteorder)
        return self.find(ids, sizes)

    def find(self, ids: bytes, sizes: Buffer, /) -> bytes:
        """Returns the number of each id, int64; -1 for ids that it does not have."""
        return np.array([self.numbers.get(name, -1) for name in split_ids(ids, sizes)], np.int64).tobytes()

    def hashes(self, ids: bytes | bytearray, sizes: Buffer, /) -> bytes:
        """Returns a keyed hash of each id, uint64; each kernel has a hash function of its own."""
        from hashlib import blake2b  # which loads OpenSSL

        return b"".join(blake2b(name, key=self.key, digest_size=8).digest() for name in split_ids(ids, sizes))

    def close(self) -> None:
        """Frees the table that finds ids. No ids can be added or found after this."""
        self.numbers.clear()


def split_ids(ids: Buffer, sizes: Buffer) -> Iterator[bytes]:
    """Yields the ids one by one. Raises ValueError if the sizes do not fit the data."""
    counts = np.frombuffer(sizes, np.int64).tolist()
    data = bytes(ids)
    if sum(counts) != len(data) or min(counts, default=0) < 0:
        raise ValueError("the sizes are not those of the ids")
    at = 0
    view = memoryview(data)
    for size in counts:
        yield bytes(view[at : at + size])  # a copy, never `data` itself: orjson's strings take a kilobyte
        at += size


def selected_values(data: Buffer, sizes: Index, some: Flags) -> bytes:
    """Returns the ids, or other values, whose flags are set.

    >>> selected_values(b'"a"7"b"', np.array([3, 1, 3]), np.array([True, False, True]))
    b'"a""b"'
    """
    return np.frombuffer(data, np.uint8)[np.repeat(some, sizes)].tobytes()


def pair_lines(a: SelectedIds, b: SelectedIds, rests: Sequence[bytes], which: Index, /) -> bytes:
    r"""Returns the lines of pairs: two ids, then the item of `rests` with the number in `which`.

    >>> one = SelectedIds(b'"x"7', np.array([3, 4]), np.array([0]))
    >>> pair_lines(one, one._replace(numbers=np.array([1])), [b'"similarity":1}\n'], np.array([0]))
    b'{"a":"x","b":7,"similarity":1}\n'
    """
    return b"".join(
        b'{"a":%b,"b":%b,%b' % (one, two, rests[number])
        for one, two, number in zip(each_id(a), each_id(b), which.tolist(), strict=True)
    )


def each_id(ids: SelectedIds) -> Iterator[bytes]:
    """Yields the selected ids, one by one. Raises ValueError for a number without an id."""
    data, ends = np.frombuffer(ids.data, np.uint8).data, np.frombuffer(ids.ends, np.int64)
    if np.any((ids.numbers < 0) | (ids.numbers >= len(ends))):
        raise ValueError("no ids of these numbers")
    for number in ids.numbers.tolist():
        yield bytes(data[ends[number - 1] if number else 0 : ends[number]])
