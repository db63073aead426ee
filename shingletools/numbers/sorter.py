"""Sorts entries of keys and values and looks them up, in memory or on disk."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Flags, Index
from shingletools.system.disk_array import DiskArray
from shingletools.system.memory_limit import Memory
from shingletools.system.workers import InTurn, in_threads

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORD_BYTES = 8  # of a key, and of a value
LAST = np.uint64(2**64 - 1)
NONE: Index = np.empty(0, np.int64)
SMALL_RUN = 1 << 14  # entries of which another thread would be no help
SORTING = 4  # memory for sorting entries, in multiples of their size; in another thread, once more for what comes


def ascending(keys: U64) -> Index:
    """Returns the places of the keys in ascending order; those of equal keys ascend. Shapes: (keys,) in; (keys,) out.

    A key and its place are sorted as one integer, with as many upper bits of the key as there is room for. That takes
    about half the time of a sort of places by their keys.

    >>> ascending(np.array([7 << 60, 5 << 60, 7 << 60, 1 << 60], np.uint64)).tolist()
    [3, 1, 0, 2]
    """
    place_bits = np.uint64((1 << len(keys).bit_length()) - 1)
    unused = np.uint64(64 - max(int(keys.max(initial=0)).bit_length(), 1))
    together = (keys << unused & ~place_bits) | np.arange(len(keys), dtype=np.uint64)
    together.sort()
    place = (together & place_bits).astype(np.int64)
    ordered = keys[place]
    if np.any(ordered[1:] < ordered[:-1]):  # some differ in their lower bits only
        place = place[np.argsort(ordered, kind="stable")]
    return place


def equal_keys(keys: U64) -> tuple[Index, Index]:
    """Returns the keys that come twice or more: the number of each, ascending from 0, and its places, ascending.

    Shapes: (keys,) in; (shared,), (shared,) out.

    >>> [part.tolist() for part in equal_keys(np.array([7 << 60, 5 << 60, 7 << 60, 1 << 60], np.uint64))]
    [[0, 0], [0, 2]]
    """
    place = np.flatnonzero(kernel.shared(keys))  # most keys that come once need not be sorted
    place = place[ascending(keys[place])]
    number, some = repeated(keys[place])
    return number, place[some]


def repeated(keys: U64) -> tuple[Index, Flags]:
    """Returns which ascending keys come twice or more, shape (keys,), and the number of each of these, from 0 on."""
    as_last, as_next = np.zeros((2, len(keys)), np.bool_)
    as_last[1:] = as_next[:-1] = keys[1:] == keys[:-1]
    some = as_last | as_next
    return np.cumsum(~as_last[some]) - 1, some


@dataclass(frozen=True)
class SortingLimits:
    """How much is worked on at once, each at least 1; limits do not change what is found."""

    # Bytes of a share of the memory, at least: with less, nearly all work would be overhead
    least_share: int = 1 << 20
    # Entries on disk for each key kept in memory, which tell how many entries are below a key: 8 bytes for 4,096
    sampled: int = 1 << 8
    # Keys by which all sorted runs are split at once: each time, all runs are searched, and memory of files is released
    splits: int = 1 << 6


class Sorter:
    """Takes entries of a key and values, or keys alone, and gives them by ascending keys, in blocks.

    Keys are uint64, values int64. Entries of one key come in one block, in the order in which they were added. If there
    are more entries than fit in memory, they are sorted in runs, which are merged by workers.
    """

    def __init__(
        self,
        memory: Memory | None,
        divisor: int,
        limits: SortingLimits,
        *,
        columns: int = 1,
        pool: "ThreadPoolExecutor | None" = None,
    ) -> None:
        """Takes the share of the memory for writing, and again for reading; memory None is no limit.

        columns: values of each key. If there are several, values have the shape (entries, columns). pool: threads that
        several sorters share.
        """
        self.memory = memory
        self.jobs = 1 if memory is None else memory.jobs
        self.sampled, self.splits = limits.sampled, limits.splits
        self.columns = columns
        self.width = 1 + columns
        self.shape = (-1, columns) if columns > 1 else (-1,)
        share = 0 if memory is None else memory.share(divisor, limits.least_share // 8)
        times = SORTING + (self.jobs > 1)
        self.most = sys.maxsize if memory is None else share // (times * WORD_BYTES * self.width)
        self.in_turn = InTurn(self.jobs > 1, pool)  # sorts and writes runs while others come
        self.held: list[tuple[U64, Index]] = []
        self.holding = 0
        self.column: DiskArray | None = None
        self.runs: list[tuple[int, int]] = []  # start and end of each, in entries of the column
        self.samples: list[U64] = []  # of their keys, in memory, to tell how many entries are below a key

    def add(self, keys: U64, values: Index = NONE) -> None:
        """Adds entries in any order. Shapes: (entries,), (entries,); no values if keys are alone.

        The arrays are kept, and read later, so they must not change.
        """
        for start in range(0, len(keys), self.most):
            part = slice(start, start + self.most)
            self.held.append((keys[part], values[part]))
            self.holding += len(keys[part])
            if self.holding >= self.most:
                self._end_run()

    def _sorted(self, held: list[tuple[U64, Index]]) -> tuple[U64, Index]:
        """Returns the entries by ascending keys, and empties the list, so that they are not held twice."""
        keys = np.concatenate([np.empty(0, np.uint64), *(part[0] for part in held)])
        values = np.concatenate([NONE.reshape(self.shape), *(part[1] for part in held)])
        held.clear()
        if not self.columns:
            keys.sort()
            return keys, values
        order = ascending(keys)
        return keys[order], values[order]

    def _end_run(self) -> None:
        self.in_turn.wait()  # no more than one run is at work
        held, small = self.held, self.holding < SMALL_RUN
        self.held, self.holding = [], 0
        self.in_turn.call(partial(self._write_run, held), small=small)

    def _write_run(self, held: list[tuple[U64, Index]]) -> None:
        keys, values = self._sorted(held)
        if self.column is None and self.memory is not None:
            self.column = DiskArray(self.memory.folder)
        assert self.column is not None
        start = self.runs[-1][1] if self.runs else 0
        self.column.append(np.column_stack([keys, values.view(np.uint64)][: self.width]).tobytes())
        self.runs.append((start, start + len(keys)))
        self.samples.append(keys[self.sampled - 1 :: self.sampled].copy())

    def sorted(self) -> Iterator[tuple[U64, Index]]:
        """Yields all entries: blocks of keys and values of one length; all keys ascend. It can be called once."""
        self.in_turn.wait()
        if self.column is None:
            yield self._sorted(self.held)
            return
        if self.held:
            self._write_run(self.held)
        entries = self.column.view(np.uint64).reshape(-1, self.width)
        yield from in_threads(partial(self._merged, entries), self._parts(entries), self.jobs)

    def _parts(self, entries: U64) -> Iterator[tuple[Index, Index]]:
        """Yields the starts and ends of parts of all runs, by ascending keys."""
        assert self.column is not None
        every = max(self.most // self.sampled // self.jobs, 1)
        splits = np.unique(np.append(np.sort(np.concatenate(self.samples))[every - 1 :: every], LAST))
        before = np.array([start for start, _ in self.runs])
        for first in range(0, len(splits), self.splits):
            limits = splits[first : first + self.splits]
            after = []
            for start, end in self.runs:
                after.append(start + np.searchsorted(entries[start:end, 0], limits, "right"))
                self.column.forget()
            for ends in np.array(after).T:
                yield before, ends
                before = ends

    def _merged(self, entries: U64, limits: tuple[Index, Index]) -> tuple[U64, Index]:
        assert self.column is not None
        parts = [entries[start:end] for start, end in zip(*limits, strict=True) if start < end]
        merged = np.concatenate([np.empty((0, self.width), np.uint64), *parts])
        self.column.forget()
        merged = merged[ascending(merged[:, 0])]
        return merged[:, 0].copy(), merged[:, 1:].reshape(self.shape).astype(np.int64)

    def distinct(self, most: int) -> Iterator[tuple[U64, Index]]:
        """Yields the distinct keys, each with one of its values, in blocks of at most `most`. It can be called once."""
        last = np.empty(0, np.uint64)
        for keys, values in self.sorted():
            before = np.concatenate([last, keys])[: len(keys)] if len(last) else np.append(~keys[:1], keys)[: len(keys)]
            fresh = np.flatnonzero(keys != before)
            last = keys[-1:] if len(keys) else last
            for start in range(0, len(fresh), most):
                chosen = fresh[start : start + most]
                yield keys[chosen], values[chosen] if self.columns else NONE


def distinct_keys(blocks: Iterable[U64], new_sorter: Callable[[], Sorter], together: int, most: int) -> Iterator[U64]:
    """Yields keys in ascending blocks of at most `most`, each once among the next `together` keys of the blocks."""
    every, last = iter(blocks), False
    while not last:
        sorter, held, last = new_sorter(), 0, True
        for keys in every:
            sorter.add(keys)
            held += len(keys)
            if held >= together:
                last = False
                break
        yield from (keys for keys, _ in sorter.distinct(most))


class Entries:
    """Entries by ascending keys that can be read anywhere: `keys`, uint64, and `values`, int64, of one length."""

    def __init__(self, blocks: Iterable[tuple[U64, Index]], memory: Memory | None) -> None:
        self.columns = [DiskArray(memory.folder), DiskArray(memory.folder)] if memory is not None else []
        held = [(np.empty(0, np.uint64), np.empty(0, np.int64))]
        for block in blocks:
            for column, values in zip(self.columns, block, strict=False):
                column.append(values.tobytes())
            if memory is None:
                held.append(block)
        self.keys, self.values = (np.concatenate(parts) for parts in zip(*held, strict=True))
        if memory is not None:
            self.keys, self.values = self.columns[0].view(np.uint64), self.columns[1].view(np.int64)

    def within(self, one: Index, number: int, two: Index | int = 0) -> tuple[Index, Index]:
        """Returns for each i the first and the number of keys from one[i] * number + two[i] to (one[i] + 1) * number.

        Shapes: (n,), and (n,) or one number, in; (n,), (n,) out. All int64.
        """
        limits = np.append(one * number + two, (one + 1) * number).astype(np.uint64)
        start, end = np.searchsorted(self.keys, limits).reshape(2, -1)
        self.forget()
        return start, end - start

    def forget(self) -> None:
        """Releases the memory of entries that were read from disk."""
        for column in self.columns:
            column.forget()
