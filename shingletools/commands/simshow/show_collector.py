"""Takes pairs, then documents; then shows what each pair shares."""

from array import array
from collections.abc import Iterator
from contextlib import suppress

from shingletools.commands.simshow.documents import Name, Reader, ShownDocument, Vocabulary, canon_with
from shingletools.commands.simshow.frequent_shingles import frequent_shingles
from shingletools.commands.simshow.pair_writers import writer_of
from shingletools.commands.simshow.passages import CompareSettings, Comparison, Text, compare
from shingletools.commands.simshow.prepared_text import Prepared
from shingletools.commands.simshow.report.pair_origin import Corpus
from shingletools.commands.simshow.selected_pairs import (
    Pair,
    exact,
    group_of,
    may_go,
    sample,
    shows_pairs,
    take_pairs,
    within,
)
from shingletools.commands.simshow.spec import PAGE, PATTERN, ShowSpec
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, Reject, written
from shingletools.record.labels import check_judged_same
from shingletools.record.wire import Record
from shingletools.system import errors
from shingletools.system.errors import Failed, IdRepeated, Rejected, seen_before
from shingletools.system.spilling_list import SpillingList

Waiting = tuple[str, int | None, bytes]  # a record: its file, the number of its line, its line

NOT_YET, BAD = -1, -2  # instead of the number of a document: it has not come, or was rejected
ONLY_DOCUMENTS = (
    "these are documents, not pairs or groups, and none has the field duplicate_of: simjoin makes pairs of them"
)

WORD_BYTES = 200  # memory of a word of a prepared text, without its document
CACHED_BYTES = 1 << 27  # bytes of prepared texts that are kept
MEMORY_PARTS = 6  # of the memory: one for records, two for documents, one for texts, the rest for gaps in the heap


