"""Which documents of a sample belong together, as labels or a truth say."""

import numpy as np
import orjson

from shingletools.kernel.types import Flags, Index
from shingletools.numbers.belonging import GROUPS, NONE, ONCE_TRUE, Belonging, Settled, ends_of, kind_of
from shingletools.record import wire
from shingletools.record.json_members import check_line_once
from shingletools.record.labels import judged_same, take_label
from shingletools.record.wire import Record
from shingletools.system import errors
from shingletools.system.errors import Failed


class SampleTruth:
    """Takes records of a truth; what names a document that is not in the sample is counted, and left out."""

    def __init__(self, ids: dict[bytes, int], id_field: str, field: str | None) -> None:
        """With the numbers of the sample's documents, and the field of labels if documents are the truth."""
        self.ids = ids
        self.id_field = id_field
        self.field = field
        self.belonging = Belonging(banded=False)
        self.kinds: dict[str, str] = {}  # what each file holds
        self.labels: dict[bytes, int] = {}
        self.groups = 0
        self.outside = 0

    def take(self, record: Record, line: bytes, file: str) -> None:
        """A record of a file. Raises Rejected and Failed."""
        if self.field is not None:
            name = wire.take_id(record, self.id_field)
            self.add_label(name, take_label(record, line, self.field))
            return
        kind = self.kinds.get(file) or kind_of(record)
        check_line_once(line, ONCE_TRUE[kind])
        (self.take_group if kind == GROUPS else self.take_pair)(record)
        self.kinds[file] = kind

    def number(self, name: str | int) -> int:
        """That of a document, or NONE."""
        found = self.ids.get(orjson.dumps(name), NONE)
        self.outside += found == NONE
        return found

    def take_pair(self, record: Record) -> None:
        *names, against = wire.take_pair(record)
        same = judged_same(record)
        if against:  # b is of another side, which the sample has not
            self.outside += 1
            return
        one, two = map(self.number, names)
        if NONE not in (one, two):
            if same:
                self.belonging.add_pairs(np.array([one]), np.array([two]), None)
            else:
                self.belonging.add_apart(np.array([one]), np.array([two]))

    def take_group(self, record: Record) -> None:
        names = wire.take_ids(record, "members")
        self.groups += 1
        for name in names:
            self.add_class(name, self.groups, "is in two groups")

    def add_label(self, name: str | int, label: bytes) -> None:
        if label:
            self.add_class(name, self.labels.setdefault(label, len(self.labels)), "has two labels")

    def add_class(self, name: str | int, number: int, wrong: str) -> None:
        document = self.number(name)
        if document != NONE and len(self.belonging.add_classes(np.array([document]), np.array([number]))):
            raise Failed(f"id {errors.shown(name)} {wrong}")


class Judgement:
    """What is true of a sample's documents, by their numbers."""

    def __init__(self, belonging: Belonging, documents: int) -> None:
        self.belonging = belonging
        self.documents = documents
        self.all: Settled = belonging.among(np.ones(documents, np.bool_))

    @property
    def kinds(self) -> Index:
        """Of each document what tells it from others of the same text: its class, or itself if a pair names it."""
        kinds = self.all.classes.copy()
        told = np.unique(np.concatenate(ends_of(self.all.keys)))
        kinds[told] = -2 - told
        return kinds

    def pairs(self) -> int:
        """How many are true."""
        return self.all.pairs()

    def pairs_among(self, there: Flags) -> int:
        """Of these, those of two documents that are there."""
        return self.belonging.among(there).pairs()
