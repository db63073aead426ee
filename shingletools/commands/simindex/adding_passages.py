"""Adds documents to an archive of passages: their lines, and the grams by which passages are found."""

import numpy as np
import orjson

from shingletools.archive.record_frames import EMPTY
from shingletools.commands.simindex.adding_records import RecordAdder
from shingletools.kernel import arrays as kernel
from shingletools.kernel.winnowing import ROLL_FACTOR, Winnowing
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.tokenized_text import RecipeCheck, tokenized_text
from shingletools.record.wire import Record
from shingletools.system.errors import Failed


class PassageAdder(RecordCollector, RecordAdder):
    """Takes documents. Adds their lines, which have the words, and their grams, each once a document."""

    def begin(self) -> None:
        state, spec = self.state, self.spec
        name = self.writer.archive.name
        # Always the same seed, so that equal runs write equal bytes
        how = Winnowing.for_runs(ROLL_FACTOR, spec.run or 0)
        if state.recipe is not None and not state.passages:
            raise Failed(f"{name}: the archive keeps signatures, not passages")
        if state.passages and state.passages[-1] != how.run:
            raise Failed(f"{name}: the archive was made for -k {state.passages[-1]}, not for -k {how.run}")
        if state.passages and state.field != spec.text_field:
            raise Failed(f"{name}: the archive was made for --text {state.field}, not for --text {spec.text_field}")
        self.how = Winnowing(*(state.passages or how[:-1]))
        self.recipes = RecipeCheck(state.recipe, self.who)
        self.state = state._replace(passages=self.how[:-1], field=spec.text_field)

    def take_record(self, record: Record, line: bytes, _side: int, /) -> None:
        name = wire.take_id(record, self.spec.id_field)
        text = tokenized_text(record, self.spec.text_field)
        self.recipes.check(record)
        self.state = self.state._replace(recipe=self.recipes.before)
        self.batch.place(self.place[0], [self.place[1] or 0])
        if text.number:
            self.batch.add_grams(np.unique(kernel.winnow(text.text.encode() + b"\n", self.how)[0]))
        self.batch.add(orjson.dumps(name), b"", line + EMPTY)
        self.add_if_full()
