"""Splits buckets with too many rows to compare all with all, so that rows that differ much are separated early."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from shingletools.commands.simjoin.buckets import Portion, portions
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.table import Components, Documents
from shingletools.kernel.types import U64, Flags, Index

SIXTEENTHS = 16  # information is counted in sixteenths of a bit

Weigh = Callable[[Portion], Index]  # the number of candidates of each bucket, int64, by its number from 0 to the last


class SplitBands(NamedTuple):
    """Bands into which a bucket was split."""

    rows: Index  # of the bucket, ascending
    keys: tuple[U64, ...]  # of the rows in each band, shape (rows,)

    def share(self, left: Index, right: Index) -> Flags:
        """Returns whether row left[i] and row right[i] share one of these bands. Shapes: (n,), (n,) in; (n,) out."""
        one, two = np.searchsorted(self.rows, left), np.searchsorted(self.rows, right)
        shared: Flags = np.any([keys[one] == keys[two] for keys in self.keys], axis=0)
        return shared


def split_portion(
    table: Documents, portion: Portion, weigh: Weigh, limits: Limits, before: tuple[SplitBands, ...] = ()
) -> Iterator[tuple[Portion, tuple[SplitBands, ...]]]:
    """Yields the buckets. Splits those with many candidates while that removes at least half of the candidates.

    Two rows of a bucket that are a pair still share a bucket: their components are divided into as many bands as
    before, but so that all bands have the same information on just these rows. With each portion of buckets, yields the
    bands before it: two rows that share one of those are compared there.
    """
    components = table.components
    # Buckets this small cannot have more candidates, whichever sides their rows are on
    if components is None or np.bincount(portion.bucket).max(initial=0) ** 2 <= 2 * limits.large:
        yield portion, before
        return
    counts = weigh(portion)
    large = np.flatnonzero(counts > limits.large)
    inside = np.isin(portion.bucket, large)
    yield Portion(portion.bucket[~inside], portion.row[~inside]), before
    for number in large.tolist():
        rows = portion.row[slice(*np.searchsorted(portion.bucket, [number, number + 1]))]
        bands = balanced(
            [bits(components.keys_of(rows, np.array([each]))) for each in range(components.n)],
            components.n - components.least + 1,
        )
        left = sum(int(weigh(part).sum()) for band in bands for part in buckets_of(components, rows, band, limits))
        if 2 * left > counts[number]:
            yield Portion(np.zeros(len(rows), np.int64), rows), before
            continue
        keys: tuple[U64, ...] = ()
        for band in bands:
            earlier = (*before, SplitBands(rows, keys)) if keys else before
            for part in buckets_of(components, rows, band, limits):
                yield from split_portion(table, part, weigh, limits, earlier)
            keys += (components.keys_of(rows, band),)


def buckets_of(components: Components, rows: Index, band: Index, limits: Limits) -> Iterator[Portion]:
    """Yields the buckets of rows, int64, ascending, that agree in a band, int64: the numbers of its components."""
    keys = components.keys_of(rows, band)
    order = np.argsort(keys, kind="stable")
    return portions([(keys[order], rows[order])], limits)


def bits(values: U64) -> int:
    """Returns the information in the event that two of the values agree, in sixteenths of a bit, rounded up.

    values: uint64, shape (rows,), at least one, in any order.

    Computed in integers, since logarithms of floating-point numbers differ between machines.

    >>> [bits(np.array(values, np.uint64)) for values in ([1, 1, 1], [1, 2, 2, 1], [1, 2, 3, 4])]
    [1, 17, 33]
    """
    ordered = np.sort(values)
    edges = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    shares = np.diff(edges, append=len(values))
    total, agreeing = len(values) ** 2, int(shares @ shares)
    return int.bit_length(total**SIXTEENTHS // agreeing**SIXTEENTHS)


def balanced(information: list[int], number: int) -> list[Index]:
    """Divides components into `number` bands of about equal information: each goes to the band with the least.

    A band is the numbers of its components, int64, ascending. Adding up bits assumes independent components.

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
