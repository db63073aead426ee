"""Takes pairs, then documents, and adds to each pair what each side has of its own."""

from array import array
from collections.abc import Callable, Iterator, Sequence, Sized
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import orjson

from shingletools.commands.simcheck.citation_verdicts import citation_verdict
from shingletools.commands.simcheck.citations import Citation
from shingletools.commands.simcheck.own_words import OwnWords, Words
from shingletools.commands.simcheck.spec import ADDED, ANSWER, OWN, CheckSpec
from shingletools.commands.simcheck.verdicts import BOTH, COPY, DIFFERENT, DOUBTFUL, SAME, Verdict, verdict
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds, each_id, split_ids
from shingletools.kernel.line_columns import ColumnData, Field, Kind
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.record.collector import Collector, DeferredReject, Taken, Written
from shingletools.record.json_members import escaped, member_of, members, parse
from shingletools.record.record_batch import Place, RecordBatch, Schema, read_batch
from shingletools.record.wire import AGAINST, COVERS
from shingletools.system.errors import Failed, IdRepeated, Rejected, seen_before, shown
from shingletools.system.spilling_list import SpillingList

NOT_YET, BAD = -1, -2  # instead of the number of a text: its document has not come, or was rejected
FIRST_WORDS = 5  # of what a side has of its own, which are written
CACHED_WORDS = 1 << 20  # words of prepared texts that are kept: some 200 bytes each
MEMORY_PARTS = 4  # of the memory: one for pairs, two for texts, the rest for gaps in the heap
VIA = "via"


class WaitingPairs(NamedTuple):
    """Lines of pairs that wait, and the place of the first."""

    lines: bytes
    place: Place


class PairRow(NamedTuple):
    """A pair: its line, the numbers of its ids, and whether b is a copy."""

    line: bytes
    a: int
    b: int
    copy: bool


class Side:
    """The documents of a side: for each id, the number of its text."""

    def __init__(self) -> None:
        self.ids = kernel.new_ids()
        self.texts = array("q")

    def number(self, ids: ColumnData) -> Index:
        """Returns the numbers of the ids of pairs, which may be new."""
        numbers = np.frombuffer(self.ids.number(ids.data, ids.sizes), np.int64)
        self.texts.extend([NOT_YET] * (len(self.ids) - len(self.texts)))
        return numbers


