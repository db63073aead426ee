"""Arrays of one length, such as those of pairs."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from shingletools.kernel.types import Flags, Index

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


def rows_at(arrays: Arrays, some: Index | Flags | slice) -> Arrays:
    """Returns some rows of arrays of one length; in place of an array there may be None.

    >>> [column.tolist() for column in rows_at(Pairs(*np.arange(6).reshape(3, 2)), np.array([1]))]
    [[1], [3], [5]]
    """
    columns: list[Any] = [None if column is None else column[some] for column in arrays]
    return type(arrays)(*columns)


class Pairs(NamedTuple):
    """Arrays of one length, int64: rows a < b, and in how many components they agree. Sorted means by a, then b."""

    a: Index
    b: Index
    agreeing: Index

    def at(self, some: Index | Flags | slice) -> Self:
        return rows_at(self, some)


def merged(sources: Sequence[Iterator[Pairs]]) -> Iterator[Pairs]:
    """Yields the pairs of several sorted sources, sorted, in blocks. No pair may be in two sources."""
    if len(sources) == 1:
        yield from sources[0]
        return
    waiting = list(sources)
    held: list[Pairs] = []
    while True:
        fresh = [(next((block for block in source if len(block.a)), None), source) for source in waiting[len(held) :]]
        del waiting[len(held) :]
        for block, source in fresh:
            if block is not None:
                held.append(block)
                waiting.append(source)
        if not held:
            return
        last = min((int(block.a[-1]), int(block.b[-1])) for block in held)  # up to here, no source has more pairs
        cuts = []
        for block in held:
            same = slice(*(int(np.searchsorted(block.a, last[0], side)) for side in ("left", "right")))
            cuts.append(same.start + int(np.searchsorted(block.b[same], last[1], "right")))
        done = [block.at(slice(end)) for block, end in zip(held, cuts, strict=True)]
        rest = [block.at(slice(end, None)) for block, end in zip(held, cuts, strict=True)]
        full = [number for number, block in enumerate(rest) if len(block.a)]
        empty = [number for number, block in enumerate(rest) if not len(block.a)]
        waiting = [waiting[number] for number in (*full, *empty)]
        held = [rest[number] for number in full]
        together = Pairs(*(np.concatenate(column) for column in zip(*done, strict=True)))
        order = np.lexsort((together.b, together.a))
        yield together.at(order)
