"""The collector that marks runs that occur earlier in a corpus."""

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from typing import cast

import numpy as np
import orjson

from shingletools import kernel
from shingletools.commands.repeats.earlier_runs import PLACES, Earlier, EarlierRuns, Portions
from shingletools.commands.repeats.run_marking import KeptAndLeft, Marking
from shingletools.commands.repeats.run_spans import joined
from shingletools.commands.repeats.spec import WithinSpec
from shingletools.kernel import arrays as kernel_arrays
from shingletools.kernel.types import Index
from shingletools.kernel.winnowing import Winnowing
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, written
from shingletools.record.tokenized_text import RecipeCheck, TokenizedText, tokenized_text
from shingletools.record.wire import AT, Record
from shingletools.record.word_offsets import read_places
from shingletools.system.disk_array import DiskArray
from shingletools.system.errors import Failed
from shingletools.system.line_spool import LineSpool

OF = "of"  # the field by which parts name their document
BATCH_BYTES = 1 << 20  # bytes of texts that are taken at once


class WithinCorpus(RecordCollector):
    """Keeps lines and texts in scratch files, finds runs that occur earlier, then writes all documents.

    Memory: that of `Earlier`, and 24 bytes for each word of the longest document with runs.
    """

    def __init__(self, spec: WithinSpec, how: Winnowing | None = None, portions: Portions | None = None) -> None:
        self.spec = spec
        self.how = how or Winnowing.for_runs(int.from_bytes(os.urandom(8)), spec.k)
        self.lines = LineSpool(spec.memory.folder)
        self.texts = TextsOnDisk(spec.memory.folder, named=spec.ids)
        self.earlier = Earlier(self.how, spec.memory, portions or Portions(), spec)
        self.marking = Marking(spec.treatment)
        self.recipes = RecipeCheck()

    def take_record(self, record: Record, line: bytes, _side: int, /) -> None:
        name = wire.take_id(record, self.spec.treatment.id_field)
        text = tokenized_text(record, self.spec.treatment.text_field)
        self.recipes.check(record)
        self.marking.counted["words"] += text.number
        if self.texts.add(text, name, record.get(AT), record.get(OF)):
            self.earlier.add(*self.texts.take())
        self.lines.add(line)

    def finish(self) -> Iterator[Event]:
        self.earlier.add(*self.texts.take())
        if self.texts.end > PLACES:
            raise Failed("the texts are too long: at most 8 TB are possible")
        every = cast(bytes, self.texts.data.view(np.uint8))
        every_run = self.earlier.runs(every, self.texts.documents)
        following = EarlierRuns(*(np.empty(0, np.int64) for _ in EarlierRuns._fields))
        number = 0
        for lines in self.lines.chunks():
            kept_and_left = []
            for line in kernel.split_lines(lines):
                end = self.texts.bounds(number)[1]
                while (not len(following.place) or following.place[-1] < end) and (more := next(every_run, None)):
                    following = EarlierRuns(*map(np.concatenate, zip(following, more, strict=True)))
                runs, following = following.cut(end)
                kept_and_left.append(self.write(line, number, runs, every))
                number += 1
            self.texts.forget()
            yield from written(*map(b"".join, zip(*kept_and_left, strict=True)))

    def write(self, line: bytes, number: int, earlier: EarlierRuns, texts: bytes) -> KeptAndLeft:
        """Writes a document with these runs."""
        if not len(earlier.place):
            return self.marking.write(line, [], [])
        starts = self.texts.words(number)
        firsts = np.searchsorted(starts, earlier.place)
        ends, k = firsts + earlier.number, self.spec.k
        heads = np.flatnonzero(np.append(True, firsts[1:] > ends[:-1]))
        lasts = ends[np.append(heads[1:], len(ends)) - 1] + k - 1
        runs = joined(zip(firsts[heads].tolist(), lasts.tolist(), strict=True), k)
        marks: list[dict[str, object]] = [{} for _ in runs]
        if self.spec.ids:
            for (first, last), mark in zip(runs, marks, strict=True):
                at = np.searchsorted(firsts, [first])
                one, other = earlier.place[at], earlier.source[at]
                if one[0] != other[0]:
                    words = int(kernel_arrays.equal_words(texts, one, texts, other, np.array([last - first]))[0])
                    mark["of"] = self.texts.first_copy(int(other[0]), words)
        return self.marking.write(line, runs, marks)

    def summary(self) -> list[str]:
        return self.marking.figures()


