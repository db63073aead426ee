"""Arrays of pairs."""

from typing import NamedTuple

from shingletools.kernel.types import Index


class Pairs(NamedTuple):
    """Arrays of one length, int64: rows a < b, and in how many components they agree. Sorted means by a, then b."""

    a: Index
    b: Index
    agreeing: Index
