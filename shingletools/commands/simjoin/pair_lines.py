"""Pairs as lines, as simjoin and simspark write them."""

from functools import lru_cache

import numpy as np

from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.signature import Signature
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds
from shingletools.kernel.types import Flags, Index
from shingletools.record import wire

MAX_KEY_NUMBER = 1 << 31  # numbers up to this one are small enough for keys
CACHED_FIGURES = 1 << 16  # figures that are remembered as text, since many pairs have the same


class PairLines:
    """Makes the lines of pairs whose documents have signatures of one kind.

    With `against`, the second document of each pair is one of --against, and the line says so.
    """

    def __init__(self, signature: Signature, wanted: JoinOptions, against: bool = False) -> None:
        self.signature, self.wanted = signature, wanted
        self.more = {wire.AGAINST: True} if against else {}
        self._said = lru_cache(CACHED_FIGURES)(self._says)

    def format_pairs(
        self, a: SelectedIds, b: SelectedIds, agreeing: Index, sizes: tuple[Index, Index], copied: Flags | None = None
    ) -> bytes:
        r"""Returns a line for each pair, from its ids, its agreeing components, and the bytes of its signatures.

        copied: whether the line says that b is a copy of a.

        >>> from shingletools.commands.simjoin.signatures import MINHASHES
        >>> ids = SelectedIds(b'"x"7', np.array([3, 4]), np.array([0]))
        >>> figures = np.array([3]), (np.array([16]), np.array([16]))
        >>> PairLines(MINHASHES, JoinOptions()).format_pairs(ids, ids, *figures)
        b'{"a":"x","b":"x","similarity":0.75}\n'
        >>> PairLines(MINHASHES, JoinOptions(), against=True).format_pairs(ids, ids, *figures)
        b'{"a":"x","b":"x","similarity":0.75,"against":true}\n'
        """
        marked = np.zeros(len(agreeing), np.int64) if copied is None else copied.astype(np.int64)
        figures, which = distinct(agreeing, *sizes, marked)
        return kernel.pair_lines(a, b, [self._said(*figure) for figure in figures], which)

    def _says(self, agreeing: int, a_size: int, b_size: int, copied: int) -> bytes:
        """Returns the line's rest, after the ids."""
        more = {wire.COPY: True} if copied else self.more
        return wire.format_json({**self.signature.says(self.wanted, agreeing, a_size, b_size), **more})[1:]


def distinct(*columns: Index) -> tuple[list[list[int]], Index]:
    """Returns the distinct rows of columns of numbers from 0 on, and each row's number among them. Shape (rows,).

    >>> distinct(np.array([1, 2, 1]), np.array([0, 5, 0]))
    ([[1, 0], [2, 5]], array([0, 1, 0]))
    """
    rows, which = columns[0], None
    for column in columns[1:]:
        _, which = np.unique(rows, return_inverse=True)  # small numbers: the key below must not wrap
        most = int(column.max(initial=0))
        other = column if most < MAX_KEY_NUMBER else np.unique(column, return_inverse=True)[1]
        rows = which * (min(most, MAX_KEY_NUMBER) + 1) + other
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    return list(map(list, zip(*(column[first].tolist() for column in columns), strict=True))), which
