"""Finds shingles that are in many documents: template."""

from collections.abc import Iterable

import numpy as np

from shingletools.commands.simshow.documents import ShownDocument
from shingletools.commands.simshow.prepared_text import Prepared
from shingletools.kernel.types import U64

MAX_COUNTED, MIN_COUNTED = 1 << 23, 1 << 16  # fingerprints that are counted in one pass
FINGERPRINT_BYTES = 30  # bytes of memory for each


def frequent_shingles(documents: Iterable[ShownDocument], k: int, least: int, size: int | None = None) -> U64:
    """Returns the fingerprints of runs of k words that are in at least `least` documents, ascending.

    If there are too many fingerprints to count at once, in `size` bytes, the documents are read once for each part of
    the fingerprints. It needs at least two megabytes, and the bytes of the longest document.
    """
    together = MAX_COUNTED if size is None else min(max(size // FINGERPRINT_BYTES, MIN_COUNTED), MAX_COUNTED)
    total = sum(len(document.words) for document in documents)
    parts = np.uint64(total // together + 1)
    frequent = []
    for part in range(int(parts)):
        of_part = [np.empty(0, np.uint64)]
        for document in documents:
            distinct = Prepared(document.words, k).distinct
            of_part.append(distinct[distinct % parts == np.uint64(part)] if parts > 1 else distinct)
        values, counts = np.unique(np.concatenate(of_part), return_counts=True)
        frequent.append(values[counts >= least])
    return np.sort(np.concatenate(frequent))
