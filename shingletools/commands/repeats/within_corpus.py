"""The collector that marks runs that occur earlier in a corpus."""

import os
from collections.abc import Iterator
from typing import cast

import numpy as np

from shingletools import kernel
from shingletools.commands.repeats.earlier_runs import PLACES, Earlier, EarlierRuns, Portions
from shingletools.commands.repeats.run_marking import Marking
from shingletools.commands.repeats.run_spans import joined
from shingletools.commands.repeats.spec import WithinSpec
from shingletools.commands.repeats.texts_on_disk import TextsOnDisk
from shingletools.kernel import arrays as kernel_arrays
from shingletools.kernel.winnowing import Winnowing
from shingletools.record import wire
from shingletools.record.collector import RecordCollector, Written
from shingletools.record.tokenized_text import RecipeCheck, tokenized_text
from shingletools.record.wire import AT, Record, parse_json
from shingletools.system.errors import Failed
from shingletools.system.line_spool import LineSpool

OF = "of"  # the field by which parts name their document


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

    def finish(self) -> Iterator[Written]:
        self.earlier.add(*self.texts.take())
        if self.texts.end > PLACES:
            raise Failed("the texts are too long: at most 8 TB are possible")
        every = cast(bytes, self.texts.data.view(np.uint8))
        found = self.earlier.found(every, self.texts.documents)
        following = EarlierRuns(*(np.empty(0, np.int64) for _ in EarlierRuns._fields))
        number = 0
        for lines in self.lines.chunks():
            made = []
            for line in kernel.split_lines(lines):
                end = self.texts.bounds(number)[1]
                while (not len(following.place) or following.place[-1] < end) and (more := next(found, None)):
                    following = EarlierRuns(*map(np.concatenate, zip(following, more, strict=True)))
                mine, following = following.cut(end)
                made.append(self.write(line, number, mine, every) if len(mine.place) else self.marking.pass_on(line))
                number += 1
            self.texts.forget()
            yield Written(*map(b"".join, zip(*made, strict=True)))

    def write(self, line: bytes, number: int, found: EarlierRuns, texts: bytes) -> Written:
        """Writes a document with these runs."""
        record = parse_json(line)
        starts = self.texts.words(number)
        firsts = np.searchsorted(starts, found.place)
        ends, k = firsts + found.number, self.spec.k
        heads = np.flatnonzero(np.append(True, firsts[1:] > ends[:-1]))
        lasts = ends[np.append(heads[1:], len(ends)) - 1] + k - 1
        runs = joined(zip(firsts[heads].tolist(), lasts.tolist(), strict=True), k)
        marks: list[dict[str, object]] = [{} for _ in runs]
        if self.spec.ids:
            for (first, last), says in zip(runs, marks, strict=True):
                at = np.searchsorted(firsts, [first])
                one, other = found.place[at], found.source[at]
                if one[0] != other[0]:
                    words = int(kernel_arrays.equal_words(texts, one, texts, other, np.array([last - first]))[0])
                    says["of"] = self.texts.first_copy(int(other[0]), words)
        text = tokenized_text(record, self.spec.treatment.text_field)
        return self.marking.write(line, record, text, runs, marks)

    def summary(self) -> list[str]:
        return self.marking.figures()
