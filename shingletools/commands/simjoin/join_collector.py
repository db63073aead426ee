"""Takes records with signatures, and gives pairs of documents."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.simjoin.against import Against, of_archive
from shingletools.commands.simjoin.comparable import Comparable, fields_before
from shingletools.commands.simjoin.digit_groups import FIELDS
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.in_scope import InScope
from shingletools.commands.simjoin.indexed import ArchiveJoin
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.nearest import Nearest
from shingletools.commands.simjoin.pair_arrays import Pairs, merged
from shingletools.commands.simjoin.pair_lines import PairLines
from shingletools.commands.simjoin.signatures import LONG_SHINGLES, SHINGLE_SETS, Signature, signature_of
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.commands.simjoin.store import InMemory, OnDisk, Store
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split
from shingletools.kernel.lines import SignedFields, SignedLines
from shingletools.kernel.types import U32, Index
from shingletools.record import wire
from shingletools.record.collector import Collector, Late, Written
from shingletools.record.json_members import in_quotes
from shingletools.record.wire import Record
from shingletools.system.errors import Failed, IdRepeated, Rejected, seen_before, shown


class Signed(NamedTuple):
    """The parts of a record that the join needs."""

    name: str | int
    via: str
    signature: Signature
    data: bytes  # of the signature; empty if it pairs with none


def take_signed(record: Record, id_field: str) -> Signed:
    """The id, recipe and signature of a record. Raises Rejected unless it has an id and a signature."""
    name = wire.take_id(record, id_field)
    signature = signature_of(record)
    data = signature.read(wire.take_string(record, signature.field))
    via = wire.take_recipe(record)
    if data is None:
        raise Rejected(f"field {shown(signature.field)} is not {signature.form}")
    return Signed(name, via, signature, data)


def take_shingles(record: Record) -> bytes:
    """The shingles of a record. Raises Rejected unless it has at least one."""
    signature = signature_of(record, SHINGLE_SETS)
    data = signature.read(wire.take_string(record, signature.field))
    if not data:
        raise Rejected(f"field {shown(signature.field)} is not {signature.form}")
    return data


def lines_like(id_field: str, via: str, signature: Signature, size: int, verify: bool) -> SignedFields | None:
    """What lines must have to be taken many at once: signatures of one kind and size.

    None if the name of the id is one that JSON escapes: then lines are taken one by one.
    """
    name = in_quotes(id_field)
    if b"\\" in name:
        return None
    signatures = [(signature, size), (LONG_SHINGLES, 0)][: 1 + verify]
    payloads = tuple((each.field.encode(), each.digits, each.fixed(size)) for each, size in signatures)
    absent = tuple(field.encode() for field in fields_before(signature))
    return SignedFields(name, in_quotes(via) if via else None, absent, payloads, tuple(map(str.encode, FIELDS)))


class SignedBlock(NamedTuple):
    """Ordinary lines, which are read once. Lines with ids that were used before go through `take`."""

    lines: bytes
    signed: SignedLines
    places: Index  # the start of each line, and the end of the last
    numbers: Index  # of the ids; below 0 for ids that were used before
    labels: U32 | None  # their numbers, shape (lines, fields); None if they do not count


class JoinCollector(Collector):
    """Takes signatures. Then gives the pairs of documents that agree in enough components, in input order.

    Documents with empty signatures are in no pair. Memory: the limit, if there is one. Else the signatures (4 n bytes
    for n min-hashes, 64 for a simhash), their ids, and what the join needs.
    """

    reads_ahead = True

    def __init__(self, spec: JoinSpec, jobs: int = 1, limits: Limits = DEFAULT, against: Against | None = None) -> None:
        """against: the archives of the spec, if they are open already."""
        self.spec = spec
        self.jobs = jobs
        self.takes_signed = not (spec.wanted.verify or spec.wanted.scope.fields)  # which need more of a record
        payloads = 1 + spec.wanted.verify
        self.store: Store = InMemory(payloads, limits) if spec.memory is None else OnDisk(payloads, spec.memory, limits)
        self.block: SignedBlock | None = None  # the block that is being taken
        self.prepared: dict[int, tuple[bytes, SignedLines | None]] = {}  # by the identity of the lines
        self.fields: SignedFields | None = None  # of lines that are taken many at once; set by the first signature
        self.comparable = Comparable(spec.wanted)
        self.scope = InScope(spec.wanted.scope) if spec.wanted.scope.fields else None
        self.first_side = 0  # documents with signatures in the input
        self.against = Against(spec) if spec.archives and against is None else against
        self.repeated: list[Late] = []  # bad records of archives, such as those whose ids were used before
        self.via: str | None = None  # the recipe of all records, from the first on
        self.bands = self.candidates = self.pairs = 0
        self.recall = 1.0

    def take(self, record: Record, line: bytes, side: int, /) -> None:
        """Side 0 is the input. Sides from 1 on are the files of --against, cut where archives stand between them.

        A record's recipe and shape are checked first: if they differ from those of the records taken, the run fails,
        even if the record is also bad. Later records are not checked against a rejected one.
        """
        name, via, signature, data = take_signed(record, self.spec.id_field)
        if self.via is not None and via != self.via:
            raise Failed(wire.recipes_differ(via, self.via))
        if data:
            self.comparable.check(signature, len(data), via)
        payloads = [data, take_shingles(record)] if self.spec.wanted.verify and data else [data]
        labels = None if self.scope is None else self.scope.numbers_in(record, line)
        text = orjson.dumps(name)
        if self.against is not None and side and self.against.known(side, text, np.array([len(text)])).any():
            raise IdRepeated(seen_before(name))
        self.store.claim(min(side, 1), name)  # the last step that may reject the record
        self.via = via
        if not data:
            return
        if self.comparable.signature is None:
            self.spec.check_weights(signature.digits, via)
            self.comparable.accept(signature, len(data), via)
            self.fields = self.like_the_first()  # in one step: threads that read ahead may use it at any moment
        self.store.add(min(side, 1), name, payloads)
        if self.scope is not None and labels is not None:
            self.scope.add(labels)
        self.count(side, 1)

    def count(self, side: int, documents: int) -> None:
        self.first_side += 0 if side else documents
        if side and self.against is not None:
            self.against.documents[side] += documents

    def take_lines(self, lines: bytes, at: int, side: int, /) -> tuple[int, int, Written]:
        """Takes ordinary lines with signatures like the first one, if there is one yet."""
        block = self.block
        if block is None or block.lines is not lines or not block.places[0] <= at < block.places[-1]:
            of, signed = self.prepared.pop(id(lines), (b"", None))
            if signed is None or of is not lines or at:
                signed = self.read(lines, at)
            if signed is None or not signed.lines:
                return 0, at, Written()
            places = np.append(np.frombuffer(signed.places, np.int64), signed.end)
            labels = None if self.scope is None else self.scope.numbers(signed.labels, signed.label_sizes)
            self.block = block = SignedBlock(lines, signed, places, self.claim_lines(side, signed), labels)
        start = int(np.searchsorted(block.places, at))
        stop = start + int(np.argmin(np.append(block.numbers[start:], -1)))
        if stop > start:
            self.store.add_lines(min(side, 1), block.signed, block.numbers, slice(start, stop))
            if self.scope is not None and block.labels is not None:
                self.scope.add(block.labels[start:stop])
            self.count(side, stop - start)
        return stop - start, int(block.places[stop]), Written()

    def like(self) -> SignedFields | None:
        return self.fields

    def take_signed(self, signed: SignedLines, side: int, /) -> Mapping[int, str]:
        numbers, sizes = self.claim_lines(side, signed), np.frombuffer(signed.sizes[0], np.int64)
        taken = np.flatnonzero(np.diff((numbers >= 0) & (sizes > 0), prepend=False, append=False)).tolist()
        for start, stop in zip(taken[::2], taken[1::2], strict=True):
            self.store.add_lines(min(side, 1), signed, numbers, slice(start, stop))
            self.count(side, stop - start)
        again = np.flatnonzero(numbers < 0).tolist()
        names = list(split(signed.ids, signed.id_sizes)) if again else []
        return {number: seen_before(orjson.loads(names[number])) for number in again}

    def claim_lines(self, side: int, signed: SignedLines) -> Index:
        """The numbers of ids; below 0 for ids that their side, or an earlier archive, has used."""
        numbers = self.store.claim_lines(min(side, 1), signed)
        if self.against is not None and side:
            sizes = np.frombuffer(signed.id_sizes, np.int64)
            known = self.against.known(side, signed.ids, sizes)
            self.against.pass_over(signed.ids, sizes, known & (numbers >= 0))
            numbers = np.where(known, -1, numbers)
        return numbers

    def ahead(self, lines: bytes, /) -> None:
        self.prepared[id(lines)] = lines, self.read(lines, 0)

    def read(self, lines: bytes, at: int) -> SignedLines | None:
        """Reads lines from `at` on; None before the first signature has come."""
        return None if self.fields is None else kernel.read_signed(lines, at, self.fields)

    def like_the_first(self) -> SignedFields | None:
        """What lines must have to be taken many at once; None if none can be."""
        first = self.comparable.signature
        if first is None:
            return None
        wanted = self.spec.wanted
        fields = lines_like(self.spec.id_field, self.via or "", first, self.comparable.size, wanted.verify)
        labels = tuple(map(in_quotes, wanted.scope.fields))
        if fields is None or any(b"\\" in name for name in labels):
            return None
        return fields._replace(labels=labels)

    def finish(self) -> Iterator[Written]:
        """The lines of all pairs."""
        if self.against is not None:
            yield from self.finish_against(self.against)
            return
        signature, wanted = self.comparable.signature, self.comparable.wanted
        if signature is None:
            return
        weights = None if self.spec.weights is None else self.spec.weights.weights
        factory = TableFactory(signature, wanted, weights)
        join = self.store.join(factory, self.first_side if self.spec.against else None, self.scope)
        yield Written()  # so that what the store has to tell is asked for
        lines = PairLines(factory.signatures[-1], wanted, bool(self.spec.against))
        for block in self.best(join.pairs(self.jobs), factory):
            self.pairs += len(block.a)
            for start in range(0, len(block.a), wire.LINES):
                yield Written(self.written(Pairs(*(part[start : start + wire.LINES] for part in block)), lines))
        self.bands, self.recall, self.candidates = join.bands, join.recall, join.candidates

    def finish_against(self, against: Against) -> Iterator[Written]:
        """The lines of pairs with files and archives, after checks of the archives."""
        self.via = against.check(self.comparable, self.via)
        for late in against.repeated(self.store):
            self.repeated.append(late)
            yield Written()
        yield from self.pairs_against(against)

    def pairs_against(self, against: Against) -> Iterator[Written]:
        """The lines of pairs with files and archives, which were checked."""
        signature, wanted = self.comparable.signature, self.comparable.wanted
        if signature is None or not self.first_side:
            return
        against.lay_out(self.first_side)
        factory = TableFactory(signature, wanted)
        lines = PairLines(factory.signatures[-1], wanted, against=True)
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
            sources.append(pairs._replace(b=against.place_of_files(pairs.b)) for pairs in of_files.pairs(self.jobs))
        for block in self.best(merged(sources), factory):
            self.pairs += len(block.a)
            for start in range(0, len(block.a), wire.LINES):
                pairs = Pairs(*(part[start : start + wire.LINES] for part in block))
                sizes = np.full(len(pairs.a), self.comparable.size)
                a, b = self.store.names(0, pairs.a), against.names(self.store, pairs.b)
                yield Written(lines.of(a, b, pairs.agreeing, sizes, sizes))
        yield Written()  # so that the last bad records of archives are asked for
        self.candidates = sum(join.candidates for join in joins) + (of_files.candidates if of_files else 0)
        self.bands = max([of_files.bands if of_files else 0, *(len(join.bands) for join in joins)])

    def best(self, pairs: Iterator[Pairs], factory: TableFactory) -> Iterator[Pairs]:
        """Those of the pairs that --best keeps."""
        if factory.wanted.best is None:
            return pairs
        nearest = Nearest(factory, self.store.sizes, self.spec.memory, self.store.limits)
        return nearest.of(pairs, both=not self.spec.against and not self.spec.archives)

    def told(self) -> Sequence[str]:
        return self.store.told()

    def late(self) -> Sequence[Late]:
        late, self.repeated = self.repeated, []
        return late

    def close(self) -> None:
        if self.against is not None:
            self.against.close()

    def written(self, pairs: Pairs, lines: PairLines) -> bytes:
        """The lines of some pairs."""
        a, b = self.store.names(0, pairs.a), self.store.names(int(bool(self.spec.against)), pairs.b)
        return lines.of(a, b, pairs.agreeing, self.store.sizes(pairs.a), self.store.sizes(pairs.b))

    def summary(self) -> list[str]:
        return [
            *self.comparable.summary(),
            f"{self.bands} bands",
            f"recall {self.recall:.4g}",
            f"{self.candidates} candidates",
            f"{self.pairs} pairs",
        ]
