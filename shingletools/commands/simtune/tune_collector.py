"""Collects labels, then documents; writes findings."""

import re
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import orjson

from shingletools.commands.simtune.findings import findings, records, table
from shingletools.commands.simtune.labels import SampleLabels, SampleTruth
from shingletools.commands.simtune.sample import MAX_WORDS, BottomKSample, Sample, SampledDocument
from shingletools.commands.simtune.spec import INPUT, OTHERS, TRUTH, TuneSpec
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, written
from shingletools.record.labels import take_label
from shingletools.record.wire import Record
from shingletools.system.errors import Failed

UNCANONIZED = "the records are not from canon, and case counts: canon docs.jsonl | simtune compares words without it"


class TuneCollector(RecordCollector):
    """Takes labels, then documents, of which it keeps a sample, and writes the findings on the sample.

    Memory: that of the sample, 100 MB at most, 60 bytes for each shingle of it, and 200 for each document of a truth.
    """

    of_all = True

    def __init__(self, spec: TuneSpec, jobs: int = 1) -> None:
        self.spec, self.jobs = spec, jobs
        sides = 2 if spec.others else 1
        self.samples = {
            side: BottomKSample(-(-spec.sample // sides), spec.seed, MAX_WORDS // sides, side == OTHERS)
            for side in (INPUT, OTHERS)[:sides]
        }
        self.via: str | None = None
        self.truth = SampleTruth(spec.truth_id or spec.id_field, spec.field, bool(spec.others), spec.form is not None)
        self.figures: list[str] = []
        self.warnings: list[str] = []

    def take_record(self, record: Record, line: bytes, side: int, /) -> None:
        if side == TRUTH:
            self.truth.take(record, line, self.place[0])
            return
        id_field, text_field = self.spec.names_of(side)
        name, text = wire.take_id(record, id_field), wire.take_string(record, text_field)
        via = wire.take_recipe(record)
        label = None if self.spec.own_label is None else take_label(record, line, self.spec.own_label)
        self.via = via if self.via is None else self.via
        if via != self.via:
            raise Failed(wire.recipes_differ(via, self.via))
        labelled = bool(label) or self.truth.key(name, side == OTHERS) in self.truth.ids
        self.samples[side].add(name, text, label, labelled)

    def labelled_documents(self) -> tuple[list[SampledDocument], SampleLabels | None]:
        """Returns the sample, with the documents of each component as neighbours, and what labels say of it."""
        sides = [sample.documents() for sample in self.samples.values()]
        # Documents of two sides take turns, so that the first ones are a sample of both
        turns = [(Fraction(at, len(side)), document) for side in sides for at, document in enumerate(side)]
        documents = [document for _, document in sorted(turns, key=lambda turn: (turn[0], turn[1].against))]
        keys = [self.truth.key(orjson.loads(document.id), document.against) for document in documents]
        for document, key in zip(documents, keys, strict=True):
            self.truth.add_label(key, document.label or b"")
        if not self.spec.truth and self.spec.field is None:
            return documents, None
        order = np.argsort(SampleLabels.of_documents(self.truth, keys).components, kind="stable").tolist()
        return [documents[at] for at in order], SampleLabels.of_documents(self.truth, [keys[at] for at in order])

    def finish(self) -> Iterator[Event]:
        documents, labels = self.labelled_documents()
        for side, of_side in self.samples.items():
            if not sum(of_side.read):
                where = " in --against" if side == OTHERS else ""
                raise Failed(f"no documents{where}, so there is nothing to recommend")
        cased = any(document.text != document.text.lower() for document in documents)
        if cased and not re.search(r"\bcanon\b", self.via or ""):
            self.warnings.append(UNCANONIZED)
        read = [count for of_side in self.samples.values() for count in of_side.read]
        sample = Sample(self.spec, (*read, 0, 0)[:4], documents, labels)
        found = [*findings(sample, self.warnings.append, self.jobs)]
        self.figures = [f"{len(documents)} documents in the sample"]
        if self.spec.truth and labels is not None:
            self.figures.append(f"{len(self.truth.ids) - int(labels.listed.sum())} ids of labels outside it")
        yield from written(table(found) if self.spec.table else records(found))

    def remarks(self) -> list[str]:
        return self.warnings

    def summary(self) -> list[str]:
        return self.figures
