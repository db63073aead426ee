"""Finds records with known ids: each is the same record, an edited one, or bad."""

from collections.abc import Callable
from typing import NamedTuple

import blake3
import numpy as np
import orjson

from shingletools.archive.archive_reader import Archive
from shingletools.archive.segment_builder import SegmentBuilder, values_at
from shingletools.commands.simindex.spec import BAD, IndexSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split_ids
from shingletools.kernel.types import Flags, Index
from shingletools.record.events import Reject
from shingletools.system.errors import seen_before, shown

BATCH_LINES = 1 << 12  # lines that are compared together
DIGEST_BYTES = 16  # bytes of a digest
NOW = np.iinfo(np.int64).max  # after all additions


class Sorting(NamedTuple):
    """The records of a batch by what is done with them. Arrays of its length."""

    fresh: Flags  # records that may be added: the archive has nothing with their ids
    asks: Flags  # records that are compared with the archive
    before: Index  # each is compared only with additions before this one
    archived: Index  # the archive's row with the same id; -1 for none

    @property
    def again(self) -> Flags:
        """Returns which records are looked up, and have an id that the archive has from another addition."""
        flags: Flags = self.asks & (self.archived >= 0) & (self.before == NOW)
        return flags


class KnownIds:
    """The records that came before: in the archive, in this run, and in the same batch.

    If the archive has an addition of this run's name, the run repeats that addition: what it added is not added again,
    and is compared as it was then. Records by which later additions replaced it stay.

    Memory: the id of each record of the run that is compared but not added, and about 60 bytes; 8 bytes for each record
    whose id the archive has, if it can be replaced.
    """

    def __init__(self, archive: Archive, spec: IndexSpec) -> None:
        self.archive, self.spec = archive, spec
        self.own = np.array(archive.manifest.named(spec.named), np.int64)  # additions of this run's name
        self.passed, self.digests = kernel.new_ids(), bytearray()  # of records not added: ids, digests of lines
        self.met: Index = np.empty(0, np.int64)  # the archive's rows whose ids have come
        self.replaced: Index = np.empty(0, np.int64)  # rows of `met` that other records replace
        self.there = 0  # number of records that the archive had already
        self.deferred: list[Reject] = []

    def compared(self, batch: SegmentBuilder) -> tuple[Index, Flags, Index]:
        """Returns for each record the archive's row with its id, or -1; whether it is the same; `before` of Sorting.

        Of records that ask, the same signature is enough.
        """
        archived = self.archive.find(*batch.names())
        same = alike(batch, self.archive, archived, same_signatures if self.spec.unless_known else same_lines)
        before, there = np.full(len(batch), NOW), np.flatnonzero(archived >= 0)
        if len(self.own) and len(there):
            rows, which = np.unique(archived[there], return_inverse=True)
            addition = self.archive.additions(rows)[which]
            then = (same[there] & np.isin(addition, self.own)) | (addition > self.own[-1])
            before[there[then]] = np.minimum(addition, self.own[-1])[then]
        return archived, same, before

    def note_replaced(self, batch: SegmentBuilder) -> None:
        """Notes the archive's rows that records of a batch replace. The first record with an id decides."""
        archived, same, before = self.compared(batch)
        rows, first = np.unique(archived, return_index=True)
        new = (rows >= 0) & ~np.isin(rows, self.met)
        rows, first = rows[new], first[new]
        self.met = np.union1d(self.met, rows)
        self.replaced = np.union1d(self.replaced, rows[~same[first] & (before[first] == NOW)])

    def sorted_out(self, batch: SegmentBuilder, in_this_run: Archive) -> Sorting:
        """Sorts out a batch. Records that are neither fresh nor ask are in the archive already, or bad."""
        names = list(split_ids(*batch.names()))
        archived, same, before = self.compared(batch)
        there, bad = archived >= 0, np.zeros(len(batch), np.bool_)
        fresh, asks = ~there, np.full(len(batch), self.spec.unless_known or self.spec.edited != BAD) | ~there
        if self.spec.edited == BAD:
            bad |= there & ~same & (before == NOW)
        of_archive = bad.copy()
        added = in_this_run.find(*batch.names())
        bad |= (added >= 0) & ~alike(batch, in_this_run, added, same_lines)
        fresh &= added < 0
        asks &= (added < 0) & ~bad
        again, differ = self._again(batch, names, np.flatnonzero(asks))
        asks[again] = fresh[again] = False
        bad[differ] = True
        self._reject(batch, names, np.flatnonzero(bad), of_archive)
        sorting = Sorting(fresh, asks, before, archived)
        self.there += int(np.count_nonzero(~fresh & ~bad & ~sorting.again))
        return sorting

    def _again(self, batch: SegmentBuilder, names: list[bytes], rows: Index) -> tuple[list[int], list[int]]:
        """Returns the rows whose id came before in the batch or the run, and those of them that differ."""
        first: dict[bytes, int] = {}
        passed = np.frombuffer(self.passed.find(*batch.names()), np.int64)
        again: list[tuple[int, int]] = []  # rows, and the first row with the same id
        for row in rows.tolist():
            other = first.setdefault(names[row], row)
            if other != row or passed[row] >= 0:
                again.append((row, other))
        wanted = np.unique(np.array(again, np.int64).reshape(-1))
        digests = dict(zip(wanted.tolist(), map(digest, batch.lines(wanted)), strict=True))
        differ = [row for row, other in again if digests[row] != self.digest_of(int(passed[row]), digests[other])]
        return [row for row, _ in again], differ

    def digest_of(self, passed: int, other: bytes) -> bytes:
        """Returns the digest of the remembered record with this number; `other` if the number is below 0."""
        return other if passed < 0 else bytes(self.digests[passed * DIGEST_BYTES : (passed + 1) * DIGEST_BYTES])

    def _reject(self, batch: SegmentBuilder, names: list[bytes], bad: Index, of_archive: Flags) -> None:
        for row, line in zip(bad.tolist(), batch.lines(bad), strict=True):
            name = orjson.loads(names[row])
            other = f"{self.archive.name} has another record of id {shown(name)}"
            cause = other if of_archive[row] else seen_before(name)
            self.deferred.append(
                Reject(batch.files[batch.file[row]], batch.line[row], cause, line, late=True, repeated_id=True)
            )

    def remember(self, batch: SegmentBuilder, rows: Index) -> None:
        """Remembers records that are not added, by their rows, which ascend."""
        data, sizes = batch.names()
        bounds = np.append(0, np.cumsum(sizes))
        self.passed.number(values_at(np.frombuffer(data, np.uint8), bounds, rows).tobytes(), sizes[rows])
        self.digests += b"".join(map(digest, batch.lines(rows)))