class CheckCollector(Collector):
    """Takes pairs, then the documents that they name.

    Memory: the lines of pairs, 100 bytes for each id that they name, and the texts of these, unless there is a limit;
    beyond it, lines and texts go to scratch files. Prepared texts: at most 200 MB.
    """

    def __init__(self, spec: CheckSpec) -> None:
        self.spec = spec
        limit = spec.memory
        share = None if limit is None else limit.share(MEMORY_PARTS, 0)
        self.pairs: SpillingList[WaitingPairs] = SpillingList(limit and limit._replace(size=share or 0))
        self.texts: SpillingList[bytes] = SpillingList(limit and limit._replace(size=2 * (share or 0)))
        one = Side()
        self.two = one, Side() if spec.others else one
        # Of texts that differ from what they are copies of: the first document, and its id
        self.apart_first: dict[bytes, tuple[int, bytes]] = {}
        self.via: bytes | None = None  # the recipe of all texts, as it is spelled, from the first document on
        self.prepare: Callable[[bytes], Sized] = Citation if spec.citations else (lambda text: Words(text.decode()))
        self.compare: Callable[[Any, Any], Verdict] = (
            citation_verdict if spec.citations else partial(verdict, rules=spec.rules)
        )
        self.known: set[tuple[int, int]] = set()  # pairs of citations, which may be proposed twice
        self.prepared: dict[int, Sized] = {}
        self.ready = 0  # words of these
        self.lost: list[DeferredReject] = []
        self.counts = dict.fromkeys((COPY, DOUBTFUL, DIFFERENT), 0)
        other = -1 if spec.others else 0
        ids = Field(b"a", Kind.ID), Field(b"b", Kind.ID, other=other)
        flags = (Field(AGAINST.encode(), Kind.FLAG), Field(wire.COPY.encode(), Kind.FLAG))
        added = (Field(name.encode(), Kind.NONE) for name in ADDED)
        self.of_pairs = Schema(self.parse_pair, (*ids, *flags, *added))
        names = *spec.compared, VIA
        self.of_documents = Schema(
            self.parse_document,
            (Field(escaped(spec.id_field), Kind.ID), *(Field(escaped(n), Kind.SPAN) for n in names)),
        )

    def schema(self, side: int, /) -> Schema:
        return self.of_documents if side else self.of_pairs

    def parse_pair(self, line: bytes, _start: int) -> Sequence[bytes | bool]:
        """Returns a pair's ids, and whether it is of two sides, and a copy. Raises Rejected."""
        record = parse(line, self.once(0))
        one, two, against = wire.take_pair(record | ({AGAINST: True} if self.spec.others else {}))
        for name in ADDED:
            if name in record:
                raise Rejected(f"field {shown(name)} is there already")
        return orjson.dumps(one), orjson.dumps(two), against, wire.take_flag(record, wire.COPY)

    def parse_document(self, line: bytes, start: int) -> Sequence[bytes | tuple[int, int]]:
        """Returns a document's id, and the places of its fields and its recipe in the lines. Raises Rejected."""
        record = parse(line, self.once(1))
        found = [member_of(line, members(line), name) for name in (*self.spec.compared, VIA)]
        places = [(0, 0) if each is None else (start + each.value, start + each.end) for each in found]
        return orjson.dumps(wire.take_id(record, self.spec.id_field)), *places

    def take(self, batch: RecordBatch, side: int, /) -> Taken:
        if side:
            return self.take_documents(batch, self.two[side - 1])
        for ids, of_side in zip(batch.columns, self.two, strict=False):
            of_side.number(ids)
        lines = batch.lines[int(np.frombuffer(batch.starts, np.int64)[0]) : batch.end]
        self.pairs.add(WaitingPairs(lines, batch.place(0)), len(lines) + 300)
        return Taken()

    def take_documents(self, batch: RecordBatch, side: Side) -> Taken:
        ids, *fields, recipes = batch.columns
        numbers = np.frombuffer(side.ids.find(ids.data, ids.sizes), np.int64)
        *of_fields, of_via = (np.frombuffer(column.data, np.int64).reshape(-1, 2) for column in (*fields, recipes))
        rejected: dict[int, Rejected] = {}
        for row in np.flatnonzero(numbers >= 0).tolist():
            number = int(numbers[row])
            try:
                via = batch.lines[slice(*of_via[row])]
                self.check_recipe(via)
                if side.texts[number] >= 0:
                    raise IdRepeated(seen_before(orjson.loads([*split_ids(ids.data, ids.sizes)][row])))
                side.texts[number] = BAD
                text = self.text_of([batch.lines[slice(*places[row])] for places in of_fields])
            except Rejected as error:
                rejected[row] = error
                if self.strict:
                    break
            except Failed as error:
                return Taken(rejected=rejected, failed=(row, error))
            else:
                self.via = via
                side.texts[number] = len(self.texts)
                self.texts.add(text, len(text) + 100)
        return Taken(rejected=rejected)

    def check_recipe(self, via: bytes) -> None:
        """Raises Failed for another recipe than that of the documents before, and Rejected for none."""
        if via != self.via:
            recipe = wire.take_recipe({VIA: orjson.loads(via)} if via else {})
            if self.via is not None:
                raise Failed(wire.recipes_differ(recipe, orjson.loads(self.via) if self.via else ""))

    def text_of(self, values: Sequence[bytes]) -> bytes:
        """Returns the words of a document, from the JSON of their field, or its citation's fields. Raises Rejected."""
        if self.spec.citations:
            abstract = b"" if values[-1] == b'""' else values[-1] and b"1"  # it counts that it is there
            return b"[%b]" % b",".join(value or b"null" for value in (*values[:-1], abstract))
        (value,) = values
        if value[:1] == b'"' and b"\\" not in value:
            return value[1:-1]
        return wire.take_string(
            {self.spec.text_field: orjson.loads(value)} if value else {}, self.spec.text_field
        ).encode()

    def finish(self) -> Iterator[Written]:
        for waiting in self.pairs:
            written, doubtful = list[bytes](), list[bytes]()
            for row, pair in enumerate(self.rows(waiting.lines)):
                if self.spec.citations:
                    if (pair.a, pair.b) in self.known:
                        continue
                    self.known.add((pair.a, pair.b))
                line = self.checked(pair)
                if line is None:
                    self.lost.append(self.unknown(waiting.place, row, pair))
                    continue
                written.append(line)
                if b'"answer":"doubtful"}' in line[-30:]:
                    doubtful.append(line)
            yield Written(b"".join(written), b"".join(doubtful) if self.spec.doubtful is not None else b"")

    def checked(self, pair: PairRow) -> bytes | None:
        """Returns the line of a pair with what was found; None if a document of it is not there."""
        one, other = texts = self.texts_of(pair)
        if min(texts) < 0:
            return None
        if pair.copy and self.texts[one] != self.texts[other]:
            return self.checked(self.apart(pair, other))
        found = SAME if pair.copy else self.compare(self.words(one), self.words(other))
        if self.spec.covering and found.answer == DOUBTFUL:
            found = found._replace(covers=BOTH)
        self.counts[found.answer] += 1
        return with_verdict(pair.line, found)

    def apart(self, pair: PairRow, text: int) -> PairRow:
        """Returns a pair in place of one whose copy differs from the original, though its shingles do not.

        The first document with its text gets a pair that is no copy; the others become copies of that one.
        """
        ids = self.two[1].ids
        (name,) = each_id(SelectedIds(ids.data, ids.ends, np.array([pair.b])))
        first, id_of_first = self.apart_first.setdefault(self.texts[text], (pair.b, name))
        if first == pair.b:
            return pair._replace(line=without_copy(pair.line), copy=False)
        copy = b'{"a":%b,"b":%b,"similarity":1.0,"copy":true}' % (id_of_first, name)
        return PairRow(copy, first, pair.b, True)

    def texts_of(self, pair: PairRow) -> tuple[int, int]:
        """Returns the numbers of the texts of a pair."""
        return self.two[0].texts[pair.a], self.two[-1].texts[pair.b]

    def rows(self, lines: bytes) -> Iterator[PairRow]:
        """Yields the pairs on lines that were good before."""
        at = 0
        while at < len(lines):
            batch = read_batch(lines, at, self.of_pairs)
            at = batch.next
            a, b = (
                np.frombuffer(side.ids.find(ids.data, ids.sizes), np.int64).tolist()
                for side, ids in zip(self.two, batch.columns, strict=False)
            )
            yield from map(PairRow, map(batch.line, range(batch.rows)), a, b, map(bool, batch.columns[3].data))

    def words(self, number: int) -> Sized:
        """Returns a text that is prepared to be compared."""
        words = self.prepared.get(number)
        if words is None:
            words = self.prepare(self.texts[number])
            if self.ready > CACHED_WORDS:
                self.prepared.clear()
                self.ready = 0
            self.prepared[number] = words
            self.ready += len(words)
        return words

    def unknown(self, first: Place, row: int, pair: PairRow) -> DeferredReject:
        """Returns a pair that cannot be checked, because a document is not there, or was rejected."""
        texts = self.texts_of(pair)
        side = next(side for side, text in enumerate(texts) if text < 0)
        option = "--against" if side and self.spec.others else "--docs"
        name = shown(wire.parse_json(pair.line)["ab"[side]])
        why = f"no document of {option} has the id {name}"
        if texts[side] == BAD:
            why = f"the document {name} of {option} was rejected"
        return DeferredReject(first[0], None if first[1] is None else first[1] + row, why, pair.line)

    def deferred_rejects(self) -> Sequence[DeferredReject]:
        lost, self.lost = self.lost, []
        return lost

    def summary(self) -> list[str]:
        copies, doubtful, different = self.counts.values()
        return [f"{copies} copies", f"{doubtful} doubtful pair{'s' * (doubtful != 1)}", f"{different} different"]


