"""The windows of each item, and their places."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shingletools.commands.repeats.reference_items import BATCH_ITEMS, Items
from shingletools.commands.repeats.short_items import ShortItems, size_of
from shingletools.commands.repeats.window_index import Windows, word_numbers
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.ranges import are_among, spread

MAX_WINDOWS = 256  # windows of a stretch at most
CACHED_FROM_STRETCHES = 64  # stretches near a passage that are not worth keeping
CACHED_ROWS = 1 << 20  # rows of common passages that are kept
MAX_LISTED = 10  # documents, and items, that are named


class Covered(NamedTuple):
    """The parts of items that a document has. Arrays of one length, except `words`."""

    rows: Index
    sizes: Index  # words of each item
    covered: Index  # of these, words in windows that the document has
    longest: Index  # words of the longest run of such windows
    words: Flags  # whether each word is in such a window, for all these items, one after the other

    def of_share(self, share: Fraction) -> "Covered":
        """Returns the items of which the document has such a share of the words."""
        both = zip(self.covered.tolist(), self.sizes.tolist(), strict=True)
        enough = np.array([words >= share * size for words, size in both], np.bool_)
        rows, sizes, counts, longest = (column[enough] for column in self[:-1])
        return Covered(rows, sizes, counts, longest, self.words[np.repeat(enough, self.sizes)])


class ItemWindows:
    """The windows that items have, as stretches of numbers. A short item has a number above those of windows.

    start, stop, row: arrays of one length, by ascending starts; a row has each number in one stretch at most. Memory:
    24 bytes for each passage of an item; with `covers`, also 8 bytes for each window.
    """

    def __init__(self, items: Items, rows: Index, windows: Windows, short: ShortItems, *, covers: bool) -> None:
        """Takes items that may have some of the windows, ascending. covers: whether `covered` will be called."""
        self.k, self.count, self.rows = windows.k, windows.count + len(short.rows), rows
        stretches: list[tuple[Index, Index, Index]] = []
        columns: list[tuple[Index, ...]] = []
        for first in range(0, len(rows), BATCH_ITEMS):
            batch = rows[first : first + BATCH_ITEMS]
            texts = items.texts(batch)
            owners, place, number = windows_of(texts, windows, short)
            met = np.unique(owners * (self.count + 1) + number)  # those of two owners never differ by one
            heads = np.flatnonzero(np.append(True, np.diff(met) != 1)[: len(met)])
            lengths = np.diff(np.append(heads, len(met)))
            pieces, which = spread(np.zeros(len(heads), np.int64), -(-lengths // MAX_WINDOWS))
            begins = met[heads[which]] + pieces * MAX_WINDOWS
            owner, start = np.divmod(begins, self.count + 1)
            stop = start + np.minimum(lengths[which] - pieces * MAX_WINDOWS, MAX_WINDOWS)
            stretches.append((start, stop, batch[owner]))
            if covers:
                sizes = np.array([*map(size_of, texts)], np.int64)
                counts = np.bincount(owners, minlength=len(batch))
                small = number.astype(np.min_scalar_type(self.count))
                columns.append((sizes, counts, place.astype(np.uint32), small))
        start, stop, row = map(np.concatenate, zip(*stretches, strict=True)) if stretches else [rows[:0]] * 3
        order = np.lexsort((row, start))
        self.start, self.stop, self.row = start[order], stop[order], row[order]
        if covers and stretches:
            self.sizes, self.counts, self.words, self.numbers = map(np.concatenate, zip(*columns, strict=True))
            self.firsts = np.cumsum(self.counts) - self.counts

    def present(self) -> Flags:
        """Returns which windows items have. Shape (windows,)."""
        changes = np.bincount(self.start, minlength=self.count + 1)
        changes -= np.bincount(self.stop, minlength=self.count + 1)
        flags: Flags = np.cumsum(changes) > 0
        return flags

    def near(self, numbers: Index) -> Iterator[tuple[int, int, int]]:
        """Yields ranges of stretches that may have some windows, and the least `stop` of those that do.

        numbers: the windows, ascending, without repeats.
        """
        cuts = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1).tolist(), len(numbers)]
        for start, stop in pairwise(cuts):
            first, last = int(numbers[start]), int(numbers[stop - 1]) + 1
            begin, end = np.searchsorted(self.start, [first - MAX_WINDOWS + 1, last]).tolist()
            yield begin, end, first + 1

    def rows_near(self, near: Iterable[tuple[int, int, int]]) -> Index:
        """Returns the rows of such stretches, ascending, without repeats."""
        parts = [self.row[begin:end][self.stop[begin:end] >= least] for begin, end, least in near]
        return np.unique(np.concatenate([self.row[:0], *parts]))

    def numbers_of(self, rows: Index) -> Index:
        """Returns the windows of some rows."""
        at = np.searchsorted(self.rows, rows)
        return self.numbers[spread(self.firsts[at], self.counts[at])[0]]

    def covered(self, numbers: Index) -> Covered:
        """Returns the parts of items that a document with some windows has. numbers: ascending, without repeats."""
        rows = self.rows_near(self.near(numbers))
        at = np.searchsorted(self.rows, rows)
        sizes = self.sizes[at]
        places, owner = spread(self.firsts[at], self.counts[at])
        have = np.isin(self.numbers[places], numbers)
        places, owner = places[have], owner[have]
        ends = np.cumsum(sizes)
        starts = (ends - sizes)[owner] + self.words[places]
        stops = np.minimum(starts + self.k, ends[owner])  # a short item is one window
        total = int(ends[-1])
        changes = np.bincount(starts, minlength=total + 1) - np.bincount(stops, minlength=total + 1)
        words: Flags = np.cumsum(changes)[:-1] > 0
        heads = np.flatnonzero(np.append(True, (np.diff(starts) != 1) | (np.diff(owner) != 0)))
        lasts = np.append(heads[1:], len(starts)) - 1
        longest = np.zeros(len(rows), np.int64)
        np.maximum.at(longest, owner[heads], stops[lasts] - starts[heads])
        return Covered(rows, sizes, np.add.reduceat(words, ends - sizes, dtype=np.int64), longest, words)


def windows_of(texts: Iterable[bytes], windows: Windows, short: ShortItems) -> tuple[Index, Index, Index]:
    """Returns for each window in texts the number of the text, the window's first word in it, and its number."""
    texts = [*texts]
    data, ends = b"".join(texts), np.cumsum([*map(len, texts)])
    places, words, numbers = windows.find_in(data)
    owners = np.searchsorted(ends, places, "right")
    begins = ends[owners] - np.array([*map(len, texts)], np.int64)[owners]
    words = words - word_numbers(data, begins)
    whole = [(at, short.numbers[text]) for at, text in enumerate(texts) if text in short.numbers]
    if whole:
        at, number = np.array(whole, np.int64).T
        owners, words = np.append(owners, at), np.append(words, np.zeros(len(at), np.int64))
        numbers = np.append(numbers, windows.count + number)
        order = np.argsort(owners, kind="stable")
        owners, words, numbers = owners[order], words[order], numbers[order]
    return owners, words, numbers


