"""The hot loops over arrays, in C or in numpy, whichever the kernel is."""

import os
import sys

import numpy as np

from shingletools import kernel
from shingletools.kernel.ids import Ids
from shingletools.kernel.reference_arrays import bit_sums, fmix64
from shingletools.kernel.types import U64, Flags

MAX_TABLE_WORDS = (1 << 26) - 1  # of places: their numbers have 32 bits

if kernel.NAME == "c":
    from shingletools.kernel._kernel import part_large_arrays
    from shingletools.kernel.compiled_arrays import (
        agreements,
        band_keys,
        bounded_candidates,
        common_weights,
        connect,
        count_tokens,
        decide_by_cover,
        equal_words,
        greedy_independent_set,
        greedy_independent_set_of_pairs,
        group_lines,
        list_ends,
        mark,
        marked,
        overlaps,
        own_lines,
        own_words,
        pair_lines,
        parities,
        rarest,
        set_keys,
        shared_counts,
        winnow,
        winnowed_runs,
    )
else:
    from shingletools.kernel.groups import connect, group_lines
    from shingletools.kernel.ids import pair_lines
    from shingletools.kernel.independent_set import (
        decide_by_cover,
        greedy_independent_set,
        greedy_independent_set_of_pairs,
        list_ends,
    )
    from shingletools.kernel.own_words import own_lines, own_words
    from shingletools.kernel.reference_arrays import (
        agreements,
        band_keys,
        bounded_candidates,
        common_weights,
        count_tokens,
        mark,
        marked,
        overlaps,
        parities,
        rarest,
        set_keys,
        shared_counts,
    )
    from shingletools.kernel.winnowing import equal_words, winnow, winnowed_runs

    def part_large_arrays() -> None:
        """Asks the allocator to return large arrays to the system when they are freed. Without C, does nothing."""


def new_table(keys: int, most: int = sys.maxsize) -> U64:
    """Returns an empty table of marks for so many keys, for `mark`.

    It has about 8 places for each key, or fewer if it may have at most `most` bytes.
    """
    return np.zeros(2 * min(max(keys // 8, 1), max(most // 16, 1), MAX_TABLE_WORDS), np.uint64)


def shared(keys: U64) -> Flags:
    """Returns whether each key occurs twice, or shares its place with another key, which is rare. Shape (keys,)."""
    table = new_table(len(keys))
    mark(keys, table)
    return marked(keys, table)


def new_ids() -> Ids:
    """Returns an empty set of ids. Its key is random, so that nobody can choose ids that make it slow."""
    key = os.urandom(16)
    if kernel.NAME == "c":
        from shingletools.kernel import _kernel  # it exists only with a C compiler

        return _kernel.Ids(key)
    return Ids(key)
