"""The items of a reference, in memory: their words, and the fingerprints of their runs."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import orjson

from shingletools import kernel
from shingletools.commands.repeats.spec import AgainstSpec
from shingletools.kernel import arrays
from shingletools.kernel.lines import Listed
from shingletools.kernel.types import U64, Index
from shingletools.kernel.winnowing import Winnowing
from shingletools.reading import option_files
from shingletools.record import wire
from shingletools.record.json_members import parse
from shingletools.running.worded import Recipes, worded
from shingletools.system.errors import Failed, Rejected, printable

OPTION = "--against"


class ItemRuns(NamedTuple):
    """Fingerprints of runs of so many words, ascending, and the number of the word with which each begins."""

    how: Winnowing
    keys: U64
    words: Index
    listed: Listed

    @classmethod
    def of(cls, texts: bytes, words: int, wanted: Index | None, starts: Index) -> "ItemRuns":
        """Of all runs in texts, or of those that begin at the wanted words. starts: the places of all words."""
        how = Winnowing(int.from_bytes(os.urandom(8)), words, words)
        keys, places = arrays.winnow(texts, how)
        numbers = np.searchsorted(starts, places)
        if wanted is not None:
            some = np.isin(numbers, wanted)
            keys, numbers = keys[some], numbers[some]
        order = np.argsort(keys, kind="stable")
        return cls(how, keys[order], numbers[order], listed(keys))

    def met(self, text: bytes) -> tuple[Index, Index]:
        """The places of runs in a text, and the words of the reference with which equal ones may begin."""
        keys, places = arrays.winnow(text, self.how, self.listed)
        first = np.searchsorted(self.keys, keys)
        counts = np.searchsorted(self.keys, keys, "right") - first
        numbers = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
        return np.repeat(places, counts), self.words[numbers]


def listed(keys: U64) -> Listed:
    """What tells the kernel to pass over all but these fingerprints."""
    factor = int.from_bytes(os.urandom(8)) | 1
    slots = kernel.list_fingerprints(keys.tobytes(), b"", factor)
    return (factor, slots, True) if slots else ()


class Reference:
    """Items with their words. Memory: their texts, and some 60 bytes for each word.

    Items of k words or more are looked for by their runs. Shorter ones of `least` words or more are looked for whole;
    they are known by their first words.
    """

    def __init__(self, names: Sequence[bytes], texts: Sequence[bytes], k: int, least: int, via: str | None) -> None:
        """names: ids as JSON. texts: words with single blanks between. via: their recipe, if there are any."""
        self.names, self.k, self.least, self.via = names, k, min(least, k), via
        self.texts = b"".join(text + b"\n" for text in texts)
        ends = np.frombuffer(self.texts, np.uint8) <= ord(" ")  # blanks and line feeds
        self.starts: Index = np.append(0, np.flatnonzero(ends) + 1)[: np.count_nonzero(ends)]
        self.sizes: Index = np.array([text.count(b" ") + bool(text) for text in texts], np.int64)
        lines = np.array([text.count(b" ") + 1 for text in texts], np.int64)  # an empty text has one place, too
        self.firsts: Index = np.cumsum(lines) - lines
        self.runs = ItemRuns.of(self.texts, k, None, self.starts)
        self.whole = (self.sizes < k) & (self.sizes >= self.least)
        self.short: dict[bytes, list[int]] = {}
        for number in np.flatnonzero(self.whole).tolist():
            self.short.setdefault(texts[number], []).append(number)
        self.lengths = np.unique(self.sizes[self.whole]).tolist()
        self.beginnings = ItemRuns.of(self.texts, self.least, self.firsts[self.whole], self.starts)

    def items_of(self, words: Index) -> Index:
        """The items that have these words, by number."""
        return np.searchsorted(self.firsts, words, "right") - 1


def read_reference(spec: AgainstSpec, given: Iterator[bytes] | None = None) -> Reference:
    """Reads the files of --against; raises Failed, also for a bad record, which might hide an item."""
    names, texts = [], []
    recipes, treatment = Recipes(), spec.treatment
    for path in spec.references:
        number = 0
        for lines in option_files.read_chunks(OPTION, path, given):
            for line in kernel.split_lines(lines):
                number += 1
                try:
                    record = parse(line, spec.once())
                    names.append(orjson.dumps(wire.take_id(record, treatment.id_field)))
                    texts.append(worded(record, treatment.text_field).text.encode())
                    recipes.check(record)
                except (Rejected, Failed) as error:
                    raise Failed(f"{OPTION}: {printable(path)}:{number}: {error}") from None
    return Reference(names, texts, spec.k, spec.least, recipes.before)