class ShowCollector(RecordCollector):
    """Takes pairs or groups, then the documents that they name, and compares these.

    Memory: 200 bytes for each id that is named, and the distinct words; 8 bytes a pair to choose a sample. Then the
    records, the documents and prepared texts, at least two. Beyond the limit, records and documents go to scratch
    files, and texts are prepared again.
    """

    def __init__(self, spec: ShowSpec) -> None:
        self.spec = spec
        stage, self.vocabulary = canon_with(spec.canon), Vocabulary()
        self.readers = [Reader(spec.names_of(side)[1], stage, self.vocabulary, spec.show) for side in (1, 2)]
        limit = spec.memory
        self.share = None if limit is None else limit.share(MEMORY_PARTS, 0)
        self.most = CACHED_BYTES if self.share is None else min(self.share, CACHED_BYTES)
        self.records: SpillingList[Waiting] = SpillingList(limit and limit._replace(size=limit.share(MEMORY_PARTS, 0)))
        self.documents: SpillingList[ShownDocument] = SpillingList(
            limit and limit._replace(size=2 * limit.share(MEMORY_PARTS, 0))
        )
        rows: dict[Name, int] = {}
        self.rows = (rows, {} if spec.others else rows)  # for each side, the numbers of its documents by id
        self.via: str | None = None  # the recipe of all words, from the first document on
        self.similarities = array("d")  # of all pairs, for --sample
        self.chosen: frozenset[int] | None = None  # the numbers of the pairs in the sample, when it is chosen
        self.kinds: set[bool] = set()  # True for records that show pairs, False for documents without a mark
        self.texts: dict[int, Text] = {}
        self.ready = 0  # bytes of these texts
        self.corpus = Corpus(dedup=spec.dedup)
        self.gone: set[Name] = set()  # documents that dedup marked
        self.pairs = self.passages = self.shared = self.alone = 0  # alone: pairs with a pattern each
        if spec.pair is not None:
            record = dict(zip("ab", spec.pair, strict=True))
            try:
                self.take_record(record, wire.json_of(record), 0)
            except Rejected as error:
                raise Failed(str(error)) from None

    def parsed(self, side: int, line: bytes, start: int) -> Record:
        """Returns the record on a line. Raises Rejected, and JudgedDifferent for a pair that is none."""
        record: Record = super().parsed(side, line, start)
        if not side and "a" in record:
            with suppress(Rejected):  # such as unsure
                check_judged_same(record)
        return record

    def take_record(self, record: Record, line: bytes, side: int, /) -> None:
        if side:
            self.choose()
            self.take_document(record, side - 1)
            return
        pairs = self.passing(record)
        self.kinds.add(shows_pairs(record))
        if "a" in record and self.spec.layout.name == PAGE:
            wire.json_of(record)  # raises Rejected for what cannot be saved again
        if "a" in record and "shared" in record and wire.COVERS not in record:
            self.corpus = self.corpus._replace(removable=False)
        if "duplicate_of" in record and not self.spec.others:
            self.gone.update(name for _, name, _ in pairs)
        if self.spec.chosen.sample is None:
            self.name(pairs)
        else:
            self.similarities.extend(float(exact(similarity)) for *_, similarity in pairs)
        if pairs:
            self.records.add((*self.place, line), len(line) + 320)

    def passing(self, record: Record) -> list[Pair]:
        """Returns the pairs of a record that --least and --most let pass. Raises Rejected."""
        pairs = take_pairs(record, self.spec.id_field, bool(self.spec.others))
        for a, b, _ in pairs:
            if a == b and not self.spec.others:
                raise Rejected(errors.with_itself(a))
        return [pair for pair in pairs if within(self.spec.chosen, pair[2])]

    def name(self, pairs: list[Pair]) -> None:
        for pair in pairs:
            for rows, name in zip(self.rows, pair[:2], strict=True):
                rows.setdefault(name, NOT_YET)

    def choose(self) -> None:
        """Chooses the sample, after all pairs have come."""
        if self.spec.chosen.sample is None or self.chosen is not None:
            return
        self.chosen = frozenset(sample(self.similarities, self.spec.chosen.sample).tolist())
        for _, _, pairs in self.waiting():
            self.name(pairs)

    def waiting(self) -> Iterator[tuple[Waiting, Record, list[Pair]]]:
        """Yields the records that wait, each as it came and parsed, with its pairs to be shown."""
        number = 0
        for waits in self.records:
            record = wire.parse_json(waits[2])
            pairs = self.passing(record)
            if self.chosen is not None:
                pairs, number = (
                    [pair for place, pair in enumerate(pairs, number) if place in self.chosen],
                    number + len(pairs),
                )
            yield waits, record, pairs

    def in_order(self) -> Iterator[tuple[Waiting, Record, list[Pair]]]:
        """Yields what waits. On a page, for which there may be too much, pairs that remove a document come first."""
        for turn in range(3) if self.spec.layout.name == PAGE else (0,):
            for each in self.waiting():
                if self.spec.layout.name != PAGE or turn == (2 if "a" not in each[1] else not may_go(each[1])):
                    yield each

    def take_document(self, record: Record, side: int) -> None:
        name, read = wire.take_id(record, self.spec.names_of(side + 1)[0]), self.readers[side]
        row = self.rows[side].get(name)
        if row is None:
            return
        via = read.made_by(record)
        if self.via is not None and via != self.via:
            raise Failed(wire.recipes_differ(via, self.via))
        if row >= 0:
            raise IdRepeated(seen_before(name))
        try:
            document = read(name, record)
        except Rejected:
            self.rows[side][name] = BAD
            raise
        self.via = via
        self.rows[side][name] = len(self.documents)
        self.documents.add(document, document.size)

    def finish(self) -> Iterator[Event]:
        if self.kinds == {False}:
            raise Failed(ONLY_DOCUMENTS)
        self.choose()
        writer = writer_of(self.spec.layout, bool(self.spec.others), self.spec.show, self.spec.origin)
        k, least = self.spec.k, self.spec.template
        frequent = None if least is None else frequent_shingles(self.documents, k, least, self.share)
        settings = CompareSettings(self.spec.gap, self.vocabulary.spelled, frequent)
        for waits, record, pairs in self.in_order():
            unknown = self.unknown(pairs)
            if unknown and self.spec.pair is not None:
                raise Failed("only two files that can be read are compared")
            if unknown:
                file, line, document = waits
                yield Reject(file, line, unknown, document, late=True)
                continue
            group = group_of(record)
            for a, b, similarity in pairs:
                one, two = self.text(self.rows[0][a]), self.text(self.rows[1][b])
                compared = compare(one, two, similarity, settings)._replace(record=record if "a" in record else {})
                if self.spec.origin.command:
                    self.check_origin(compared)
                self.pairs += 1
                self.passages += len(compared.passages)
                self.shared += compared.shared
                yield from self.written(writer.write(compared, one.shown, two.shown))
                if group is None and self.spec.layout.name == PATTERN:
                    self.alone += "a" in record
                    yield from self.written(writer.group(a, [a, b]))
            if group is not None:
                yield from self.written(writer.group(*group))
        yield from self.written(writer.finish(self.corpus._replace(places=self.rows[0], gone=self.gone)))

    def check_origin(self, compared: Comparison) -> None:
        """Raises Failed if a pair was not made as --made-by says."""
        from shingletools.commands.simshow.report.made_by_pipeline import disagreement  # late: only for --made-by

        if wrong := disagreement(self.spec.origin, self.via or "", self.spec.k, compared):
            raise Failed(f"--made-by: these pairs were not made so: {wrong}")

    def written(self, data: bytes) -> list[Event]:
        return written(data) if self.spec.page is None else written(removed=data)

    def unknown(self, pairs: list[Pair]) -> str:
        """Returns why a record cannot be shown; "" if it can."""
        for pair in pairs:
            for rows, name, option in zip(self.rows, pair[:2], ("--docs", "--against"), strict=True):
                given = option if self.spec.others else "--docs"
                if rows[name] == BAD:
                    return f"the document {errors.shown(name)} of {given} was rejected"
                if rows[name] == NOT_YET:
                    return f"no document of {given} has the id {errors.shown(name)}"
        return ""

    def remarks(self) -> list[str]:
        many = f"each of {self.alone} pairs has a line of its own; simgroup makes groups of them, each with one line"
        return [many] if self.alone > 1 else []

    def text(self, row: int) -> Text:
        """Returns a document that is prepared to be compared."""
        if row not in self.texts:
            shown = self.documents[row]
            size = shown.size + WORD_BYTES * len(shown.words)
            if self.ready + size > self.most:
                self.texts.clear()
                self.ready = 0
            self.texts[row] = Text(shown, Prepared(shown.words, self.spec.k))
            self.ready += size
        return self.texts[row]

    def summary(self) -> list[str]:
        return [
            f"{self.pairs} pairs",
            f"{len(self.documents)} documents",
            f"{self.passages} passages",
            f"{self.shared} words in them",
        ]
