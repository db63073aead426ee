"""Runs against a reference: a filter, or a collector that writes a record for each item, or asks an archive."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import cast

import numpy as np
import orjson

from shingletools.commands.repeats.item_matching import Matcher, Reference
from shingletools.commands.repeats.item_windows import MAX_LISTED, Covered
from shingletools.commands.repeats.reference_items import ArchiveItems, FileItems, Items
from shingletools.commands.repeats.short_items import ShortItems, size_of
from shingletools.commands.repeats.spec import AgainstSpec
from shingletools.commands.repeats.window_index import Windows
from shingletools.kernel.types import Flags
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, written
from shingletools.record.json_members import parse
from shingletools.record.stage import Filter
from shingletools.record.wire import Record
from shingletools.system.errors import Failed

BATCH_BYTES = 1 << 22  # bytes of documents that are looked for in an archive together
DIGITS = 6  # of a share
RECORD = b'{"id":%b,"words":%d,"by":"%b","found":%d,"share":%b,"longest":%d,"documents":%d,"in":[%b]}\n'


class ItemsInMemory(FileItems):
    """The items of files. Memory: their texts, and some 60 bytes for each word."""

    together = 0

    def __init__(self, spec: AgainstSpec, given: Iterator[bytes] | None = None) -> None:
        """Raises Failed."""
        super().__init__(spec, given)
        assert spec.k is not None
        self.k, self.short = spec.k, ShortItems(self, spec.least, spec.k)
        windows = Windows(cast(bytes, self.words.data), spec.k)
        self.reference = Reference(self, np.arange(len(self)), windows, self.short, covers=spec.covers)

    def reference_for(self, _texts: Sequence[bytes]) -> Reference:
        return self.reference

    def close(self) -> None:
        """Holds no files."""


class ItemsOnDisk(ArchiveItems):
    """Finds the items of an archive. Memory: BATCH_BYTES, some 60 bytes a word, BATCH_ITEMS documents; ItemWindows."""

    together = BATCH_BYTES

    def __init__(self, spec: AgainstSpec) -> None:
        """Raises Failed."""
        super().__init__(spec.references[0], spec.k)
        self.covers, self.close = spec.covers, self.archive.close
        try:
            self.short = ShortItems(self, spec.least, self.k)
        except Failed:
            self.close()
            raise

    def reference_for(self, texts: Sequence[bytes]) -> Reference:
        """Returns the items that share runs with some texts."""
        every = b"".join(texts)
        parts = [self.with_runs_of(every)]
        for text in texts:
            parts += [np.array(self.short.rows[number]) for number in np.unique(self.short.find_in(text)[2])]
        rows = np.unique(np.concatenate(parts))
        windows = Windows(every if len(rows) else b"", self.k)
        reference = Reference(self, rows, windows, self.short, covers=self.covers)
        windows.keep(reference.shared.present())
        return reference


class AgainstReference(RecordCollector):
    """Takes all documents in one process, which an archive, --removed and --items need."""

    def __init__(self, spec: AgainstSpec, given: Iterator[bytes] | None = None) -> None:
        self.writes_items = spec.items is not None
        self.matcher = Matcher(spec)
        self.known: ItemsInMemory | ItemsOnDisk = ItemsOnDisk(spec) if spec.archive else ItemsInMemory(spec, given)
        self.items_found = ItemsFound()
        self.waiting: list[tuple[str | int, bytes, bytes]] = []  # ids, lines and texts
        self.size = 0  # bytes that wait

    def take_record(self, record: Record, line: bytes, _side: int, /) -> list[Event] | None:
        name, text = self.matcher.read(record, self.known.via)
        self.waiting.append((name, line, text))
        self.size += len(line) + len(text)
        return self.ask() if self.size >= self.known.together else None

    def finish(self) -> Iterator[Event]:
        yield from self.ask()
        if self.writes_items:
            records = self.items_found.records(self.known, self.known.k, self.known.short.least)
            for lines in wire.joined_lines(records):
                yield from written(b"", lines)

    def ask(self) -> list[Event]:
        """Writes the documents that wait."""
        waiting, self.waiting, self.size = self.waiting, [], 0
        reference = self.known.reference_for([text for _, _, text in waiting])
        kept_and_left = []
        for name, line, text in waiting:
            (kept, left), covered = self.matcher.write(line, text, reference)
            if self.writes_items and covered is not None:
                self.items_found.add(name, covered)
            kept_and_left.append((kept, b"") if self.writes_items else (kept, left))
        return written(*map(b"".join, zip(*kept_and_left, strict=True)))

    def remarks(self) -> Sequence[str]:
        return remarks(self.known.short)

    def summary(self) -> list[str]:
        return self.matcher.marking.figures()

    def close(self) -> None:
        self.known.close()


class MatchLines:
    """Writes the line of a document. It can be pickled for worker processes."""

    carried: Sequence[str] = ()

    def __init__(self, spec: AgainstSpec) -> None:
        self.spec, self.matcher, self.known = spec, Matcher(spec), ItemsInMemory(spec)

    def summary(self, lines: int, /) -> list[str]:
        return [f"{lines} documents written"]

    def __call__(self, _id_field: str, line: bytes, /) -> bytes:
        _, text = self.matcher.read(parse(line, self.spec.once()), self.known.via)
        return self.matcher.write(line, text, self.known.reference)[0][0]


def filter_of(spec: AgainstSpec) -> Filter:
    """Returns the filter that takes each document alone. Raises Failed."""
    lines = MatchLines(spec)
    field = spec.treatment.text_field
    return Filter(
        field,
        field,
        "",
        str,
        lines=lines,
        reads=spec.references,
        tally=lines.matcher.marking.tally,
        remarks=partial(remarks, lines.known.short),
    )


def remarks(short: ShortItems, *_: object) -> Sequence[str]:
    """Returns a message if some items are too short to be looked for."""
    few = short.passed_over
    return [f"--against: items of fewer than {short.least} words are not looked for: {few}"] if few else []


class ItemFound:
    """The parts of an item that documents have. Memory: a byte for each of its words."""

    def __init__(self, words: Flags) -> None:
        self.words = words.copy()  # whether each word was found
        self.longest = self.documents = 0
        self.named: list[bytes] = []  # the first documents, as JSON


class ItemsFound:
    """The items of which documents have parts, by rows."""

    def __init__(self) -> None:
        self.items: dict[int, ItemFound] = {}

    def add(self, document: str | int, covered: Covered) -> None:
        """Adds the parts of items that a document has."""
        name = memoryview(orjson.dumps(document)).tobytes()  # orjson's own bytes may take 4 KB
        bounds = pairwise([0, *np.cumsum(covered.sizes).tolist()])
        for row, longest, (start, end) in zip(covered.rows.tolist(), covered.longest.tolist(), bounds, strict=True):
            words = covered.words[start:end]
            item = self.items.get(row)
            if item is None:
                item = self.items[row] = ItemFound(words)
            item.words |= words
            item.longest = max(item.longest, longest)
            item.documents += 1
            if len(item.named) < MAX_LISTED:
                item.named.append(name)

    def records(self, items: Items, k: int, least: int) -> Iterator[bytes]:
        """Yields a record for each item, in the order of the reference."""
        nothing = ItemFound(np.zeros(0, np.bool_))
        for rows in items.all_rows():
            for row, name, text in zip(rows.tolist(), items.names(rows), items.texts(rows), strict=True):
                size, item = size_of(text), self.items.get(row, nothing)
                covered = int(np.count_nonzero(item.words))
                by = b"runs" if size >= k else b"whole" if size >= least else b"nothing"
                share = orjson.dumps(round(covered / size, DIGITS) if size else 0.0)
                yield RECORD % (name, size, by, covered, share, item.longest, item.documents, b",".join(item.named))