class TextsOnDisk:
    """Texts on disk, and their ids if `named`. A line feed ends each text that has words.

    The place of a word is its offset in the bytes of all texts. Memory: a megabyte.
    """

    def __init__(self, folder: str, *, named: bool) -> None:
        self.data, self.ends = DiskArray(folder), DiskArray(folder)
        self.wholes = DiskArray(folder)  # the number of the document of each text, since it may be a part
        self.whole, self.of = -1, object()  # of the last text
        self.named = named
        self.names, self.name_ends = DiskArray(folder), DiskArray(folder)
        self.end = self.name_end = 0
        self.waiting: list[bytes] = []
        self.size = 0  # of the texts that wait

    def add(self, text: TokenizedText, name: str | int, at: str | None, of: object) -> bool:
        """Adds a text. Returns whether `take` is due. of: the document that the text is a part of, or None."""
        self.whole += of is None or of != self.of
        self.of = of
        self.wholes.append(self.whole.to_bytes(8, sys.byteorder))
        data = text.text.encode() + b"\n" if text.number else b""
        self.waiting.append(data)
        self.size += len(data)
        self.ends.append((self.end + self.size).to_bytes(8, sys.byteorder))
        if self.named:
            name_and_places = orjson.dumps({"id": name, AT: at})
            self.name_end += len(name_and_places)
            self.names.append(name_and_places)
            self.name_ends.append(self.name_end.to_bytes(8, sys.byteorder))
        return self.size >= BATCH_BYTES

    def take(self) -> tuple[int, bytes]:
        """Moves the texts that wait to the disk. Returns where they begin, and the texts."""
        texts, start = b"".join(self.waiting), self.end
        self.data.append(texts)
        self.end += len(texts)
        self.waiting, self.size = [], 0
        return start, texts

    def bounds(self, number: int) -> tuple[int, int]:
        """Returns where a text begins and ends."""
        return int(self.all_ends[number - 1]) if number else 0, int(self.all_ends[number])

    @cached_property
    def all_ends(self) -> Index:
        """Returns where each text ends, after all were taken."""
        return self.ends.view(np.int64)

    def documents(self, places: Index) -> Index:
        """Returns the number of the document at each place."""
        numbers: Index = self.wholes.view(np.int64)[np.searchsorted(self.all_ends, places, "right")]
        return numbers

    def words(self, number: int) -> Index:
        """Returns the places of a text's words."""
        start, end = self.bounds(number)
        blanks = np.flatnonzero(self.data.view(np.uint8)[start : end - 1] == ord(" "))
        return np.concatenate([[start], start + 1 + blanks])

    def first_copy(self, place: int, words: int) -> dict[str, object]:
        """Returns the value of the field "of": the document that has words at a place, and where in it they are."""
        number = int(np.searchsorted(self.all_ends, place, "right"))
        ends = self.name_ends.view(np.int64)
        start = int(ends[number - 1]) if number else 0
        name_and_places = orjson.loads(self.names.view(np.uint8)[start : int(ends[number])].tobytes())
        first = int(np.searchsorted(self.words(number), place))
        places = None if name_and_places[AT] is None else read_places(name_and_places[AT])
        begin, end = TokenizedText("", 0, places).place(first, first + words)
        return {"id": name_and_places["id"], "from": begin, "to": end}

    def forget(self) -> None:
        """Releases the memory of the pages that were read."""
        for array in (self.data, self.ends, self.names, self.name_ends):
            array.forget()
