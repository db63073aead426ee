"""Which documents belong together by labels or a truth, and which pairs these judge."""

from typing import NamedTuple

import numpy as np
import orjson

from shingletools.kernel.types import Flags, Index
from shingletools.numbers.pair_relation import NONE, FrozenRelation, PairRelation, ends_of, key_of
from shingletools.record import wire
from shingletools.record.json_members import check_line_once
from shingletools.record.labels import (
    GROUPS,
    UNIQUE_TRUTH_FIELDS,
    contradiction_message,
    judged_same,
    kind_of,
    take_label,
)
from shingletools.record.wire import Name, Record
from shingletools.system import errors
from shingletools.system.errors import Failed

OTHER = b"+"  # before the id of a document of --against: no JSON begins with it


class SampleTruth:
    """Collects records of a truth, and labels of documents. Memory: about 200 bytes for each document that has one."""

    def __init__(self, id_field: str, field: str | None, two_sided: bool) -> None:
        self.id_field = id_field
        self.field = field
        self.two_sided = two_sided
        self.ids: dict[bytes, int] = {}
        self.relation = PairRelation(banded=False)
        self.kinds: dict[str, str] = {}  # what each file holds
        self.labels: dict[bytes, int] = {}
        self.groups = self.elsewhere = 0  # groups; pairs that are of one side, or of two, where the input is not

    def take(self, record: Record, line: bytes, file: str) -> None:
        """Takes a record of a file. Raises Rejected and Failed."""
        if self.field is not None:
            self.add_label(self.known(wire.take_id(record, self.id_field)), take_label(record, line, self.field))
            return
        kind = self.kinds.get(file) or kind_of(record)
        check_line_once(line, UNIQUE_TRUTH_FIELDS[kind])
        (self.take_group if kind == GROUPS else self.take_pair)(record)
        self.kinds[file] = kind

    @staticmethod
    def known(name: Name, other: bool = False) -> bytes:
        """Returns the key of a document."""
        return OTHER * other + orjson.dumps(name)

    def number(self, name: bytes) -> int:
        return self.ids.setdefault(name, len(self.ids))

    def take_pair(self, record: Record) -> None:
        one, two, against = wire.take_pair(record)
        same = judged_same(record)
        if against != self.two_sided:
            self.elsewhere += 1
            return
        ends = np.array([[self.number(self.known(one))], [self.number(self.known(two, against))]])
        if same:
            self.relation.add_pairs(ends[0], ends[1], None)
        else:
            self.relation.add_apart(ends[0], ends[1])

    def take_group(self, record: Record) -> None:
        names = wire.take_ids(record, "members")
        self.groups += 1
        for name in names:
            self.add_class(self.known(name), self.groups, "is in two groups")

    def add_label(self, name: bytes, label: bytes) -> None:
        if label:
            self.add_class(name, self.labels.setdefault(label, len(self.labels)), "has two labels")

    def add_class(self, name: bytes, number: int, wrong: str) -> None:
        if len(self.relation.add_classes(np.array([self.number(name)]), np.array([number]))):
            raise Failed(f"id {errors.shown(name_of(name))} {wrong}")

    def settled(self) -> FrozenRelation:
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
            raise Failed(contradiction_message((name_of(names[pair[0]]), name_of(names[pair[1]]))))
        return every


def name_of(known: bytes) -> Name:
    found: Name = orjson.loads(known.removeprefix(OTHER))
    return found


