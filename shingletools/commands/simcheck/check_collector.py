"""Takes pairs, then documents, and adds to each pair what each side has of its own."""

import os
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.simcheck.spec import ADDED, CheckSpec
from shingletools.commands.simcheck.text_numbers import TextNumbers
from shingletools.commands.simcheck.verdicts import ANSWERS, DOUBT, SHORT, UNLIKE, VERDICTS, stands_in, verdicts
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds, each_id, split_ids
from shingletools.kernel.line_columns import ColumnData, Field, Kind
from shingletools.kernel.own_words import OWN, Comparing, LineHeads, NumberedTexts, OwnWords
from shingletools.kernel.types import Flags, Index
from shingletools.record import wire
from shingletools.record.collector import Collector
from shingletools.record.events import Event, Reject, written
from shingletools.record.json_members import escaped, member_of, members, parse
from shingletools.record.record_batch import Place, RecordBatch, Schema, read_batch
from shingletools.record.wire import AGAINST
from shingletools.system.errors import Failed, IdRepeated, Rejected, seen_before, shown
from shingletools.system.spilling_list import SpillingList

NOT_YET, BAD = -1, -2  # instead of the number of a text: its document has not come, or was rejected
CACHED_WORDS = 1 << 21  # words of prepared texts that are kept
PART_BYTES = 1 << 24  # of texts that are compared at once
MEMORY_PARTS = 4  # of the memory: one for pairs, two for texts, the rest for gaps in the heap
VIA = "via"


class WaitingPairs(NamedTuple):
    """Pairs that wait."""

    lines: bytes
    file: str
    numbers: Sequence[int]  # of the lines in the file, some of which may be left out before


