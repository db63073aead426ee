"""Which documents belong together by labels or a truth, and which pairs these judge."""

from typing import NamedTuple

import numpy as np
import orjson

from shingletools.kernel.types import Flags, Index
from shingletools.numbers.pair_relation import NONE, FrozenRelation, PairRelation, ends_of, key_of
from shingletools.record import labels, wire
from shingletools.record.json_members import check_line_once
from shingletools.record.wire import Name, Record
from shingletools.system import errors
from shingletools.system.errors import Failed

AGAINST = b"+"  # before the id of a document of --against: no JSON begins with it


class SampleTruth:
    """Collects records of a truth, and labels of documents. Memory: about 200 bytes for each document that has one."""

    def __init__(self, id_field: str, field: str | None, two_sided: bool, tabular: bool = False) -> None:
        self.id_field, self.field, self.two_sided, self.tabular = id_field, field, two_sided, tabular
        self.ids: dict[bytes, int] = {}
        self.relation = PairRelation(banded=False)
        self.file_kinds: dict[str, str] = {}  # what each file holds
        self.labels: dict[bytes, int] = {}  # labels and groups, numbered
        self.elsewhere = False  # whether there are pairs of one side, or of two, where the input is not

    def key(self, name: Name, against: bool = False) -> bytes:
        """Returns the key of a document; in tables, all ids are strings."""
        return AGAINST * against + orjson.dumps(str(name) if self.tabular else name)

    def take(self, record: Record, line: bytes, file: str) -> None:
        """Takes a record of a file. Raises Rejected and Failed."""
        if self.field is not None:
            name = wire.take_id(record, self.id_field)
            self.add_label(self.key(name), labels.take_label(record, line, self.field))
            return
        kind = self.file_kinds.get(file) or labels.kind_of(record)
        check_line_once(line, labels.UNIQUE_FIELDS[kind])
        (self.take_group if kind == labels.GROUPS else self.take_pair)(record)
        self.file_kinds[file] = kind

    def take_pair(self, record: Record) -> None:
        one, two, against = wire.take_pair(record)
        against |= self.tabular and self.two_sided  # a table has no flags
        labels.check_all_pairs(record, "--truth")
        same = labels.judged_same(record)
        if against != self.two_sided:
            self.elsewhere = True
            return
        ends = np.array([[self.number(self.key(one))], [self.number(self.key(two, against))]])
        if same:
            self.relation.add_pairs(ends[0], ends[1], None)
        else:
            self.relation.add_apart(ends[0], ends[1])

    def take_group(self, record: Record) -> None:
        label = b"%d" % len(self.labels)
        for name in wire.take_ids(record, "members"):
            self.add_label(self.key(name), label, "is in two groups")

    def add_label(self, key: bytes, label: bytes, wrong: str = "has two labels") -> None:
        """Adds the label of a document, if it has one. Raises Failed with what is wrong if it has another."""
        number = self.labels.setdefault(label, len(self.labels))
        if label and len(self.relation.add_classes(np.array([self.number(key)]), np.array([number]))):
            raise Failed(f"id {errors.shown(name_of(key))} {wrong}")

    def number(self, key: bytes) -> int:
        return self.ids.setdefault(key, len(self.ids))

    def relation_of_all(self) -> FrozenRelation:
        """Returns the whole truth. Raises Failed if it contradicts itself, or all its pairs are of the wrong sides."""
        if self.elsewhere and not self.ids:
            raise Failed(
                'no pair of --truth has "against":true, as those of one set with another must have'
                if self.two_sided
                else 'the pairs of --truth have "against":true, so they are of two sets: give one with --against'
            )
        every = self.relation.among(np.ones(len(self.ids), np.bool_))
        if (pair := self.relation.contradiction(every)) is not None:
            names = [*self.ids]
            raise Failed(labels.contradiction_message((name_of(names[pair[0]]), name_of(names[pair[1]]))))
        return every


def name_of(key: bytes) -> Name:
    name: Name = orjson.loads(key.removeprefix(AGAINST))
    return name


