"""Collects labels, then documents; writes findings."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import orjson

from shingletools.commands.simtune.findings import Findings, records, table
from shingletools.commands.simtune.given_sample import GivenSample
from shingletools.commands.simtune.label_scores import Judgement, SampleTruth
from shingletools.commands.simtune.sample import MAX_WORDS, Sample, SampledDocument
from shingletools.commands.simtune.spec import INPUT, OTHERS, TRUTH, TuneSpec
from shingletools.record import wire
from shingletools.record.collector import RecordCollector, Written
from shingletools.record.labels import take_label
from shingletools.record.wire import Record
from shingletools.system.errors import Failed


class Tune(RecordCollector):
    """Takes labels, then documents, of which it keeps a sample, and writes the findings on the sample.

    Memory: that of the sample, 100 MB at most, 60 bytes for each shingle of it, and 200 for each document of a truth.
    """

    of_all = True

    def __init__(self, spec: TuneSpec) -> None:
        self.spec = spec
        sides = 2 if spec.others else 1
        self.samples = {
            side: Sample(-(-spec.sample // sides), spec.seed, MAX_WORDS // sides, side == OTHERS)
            for side in (INPUT, OTHERS)[:sides]
        }
        self.via: str | None = None
        self.truth = SampleTruth(spec.id_field, spec.field, bool(spec.others))
        self.sampled = self.outside = 0
        self.doubts: list[str] = []

    def take_record(self, record: Record, line: bytes, side: int, /) -> None:
        if side == TRUTH:
            self.truth.take(record, line, self.place[0])
        else:
            self.take_document(record, line, side)

    def take_document(self, record: Record, line: bytes, side: int) -> None:
        name = wire.take_id(record, self.spec.id_field)
        text = wire.take_string(record, self.spec.text_field)
        via = wire.take_recipe(record)
        label = None if self.spec.own_label is None else take_label(record, line, self.spec.own_label)
        if self.via is None:
            self.via = via
        if via != self.via:
            raise Failed(wire.recipes_differ(via, self.via))
        known = self.truth.known(name, side == OTHERS)
        listed = bool(label) or known in self.truth.ids
        self.samples[side].add(name, orjson.dumps(name), text, label, listed)

    def documents(self) -> tuple[list[SampledDocument], Judgement | None]:
        """Returns the sample, with the documents of each component as neighbours, and the judgement of it."""
        sides = [sample.documents() for sample in self.samples.values()]
        # Documents of two sides take turns, so that the first ones are a sample of both
        places = sorted(
            (Fraction(number, len(side)), document.other, number)
            for side in sides
            for number, document in enumerate(side)
        )
        documents = [sides[other][number] for _, other, number in places]
        names = [self.truth.known(orjson.loads(each.id), each.other) for each in documents]
        for document, name in zip(documents, names, strict=True):
            if document.label is not None:
                self.truth.add_label(name, document.label)
        if not self.spec.truth and self.spec.field is None:
            return documents, None
        order = np.argsort(Judgement.for_documents(self.truth, names).components, kind="stable").tolist()
        judgement = Judgement.for_documents(self.truth, [names[number] for number in order])
        self.outside = len(self.truth.ids) - int(judgement.listed.sum())
        return [documents[number] for number in order], judgement

    def finish(self) -> Iterator[Written]:
        documents, judgement = self.documents()
        for side, sample in self.samples.items():
            if not sum(sample.read):
                where = " in --against" if side == OTHERS else ""
                raise Failed(f"no documents{where}, so there is nothing to recommend")
        read = [count for sample in self.samples.values() for count in sample.read]
        given = GivenSample(self.spec, (*read, 0, 0)[:4], documents, judgement)
        self.sampled = len(documents)
        findings = Findings(given)
        found = list(findings.all())
        self.doubts = findings.doubts
        yield Written(table(found) if self.spec.table else records(found))

    def remarks(self) -> list[str]:
        return self.doubts

    def summary(self) -> list[str]:
        said = [f"{self.sampled} documents in the sample"]
        return [*said, f"{self.outside} ids of labels outside it"] if self.spec.truth else said