def alike(batch: SegmentBuilder, source: Archive, archived: Index, same: "Same") -> Flags:
    """Returns which records are the same as the source's rows with their ids. archived: these rows, -1 for none."""
    flags, there = np.zeros(len(batch), np.bool_), np.flatnonzero(archived >= 0)
    order = there[np.argsort(archived[there], kind="stable")]
    for start in range(0, len(order), BATCH_LINES):
        part = order[start : start + BATCH_LINES]
        flags[part] = same(batch, part, source, archived[part])
    return flags


Same = Callable[[SegmentBuilder, Index, Archive, Index], Flags]


def same_lines(batch: SegmentBuilder, part: Index, source: Archive, archived: Index) -> Flags:
    """Returns whether records of the batch have the lines of the source's rows. Shapes: (records,), (records,)."""
    rows, which = np.unique(archived, return_inverse=True)
    lines = list(source.lines(rows))
    pairs = zip(which.tolist(), batch.lines(part), strict=True)
    return np.array([lines[number] == line for number, line in pairs], np.bool_)


def same_signatures(batch: SegmentBuilder, part: Index, source: Archive, archived: Index) -> Flags:
    """Returns whether records of the batch have the signatures of the source's rows, or none, as these."""
    rows, which = np.unique(archived, return_inverse=True)
    stored, signed = source.signatures(rows)
    added, are_signed = batch.signatures_at(part)
    flags: Flags = are_signed == signed[which]
    both = are_signed & flags
    if both.any():  # else there may be none of their size
        flags[both] = (added[both] == stored[which[both]]).all(axis=1)
    return flags


def digest(line: bytes) -> bytes:
    """Returns a digest of a record's line."""
    return blake3.blake3(line).digest(DIGEST_BYTES)
