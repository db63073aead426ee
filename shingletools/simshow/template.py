"""Words that stand in many documents: the shingles by which they are known."""

from collections.abc import Iterable

import numpy as np

from shingletools.kernel.types import U64
from shingletools.simshow.documents import Shown
from shingletools.simshow.prepared import Prepared

MOST, LEAST = 1 << 23, 1 << 16  # fingerprints that are counted at once
FINGERPRINT = 30  # bytes that each of them needs


def frequent_shingles(documents: Iterable[Shown], k: int, least: int, size: int | None = None) -> U64:
    """The fingerprints of runs of k words that stand in so many documents at least, ascending.

    The documents are gone through again for each part of the fingerprints, if there are more than can be counted at
    once, in `size` bytes if that is given; two megabytes it needs, and as many bytes as the longest document.
    """
    together = MOST if size is None else min(max(size // FINGERPRINT, LEAST), MOST)
    total = sum(len(each.words) for each in documents)
    parts = np.uint64(total // together + 1)
    found = []
    for part in range(int(parts)):
        some = [np.empty(0, np.uint64)]
        for each in documents:
            distinct = Prepared(each.words, k).distinct
            some.append(distinct[distinct % parts == np.uint64(part)] if parts > 1 else distinct)
        values, counts = np.unique(np.concatenate(some), return_counts=True)
        found.append(values[counts >= least])
    return np.sort(np.concatenate(found))
