"""Weighted min-hash: the shingle that comes first, by exponential clocks: the definition.

It uses only sums, products and quotients of doubles, which are the same on every machine.
"""

import numpy as np

from shingletools.kernel.reference_arrays import fmix64
from shingletools.kernel.types import F64, U32, U64

BLOCK_HASHES = 1 << 18  # hashes that are compared together
LN_2, ROOT_OF_HALF = 0.6931471805599453, 0.7071067811865476  # the root of 1/2
SERIES_TERMS = 11  # of a series whose argument is at most 0.03: the next term is less than 2^-53 of the first


def weighted_minhash(shingles: U64, weights: F64, a: U32, b: U32) -> U32:
    """Returns, for each hash function (a, b), the hash of the shingle that comes first; of equals the least hash.

    Shapes: (shingles,), (shingles,), at least one; (n,), (n,) in; (n,) out.
    """
    y = (fmix64(shingles) >> np.uint64(32)).astype(np.uint32)
    n = len(a)
    times, hashes = np.full(n, np.inf), np.zeros(n, np.uint32)
    every = np.arange(n)
    block = max(1, BLOCK_HASHES // n)
    for start in range(0, len(y), block):
        weight = weights[start : start + block]
        values = a[:, None] * y[None, start : start + block]
        values += b[:, None]
        # u / w is a lower bound of a time, and few times are so early that their logarithms are needed
        early = (2.0 * values + 1.0) / weight
        soonest = early.argmin(axis=1)
        bound = np.minimum(times, waiting_times(values[every, soonest]) / weight[soonest])
        rows, columns = np.nonzero(early <= (bound * (1 + 1e-12))[:, None])
        some = values[rows, columns]
        came = waiting_times(some) / weight[columns]
        order = np.lexsort((some, came, rows))
        rows, some, came = rows[order], some[order], came[order]
        here, firsts = np.unique(rows, return_index=True)
        some, came = some[firsts], came[firsts]
        sooner = (came < times[here]) | ((came == times[here]) & (some < hashes[here]))
        times[here[sooner]], hashes[here[sooner]] = came[sooner], some[sooner]
    return hashes


def waiting_times(hashes: U32) -> F64:
    """Returns -ln(1 - u) 2^33 for u = (2h + 1) / 2^33, within a few units in the last place.

    It uses only operations on doubles that are the same on every machine; the logarithm of a library is not.

    >>> float(waiting_times(np.array([0x7FFFFFFF], np.uint32))[0]) / 2**33
    0.6931471803271146
    """
    left = (2.0**33 - 1.0) - 2.0 * hashes  # (1 - u) 2^33, exactly
    half, exponent = np.frexp(left)
    small = half < ROOT_OF_HALF
    half = np.where(small, 2.0 * half, half)
    exponent = exponent - small - 33
    s = (half - 1.0) / (half + 1.0)
    square = s * s
    series = np.zeros(len(s))
    for term in range(SERIES_TERMS, -1, -1):
        series = series * square + 1.0 / (2 * term + 1)
    result: F64 = -(2.0 * s * series + exponent * LN_2) * 2.0**33
    return result