class PairRows(NamedTuple):
    """Pairs whose documents are there. Shapes: (pairs, 2) and (pairs,)."""

    heads: LineHeads  # lines up to the end of the last value
    texts: Index  # the numbers of their texts
    copies: Flags  # whether both texts are the same


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
        self.sizes = array("q")  # bytes of each text
        self.texts: SpillingList[bytes] = SpillingList(limit and limit._replace(size=2 * (share or 0)))
        one = Side()
        self.two = one, Side() if spec.others else one
        self.apart_first: dict[bytes, bytes] = {}  # the first id of texts that differ from what they are copies of
        self.via: bytes | None = None  # the recipe of all texts, as it is spelled, from the first document on
        self.prepared = TextNumbers()
        self.how = Comparing(SHORT, key=int.from_bytes(os.urandom(8)))
        covers = [*(found.covers for found in VERDICTS[:DOUBT]), "both" if spec.covering else VERDICTS[DOUBT].covers]
        self.rests = [
            f',"covers":"{side}","answer":"{found.answer}"}}\n'.encode()
            for side, found in zip(covers, VERDICTS, strict=True)
        ]
        self.lost: list[Reject] = []
        self.counts = dict.fromkeys(ANSWERS, 0)
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

    def schema(self, side: int, _file: str = "", /) -> Schema:
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

    def take(self, batch: RecordBatch, side: int, /) -> Iterator[Event]:
        if side:
            yield from self.take_documents(batch, self.two[side - 1])
            return
        for ids, of_side in zip(batch.columns, self.two, strict=False):
            of_side.number(ids)
        lines = batch.lines[int(np.frombuffer(batch.starts, np.int64)[0]) : batch.end]
        numbers = array("q", batch.line_numbers(0, batch.rows))
        self.pairs.add(WaitingPairs(lines, batch.file, numbers), len(lines) + 8 * batch.rows + 300)

    def take_documents(self, batch: RecordBatch, side: Side) -> Iterator[Event]:
        ids, *fields, recipes = batch.columns
        numbers = np.frombuffer(side.ids.find(ids.data, ids.sizes), np.int64)
        places = [np.frombuffer(column.data, np.int64).reshape(-1, 2) for column in (recipes, *fields)]
        rows = np.flatnonzero(numbers >= 0)
        columns = (column[rows].tolist() for column in (numbers, *places))
        for row, number, of_recipe, *of_fields in zip(rows.tolist(), *columns, strict=True):
            try:
                via = batch.lines[slice(*of_recipe)]
                self.check_recipe(via)
                if side.texts[number] >= 0:
                    raise IdRepeated(seen_before(orjson.loads([*split_ids(ids.data, ids.sizes)][row])))
                side.texts[number] = BAD
                text = self.text_of([batch.lines[slice(*place)] for place in of_fields])
            except Rejected as error:
                yield batch.reject(row, error)
            except Failed as error:
                raise batch.failure(row, error) from None
            else:
                self.via = via
                side.texts[number] = len(self.texts)
                self.texts.add(text, len(text) + 100)
                self.sizes.append(len(text))

    def check_recipe(self, via: bytes) -> None:
        """Raises Failed for another recipe than that of the documents before, and Rejected for none."""
        if via != self.via:
            recipe = wire.take_recipe({VIA: orjson.loads(via)} if via else {})
            if self.via is not None:
                raise Failed(wire.recipes_differ(recipe, orjson.loads(self.via) if self.via else ""))

    def text_of(self, values: Sequence[bytes]) -> bytes:
        """Returns the words of a document, from the JSON of their field. Raises Rejected."""
        (value,) = values
        if value[:1] == b'"' and b"\\" not in value and value.isascii():
            return value[1:-1]
        name = self.spec.text_field
        return " ".join(wire.take_string({name: orjson.loads(value)} if value else {}, name).split()).encode()

    def finish(self) -> Iterator[Event]:
        for waiting in self.pairs:
            at = before = 0
            while at < len(waiting.lines):
                batch = read_batch(waiting.lines, at, self.of_pairs)
                numbers = waiting.numbers[before : before + batch.rows]
                before, at = before + batch.rows, batch.next
                pairs, good = self.pair_rows(batch, waiting.file, numbers)
                sizes = np.frombuffer(self.sizes, np.int64)
                parts = np.cumsum(sizes[pairs.texts[good]].sum(axis=1)) // PART_BYTES
                del sizes
                for some in np.split(good, np.flatnonzero(np.diff(parts)) + 1):
                    heads = pairs.heads._replace(places=pairs.heads.places[some])
                    yield from self.checked(PairRows(heads, pairs.texts[some], pairs.copies[some]))
                yield from self.lost
                self.lost = []

    def pair_rows(self, batch: RecordBatch, file: str, numbers: Sequence[int]) -> tuple[PairRows, Index]:
        """Returns pairs that were good before, on these lines of a file, and which of them can be checked."""
        documents = [
            np.frombuffer(side.ids.find(ids.data, ids.sizes), np.int64)
            for side, ids in zip(self.two, batch.columns, strict=False)
        ]
        texts = np.stack(
            [np.frombuffer(side.texts, np.int64)[each] for side, each in zip(self.two, documents, strict=True)], axis=1
        )
        places = np.stack([np.frombuffer(each, np.int64) for each in (batch.starts, batch.lasts)], axis=1)
        copies = np.frombuffer(batch.columns[3].data, np.uint8) > 0
        lost = texts.min(axis=1, initial=0) < 0
        heads = bytearray(batch.lines)
        for row in np.flatnonzero(lost | copies | (places[:, 1] < 0)).tolist():
            line = batch.line(row)
            one, other = texts[row].tolist()
            if lost[row]:
                self.lost.append(self.unknown((file, numbers[row]), line, (one, other)))
                continue
            if copies[row] and self.texts[one] != self.texts[other]:
                line, copies[row] = self.apart(line, int(documents[1][row]), other)
            elif places[row, 1] >= 0:
                continue
            start = len(heads)
            heads += line.removeprefix(wire.BOM).rstrip()[:-1].rstrip()
            places[row] = start, len(heads)
        return PairRows(LineHeads(bytes(heads), places), texts, copies), np.flatnonzero(~lost)

    def checked(self, pairs: PairRows) -> list[Event]:
        """Returns the lines of pairs with what was found."""
        compared = np.flatnonzero(~pairs.copies)
        texts, at = self.numbered(pairs.texts[compared])
        own, sizes = np.zeros((len(pairs.texts), 2), OWN), np.zeros((len(pairs.texts), 2), np.int64)
        own[compared] = kernel.own_words(texts, at[:, 0], at[:, 1], self.how)
        sizes[compared] = texts.sizes[at]
        found = verdicts(own, sizes, self.quoted(pairs.texts, own, sizes))
        for number, count in enumerate(np.bincount(found).tolist()):
            self.counts[VERDICTS[number].answer] += count

        def lines(some: Flags) -> bytes:
            heads = pairs.heads._replace(places=pairs.heads.places[some])
            return kernel.own_lines(heads, own[some], texts, self.rests, found[some])

        output = lines(found != UNLIKE if self.spec.drops else found >= 0)
        return written(output, b"" if self.spec.doubtful is None else lines(found == DOUBT))

    def quoted(self, texts: Index, own: OwnWords, sizes: Index) -> Flags:
        """Returns whether each long text of a pair stands in the other one. Shape (pairs, 2)."""
        found = np.zeros(sizes.shape, np.bool_)
        for row, side in np.argwhere((own["words"] == 0) & (sizes.min(axis=1, keepdims=True) > SHORT)).tolist():
            one, other = (self.texts[texts[row, each]] for each in (side, 1 - side))
            found[row, side] = stands_in(one, other, sizes[row, side], sizes[row, 1 - side])
        return found

    def numbered(self, texts: Index) -> tuple[NumberedTexts, Index]:
        """Returns prepared texts, and where those of pairs are among them."""
        if len(self.prepared.words) > CACHED_WORDS:
            self.prepared.clear()
        several, which = np.unique(texts.ravel(), return_inverse=True)
        new = [number for number in several.tolist() if number not in self.prepared.places]
        self.prepared.add(new, [self.texts[number] for number in new])
        return self.prepared.arrays(), self.prepared.numbers(several)[which].reshape(texts.shape)

    def apart(self, line: bytes, b: int, text: int) -> tuple[bytes, bool]:
        """Returns the line in place of one whose copy differs from the original, and whether it is of a copy.

        The first document with its text gets a pair that is no copy; the others become copies of that one.
        """
        ids = self.two[-1].ids
        (name,) = each_id(SelectedIds(ids.data, ids.ends, np.array([b])))
        first = self.apart_first.setdefault(self.texts[text], name)
        if first == name:
            return without_copy(line), False
        return b'{"a":%b,"b":%b,"similarity":1.0,"copy":true}' % (first, name), True

    def unknown(self, place: Place, line: bytes, texts: tuple[int, int]) -> Reject:
        """Returns a pair that cannot be checked, because a document is not there, or was rejected."""
        side = next(side for side, text in enumerate(texts) if text < 0)
        option = "--against" if side and self.spec.others else "--docs"
        name = shown(wire.parse_json(line)["ab"[side]])
        why = f"no document of {option} has the id {name}"
        if texts[side] == BAD:
            why = f"the document {name} of {option} was rejected"
        return Reject(*place, why, line, late=True)

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
