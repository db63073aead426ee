"""Buckets with too many rows to compare each with each, cut again: what is unlike in most components parts early."""

from collections.abc import Callable, Iterator

import numpy as np

from shingletools.kernel.types import U64, Index
from shingletools.simjoin.buckets import Portion, portions
from shingletools.simjoin.limits import Limits
from shingletools.simjoin.table import Components, Documents

SIXTEENTHS = 16  # of a bit, in which it is counted how much a component says

Weigh = Callable[[Portion], Index]  # how many candidates each bucket has, int64, by its number: 0 to the last


def finer(table: Documents, portion: Portion, weigh: Weigh, limits: Limits) -> Iterator[Portion]:
    """The buckets, but those with many candidates cut again, and again, as long as half of these at least are spared.

    Two rows of a bucket that are a pair share one of the buckets that it is cut into: the components are put into as
    many bands as ever, but so that each band says as much as any other of just these rows.
    """
    components = table.components
    # So few rows have no more candidates than that, whichever side they are on
    if components is None or np.bincount(portion.bucket).max(initial=0) ** 2 <= 2 * limits.large:
        yield portion
        return
    counts = weigh(portion)
    large = np.flatnonzero(counts > limits.large)
    inside = np.isin(portion.bucket, large)
    yield Portion(portion.bucket[~inside], portion.row[~inside])
    for number in large.tolist():
        rows = portion.row[slice(*np.searchsorted(portion.bucket, [number, number + 1]))]
        bands = balanced([bits(components.keys_of(rows, np.array([each]))) for each in range(components.n)],
                         components.n - components.least + 1)  # fmt: skip
        left = sum(int(weigh(part).sum()) for band in bands for part in buckets_of(components, rows, band, limits))
        if 2 * left > counts[number]:
            yield Portion(np.zeros(len(rows), np.int64), rows)
            continue
        for band in bands:
            for part in buckets_of(components, rows, band, limits):
                yield from finer(table, part, weigh, limits)


def buckets_of(components: Components, rows: Index, band: Index, limits: Limits) -> Iterator[Portion]:
    """The buckets of rows (int64, ascending) that agree in a band (int64, the numbers of its components)."""
    keys = components.keys_of(rows, band)
    order = np.argsort(keys, kind="stable")
    return portions([(keys[order], rows[order])], limits.portion)


def bits(values: U64) -> int:
    """How unlikely it is that two of these values agree: the information of it, in sixteenths of a bit, rounded up.

    values: uint64, shape (rows,), one at least, in any order.

    In integers, since logarithms of floating numbers differ between machines.

    >>> [bits(np.array(values, np.uint64)) for values in ([1, 1, 1], [1, 2, 2, 1], [1, 2, 3, 4])]
    [1, 17, 33]
    """
    ordered = np.sort(values)
    edges = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    shares = np.diff(edges, append=len(values))
    total, agreeing = len(values) ** 2, int(shares @ shares)
    return int.bit_length(total**SIXTEENTHS // agreeing**SIXTEENTHS)


def balanced(information: list[int], number: int) -> list[Index]:
    """Components in so many bands that say equally much, as far as that goes: each in turn to the band that says least.

    A band is the numbers of its components, int64, ascending.

    Bits add up if components do not depend on each other.

    >>> [band.tolist() for band in balanced([1, 9, 5, 5], 2)]
    [[0, 1], [2, 3]]
    """
    bands: list[list[int]] = [[] for _ in range(number)]
    sums = [0] * number
    for component in sorted(range(len(information)), key=information.__getitem__, reverse=True):
        poorest = min(range(number), key=lambda band: (sums[band], len(bands[band])))
        bands[poorest].append(component)
        sums[poorest] += information[component]
    return [np.array(sorted(band)) for band in bands]
