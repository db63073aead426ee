"""Which pairs have documents with equal or different labels in some fields."""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from shingletools.archive.archive_reader import Archive
from shingletools.commands.simjoin.join_options import Scope
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds, each_id
from shingletools.kernel.types import U32, U64, Flags, Index
from shingletools.record import wire
from shingletools.record.events import Reject
from shingletools.record.labels import label_of, take_label
from shingletools.record.wire import Record
from shingletools.system.errors import Rejected

NO_LABEL = b"null"  # equal to itself, and to nothing else
UNREAD, BAD = 2**32 - 1, 2**32 - 2  # instead of the number of a label in an archive


class LabelFilter:
    """The labels of documents, as numbers. Documents are numbered as they come.

    Memory: 4 bytes for each document and field, and about 60 for each different label.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.labels = kernel.new_ids()  # as they are spelled
        self.meant = array("I")  # for each spelling, the number that all equal labels share
        self.held = [array("I") for _ in scope.fields]

    def numbers(self, labels: bytes, sizes: bytes | Index) -> U32:
        """Returns the numbers of labels as they are spelled: equal ones have one number. Shape (documents, fields)."""
        spelled = self.spelled(labels, sizes)
        while len(self.meant) < len(self.labels):  # the chosen spelling of a label may be new, too
            new = SelectedIds(self.labels.data, self.labels.ends, np.arange(len(self.meant), len(self.labels)))
            self.meant.extend(self.spelled(*one_after_another([label_of(text) or NO_LABEL for text in each_id(new)])))
        meant: U32 = np.frombuffer(self.meant, np.uint32)[spelled].reshape(-1, len(self.held))
        return meant

    def spelled(self, labels: bytes, sizes: bytes | Index) -> Index:
        return np.frombuffer(self.labels.number(labels, sizes), np.int64)

    def numbers_in(self, record: Record, line: bytes) -> U32:
        """Returns the numbers of the labels of one record. Raises Rejected."""
        labels = [take_label(record, line, field) or NO_LABEL for field in self.scope.fields]
        return self.numbers(*one_after_another(labels))

    def add(self, numbers: U32) -> None:
        """Adds documents. Shape (documents, fields)."""
        for column, values in zip(self.held, numbers.T, strict=True):
            column.frombytes(values.tobytes())

    @property
    def columns(self) -> Sequence[U32]:
        """Returns for each field the numbers of all documents' labels. Shape (documents,) each."""
        return [np.frombuffer(column, np.uint32) for column in self.held]

    @property
    def within(self) -> Sequence[U32]:
        return self.columns[: len(self.scope.within)]

    @property
    def across(self) -> Sequence[U32]:
        return self.columns[len(self.scope.within) :]

    def keys(self, keys: U64, rows: Index, columns: Sequence[U32]) -> U64:
        """Returns keys that depend on some labels of the rows, too. Shapes: (rows,), (rows,) in; (rows,) out."""
        for column in columns:
            keys = kernel.fmix64(keys) + column[rows]
        return keys

    def equal(self, left: Index, right: Index) -> Flags:
        """Returns whether all labels are equal. Shapes: (pairs,), (pairs,) in; (pairs,) out."""
        flags: Flags = np.all([column[left] == column[right] for column in self.columns], axis=0)
        return flags

    def has(self, left: Index, right: Index) -> Flags:
        """Returns whether documents may be a pair. Shapes: (pairs,), (pairs,) in; (pairs,) out."""
        return self._agree([column[left] for column in self.columns], [column[right] for column in self.columns])

    def _agree(self, left: Sequence[U32], right: Sequence[U32]) -> Flags:
        wanted = [number < len(self.scope.within) for number in range(len(left))]
        flags: Flags = np.all([(a == b) == same for a, b, same in zip(left, right, wanted, strict=True)], axis=0)
        return flags

    def allowed(self, pairs: Pairs) -> Pairs:
        """Returns the pairs that the labels allow."""
        return pairs.at(self.has(pairs.a, pairs.b))

    def of_archive(self, archive: Archive, place: int, pairs: Iterator[Pairs], bad: list[Reject]) -> Iterator[Pairs]:
        """Yields the allowed pairs with rows of an archive, whose places begin at `place`.

        Only records in pairs are read, each once. Those without a label are added to `bad`. Memory: 4 bytes for each
        document of the archive and field.
        """
        known = np.full((len(self.held), int(archive.firsts[-1])), UNREAD, np.uint32)
        for found in pairs:
            rows = np.unique(found.b - place)
            unread = rows[known[0, rows] == UNREAD]
            for row, line in zip(unread.tolist(), archive.lines(unread), strict=True):
                try:
                    known[:, row] = self.numbers_in(wire.parse_json(line), line)[0]
                except Rejected as error:
                    known[:, row] = BAD
                    bad.append(Reject(archive.path, None, str(error), line))
            archived = list(known[:, found.b - place])
            some = self._agree([column[found.a] for column in self.columns], archived) & (archived[0] != BAD)
            yield found.at(some)


def one_after_another(labels: Sequence[bytes]) -> tuple[bytes, Index]:
    """Returns labels, or ids, one after the other, and the bytes of each."""
    return b"".join(labels), np.array(list(map(len, labels)), np.int64)