class SampleLabels(NamedTuple):
    """The truth about a sample's documents, by their numbers.

    A pair is judged if both documents have a class, or if the truth lists the pair.
    """

    true: FrozenRelation  # which documents belong together
    pairs: Index  # ascending: keys of the pairs that the truth lists as true or as different
    components: Index  # (documents,): the first document of those that true pairs connect with it
    listed: Flags  # (documents,): whether the truth names the document
    partial: bool  # whether only judged pairs count

    @classmethod
    def of_documents(cls, truth: SampleTruth, keys: list[bytes]) -> "SampleLabels":
        """Returns the truth about the documents with these keys."""
        every = truth.relation_of_all()
        numbers = np.array([truth.ids.get(key, NONE) for key in keys], np.int64)
        listed = numbers != NONE
        places = np.full(len(truth.ids) + 1, NONE)
        places[numbers[listed]] = np.flatnonzero(listed)

        def of_sample(pair_keys: Index) -> Index:
            ends = np.stack([places[end] for end in ends_of(pair_keys)])
            return np.unique(key_of(*ends[:, (ends != NONE).all(axis=0)]))

        true = FrozenRelation(of_sample(every.keys), None, np.append(every.classes, NONE)[numbers], 0, 0)
        apart = np.array(truth.relation.apart, np.int64)
        connected = true.connected_classes()
        connected.join(*ends_of(true.keys))
        components = connected.representatives().astype(np.int64)
        partial = truth.field is not None or len(apart) > 0
        return cls(true, of_sample(np.append(every.keys, apart)), components, listed, partial)

    def are_judged(self, one: Index, two: Index) -> Flags:
        """Returns whether pairs count. Shapes (pairs,)."""
        if not self.partial:
            return np.ones(len(one), np.bool_)
        classed = self.true.classes != NONE
        judged: Flags = classed[one] & classed[two] | self.true._replace(keys=self.pairs).has_key(key_of(one, two))
        return judged

    @property
    def row_kinds(self) -> Index:
        """Returns a number for each document; equal texts are one row only if these are equal, too.

        It is the class of the document, another one if a pair names it, or -1.
        """
        kinds = self.true.classes.copy()
        for named in ends_of(self.pairs):
            kinds[named] = -2 - named
        return kinds

    def true_partners(self, documents: int, against: Flags | None) -> Index:
        """Counts the documents that belong to each of the first documents of the sample, among these.

        against: the documents of --against; then only those of the other side count. Shapes (documents,).
        """
        sides = np.zeros(documents, np.int64) if against is None else against[:documents].astype(np.int64)
        members = np.flatnonzero(self.true.classes[:documents] != NONE)
        places = 2 * np.unique(self.true.classes[members], return_inverse=True)[1] + sides[members]
        sizes = np.bincount(places, minlength=2 * len(members))
        partners = np.zeros(documents, np.int64)
        partners[members] = sizes[places] - 1 if against is None else sizes[places ^ 1]
        one, two = ends_of(self.true.beyond())  # the second one is greater
        one, two = one[two < documents], two[two < documents]
        counted = (sides[one] != sides[two]) | (against is None)
        return partners + np.bincount(np.append(one[counted], two[counted]), minlength=documents)

    def first_half(self, true_pairs: Index) -> Flags:
        """Cuts the documents into two halves of whole components; returns those in the first. Shapes (documents,).

        The components with the most true pairs come first; each goes to the half that has fewer. Equal ones are in the
        order of the hashes of their first documents, which is that of the documents.
        """
        sizes = np.bincount(self.components, minlength=len(true_pairs))
        firsts = np.flatnonzero(sizes)
        order = np.lexsort((firsts, -sizes[firsts], ~self.listed[firsts], -true_pairs[firsts]))
        inside = np.zeros(len(sizes), np.bool_)
        halves = [[0, 0], [0, 0]]  # true pairs and documents of each
        for first in firsts[order].tolist():
            both = slice(0 if true_pairs[first] else 1, 2)  # without pairs, only documents count
            side = halves[1][both] < halves[0][both]
            halves[side] = [halves[side][0] + int(true_pairs[first]), halves[side][1] + int(sizes[first])]
            inside[first] = not side
        flags: Flags = inside[self.components]
        return flags
