"""Records whose ids come again: the same records, or bad ones."""

import numpy as np

from shingletools.archive.batch import Batch
from shingletools.archive.blocks import hexdigest
from shingletools.archive.opened import Archive
from shingletools.errors import seen_before
from shingletools.kernel.ids import split
from shingletools.kernel.types import Flags, Index
from shingletools.stage import Late
from shingletools.wire import parse_json

Form = tuple[int, int]  # bytes of a signature, digits of a group


class Repeats:
    """What came before: in the archive, in this run, and in a batch itself."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.passed: dict[bytes, str] = {}  # records that were known: their ids, and the BLAKE3 of their lines
        self.there = 0  # records that were the same
        self.lates: list[Late] = []

    def sorted_out(self, batch: Batch, form: Form, in_this_run: Archive) -> tuple[Flags, Index, Index]:
        """Which records are new, which ask, and before which addition each of these did. Others are there, or bad.

        Shapes: (records,); (asking,), (asking,).
        """
        data, sizes = batch.names()
        names = list(split(data, sizes))
        before = np.full(len(names), np.iinfo(np.int64).max)
        bad: set[int] = set()
        fresh = np.ones(len(names), np.bool_)
        asks = fresh.copy()
        for source in (self.archive, in_this_run):
            found = source.find(data, sizes)
            some = np.flatnonzero(found >= 0)
            order = some[np.argsort(found[some], kind="stable")]
            rows, which = np.unique(found[order], return_inverse=True)
            lines = list(source.lines(rows))
            came = batch.lines(order, *form)
            bad.update(
                row for row, number, line in zip(order.tolist(), which.tolist(), came, strict=True)
                if lines[number] != line
            )  # fmt: skip
            fresh[some] = False
            if source is not self.archive:
                asks[some] = False
            elif len(rows):
                before[order] = source.additions(rows)[which]
        bad.update(self._again(batch, form, names, fresh, asks))
        self._reject(batch, form, names, sorted(bad))
        asks[sorted(bad)] = False
        self.there += len(names) - int(np.count_nonzero(fresh)) - len(bad)
        asking = np.flatnonzero(asks)
        return fresh, asking, before[asking]

    def _again(self, batch: Batch, form: Form, names: list[bytes], fresh: Flags, asks: Flags) -> list[int]:
        """Those that come again in the batch, or after they were known, are not fresh; gives those that are bad."""
        bad = []
        first: dict[bytes, int] = {}
        for row in np.flatnonzero(fresh).tolist():
            digest = self.passed.get(names[row])
            other = first.setdefault(names[row], row)
            if digest is None and other == row:
                continue
            fresh[row] = asks[row] = False
            if digest is None:
                digest = hexdigest(next(batch.lines(np.array([other]), *form)))
            if hexdigest(next(batch.lines(np.array([row]), *form))) != digest:
                bad.append(row)
        return bad

    def _reject(self, batch: Batch, form: Form, names: list[bytes], bad: list[int]) -> None:
        for row, line in zip(bad, batch.lines(np.array(bad, np.int64), *form), strict=True):
            cause = seen_before(parse_json(b'{"id":%b}' % names[row])["id"])
            self.lates.append(Late(batch.files[batch.file[row]], batch.line[row], cause, line))

    def remember(self, batch: Batch, form: Form, known: Index) -> None:
        """Records that were known, by their rows, which ascend."""
        names = list(split(*batch.names()))
        lines = batch.lines(known, *form)
        self.passed.update((names[row], hexdigest(line)) for row, line in zip(known.tolist(), lines, strict=True))
