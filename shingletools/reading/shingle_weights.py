"""The weights of shingles by a table."""

import os
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shingletools import kernel
from shingletools.kernel import payload_signatures
from shingletools.kernel.lines import WeightSlots
from shingletools.kernel.types import U64, Index
from shingletools.reading.shingle_tables import TableReading


class Weights:
    """The weights of shingles, in units of inverse_document_frequency.UNIT.

    A shingle that is not in the table gets the greatest weight.

    >>> Weights({5: 7, 3: 2}).look_up(np.array([3, 4, 5], np.uint64))
    array([2, 7, 7])
    """

    def __init__(self, weights: Mapping[int, int], digits: int = payload_signatures.WIDE_DIGITS) -> None:
        """Takes the hex digits of the fingerprints."""
        self.digits = digits
        shingles = np.fromiter(weights.keys(), np.uint64, len(weights))
        order = np.argsort(shingles)
        self.shingles = shingles[order]
        self.weights = np.fromiter(weights.values(), np.int64, len(weights))[order]
        self.heaviest = int(self.weights.max())

    @classmethod
    def of_lines(cls, shingles: U64, weights: Index, digits: int) -> "Weights":
        """Returns weights by lines of a table; the last line of a shingle counts. Shapes (lines,)."""
        table = cls.__new__(cls)
        order = np.argsort(shingles, kind="stable")
        table.shingles = shingles[order]
        last = np.append(table.shingles[1:] != table.shingles[:-1], True)
        table.digits, table.shingles, table.weights = digits, table.shingles[last], weights[order][last]
        table.heaviest = int(table.weights.max())
        return table

    @cached_property
    def weighed(self) -> WeightSlots:
        """Returns the weights for the kernel's links. Each process makes its own."""
        factor = int.from_bytes(os.urandom(8)) | 1
        slots = kernel.weigh_fingerprints(self.shingles.tobytes(), self.weights.tobytes(), factor)
        return factor, slots, self.heaviest, self.digits

    def between(self, low: int, high: int) -> U64:
        """Returns the shingles with weights from low to high, in units, ascending."""
        return self.shingles[(self.weights >= low) & (self.weights <= high)]

    def look_up(self, shingles: U64) -> Index:
        """Returns the weight of each shingle, in units. Shapes (shingles,)."""
        places = np.minimum(np.searchsorted(self.shingles, shingles), len(self.shingles) - 1)
        return np.where(self.shingles[places] == shingles, self.weights[places], self.heaviest)


class WeightTable(NamedTuple):
    """A file of weights that was read."""

    weights: Weights
    label: str  # of the file in recipes
    after: str | None  # the recipe that records must have, if the first line has one


def read_weights(path: str, option: str = "--weights") -> WeightTable:
    """Reads a table of lines {"shingle": hex, "weight": number}, perhaps with a header of `shingle --df --header`.

    If several lines have one shingle, the last counts. Raises Failed unless the file is such a table, and complete.
    """
    table = TableReading(option, path)
    fingerprints, units, digits = table.weights()
    weights = Weights.of_lines(np.frombuffer(fingerprints, np.uint64), np.frombuffer(units, np.int64), digits)
    return WeightTable(weights, table.label(), None if table.header is None else table.header.via)
