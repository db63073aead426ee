"""Finds the items of a reference in documents."""

from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.repeats.item_windows import Covered, ItemWindows, Sources
from shingletools.commands.repeats.reference_items import OPTION, Items, line_of
from shingletools.commands.repeats.run_marking import KeptAndLeft, Marking
from shingletools.commands.repeats.run_spans import Span, joined
from shingletools.commands.repeats.short_items import ShortItems
from shingletools.commands.repeats.spec import AgainstSpec
from shingletools.commands.repeats.window_index import Windows
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.record.tokenized_text import check_recipe, tokenized_text
from shingletools.record.wire import Record


class Reference:
    """The items that some documents may have, indexed. It can be pickled if the items can."""

    def __init__(self, items: Items, rows: Index, windows: Windows, short: ShortItems, *, covers: bool) -> None:
        """Takes the items, ascending. covers: whether the covered words of each item are wanted."""
        self.items, self.windows, self.short = items, windows, short
        self.shared = ItemWindows(items, rows, windows, short, covers=covers)
        self.sources = Sources(self.shared)


class Match(NamedTuple):
    """The windows of a document that items have. Arrays of one length: first word, word after the last, number."""

    first: Index
    last: Index
    number: Index

    @classmethod
    def from_text(cls, text: bytes, reference: Reference) -> "Match":
        """Returns the windows of a text, which has a line feed, in the order of the words."""
        _, words, numbers = reference.windows.find_in(text)
        first, last, short = reference.short.find_in(text)
        if not len(first):
            return cls(words, words + reference.windows.k, numbers)
        whole = np.append(words, first), np.append(words + reference.windows.k, last)
        order = np.lexsort(whole[::-1])
        return cls(whole[0][order], whole[1][order], np.append(numbers, reference.windows.count + short)[order])

    def only(self, numbers: Index) -> "Match":
        """Returns the windows with these numbers."""
        wanted = np.isin(self.number, numbers)
        return Match(*(column[wanted] for column in self))

    def runs(self, k: int) -> list[Span]:
        longest = np.flatnonzero(np.append(np.diff(self.first) != 0, True)[: len(self.first)])
        first, last = self.first[longest], self.last[longest]
        shorter = last - first < k
        heads = np.flatnonzero(np.append(True, (np.diff(first) != 1) | shorter[1:] | shorter[:-1])[: len(first)])
        tails = np.append(heads[1:], len(first)) - 1
        return joined(zip(first[heads].tolist(), last[tails].tolist(), strict=True), k)

    def within(self, run: Span) -> Index:
        """Returns the numbers of the windows in a run, ascending, without repeats."""
        inside = slice(*np.searchsorted(self.first, run))
        return np.unique(self.number[inside][self.last[inside] <= run[1]])


class Matcher:
    """Writes documents one by one."""

    def __init__(self, spec: AgainstSpec) -> None:
        self.spec, self.marking = spec, Marking(spec.treatment)

    def read(self, record: Record, via: str | None) -> tuple[str | int, bytes]:
        """Returns a document's id, and its words as in `Items.texts`. via: the items' recipe. Raises Rejected."""
        name = wire.take_id(record, self.spec.treatment.id_field)
        text = tokenized_text(record, self.spec.treatment.text_field)
        check_recipe(record, via, OPTION)
        self.marking.counted["words"] += text.number
        return name, line_of(text.text)

    def write(self, line: bytes, text: bytes, reference: Reference) -> tuple[KeptAndLeft, Covered | None]:
        """Writes a document; also returns the parts of items that it has, if they are wanted and there are any."""
        match = Match.from_text(text, reference)
        sources = reference.sources
        covered = reference.shared.covered(np.unique(match.number)) if self.spec.covers and len(match.number) else None
        if covered is not None and self.spec.share is not None:
            covered = covered.of_share(self.spec.share)
            sources = Sources(reference.shared, covered.rows)
            match = match.only(reference.shared.numbers_of(covered.rows))
        if not len(match.number):
            return self.marking.write(line, [], []), None
        runs = match.runs(reference.windows.k)
        marks = []
        for run in runs:
            rows, count = sources.rows_with(match.within(run))
            marks.append({"ids": [*map(orjson.loads, reference.items.names(rows))], "items": count})
        return self.marking.write(line, runs, marks), covered