class Sources:
    """Finds the items that have a run. Memory: 8 bytes for each item with a common passage, CACHED_ROWS at most."""

    def __init__(self, shared: ItemWindows, among: Index | None = None) -> None:
        """Takes the rows that count, ascending; None for all."""
        self.shared, self.among = shared, among
        self.unions: dict[tuple[tuple[int, int, int], ...], Index] = {}  # rows of passages that many items have
        self.kept = 0

    def rows_with(self, numbers: Index) -> tuple[Index, int]:
        """Returns the first rows that have a run with these windows, and the number of all."""
        near = [*self.shared.near(numbers)]
        common = tuple(each for each in near if each[1] - each[0] > CACHED_FROM_STRETCHES)
        if common not in self.unions:
            rows = self.counting(common)
            if self.kept > CACHED_ROWS:
                self.unions, self.kept = {}, 0
            self.unions[common] = rows
            self.kept += len(rows)
        many, few = self.unions[common], self.counting(each for each in near if each not in common)
        few = few[~are_among(few, many)]
        return np.sort(np.append(many[:MAX_LISTED], few))[:MAX_LISTED], len(many) + len(few)

    def counting(self, near: Iterable[tuple[int, int, int]]) -> Index:
        rows = self.shared.rows_near(near)
        return rows if self.among is None else np.intersect1d(rows, self.among, assume_unique=True)
