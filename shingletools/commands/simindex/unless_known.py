"""Finds new documents that are similar to a document of the archive."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shingletools.archive.archive_reader import Archive
from shingletools.archive.segment_builder import Keys, SegmentBuilder
from shingletools.commands.simindex.known_ids import Sorting
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.indexed import ArchiveJoin, component_table
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.limits import DEFAULT
from shingletools.commands.simjoin.pair_arrays import Pairs, merged
from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signature import Signature
from shingletools.commands.simjoin.table import BATCH_BANDS, cut
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds
from shingletools.kernel.types import U64, Flags, Index


class KnownBefore:
    """Joins new documents with the archive as it was before the run."""

    def __init__(self, archive: Archive, signature: Signature, wanted: JoinOptions, own: Index) -> None:
        """own: additions that are ignored. Raises Failed if the archive does not answer for this threshold."""
        self.archive, self.signature, self.wanted, self.own = archive, signature, wanted, own
        self.join = ArchiveJoin(archive, signature, wanted, None, DEFAULT) if archive.manifest.size else None
        self.lines = PairLines(signature, wanted, against=True)

    def pairs(self, batch: SegmentBuilder, sorting: Sorting, known: Flags) -> Iterator[bytes]:
        """Yields lines of pairs of records that are looked up; sets the flags of those records. Shape (records,)."""
        names, sizes = batch.names()
        ends = np.cumsum(sizes)
        for a, b, agreeing in merged([self._alike(batch, sorting), self._empty(batch, sorting)]):
            known[a] = True
            distinct, which = np.unique(b, return_inverse=True)
            archived, archived_sizes = self.archive.ids(distinct)
            both = np.full(len(a), batch.size)
            yield self.lines.format_pairs(
                SelectedIds(names, ends, a),
                SelectedIds(archived, np.cumsum(archived_sizes), which),
                agreeing,
                (both, both),
            )

    def _alike(self, batch: SegmentBuilder, sorting: Sorting) -> Iterator[Pairs]:
        """Yields the pairs of records that ask with rows of the archive, in their order."""
        data, signed = batch.signatures()
        chosen = sorting.asks[signed]
        rows = signed[chosen]
        if self.join is None or not len(rows):
            return
        table = component_table(self.signature, self.wanted, np.ascontiguousarray(data[chosen]).reshape(-1), batch.size)
        for pairs in self.join.pairs(table.rows):
            distinct, which = np.unique(pairs.b, return_inverse=True)
            addition, a = self.archive.additions(distinct)[which], rows[pairs.a]
            earlier = (addition < sorting.before[a]) & ~np.isin(addition, self.own)
            yield Pairs(a[earlier], pairs.b[earlier], pairs.agreeing[earlier])

    def _empty(self, batch: SegmentBuilder, sorting: Sorting) -> Iterator[Pairs]:
        """Yields the pairs of records with themselves where neither has a signature, which no join finds."""
        rows = np.flatnonzero(sorting.again & ~batch.is_signed())
        distinct, which = np.unique(sorting.archived[rows], return_inverse=True)
        rows = rows[~self.archive.signed(distinct)[which]]
        yield Pairs(rows, sorting.archived[rows], np.full(len(rows), self.signature.components(batch.size)))


def keys_by(signature: Signature | None, comparable: Comparable, least: int) -> Keys:
    """Returns the function that makes the keys of an archive, which answers for `least` or more agreeing components."""

    def keys(data: NDArray[np.uint8]) -> Iterator[U64]:
        assert signature is not None
        rows = component_table(signature, comparable.wanted, data.reshape(-1), comparable.size).rows
        bands = cut(rows.shape[1], rows.shape[1] - least + 1)
        for start in range(0, len(bands), BATCH_BANDS):
            yield from kernel.band_keys(rows, bands[start : start + BATCH_BANDS])

    return keys
