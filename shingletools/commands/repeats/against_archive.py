"""Marks what stands in an archive of passages, as against a file of its records.

Documents wait until there are some megabytes of them. Their grams name the archive's documents that may have runs of
them; these are read, a few at a time, and tell which runs they have.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.archive.lookup import Sorted
from shingletools.archive.opened import Archive, open_archive
from shingletools.archive.segment import GRAMS
from shingletools.commands.repeats.item_records import LISTED
from shingletools.commands.repeats.item_texts import OPTION
from shingletools.commands.repeats.marking import Marking
from shingletools.commands.repeats.spec import ArchiveSpec
from shingletools.commands.repeats.windows import Windows, numbered
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split
from shingletools.kernel.types import U64, Index
from shingletools.kernel.winnowing import Winnowing
from shingletools.record import wire
from shingletools.record.collector import Collector, Written
from shingletools.record.wire import Record, parse_json
from shingletools.running.worded import check_recipe, worded, words_of
from shingletools.system.errors import Failed

TOGETHER = 1 << 22  # bytes of texts that ask together
ROWS = 64  # documents of the archive that are in memory at a time


class WindowsMet(NamedTuple):
    """Windows in a row that documents have, each of them the first of equal ones. Arrays of one length."""

    start: Index
    stop: Index
    row: Index  # of the archive


class AgainstArchive(Collector):
    """Memory: TOGETHER, with some 90 bytes for each word; ROWS documents; 24 bytes for each passage that one has."""

    def __init__(self, spec: ArchiveSpec) -> None:
        self.spec = spec
        self.archive = open_archive(spec.archive)
        try:
            self.how, self.k = asked(self.archive, spec.k)
        except Failed:
            self.archive.close()
            raise
        self.marking = Marking(spec.treatment)
        self.lines: list[bytes] = []
        self.texts: list[bytes] = []
        self.size = 0  # bytes that wait

    def take(self, record: Record, line: bytes, _side: int, /) -> Written | None:
        wire.take_id(record, self.spec.treatment.id_field)
        text = worded(record, self.spec.treatment.text_field)
        check_recipe(record, self.archive.manifest.recipe, OPTION)
        self.marking.counted["words"] += text.number
        self.lines.append(line)
        self.texts.append(text.text.encode() + b"\n" if text.number else b"")
        self.size += len(line) + len(self.texts[-1])
        return self.ask() if self.size >= TOGETHER else None

    def finish(self) -> Iterator[Written]:
        yield self.ask()

    def ask(self) -> Written:
        """What comes of the documents that wait."""
        lines, texts = self.lines, self.texts
        self.lines, self.texts, self.size = [], [], 0
        found = {number: list(some) for number, some in groupby(self.found(texts), lambda each: each[0])}
        made = []
        for number, line in enumerate(lines):
            if number not in found:
                made.append(self.marking.pass_on(line))
                continue
            record = parse_json(line)
            text = worded(record, self.spec.treatment.text_field)
            _, runs, marks = zip(*found[number], strict=True)
            made.append(self.marking.write(line, record, text, runs, marks))
        return Written(*map(b"".join, zip(*made, strict=True))) if made else Written()

    def found(self, texts: Sequence[bytes]) -> Iterator[tuple[int, tuple[int, int], dict[str, object]]]:
        """The number of a text, a run of it in words, and what is said of the run; in the order of the texts."""
        every = b"".join(texts)
        rows = rows_with(self.archive, np.unique(kernel.winnow(every, self.how)[0]))
        if not len(rows):
            return
        windows = Windows(every, self.k)
        shared = self.shared(windows, rows)
        changes = np.bincount(shared.start, minlength=len(windows.places) + 1)
        changes -= np.bincount(shared.stop, minlength=len(changes))
        there = np.flatnonzero((np.cumsum(changes) > 0)[windows.firsts])
        if not len(there):
            return
        numbers = numbered(every, windows.places[there])
        heads = np.flatnonzero(np.append(True, np.diff(numbers) != 1))
        ends = np.cumsum([len(text) for text in texts])
        owners = np.searchsorted(ends, windows.places[there[heads]], "right")
        begins = numbered(every, (ends - list(map(len, texts)))[owners])
        sources = Sources(self.archive, shared)
        for head, end, owner, begin in zip(heads, [*heads[1:], len(there)], owners, begins, strict=True):
            first = int(numbers[head] - begin)
            run = first, first + int(end - head) + self.k - 1
            yield int(owner), run, sources.of(np.unique(windows.firsts[there[head:end]]))

    def shared(self, windows: Windows, rows: Index) -> WindowsMet:
        """What rows of the archive, which ascend, have of the windows."""
        field, most = self.archive.manifest.field, len(windows.places) + 1
        parts = []
        for start in range(0, len(rows), ROWS):
            some = rows[start : start + ROWS]
            texts = [words_of(parse_json(line), field).encode() + b"\n" for line in self.archive.lines(some)]
            places, numbers = windows.met(b"".join(texts))
            owners = np.searchsorted(np.cumsum([len(text) for text in texts]), places, "right")
            met = np.unique(owners * most + numbers)  # of two owners, no two differ by one
            heads = np.flatnonzero(np.append(True, np.diff(met) != 1)[: len(met)])
            first, last = met[heads], met[np.append(heads[1:], len(met))[: len(heads)] - 1]
            parts.append((first % most, last % most + 1, some[first // most]))
        return WindowsMet(*map(np.concatenate, zip(*parts, strict=True)))

    def summary(self) -> list[str]:
        return self.marking.figures()

    def close(self) -> None:
        self.archive.close()


class Sources:
    """Which documents of an archive have some of the windows of a run."""

    def __init__(self, archive: Archive, shared: WindowsMet) -> None:
        self.archive = archive
        order = np.lexsort((shared.row, shared.stop, shared.start))
        self.start, self.stop, self.rows = (column[order] for column in shared)
        self.longest = int((shared.stop - shared.start).max(initial=0))
        self.said: dict[bytes, dict[str, object]] = {}

    def of(self, windows: Index) -> dict[str, object]:
        """The first of those documents, and how many there are. windows: first ones, ascending, without repeats."""
        key = windows.tobytes()
        if key not in self.said:
            cuts = [0, *(np.flatnonzero(np.diff(windows) != 1) + 1).tolist(), len(windows)]
            parts = []
            for start, stop in pairwise(cuts):
                first, last = int(windows[start]), int(windows[stop - 1]) + 1
                near = np.arange(*np.searchsorted(self.start, [first - self.longest, last]))
                parts.append(near[self.stop[near] > first])
            rows = np.unique(self.rows[np.concatenate(parts)])
            names = split(*self.archive.ids(rows[:LISTED]))
            self.said[key] = {"ids": [orjson.loads(name) for name in names], "items": len(rows)}
        return self.said[key]


def asked(archive: Archive, k: int | None) -> tuple[Winnowing, int]:
    """How an archive chose its grams, and the least words of runs. Raises Failed if it does not answer for these."""
    state = archive.manifest
    if not state.passages:
        raise Failed(f"{archive.name}: the archive keeps no passages; simindex add -k makes one that does")
    how = Winnowing(*state.passages)
    if k is not None and k < how.run:
        raise Failed(f"{archive.name}: the archive was made for -k {how.run}, not for -k {k}")
    return how, k or how.run


def rows_with(archive: Archive, grams: U64) -> Index:
    """The rows that have any of some grams, which ascend. Memory: a byte for each document of a segment."""
    found = []
    for segment, first in zip(archive.segments, archive.firsts.tolist(), strict=False):
        has = np.zeros(segment.rows, np.bool_)
        for _, rows in Sorted(segment, GRAMS).meetings(grams):
            has[rows] = True
        has[segment.removed] = False
        found.append(first + np.flatnonzero(has))
    return np.concatenate([np.empty(0, np.int64), *found])
