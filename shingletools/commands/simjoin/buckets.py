"""Yields buckets of documents one after the other, for joins that hold no index of all documents."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple, Self

import numpy as np

from shingletools.commands.simjoin.label_filter import LabelFilter
from shingletools.commands.simjoin.limits import Limits, Resources
from shingletools.commands.simjoin.pair_arrays import rows_at
from shingletools.commands.simjoin.table import BATCH_BANDS, Bucketed, Documents, Table
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Flags, Index
from shingletools.numbers.sorter import Sorter, equal_keys
from shingletools.system.memory_limit import Memory
from shingletools.system.workers import in_threads

MAX_OPEN_FILES = 256  # files open at once
PLACES = 4  # marks in a byte
ENTRY_BYTES = 16  # bytes of a key and a row


class Alive(NamedTuple):
    """Which rows get into buckets, shape (documents,); and the scope, of which each class has its own buckets."""

    flags: Flags
    scope: LabelFilter | None

    def at(self, first: int, part: Table) -> Flags:
        """Returns the flags of a part whose rows begin at `first`."""
        return self.flags[first : first + len(part)]


class Portion(NamedTuple):
    """Whole buckets of two or more rows, as arrays of one length."""

    bucket: Index  # the bucket's number, ascending: 0, 1, 2 ...; some may be missing
    row: Index  # ascending in each bucket; after `by_size`, by size and then number
    asks: Flags | None = None  # whether the row is compared with those after it in its bucket; None if all are
    place: Index | None = None  # as in Bucketed

    def at(self, some: Index | Flags | slice) -> Self:
        return rows_at(self, some)


def by_size(table: Documents, portion: Portion) -> Portion:
    """Orders a portion whose rows ascend in each bucket by size, and drops rows that would be compared with none.

    If all rows ask, either of two may; then their sizes matter only to bounds of overlaps.
    """
    if portion.asks is None or (portion.asks.all() and portion.place is None):
        return Portion(portion.bucket, portion.row)
    some = portion.at(np.bincount(portion.bucket, portion.asks)[portion.bucket] > 0)
    some = some.at(np.lexsort((table.whole(some.row), some.bucket)))
    assert some.asks is not None
    # A row smaller than all rows that ask in its bucket is asked by none
    asking = np.cumsum(some.asks)
    return some.at(asking > (asking - some.asks)[np.searchsorted(some.bucket, some.bucket)])


def portions(entries: Iterable[tuple[U64, Index]], most: int) -> Iterator[Portion]:
    """Yields buckets from entries by ascending keys. The size of the blocks does not matter.

    A block is keys, uint64, and their rows, int64. Rows alone at their key are left out. A portion has `most` rows and
    the rest of its last bucket. Rows of several columns are in the order of the first one.

    >>> blocks = ([1, 4, 4], [7, 9, 8]), ([4, 6], [0, 1])
    >>> entries = [(np.array(keys, np.uint64), np.array(rows)) for keys, rows in blocks]
    >>> [(portion.bucket.tolist(), portion.row.tolist()) for portion in portions(entries, 100)]
    [([0, 0, 0], [0, 8, 9])]
    """
    held: list[tuple[U64, Index]] = []
    for block in chain((entry for entry in entries if len(entry[0])), [None]):
        if block is not None:
            held.append(block)
            if held[0][0][-1:] == block[0][-1]:
                continue  # all in one bucket, which may go on
        if not held:
            return
        key, row = (np.concatenate(parts) for parts in zip(*held, strict=True))
        whole = len(key) if block is None else int(np.searchsorted(key, key[-1]))
        shared = np.zeros(len(key), np.bool_)
        same = key[1:] == key[:-1]
        shared[1:] = same
        shared[:-1] |= same
        shared[whole:] = True
        key, row = key[shared], row[shared]
        whole = int(np.count_nonzero(shared[:whole]))
        start = 0
        while whole - start >= most or (block is None and start < whole):
            end = int(np.searchsorted(key[:whole], key[min(start + most, whole) - 1], "right"))
            ordered = row[start:end] if row.ndim == 1 else row[start:end, 0]
            order = start + np.lexsort((ordered, key[start:end]))
            number = np.cumsum(np.append(False, key[start + 1 : end] != key[start : end - 1]))
            yield Portion(number, row[order])
            start = end
        held = [(key[start:], row[start:])]


def mixed(portion: Portion, scope: LabelFilter | None) -> Portion:
    """Returns the buckets with different labels in each field of --across; the others have no candidates."""
    for column in () if scope is None else scope.across:
        labels = column[portion.row]
        differs = labels != labels[np.searchsorted(portion.bucket, portion.bucket)]
        portion = portion.at(np.bincount(portion.bucket, differs)[portion.bucket] > 0)
    return portion


def copies(
    table: Documents, cross: int | None, scope: LabelFilter | None, resources: Resources
) -> Iterator[tuple[Index, Index]]:
    """Yields rows that equal an earlier one (original, copy): with `cross` on one side of it, with equal labels.

    Gives blocks of two arrays, int64, of one length. Each copy is in one block, once, in no order.
    """
    memory, limits, jobs = resources
    sorter = None if memory is None else Sorter(memory, 4, limits)
    found: Iterable[Portion] = ()
    for first, part in table.parts():
        some = (slice(start, start + limits.portion) for start in range(0, len(part), limits.portion))
        keys = np.concatenate([*in_threads(part.keys, some, jobs)])
        rows = first + np.arange(len(part))
        if cross is not None:
            keys = keys + (rows >= cross)  # each side has its own buckets
        if scope is not None:
            keys = scope.keys(keys, rows, scope.columns)
        if sorter is None:  # then there is one part only
            found = parts_of(Portion(*equal_keys(keys)), limits.portion)
        else:
            sorter.add(keys, rows)
    for portion in found if sorter is None else portions(sorter.sorted(), limits.portion):
        yield from equal_rows(table, portion, cross, scope)


def equal_rows(
    table: Documents, portion: Portion, cross: int | None, scope: LabelFilter | None
) -> Iterator[tuple[Index, Index]]:
    """Yields the copies in buckets as `copies` does. Different rows that share a bucket are compared again."""
    while len(portion.row):
        start = np.searchsorted(portion.bucket, portion.bucket)
        first, row = portion.row[start], portion.row
        equal = table.equal(first, row) & (first < row)
        if cross is not None:
            equal &= (first >= cross) == (row >= cross)
        if scope is not None:
            equal &= scope.equal(first, row)
        yield first[equal], row[equal]
        portion = portion.at(~equal & (first < row))


def bands(table: Documents, alive: Alive, resources: Resources) -> Iterator[Iterator[Portion]]:
    """Yields for each band the buckets of the rows that are alive."""
    memory, limits, jobs = resources
    if memory is None:
        several = [range(start, min(start + BATCH_BANDS, table.bands)) for start in range(0, table.bands, BATCH_BANDS)]
        for _, whole in table.parts():
            for band in chain.from_iterable(in_threads(partial(shared_buckets, whole, alive), several, jobs)):
                yield parts_of(band, limits.portion)
        return
    # Many bands in little memory need several passes
    together = min(max(memory.share(4, limits.least_share) // limits.least_share, 8), MAX_OPEN_FILES)
    marks, counts = marks_of(table, alive, memory, limits)
    memory.require(
        ENTRY_BYTES * max(sum(counts[start : start + together]) for start in range(0, table.bands, together))
    )
    columns = 1 if table.components is not None else 2
    for start in range(0, table.bands, together):
        chosen = range(start, min(start + together, table.bands))
        sorters = [Sorter(memory, 4 * len(chosen), limits, columns=columns) for _ in chosen]
        for first, part in table.parts():
            for number, bucketed in zip(chosen, part.buckets(chosen, alive.at(first, part)), strict=True):
                entries = scoped(bucketed, first, alive.scope)
                if marks:
                    entries = entries.at(kernel.marked(entries.key, marks[number]))
                sorters[number - start].add(*packed(entries))
        for number in chosen if marks else ():
            del marks[number]
        while sorters:
            yield map(unpacked, portions(sorters.pop(0).sorted(), limits.portion))


def marks_of(table: Documents, alive: Alive, memory: Memory, limits: Limits) -> tuple[dict[int, U64], list[int]]:
    """Returns for each band a mark for each hash of a key that came twice or more, and the number of entries there.

    No marks if they are more work than they save: keys of sets are costly, and places of many rows in little memory are
    all seen again. Then the entries are one for each row, or, of sets, unknown and so none.
    """
    most = memory.share(4, limits.least_share) // table.bands
    if table.components is None or PLACES * most < len(table):
        return {}, [int(np.count_nonzero(alive.flags)) if table.components is not None else 0] * table.bands
    entries = [0] * table.bands
    marks = {band: kernel.new_table(len(table), most) for band in range(table.bands)}
    for first, part in table.parts():
        for band, bucketed in enumerate(part.buckets(range(table.bands), alive.at(first, part))):
            entries[band] += kernel.mark(scoped(bucketed, first, alive.scope).key, marks[band])
    return marks, entries


def scoped(bucketed: Bucketed, first: int, scope: LabelFilter | None) -> Bucketed:
    """Returns entries whose rows begin at `first`, with keys that differ if they are not of one scope."""
    there = bucketed._replace(row=first + bucketed.row) if first else bucketed
    return there if scope is None else there._replace(key=scope.keys(*there[:2], scope.within))


def shared_buckets(whole: Table, alive: Alive, chosen: range) -> list[Portion]:
    """Returns the buckets of two or more rows in these bands."""
    found = []
    for bucketed in whole.buckets(chosen, alive.flags):
        entries = scoped(bucketed, 0, alive.scope)
        bucket, some = equal_keys(entries.key)
        found.append(Portion(bucket, *entries.at(some)[1:]))
    return found


def parts_of(band: Portion, most: int) -> Iterator[Portion]:
    """Yields whole buckets, with `most` rows and the rest of the last bucket."""
    start = 0
    while start < len(band.row):
        last = band.bucket[min(start + most, len(band.row)) - 1]
        stop = int(np.searchsorted(band.bucket, last, "right"))
        part = band.at(slice(start, stop))
        yield part._replace(bucket=part.bucket - part.bucket[0])
        start = stop


def packed(entries: Bucketed) -> tuple[U64, Index]:
    """Returns keys and rows; of sets, rows with 2 * place + 1 where they ask, else 2 * place. Shape (n,) or (n, 2)."""
    if entries.place is None:
        return entries.key, entries.row
    return entries.key, np.stack([entries.row, 2 * entries.place + entries.asks], axis=1)


def unpacked(portion: Portion) -> Portion:
    """Returns the rows of packed entries."""
    if portion.row.ndim == 1:
        return portion
    row, place = portion.row.T
    return Portion(portion.bucket, row, place & 1 > 0, place >> 1)
