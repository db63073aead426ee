"""The best pair of each document that an archive has, by name."""

from typing import NamedTuple

import numpy as np

from shingletools.commands.dedup.marks import mark
from shingletools.commands.dedup.spec import KNOWN
from shingletools.kernel.types import F64, Flags, Index
from shingletools.spark.packed_names import Named


class BestPairs(NamedTuple):
    """The best pair of each name that is in a pair."""

    name: Index
    other: Named
    similarity: F64

    @classmethod
    def of(cls, name: Index, number: Index, similarity: F64, others: Named) -> "BestPairs":
        order = np.lexsort((number, -similarity, name))
        each, first = np.unique(name[order], return_index=True)
        best = order[first]
        return cls(each, others.at(best), similarity[best])

    def has(self, names: Index) -> Flags:
        return np.isin(names, self.name)

    def says(self, names: Index) -> dict[str, Named]:
        """The names of the archive's documents, and the reasons, for names that are in a pair."""
        place = np.searchsorted(self.name, names)
        reasons = [mark(b"", KNOWN, similarity)[1] for similarity in self.similarity[place].tolist()]
        sizes = np.array([*map(len, reasons)], np.int64)
        return {"named": self.other.at(place), "reasons": Named(b"".join(reasons), sizes)}
