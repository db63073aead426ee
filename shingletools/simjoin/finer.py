"""Buckets with too many rows to compare each with each, cut again: what is unlike in most places parts early."""

from collections.abc import Callable, Iterator

import numpy as np

from shingletools.kernel.types import Index
from shingletools.simjoin.buckets import Portion, portions
from shingletools.simjoin.table import Documents

LARGE = 1 << 19  # candidates of a bucket that may well be compared
SAMPLE = 1 << 10  # rows by which they are dealt out

Weigh = Callable[[Portion], Index]  # how many candidates each bucket has, by its number


def finer(table: Documents, portion: Portion, weigh: Weigh) -> Iterator[Portion]:
    """The buckets, but those with many candidates cut again, and again, as long as half of these at least are spared.

    Two rows of a bucket that are a pair share one of the buckets that it is cut into: the places are dealt out anew
    among as many bands, so that each band tells as much as any other of just these rows.
    """
    counts = weigh(portion)
    large = np.flatnonzero(counts > LARGE)
    inside = np.isin(portion.bucket, large)
    yield Portion(portion.bucket[~inside], portion.row[~inside])
    for number in large.tolist():
        some = slice(*np.searchsorted(portion.bucket, [number, number + 1]))
        yield from _cut(table, portion.row[some], int(counts[number]), weigh)


def _cut(table: Documents, rows: Index, candidates: int, weigh: Weigh) -> Iterator[Portion]:
    sample = rows[:: -(-len(rows) // SAMPLE)]
    ways = table.ways(sample)
    spared = candidates
    for columns in ways:
        spared -= sum(int(weigh(part).sum()) for part in _buckets(table, rows, columns))
    if 2 * spared < candidates or not ways:
        yield Portion(np.zeros(len(rows), np.int64), rows)
        return
    for columns in ways:
        for part in _buckets(table, rows, columns):
            yield from finer(table, part, weigh)


def _buckets(table: Documents, rows: Index, columns: Index) -> Iterator[Portion]:
    """Of rows that agree in these columns."""
    keys = table.keys_of(rows, columns)
    order = np.argsort(keys, kind="stable")
    return portions([(keys[order], rows[order])])
