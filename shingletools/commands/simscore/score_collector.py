"""Pairs and groups in, then documents, then labels; scores out."""

import contextlib
from bisect import bisect_left
from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from math import ceil

import numpy as np
import orjson

from shingletools.commands.simscore.score_tables import records, table
from shingletools.commands.simscore.scoring import score
from shingletools.commands.simscore.spec import DOCS, FOUND, TRUTH, ScoreSpec
from shingletools.commands.simscore.universe import Universe
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS, DocumentFields
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.belonging import (
    GROUPS,
    NONE,
    ONCE,
    ONCE_TRUE,
    PAIRS,
    Belonging,
    Settled,
    ends_of,
    judged_twice,
    kind_of,
)
from shingletools.record import wire
from shingletools.record.collector import Collector, Written
from shingletools.record.json_members import check_line_once, in_quotes, member_of, members
from shingletools.record.labels import JUDGED, judged_same, label_of, take_label
from shingletools.record.wire import Name, Record
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected

DOCUMENTS = "documents"  # what a file holds, beside pairs and groups
TINY = 1e-30  # edges have 18 digits behind the point, or are shares of numbers of 18 digits
MORE = 40  # digits than a similarity has, for its product with a number of 18, or of 21 where the edge is a multiple


class Score(Collector):
    """Takes what was found, documents, and the truth, and scores the first by the last.

    Ordinary lines are read many at once; but if one of those that are read together is bad, the rest of their chunk is
    taken one by one, which names its line. Memory: that of `Universe` and of two `Belonging`, and then that of `score`.
    """

    of_all = True

    def __init__(self, spec: ScoreSpec) -> None:
        self.spec = spec
        self.universe = Universe()
        self.sides = {side: Belonging(bool(spec.edges)) for side in (FOUND, TRUTH)}
        self.groups = dict.fromkeys(self.sides, 0)  # that each side has told so far
        self.labels = kernel.new_ids()  # values of the field of labels, of the truth
        self.units = np.array([ceil(edge * 10**DECIMALS) for edge in spec.edges], np.int64)
        self.kinds: dict[tuple[int, str], str] = {}  # what each side's files hold: PAIRS or GROUPS
        self.singly: bytes | None = None  # lines that are not to be taken at once
        self.unknown = 0  # records of the truth that name documents that are none of --docs
        self.said: list[str] = []
        self.doubts: list[str] = []

    def kind(self, side: int) -> str | None:
        """What the file holds of which the next record is; None if no record has told yet."""
        if side == DOCS or (side == TRUTH and self.spec.label is not None):
            return DOCUMENTS
        return self.kinds.get((side, self.place[0]))

    def take_lines(self, lines: bytes, at: int, side: int, /) -> tuple[int, int, Written]:
        kind = self.kind(side)
        if kind is None or lines is self.singly or self.spec.format_of(side) is not None:
            return 0, at, Written()
        read = {PAIRS: self.read_pairs, GROUPS: self.read_groups, DOCUMENTS: self.read_documents}[kind]
        taken, end = read(lines, at, side)
        if not taken:
            return 0, at, Written()
        return taken, end, Written()

    def take(self, record: Record, line: bytes, side: int, /) -> None:
        if self.spec.format_of(side) is not None:
            ids = {*record}.intersection(("a", "b") if self.spec.label is None else (self.spec.id_field,))
            record |= {name: self.universe.known_as(record[name]) for name in ids}
        kind = self.kind(side) or kind_of(record)
        if kind == DOCUMENTS:
            self.take_document(record, line, side)
            return
        once = (ONCE if side == FOUND else ONCE_TRUE)[kind]
        check_line_once(line, (*once, "similarity") if kind == PAIRS and self.spec.edges else once)
        if kind == GROUPS:
            self.take_group(record, side)
        else:
            self.take_pair(record, line, side)
        self.kinds[side, self.place[0]] = kind

    def read_pairs(self, lines: bytes, at: int, side: int) -> tuple[int, int]:
        """Takes pairs from a place on: how many, and where the next line begins. None if one is bad."""
        if side == TRUTH and (in_quotes(JUDGED) in lines or b"\\u00" in lines):
            return self.done(lines, False, 0, at)  # some may be judged different
        if not self.spec.edges:
            pairs = kernel.read_pairs(lines, at, -1)  # which leaves those of two sides
            if pairs.lines:
                numbers = self.universe.number(pairs.ids, pairs.id_sizes)
                one, two, neither = numbers[::2], numbers[1::2], np.zeros(pairs.lines, np.bool_)
                return self.done(lines, self.add_pairs(one, two, neither, None, side), pairs.lines, pairs.end)
        read = kernel.read_similarities(lines, at)
        units, against = np.frombuffer(read.similarities, np.int64), np.frombuffer(read.against, np.bool_)
        bands = None
        if self.spec.edges:
            if units.max(initial=0) > 10**DECIMALS or (side == FOUND and units.min(initial=0) < 0):
                return self.done(lines, False, 0, at)
            bands = np.searchsorted(self.units, units, "right") - 1  # NONE where there is no similarity, too
        one = self.universe.number(read.ids, read.id_sizes)
        two = self.universe.number(read.others, read.other_sizes, against)
        return self.done(lines, self.add_pairs(one, two, against, bands, side), read.lines, read.end)

    def read_groups(self, lines: bytes, at: int, side: int) -> tuple[int, int]:
        """The same of groups."""
        read = kernel.read_members(lines, at)
        numbers = self.universe.number(read.ids, read.id_sizes)
        groups = np.repeat(np.arange(read.lines) + self.groups[side], np.frombuffer(read.counts, np.int64))
        good = not (side == FOUND and self.spec.edges) and not self.strangers(numbers, side).any()
        good = good and not len(self.sides[side].add_classes(numbers, groups))
        self.groups[side] += read.lines if good else 0
        return self.done(lines, good, read.lines, read.end)

    def read_documents(self, lines: bytes, at: int, side: int) -> tuple[int, int]:
        """The same of documents."""
        label = None if side == DOCS else in_quotes(self.spec.label or "")
        names = DocumentFields(in_quotes(self.spec.id_field), value=label)
        if b"\\" in names.id + (label or b""):
            return 0, at
        read = kernel.read_documents(lines, at, names)
        numbers = self.universe.number(read.ids, read.id_sizes)
        good = True
        if label is not None:
            places = np.frombuffer(read.values, np.int64).tolist()
            labels = [label_of(lines[start:end]) for start, end in zip(places[::2], places[1::2], strict=True)]
            told = [each for each in labels if each is not None]
            good = len(told) == len(labels) and not self.strangers(numbers, side).any()
            good = good and not len(self.add_labels(numbers, told))
        if good:
            self.universe.note(numbers)
        return self.done(lines, good, read.lines, read.end)

    def done(self, lines: bytes, good: bool, taken: int, end: int) -> tuple[int, int]:
        """What was taken; nothing if something is bad."""
        if good:
            return taken, end
        self.singly = lines
        return 0, 0

    def strangers(self, numbers: Index, side: int) -> Flags:
        """Which documents of labels are none of --docs, if that is given."""
        if side == TRUTH and self.spec.docs:
            return ~self.universe.has(numbers)
        return np.zeros(len(numbers), np.bool_)

    def add_pairs(self, one: Index, two: Index, against: Flags, bands: Index | None, side: int) -> bool:
        """Adds pairs, some of two sides, unless one is bad: whether it did."""
        if np.any(one == two) or np.any(self.strangers(one, side) | (self.strangers(two, side) & ~against)):
            return False
        self.universe.note(two[against])
        self.sides[side].add_pairs(one, two, bands)
        return True

    def add_labels(self, numbers: Index, labels: list[bytes]) -> Index:
        """Adds documents and their labels, unless some have other ones already: the places of these."""
        sizes = np.array([*map(len, labels)], np.int64)
        labelled = sizes > 0
        classes = np.frombuffer(self.labels.number(b"".join(labels), sizes[labelled]), np.int64)
        return self.sides[TRUTH].add_classes(numbers[labelled], classes)

    def take_pair(self, record: Record, line: bytes, side: int) -> None:
        *names, of_two_sides = wire.take_pair(record)
        same = side == FOUND or judged_same(record)
        against = np.array([of_two_sides])
        ids = [orjson.dumps(name) for name in names]
        bands = np.array([self.band_of(record, line, side)]) if self.spec.edges else None
        one, two = (self.universe.number(each, np.array([len(each)]), other)
                    for each, other in zip(ids, (None, against), strict=True))  # fmt: skip
        self.check_known(np.append(one, two[~against]), names, side)
        if same:
            self.add_pairs(one, two, against, bands, side)
        else:
            self.universe.note(two[against])
            self.sides[side].add_apart(one, two)

    def band_of(self, record: Record, line: bytes, side: int) -> int:
        """The number of the band of a pair's similarity, or NONE; raises Rejected."""
        if "similarity" not in record:
            if side == TRUTH:
                return NONE
            raise Rejected('field "similarity" is missing')
        value = record["similarity"]
        if side == TRUTH and self.spec.form is not None:  # all values of a table are text
            if not value.strip():
                return NONE
            line = b'{"similarity":%b}' % value.encode()
            with contextlib.suppress(Rejected):
                value = wire.parse_json(line)["similarity"]
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise Rejected('field "similarity" is not a number from 0 to 1')
        found = member_of(line, members(line), "similarity")
        assert found is not None
        text = line[found.value : found.end].decode()
        # The value is only the nearest double. No edge but 0 is below TINY, and such exponents may be too many.
        exact = Decimal(text) if value > TINY else Decimal(0)
        if exact > 1:
            raise Rejected('field "similarity" is not a number from 0 to 1')
        context = Context(prec=len(text) + MORE, Emin=MIN_EMIN, Emax=MAX_EMAX)
        edges = self.spec.edges
        return bisect_left(edges, True, key=lambda e: context.multiply(exact, e.denominator) < e.numerator) - 1

    def take_group(self, record: Record, side: int) -> None:
        names = wire.take_ids(record, "members")
        if self.spec.edges and side == FOUND:
            raise Failed("a group has no similarity, which --bands and --by need")
        ids, sizes = bytearray(), []  # one by one: orjson's bytes keep a kilobyte each
        for name in names:
            ids += (written := orjson.dumps(name))
            sizes.append(len(written))
        numbers = self.universe.number(bytes(ids), np.array(sizes, np.int64))
        known = np.flatnonzero(~self.strangers(numbers, side))
        wrong = self.sides[side].add_classes(numbers[known], np.full(len(known), self.groups[side]))
        if len(wrong):
            raise Failed(f"id {errors.shown(names[known[wrong[0]]])} is in two groups")
        self.groups[side] += 1
        self.check_known(numbers, names, side)

    def take_document(self, record: Record, line: bytes, side: int) -> None:
        name = wire.take_id(record, self.spec.id_field)
        label = None if side == DOCS else take_label(record, line, self.spec.label or "")
        written = orjson.dumps(name)
        number = self.universe.number(written, np.array([len(written)]))
        if label is not None:
            self.check_known(number, [name], side)
            if len(self.add_labels(number, [label])):
                raise Failed(f"id {errors.shown(name)} has two labels")
        self.universe.note(number)

    def check_known(self, numbers: Index, names: list[Name], side: int) -> None:
        """Raises Rejected for the first that is none of --docs."""
        unknown = np.flatnonzero(self.strangers(numbers, side))
        if len(unknown):
            self.unknown += 1
            raise Rejected(f"no document of --docs has the id {errors.shown(names[unknown[0]])}")

    def finish(self) -> Iterator[Written]:
        there = self.universe.every()
        named = self.sides[TRUTH].named(len(there))
        if not self.spec.docs:
            there |= named | self.sides[FOUND].named(len(there))
        if len(self.sides[FOUND].keys) or self.groups[FOUND]:
            self.doubts = undecided(np.any(named & self.sides[FOUND].named(len(there))))
        found, truth = (self.sides[side].among(there) for side in (FOUND, TRUTH))
        if self.spec.judged:
            there &= named
            found = found.only(self.judged(truth, there))
        if (pair := self.sides[TRUTH].contradiction(truth)) is not None:
            raise Failed(judged_twice((self.universe.name(pair[0]), self.universe.name(pair[1]))))
        scores = score(found, truth, there, self.spec.edges, self.spec.cut)
        counts = scores.all.pairs
        self.said = [
            f"{counts.found} pairs found",
            f"{counts.truth} true",
            f"{counts.right} both",
            f"{scores.documents} documents",
            f"{np.count_nonzero(there & ~named)} without a label",
            f"{found.repeated} pairs repeated",
            f"{found.outside} outside --docs",
            f"{self.unknown} labels of unknown documents",
        ]
        yield Written(table(scores) if self.spec.table else records(scores))

    def judged(self, truth: Settled, there: Flags) -> Index:
        """The pairs of documents that there are which the truth judges, ascending. Raises Failed for groups."""
        if np.any(truth.classes != NONE):
            raise Failed("--judged needs a truth of pairs, not of groups")
        apart = np.array(self.sides[TRUTH].apart, np.int64)
        one, two = ends_of(apart)
        return np.unique(np.append(truth.keys, apart[there[one] & there[two]]))

    def remarks(self) -> list[str]:
        return self.doubts

    def summary(self) -> list[str]:
        return self.said


def undecided(common: object) -> list[str]:
    """What to say where the truth labels no document of the input, and so decides nothing of it."""
    if common:
        return []
    return ['--truth labels no document of the input: are their ids the same? 1 and "1" are two ids']