def without_copy(line: bytes) -> bytes:
    """Returns the line of a pair without the field `copy`.

    >>> without_copy(b'{"a":1,"copy":true,"b":2}')
    b'{"a":1,"b":2}'
    """
    place = member_of(line, members(line), wire.COPY)
    assert place is not None
    before, after = line[: place.start].rstrip(), line[place.end :].lstrip()
    return before[:-1] + after if before[-1:] == b"," else before + after.removeprefix(b",")


def with_verdict(line: bytes, found: Verdict) -> bytes:
    """Returns the line of a pair with what was found, before its last brace.

    >>> with_verdict(b'{"a":1,"b":2}', SAME)[-33:-1]
    b'"covers":"both","answer":"copy"}'
    """
    own = b",".join(b'"%b":%b' % (side, shown_own(each)) for side, each in ((b"a", found.a), (b"b", found.b)))
    before = line.removeprefix(wire.BOM).rstrip()[:-1].rstrip()
    return b'%b,"%b":{%b},"%b":"%b","%b":"%b"}\n' % (
        before,
        OWN.encode(),
        own,
        COVERS.encode(),
        found.covers.encode(),
        ANSWER.encode(),
        found.answer.encode(),
    )


def shown_own(own: OwnWords) -> bytes:
    first = orjson.dumps(" ".join(own.words[:FIRST_WORDS]))
    return b'{"words":%d,"run":%d,"first":%b}' % (len(own.words), own.longest, first)
