"""Which new documents are like a document of the archive."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.batch import Batch, Keys
from shingletools.archive.opened import Archive
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.indexed import ArchiveJoin, component_table
from shingletools.commands.simjoin.limits import DEFAULT
from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signatures import Signature
from shingletools.commands.simjoin.table import TOGETHER, cut
from shingletools.commands.simjoin.wanted import Wanted
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import IdsAt
from shingletools.kernel.types import U64, Flags, Index


class KnownBefore:
    """Joins new documents with the archive as it was before the run."""

    def __init__(self, archive: Archive, signature: Signature, wanted: Wanted) -> None:
        """Raises Failed if the archive does not answer for this threshold."""
        self.archive, self.signature, self.wanted = archive, signature, wanted
        self.join = ArchiveJoin(archive, signature, wanted, None, DEFAULT) if archive.manifest.size else None
        self.lines = PairLines(signature, wanted, against=True)

    def pairs(self, batch: Batch, asking: Index, before: Index) -> tuple[bytes, Flags]:
        """The lines of pairs of records with earlier ones, and whether each record has a pair.

        asking: rows, ascending. before: for each row, it pairs only with records added before this addition. The flags
        have shape (records,).
        """
        known = np.zeros(len(batch), np.bool_)
        if self.join is None:
            return b"", known
        size = self.join.size
        data, signed = batch.signatures(size)
        chosen = np.isin(signed, asking)
        rows = signed[chosen]
        if not len(rows):
            return b"", known
        limit = before[np.searchsorted(asking, rows)]
        table = component_table(self.signature, self.wanted, np.ascontiguousarray(data[chosen]).reshape(-1), size)
        names, sizes = batch.names()
        ends = np.cumsum(sizes)
        output = []
        for pairs in self.join.pairs(table.rows):
            distinct, which = np.unique(pairs.b, return_inverse=True)
            earlier = self.archive.additions(distinct)[which] < limit[pairs.a]
            a, b, agreeing = pairs.a[earlier], pairs.b[earlier], pairs.agreeing[earlier]
            known[rows[a]] = True
            distinct, which = np.unique(b, return_inverse=True)
            theirs, their_sizes = self.archive.ids(distinct)
            both = np.full(len(a), size)
            output.append(self.lines.of(
                IdsAt(names, ends, rows[a]), IdsAt(theirs, np.cumsum(their_sizes), which), agreeing, both, both
            ))  # fmt: skip
        return b"".join(output), known


def keys_by(signature: Signature | None, comparable: Comparable, least: int) -> Keys:
    """The function that makes the keys of an archive, which answers for `least` or more agreeing components."""

    def keys(data: NDArray[np.uint8]) -> Iterator[U64]:
        assert signature is not None
        rows = component_table(signature, comparable.wanted, data.reshape(-1), comparable.size).rows
        bands = cut(rows.shape[1], rows.shape[1] - least + 1)
        for start in range(0, len(bands), TOGETHER):
            yield from kernel.band_keys(rows, bands[start : start + TOGETHER])

    return keys


def least_of(archive: Archive) -> Wanted:
    """The least threshold that an archive answers."""
    state = archive.manifest
    return Wanted(distance=64 - state.least) if state.field == "simhash" else Wanted(agreeing=state.least)
