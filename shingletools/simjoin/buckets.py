"""Buckets of documents, one after the other: what the joins that do not hold an index of all documents go through."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from shingletools.kernel.types import U64, Index
from shingletools.simjoin.scratch import LEAST, Memory, Sorter
from shingletools.simjoin.table import Documents, Flags

PORTION = 1 << 18  # documents in buckets that are worked on together
MOST_FILES = 256  # open at once


class Portion(NamedTuple):
    """Whole buckets of two rows or more."""

    bucket: Index  # a number for each row, ascending
    row: Index  # ascending in each bucket


def portions(entries: Iterable[tuple[U64, Index]]) -> Iterator[Portion]:
    """Buckets from entries by ascending keys; how these are cut into blocks makes no difference.

    >>> blocks = ([1, 4, 4], [7, 9, 8]), ([4, 6], [0, 1])
    >>> entries = [(np.array(keys, np.uint64), np.array(rows)) for keys, rows in blocks]
    >>> [(portion.bucket.tolist(), portion.row.tolist()) for portion in portions(entries)]
    [([0, 0, 0], [0, 8, 9])]
    """
    held: list[tuple[U64, Index]] = [(np.empty(0, np.uint64), np.empty(0, np.int64))]
    for block in chain(entries, [None]):
        if block is not None:
            held.append(block)
            if len(block[0]) and len(held[0][0]) and block[0][-1] == held[0][0][-1]:
                continue  # all of it in the last bucket, which may go on
        key, row = (np.concatenate(parts) for parts in zip(*held, strict=True))
        whole = len(key) if block is None else int(np.searchsorted(key, key[-1])) if len(key) else 0
        shared = np.zeros(len(key), np.bool_)
        same = key[1:] == key[:-1]
        shared[1:] = same
        shared[:-1] |= same
        shared[whole:] = True
        key, row = key[shared], row[shared]
        whole = int(np.count_nonzero(shared[:whole]))
        start = 0
        while whole - start >= PORTION or (block is None and start < whole):
            end = int(np.searchsorted(key[:whole], key[min(start + PORTION, whole) - 1], "right"))
            order = start + np.lexsort((row[start:end], key[start:end]))
            number = np.cumsum(np.append(False, key[start + 1 : end] != key[start : end - 1]))
            yield Portion(number, row[order])
            start = end
        held = [(key[start:], row[start:])]


def copies(table: Documents, cross: int | None, memory: Memory | None) -> Iterator[tuple[Index, Index]]:
    """Rows that equal an earlier one, as (the first such, the copy); with `cross`, on one side of it."""
    sorter = Sorter(memory, 4)
    for first, part in table.parts():
        keys = part.keys()
        rows = first + np.arange(len(part))
        if cross is not None:
            keys = keys + (rows >= cross)  # the sides have buckets of their own
        sorter.add(keys, rows)
    for portion in portions(sorter.sorted()):
        row = portion.row
        candidate = np.flatnonzero(portion.bucket[1:] == portion.bucket[:-1]) + 1
        if cross is not None:
            candidate = candidate[(row[candidate] >= cross) == (row[candidate - 1] >= cross)]
        new = np.ones(len(row), np.bool_)
        new[candidate] = ~table.equal(row[candidate], row[candidate - 1])
        first_place = np.maximum.accumulate(np.where(new, np.arange(len(row)), 0))
        yield row[first_place[~new]], row[~new]


def bands(table: Documents, alive: Flags, memory: Memory | None) -> Iterator[Iterator[Portion]]:
    """For each band the buckets of the rows that are alive."""
    if memory is None:
        for _, whole in table.parts():
            for keys, row in whole.buckets(range(table.bands)):
                sorter = Sorter(None, 1)
                sorter.add(keys[alive[row]], row[alive[row]])
                yield portions(sorter.sorted())
        return
    # Many bands in little memory take several passes
    together = min(max(memory.share(4) // LEAST, 8), MOST_FILES)
    for start in range(0, table.bands, together):
        chosen = range(start, min(start + together, table.bands))
        sorters = [Sorter(memory, 4 * len(chosen)) for _ in chosen]
        for first, part in table.parts():
            for sorter, (keys, row) in zip(sorters, part.buckets(chosen), strict=True):
                here = alive[first + row]
                sorter.add(keys[here], first + row[here])
        while sorters:
            yield portions(sorters.pop(0).sorted())
