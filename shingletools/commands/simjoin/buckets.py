"""Yields buckets of documents one after the other, for joins that hold no index of all documents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np

from shingletools.commands.simjoin.label_filter import LabelFilter
from shingletools.commands.simjoin.limits import Limits, Resources
from shingletools.commands.simjoin.pair_arrays import rows_at
from shingletools.commands.simjoin.table import BATCH_BANDS, Bucketed, Documents
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U64, Flags, Index
from shingletools.numbers.sorter import Sorter, equal_keys, repeated
from shingletools.system.memory_limit import Memory
from shingletools.system.workers import in_threads, thread_pool

MAX_OPEN_FILES = 256  # files open at once
PLACES = 4  # marks in a byte
ENTRY_BYTES = 16  # bytes of a key and a row


class Alive(NamedTuple):
    """Which rows get into buckets, shape (documents,); and the scope, of which each class has its own buckets."""

    flags: Flags
    scope: LabelFilter | None

    def buckets(self, table: Documents, part: range, chosen: range) -> Iterator[Bucketed]:
        """Yields for each of these bands the keys of the rows of a part, which differ if they are not of one scope."""
        for bucketed in table.load(part).buckets(chosen, self.flags[part.start : part.stop]):
            there = bucketed._replace(row=part.start + bucketed.row) if part.start else bucketed
            yield there if self.scope is None else there._replace(key=self.scope.keys(*there[:2], self.scope.within))


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


def portions(entries: Iterable[tuple[U64, Index]], limits: Limits, jobs: int = 1) -> Iterator[Portion]:
    """Yields buckets from entries: ascending keys, and rows, which ascend at each key. All of a key are in one block.

    Rows alone at their key are left out. Portions are those of `parts_of`, whatever the blocks.

    >>> blocks = ([1, 4, 4], [7, 8, 9]), ([5, 5, 6], [0, 1, 0])
    >>> entries = [(np.array(keys, np.uint64), np.array(rows)) for keys, rows in blocks]
    >>> [(portion.bucket.tolist(), portion.row.tolist()) for portion in portions(entries, Limits())]
    [([0, 0, 1, 1], [8, 9, 0, 1])]
    """
    held: list[Portion] = []
    fresh = 0  # rows since the last cut: a large bucket is not copied again for a few
    for portion in in_threads(shared_rows, entries, jobs):
        held.append(portion)
        fresh += len(portion.row)
        if fresh >= limits.portion:
            *whole, rest = parts_of(together(held), limits.portion)
            yield from whole
            held, fresh = [rest], 0
    if held:
        yield from parts_of(together(held), limits.portion)


def together(several: Sequence[Portion]) -> Portion:
    """Returns the buckets of several portions, at least one, in their order."""
    ends = np.cumsum([0, *(portion.bucket.max(initial=-1) + 1 for portion in several)])
    moved = [each._replace(bucket=each.bucket + end) for each, end in zip(several, ends, strict=False)]
    columns: list[Any] = [None if column[0] is None else np.concatenate(column) for column in zip(*moved, strict=True)]
    return Portion(*columns)


def shared_rows(entries: tuple[U64, Index]) -> Portion:
    """Returns the entries without those that are alone at their key; of several columns, the second has places."""
    keys, rows = entries
    bucket, some = repeated(keys)
    if rows.ndim == 1:
        return Portion(bucket, rows[some])
    row, place = rows[some].T
    return Portion(bucket, row, place & 1 > 0, place >> 1)


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

    def keyed(part: range) -> tuple[U64, Index]:
        whole, rows = table.load(part), np.arange(part.start, part.stop)
        some = (slice(start, start + limits.portion) for start in range(0, len(part), limits.portion))
        keys = np.concatenate([*in_threads(whole.keys, some, jobs if memory is None else 1)])
        if cross is not None:
            keys += rows >= cross  # each side has its own buckets
        return keys if scope is None else scope.keys(keys, rows, scope.columns), rows

    entries = in_threads(keyed, table.parts(), jobs)
    if memory is None:
        ((keys, _),) = entries
        found = parts_of(Portion(*equal_keys(keys)), limits.portion)
    else:
        sorter = Sorter(memory, 4, limits)
        for block in entries:
            sorter.add(*block)
        found = portions(sorter.sorted(), limits, jobs)
    for several in in_threads(lambda portion: [*equal_rows(table, portion, cross, scope)], found, jobs):
        yield from several


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
        for band in chain.from_iterable(in_threads(partial(shared_buckets, table, alive), several, jobs)):
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
        pool = thread_pool(jobs) if jobs > 1 else None
        sorters = [Sorter(memory, 4 * len(chosen), limits, columns=columns, pool=pool) for _ in chosen]
        for by_band in in_threads(partial(packed, table, alive, marks, chosen), table.parts(), jobs):
            for sorter, entries in zip(sorters, by_band, strict=True):
                sorter.add(*entries)
        for number in chosen if marks else ():
            del marks[number]
        while sorters:
            yield portions(sorters.pop(0).sorted(), limits, jobs)


def packed(
    table: Documents, alive: Alive, marks: Mapping[int, U64], chosen: range, part: range
) -> list[tuple[U64, Index]]:
    """Returns for each band the keys that are marked, and rows; of sets, shape (n, 2), also 2 * place, + 1 to ask."""
    found = []
    for number, bucketed in zip(chosen, alive.buckets(table, part, chosen), strict=True):
        entries = bucketed.at(kernel.marked(bucketed.key, marks[number])) if marks else bucketed
        rows = entries.row
        if entries.place is not None:
            rows = np.stack([rows, 2 * entries.place + entries.asks], axis=1)
        found.append((entries.key, rows))
    return found


def marks_of(table: Documents, alive: Alive, memory: Memory, limits: Limits) -> tuple[dict[int, U64], list[int]]:
    """Returns for each band a mark for each hash of a key that came twice or more, and the number of entries there.

    No marks if they are more work than they save: keys of sets are costly, and places of many rows in little memory are
    all seen again. Then the entries are one for each row, or, of sets, unknown and so none.
    """
    most = memory.share(4, limits.least_share) // table.bands
    if table.components is None or PLACES * most < len(table):
        return {}, [int(np.count_nonzero(alive.flags)) if table.components is not None else 0] * table.bands
    marks = {band: kernel.new_table(len(table), most) for band in range(table.bands)}
    locks = {band: Lock() for band in marks}

    def mark(part: range) -> list[int]:
        entries = []
        for band, bucketed in enumerate(alive.buckets(table, part, range(table.bands))):
            with locks[band]:
                entries.append(kernel.mark(bucketed.key, marks[band]))
        return entries

    return marks, np.sum([*in_threads(mark, table.parts(), memory.jobs)], axis=0).tolist()


def shared_buckets(whole: Documents, alive: Alive, chosen: range) -> list[Portion]:
    """Returns the buckets of two or more rows in these bands."""
    found = []
    for entries in alive.buckets(whole, range(len(whole)), chosen):
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
