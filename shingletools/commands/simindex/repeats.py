"""Records whose ids come again: they are the same records, or bad."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import blake3
import numpy as np
import orjson

from shingletools.archive.batch import Batch, chosen
from shingletools.archive.opened import Archive
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split
from shingletools.kernel.types import Flags, Index
from shingletools.record.stage import Late
from shingletools.system.errors import seen_before, shown

LINES = 1 << 12  # lines that are compared together
DIGEST = 16  # bytes of a digest

Form = tuple[int, int]  # bytes of a signature, hex digits of a group


class Repeats:
    """The records that came before: in the archive, in this run, and in the same batch.

    Memory: the id of each record of the run that was known, and about 60 bytes.
    """

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.passed, self.digests = kernel.new_ids(), bytearray()  # of known records: ids, digests of lines
        self.there = 0  # number of records that the archive had already
        self.lates: list[Late] = []

    def sorted_out(self, batch: Batch, form: Form, in_this_run: Archive) -> tuple[Flags, Index, Index]:
        """Sorts out a batch: which records are new; the rows to be joined; and for each of these, an addition.

        The row is joined only with records of earlier additions. Records that are not new are in the archive already,
        or bad. Shapes: (records,); (asking,), (asking,).
        """
        data, sizes = batch.names()
        names = list(split(data, sizes))
        before = np.full(len(names), np.iinfo(np.int64).max)
        bad: set[int] = set()
        there: set[int] = set()  # those of them whose id the archive has
        fresh = np.ones(len(names), np.bool_)
        asks = fresh.copy()
        for source in (self.archive, in_this_run):
            found = source.find(data, sizes)
            some = np.flatnonzero(found >= 0)
            order = some[np.argsort(found[some], kind="stable")]
            for start in range(0, len(order), LINES):
                part = order[start : start + LINES]
                differ = set(differing(batch, form, part, source, found[part]))
                bad |= differ
                if source is self.archive:
                    there |= differ
                    rows, which = np.unique(found[part], return_inverse=True)
                    before[part] = source.additions(rows)[which]
            fresh[some] = False
            if source is not self.archive:
                asks[some] = False
        bad.update(self._again(batch, form, names, fresh, asks))
        self._reject(batch, form, names, sorted(bad), there)
        asks[sorted(bad)] = False
        self.there += len(names) - int(np.count_nonzero(fresh)) - len(bad)
        asking = np.flatnonzero(asks)
        return fresh, asking, before[asking]

    def _again(self, batch: Batch, form: Form, names: list[bytes], fresh: Flags, asks: Flags) -> list[int]:
        """Clears the flags of records whose id comes again in the batch, or was known. Gives those that are bad."""
        first: dict[bytes, int] = {}
        passed = np.frombuffer(self.passed.find(*batch.names()), np.int64)
        again: list[tuple[int, int]] = []  # rows, and the first row with the same id
        for row in np.flatnonzero(fresh).tolist():
            other = first.setdefault(names[row], row)
            if other != row or passed[row] >= 0:
                again.append((row, other))
        rows = np.unique(np.array(again, np.int64).reshape(-1))
        digests = dict(zip(rows.tolist(), map(digest, batch.lines(rows, *form)), strict=True))
        come_again = [row for row, _ in again]
        fresh[come_again] = asks[come_again] = False
        return [row for row, other in again if digests[row] != self.digest_of(int(passed[row]), digests[other])]

    def digest_of(self, passed: int, other: bytes) -> bytes:
        """The digest of the known record with this number; `other` if the number is below 0."""
        return other if passed < 0 else bytes(self.digests[passed * DIGEST : (passed + 1) * DIGEST])

    def _reject(self, batch: Batch, form: Form, names: list[bytes], bad: list[int], there: AbstractSet[int]) -> None:
        for row, line in zip(bad, batch.lines(np.array(bad, np.int64), *form), strict=True):
            name = orjson.loads(names[row])
            cause = f"{self.archive.name} has another record of id {shown(name)}" if row in there else seen_before(name)
            self.lates.append(Late(batch.files[batch.file[row]], batch.line[row], cause, line))

    def remember(self, batch: Batch, form: Form, known: Index) -> None:
        """Remembers records that were known, by their rows, which ascend."""
        data, sizes = batch.names()
        bounds = np.append(0, np.cumsum(sizes))
        self.passed.add(chosen(np.frombuffer(data, np.uint8), bounds, known).tobytes(), sizes[known])
        self.digests += b"".join(map(digest, batch.lines(known, *form)))


def differing(batch: Batch, form: Form, part: Index, source: Archive, found: Index) -> Iterator[int]:
    """Those records in a part of the batch that differ from the source's records with the same ids, in rows `found`."""
    rows, which = np.unique(found, return_inverse=True)
    lines = list(source.lines(rows))
    for row, number, line in zip(part.tolist(), which.tolist(), batch.lines(part, *form), strict=True):
        if lines[number] != line:
            yield row


def digest(line: bytes) -> bytes:
    """A digest of a record's line."""
    return blake3.blake3(line).digest(DIGEST)
