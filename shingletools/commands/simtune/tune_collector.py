"""Documents in, then labels; findings out."""

from collections.abc import Iterator, Sequence

import orjson

from shingletools.commands.simtune.evidence import GivenSample
from shingletools.commands.simtune.finding_tables import records, table
from shingletools.commands.simtune.findings import Finding, findings
from shingletools.commands.simtune.judged import Judgement, SampleTruth
from shingletools.commands.simtune.sample import Sample, SampledDocument
from shingletools.commands.simtune.spec import INPUT, TuneSpec
from shingletools.numbers.belonging import judged_twice
from shingletools.record import wire
from shingletools.record.collector import Collector, Written
from shingletools.record.labels import take_label
from shingletools.record.wire import Record
from shingletools.system.errors import Failed


class Tune(Collector):
    """Takes documents, of which a sample stays; then labels; and tells what the sample says.

    Memory: that of the sample, 100 MB at most, and 60 bytes for each shingle of it.
    """

    of_all = True

    def __init__(self, spec: TuneSpec) -> None:
        self.spec = spec
        self.sample = Sample(spec.sample, spec.seed)
        self.read = 0
        self.via: str | None = None
        self.documents: list[SampledDocument] | None = None  # in their order, when all are there
        self.truth: SampleTruth | None = None
        self.doubts: list[str] = []

    def take(self, record: Record, line: bytes, side: int, /) -> None:
        if side == INPUT:
            self.take_document(record, line)
        else:
            self.settled()[1].take(record, line, self.place[0])

    def take_document(self, record: Record, line: bytes) -> None:
        name = wire.take_id(record, self.spec.id_field)
        text = wire.take_string(record, self.spec.text_field)
        via = wire.take_recipe(record)
        label = None if self.spec.own_label is None else take_label(record, line, self.spec.own_label)
        if self.via is None:
            self.via = via
        if via != self.via:
            raise Failed(wire.recipes_differ(via, self.via))
        self.sample.add(name, orjson.dumps(name), text, label)
        self.read += 1

    def settled(self) -> tuple[list[SampledDocument], SampleTruth]:
        """The sample, of which nothing changes any more, and what is true of it."""
        if self.documents is None or self.truth is None:
            self.documents = self.sample.documents()
            ids = {document.id: number for number, document in enumerate(self.documents)}
            self.truth = SampleTruth(ids, self.spec.id_field, self.spec.field)
            for document in self.documents:
                if document.label is not None:
                    self.truth.add_label(orjson.loads(document.id), document.label)
        return self.documents, self.truth

    def finish(self) -> Iterator[Written]:
        documents, truth = self.settled()
        if not self.read:
            raise Failed("no documents, so there is nothing to recommend")
        if self.spec.documents is not None and self.spec.documents < self.read:
            raise Failed(f"--documents {self.spec.documents}: fewer than the {self.read} documents that were read")
        judged = self.spec.truth or self.spec.field is not None
        judgement = Judgement(truth.belonging, len(documents)) if judged else None
        if judgement is not None and (pair := truth.belonging.contradiction(judgement.all)) is not None:
            raise Failed(judged_twice((orjson.loads(documents[pair[0]].id), orjson.loads(documents[pair[1]].id))))
        found = list(findings(GivenSample(self.spec, self.read, documents, judgement)))
        self.doubts = undecided(found)
        yield Written(table(found) if self.spec.table else records(found))

    def remarks(self) -> list[str]:
        return self.doubts

    def summary(self) -> list[str]:
        documents, truth = self.settled()
        said = [f"{len(documents)} documents in the sample"]
        return [*said, f"{truth.outside} ids of labels outside it"] if self.spec.truth else said


def undecided(found: Sequence[Finding]) -> list[str]:
    """What to say of labels by which no pair that is found is right, so that the rules go on without them."""
    true = found[0]["true"]
    if true is None or any(each.get("f1") for each in found):
        return []
    why = "no two documents of the sample belong together" if not true else f"none of the {true} true pairs is found"
    return [f"the labels decide nothing: {why}"]
