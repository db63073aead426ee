"""Takes records with signatures, and writes pairs of documents."""

from collections.abc import Callable, Iterator

import numpy as np
import orjson

from shingletools.commands.simjoin.against import Against, of_archive
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.found_pairs import FoundPairs
from shingletools.commands.simjoin.indexed import ArchiveJoin
from shingletools.commands.simjoin.label_filter import LabelFilter
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.nearest import Nearest
from shingletools.commands.simjoin.pair_arrays import Pairs, merged
from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signed_records import Needed, Signed, SignedRecords
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.commands.simjoin.store import InMemory, OnDisk, Store
from shingletools.kernel.ids import split_ids
from shingletools.kernel.line_columns import ColumnData
from shingletools.kernel.types import Flags, Index
from shingletools.record import wire
from shingletools.record.collector import ONE_PROCESS, Collector, CollectorContext
from shingletools.record.events import Event, Lines, Message, Reject
from shingletools.record.record_batch import RecordBatch, Schema
from shingletools.system.errors import Failed, IdRepeated, seen_before
from shingletools.system.workers import in_threads


class JoinCollector(Collector):
    """Takes signatures, then writes the pairs of documents that agree in enough components, in input order.

    Documents with empty signatures are in no pair. Memory: the limit, if there is one. Else the signatures (4 n bytes
    for n min-hashes, 64 for a simhash), their ids, and what the join needs.
    """

    reads_ahead = True

    def __init__(
        self,
        spec: JoinSpec,
        context: CollectorContext = ONE_PROCESS,
        limits: Limits = DEFAULT,
        against: Against | None = None,
    ) -> None:
        """Joins as a spec says. against: the archives of the spec, if they are open already."""
        self.spec = spec
        self.jobs = context.jobs
        payloads = 1 + spec.wanted.verify
        self.store: Store = (
            InMemory(payloads, limits, self.jobs) if spec.memory is None else OnDisk(payloads, spec.memory, limits)
        )
        fields = spec.wanted.scope.fields
        self.records = [  # of the input, and of other sides
            SignedRecords(
                Needed(spec.id_of(side), spec.once(side), spec.wanted.verify, fields),
                self.check,
                lines=spec.wanted.verify or bool(fields),
            )
            for side in (0, 1)
        ]
        # Set by the first signature, in one step: other threads may read them
        self.next_schemas = [records.schema for records in self.records]
        self.comparable = Comparable(spec.wanted)
        self.scope = LabelFilter(spec.wanted.scope) if spec.wanted.scope.fields else None
        self.first_side = 0  # documents with signatures in the input
        self.against = Against(spec) if spec.archives and against is None else against
        self.repeated: list[Reject] = []  # bad records of archives, such as those whose ids were used before
        self.via: str | None = None  # the recipe of all records, from the first on
        self.bands = self.candidates = self.pairs = 0
        self.recall = 1.0

    def check(self, signed: Signed) -> None:
        """Raises Failed for a record whose recipe or shape differs from those of earlier records, even if it is bad.

        Later records are not checked against a rejected one.
        """
        if self.via is not None and signed.via != self.via:
            raise Failed(wire.recipes_differ(signed.via, self.via))
        if signed.data:
            self.comparable.check(signed.signature, len(signed.data), signed.via)

    def schema(self, side: int, _file: str = "", /) -> Schema:
        return self.next_schemas[side > 0]

    def take(self, batch: RecordBatch, side: int, /) -> Iterator[Event]:
        """Takes records of a side: 0 is the input, from 1 on files of --against, which archives may separate."""
        ids, *columns = batch.columns
        payloads, labels = columns[: len(columns) - (self.scope is not None)], columns[-1]
        (numbers, new), sizes = self.claim(side, ids), np.frombuffer(payloads[0].sizes, np.int64)
        again = np.flatnonzero(~new)
        if self.schema(side).provisional and not len(again):
            self.infer_schema(self.records[side > 0].last)
        scope = None if self.scope is None else self.scope.numbers(labels.data, labels.sizes)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], new & (sizes > 0), [False]]))).tolist()
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            self.store.add(min(side, 1), (ids, *payloads), numbers, slice(start, stop))
            if self.scope is not None and scope is not None:
                self.scope.add(scope[start:stop])
            self.first_side += 0 if side else stop - start
            if side and self.against is not None:
                self.against.documents[side] += stop - start
        names = [*split_ids(ids.data, ids.sizes)] if len(again) else []
        for row in again.tolist():
            yield batch.reject(row, IdRepeated(seen_before(orjson.loads(names[row]))))

    def let_go(self) -> None:
        self.store.let_go()

    def infer_schema(self, last: Signed | None) -> None:
        """Takes the recipe of the record just read. The first signature that is not empty decides the schema."""
        assert last is not None
        _, self.via, signature, data = last
        if data:
            self.spec.check_weights(signature.digits, self.via)
            self.comparable.accept(signature, len(data), self.via)
            self.next_schemas = [records.schema_of(self.via, signature, len(data)) for records in self.records]

    def claim(self, side: int, ids: ColumnData) -> tuple[Index, Flags]:
        """Returns the numbers of ids, and whether neither their side nor an earlier archive has used each."""
        numbers, new = self.store.claim(min(side, 1), ids)
        if self.against is not None and side:
            sizes = np.frombuffer(ids.sizes, np.int64)
            known = self.against.known(side, ids.data, sizes)
            self.against.pass_over(ids.data, sizes, known & new)
            new &= ~known
        return numbers, new

    def finish(self) -> Iterator[Event]:
        """Yields the lines of all pairs."""
        if self.against is not None:
            yield from self.finish_against(self.against)
            return
        signature, wanted = self.comparable.signature, self.comparable.wanted
        if signature is None:
            return
        weights = None if self.spec.weights is None else self.spec.weights.weights
        factory = TableFactory(signature, wanted, weights)
        join = self.store.join(factory, self.first_side if self.spec.against else None, self.scope)
        yield from (Message(text, verbose=True) for text in self.store.messages())
        found = yield from join.search(self.jobs)
        copied = found.copied if isinstance(found, FoundPairs) and wanted.copies_once else None
        yield from self.lines(iter(found), factory, copied)
        self.bands, self.recall, self.candidates = join.bands, join.recall, join.candidates

    def finish_against(self, against: Against) -> Iterator[Event]:
        """Yields the lines of pairs with files and archives, after checks of the archives."""
        self.via = against.check(self.comparable, self.via)
        yield from against.repeated(self.store)
        yield from self.pairs_against(against)

    def pairs_against(self, against: Against) -> Iterator[Event]:
        """Yields the lines of pairs with files and archives, which were checked."""
        signature, wanted = self.comparable.signature, self.comparable.wanted
        if signature is None or not self.first_side:
            return
        against.lay_out(self.first_side)
        factory = TableFactory(signature, wanted)
        memory, limits, joins, sources = self.spec.memory, self.store.limits, [], []
        for archive, place in zip(against.archives, against.archive_places, strict=True):
            if archive.manifest.size:
                join = ArchiveJoin(archive, signature, wanted, memory, limits)
                found = of_archive(join, place, self.store.loaded(self.first_side), signature)
                if self.scope is not None:
                    found = self.scope.of_archive(archive, place, found, self.repeated)
                sources.append(found)
                joins.append(join)
        of_files = None
        if any(against.documents):
            of_files = self.store.join(factory, self.first_side, self.scope)
            in_files = yield from of_files.search(self.jobs)
            sources.append(pairs._replace(b=against.place_of_files(pairs.b)) for pairs in in_files)
        yield from self.lines(merged(sources), factory)
        yield from self.found_bad()
        self.candidates = sum(join.candidates for join in joins) + (of_files.candidates if of_files else 0)
        self.bands = max([of_files.bands if of_files else 0, *(len(join.bands) for join in joins)])

    def lines(
        self, found: Iterator[Pairs], factory: TableFactory, copied: Callable[[Pairs], Flags] | None = None
    ) -> Iterator[Event]:
        """Yields the lines of pairs, and bad records of archives that are found meanwhile."""
        across = bool(self.spec.against or self.spec.archives)
        lines = PairLines(factory.signatures[-1], factory.wanted, across)

        def written(pairs: Pairs) -> bytes:
            sizes = others = self.store.sizes(pairs.a)  # signatures in archives have one size
            if self.against is None:
                b, others = self.store.names(int(across), pairs.b), self.store.sizes(pairs.b)
            else:
                b = self.against.names(self.store, pairs.b)
            copies = None if copied is None else copied(pairs)
            return lines.format_pairs(self.store.names(0, pairs.a), b, pairs.agreeing, (sizes, others), copies)

        # Archives are read by one thread
        for data in in_threads(written, self.parts(found, factory), self.jobs if self.against is None else 1):
            yield Lines(data)
            yield from self.found_bad()

    def parts(self, found: Iterator[Pairs], factory: TableFactory) -> Iterator[Pairs]:
        """Yields the pairs to be written, those of some lines at a time."""
        for block in self.best(found, factory):
            self.pairs += len(block.a)
            for start in range(0, len(block.a), wire.WRITTEN_LINES):
                yield block.at(slice(start, start + wire.WRITTEN_LINES))

    def best(self, pairs: Iterator[Pairs], factory: TableFactory) -> Iterator[Pairs]:
        """Returns the pairs that --best keeps."""
        if factory.wanted.best is None:
            return pairs
        nearest = Nearest(factory, self.store.sizes, self.spec.memory, self.store.limits)
        return nearest.select(pairs, both=not self.spec.against and not self.spec.archives)

    def found_bad(self) -> Iterator[Event]:
        """Yields the records of archives that were found to be bad since the last call."""
        yield from self.repeated
        self.repeated.clear()

    def close(self) -> None:
        if self.against is not None:
            self.against.close()

    def summary(self) -> list[str]:
        return [
            *self.comparable.summary(),
            f"{self.bands} bands",
            f"recall {self.recall:.4g}",
            f"{self.candidates} candidates",
            f"{self.pairs} pairs",
        ]