class Judgement(NamedTuple):
    """The truth about a sample's documents, by their numbers.

    A pair is judged if both documents have a class, or if the truth lists the pair.
    """

    components: Index  # (documents,): the first document of the component that true pairs make
    classes: Index  # (documents,), or NONE
    keys: Index  # ascending: true pairs that the truth lists
    apart: Index  # ascending: different pairs that the truth lists
    listed: Flags  # (documents,): whether the truth names the document
    partial: bool  # whether only judged pairs count

    @classmethod
    def for_documents(cls, truth: SampleTruth, names: list[bytes]) -> "Judgement":
        """Returns the truth about the documents with these keys."""
        every = truth.settled()
        place = np.array([truth.ids.get(name, NONE) for name in names], np.int64)
        listed = place != NONE
        documents = np.full(len(truth.ids) + 1, NONE)
        documents[place[listed]] = np.flatnonzero(listed)
        classes = np.append(every.classes, NONE)[place]

        def renumbered(keys: Index) -> Index:
            one, two = (documents[numbers] for numbers in ends_of(keys))
            there = (one != NONE) & (two != NONE)
            return np.unique(key_of(one[there], two[there]))

        keys, apart = renumbered(every.keys), renumbered(np.array(truth.relation.apart, np.int64))
        settled = FrozenRelation(keys, None, classes, 0, 0)
        groups = settled.connected_classes()
        groups.join(*ends_of(keys))
        partial = truth.field is not None or len(truth.relation.apart) > 0
        return cls(groups.representatives().astype(np.int64), classes, keys, apart, listed, partial)

    @property
    def settled(self) -> FrozenRelation:
        return FrozenRelation(self.keys, None, self.classes, 0, 0)

    def right(self, one: Index, two: Index) -> Flags:
        """Returns whether pairs are true. Shapes (pairs,)."""
        together: Flags = (self.classes[one] == self.classes[two]) & (self.classes[one] != NONE)
        if len(self.keys):
            together |= self.settled.has_key(key_of(one, two))
        return together

    def are_judged(self, one: Index, two: Index) -> Flags:
        """Returns whether pairs count. Shapes (pairs,)."""
        if not self.partial:
            return np.ones(len(one), np.bool_)
        judged: Flags = (self.classes[one] != NONE) & (self.classes[two] != NONE)
        for keys in (self.keys, self.apart):
            if len(keys):
                judged |= self.settled._replace(keys=keys).has_key(key_of(one, two))
        return judged

    @property
    def kinds(self) -> Index:
        """Returns a number for each document; equal texts are one row only if these are equal, too.

        It is the class of the document, its own number if a pair names it, or -1.
        """
        kinds = self.classes.copy()
        named = np.unique(np.concatenate([*ends_of(self.keys), *ends_of(self.apart)]))
        kinds[named] = -2 - named
        return kinds

    def pairs(self, there: Flags, others: Flags | None) -> Index:
        """Counts the true pairs in each component, at its first document, among the documents `there`.

        others: the documents of --against; then each pair has one of them. Shapes (documents,).
        """
        counts = np.zeros(len(self.components), np.int64)
        classed = np.flatnonzero(there & (self.classes != NONE))
        _, first, place = np.unique(self.classes[classed], return_index=True, return_inverse=True)
        if len(classed):
            sizes = np.bincount(place)
            if others is None:
                pairs = sizes * (sizes - 1) // 2
            else:
                theirs = np.bincount(place, others[classed]).astype(np.int64)
                pairs = theirs * (sizes - theirs)
            np.add.at(counts, self.components[classed[first]], pairs)
        one, two = ends_of(self.settled.beyond())
        both = there[one] & there[two]
        if others is not None:
            both &= others[one] != others[two]
        np.add.at(counts, self.components[one[both]], 1)
        return counts


def halves(judgement: Judgement, others: Flags | None) -> Flags:
    """Cuts documents into two halves of whole components; returns those in the first half. Shape (documents,).

    The components with the most true pairs come first; each goes to the half that has fewer. Equal ones are in the
    order of the hashes of their first documents, which is that of the documents.
    """
    counts = judgement.pairs(np.ones(len(judgement.components), np.bool_), others)
    sizes = np.bincount(judgement.components, minlength=len(counts))
    firsts = np.flatnonzero(sizes)
    strata = judgement.listed[firsts]
    order = firsts[np.lexsort((firsts, -sizes[firsts], ~strata, -counts[firsts]))]
    inside = np.zeros(len(counts), np.bool_)
    pairs, documents = [0, 0], [0, 0]
    for first in order.tolist():
        side = (pairs[1], documents[1]) < (pairs[0], documents[0]) if counts[first] else documents[1] < documents[0]
        pairs[side] += int(counts[first])
        documents[side] += int(sizes[first])
        inside[first] = not side
    flags: Flags = inside[judgement.components]
    return flags
