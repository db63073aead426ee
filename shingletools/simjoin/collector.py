"""Records with signatures in, pairs of documents out."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import orjson

from shingletools import errors, wire
from shingletools.errors import Failed, Rejected
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SignedFields, SignedLines
from shingletools.kernel.types import Index
from shingletools.records import in_quotes
from shingletools.simjoin.against import Against, merged, of_archive
from shingletools.simjoin.comparable import Comparable, fields_before
from shingletools.simjoin.factory import TableFactory
from shingletools.simjoin.indexed import ArchiveJoin
from shingletools.simjoin.limits import DEFAULT, Limits
from shingletools.simjoin.pair_lines import PairLines
from shingletools.simjoin.pairs import Pairs
from shingletools.simjoin.signatures import LONG_SHINGLES, SHINGLE_SETS, Signature, signature_of
from shingletools.simjoin.spec import JoinSpec
from shingletools.simjoin.store import InMemory, OnDisk, Store
from shingletools.stage import Collector, Late, Written
from shingletools.wire import Record


class Signed(NamedTuple):
    """What the join takes of a record."""

    name: str | int
    via: str
    signature: Signature
    data: bytes  # of the signature, empty if it is like no other


def take_signed(record: Record, id_field: str) -> Signed:
    """Raises Rejected unless the record has an id and a signature."""
    name = wire.take_id(record, id_field)
    signature = signature_of(record)
    data = signature.read(wire.take_string(record, signature.field))
    via = wire.take_recipe(record)
    if data is None:
        raise Rejected(f"field {errors.shown(signature.field)} is not {signature.form}")
    return Signed(name, via, signature, data)


def take_shingles(record: Record) -> bytes:
    """Raises Rejected unless the record has shingles, one at least."""
    signature = signature_of(record, SHINGLE_SETS)
    data = signature.read(wire.take_string(record, signature.field))
    if not data:
        raise Rejected(f"field {errors.shown(signature.field)} is not {signature.form}")
    return data


def lines_like(id_field: str, via: str, signature: Signature, size: int, verify: bool) -> SignedFields | None:
    """What lines must have to be taken at once, with signatures of one kind and size; None if none can be, for an id's
    name that JSON escapes.
    """
    name = in_quotes(id_field)
    if b"\\" in name:
        return None
    signatures = [(signature, size), (LONG_SHINGLES, 0)][: 1 + verify]
    payloads = tuple((each.field.encode(), each.digits, each.fixed(size)) for each, size in signatures)
    absent = tuple(field.encode() for field in fields_before(signature))
    return SignedFields(name, in_quotes(via) if via else None, absent, payloads)


def one_id(name: str | int) -> tuple[bytes, Index]:
    """An id as JSON, and its bytes."""
    data = orjson.dumps(name)
    return data, np.array([len(data)])


class SignedBlock(NamedTuple):
    """Ordinary lines, which are read once, however many of their ids were used before: those go through `take`."""

    lines: bytes
    signed: SignedLines
    places: Index  # where each line begins, and the end of the last
    numbers: Index  # of the ids, below 0 where they were used before


class JoinCollector(Collector):
    """Takes signatures; then gives the pairs of documents, in input order, that agree in enough components.

    Documents with empty signatures are like no other. Memory: the signatures (4 n bytes for n min-hashes, 64 for a
    simhash), their ids, and what the join needs; or, where a limit is set, that.
    """

    reads_ahead = True

    def __init__(self, spec: JoinSpec, jobs: int = 1, limits: Limits = DEFAULT) -> None:
        self.spec = spec
        self.jobs = jobs
        payloads = 1 + spec.wanted.verify
        self.store: Store = InMemory(payloads, limits) if spec.memory is None else OnDisk(payloads, spec.memory, limits)
        self.block: SignedBlock | None = None  # that is being taken
        self.prepared: dict[int, tuple[bytes, SignedLines | None]] = {}  # by the identity of the lines
        self.fields: SignedFields | None = None  # of lines that are taken at once, as soon as there was one to be like
        self.comparable = Comparable(spec.wanted)
        self.first_side = 0  # how many documents with shingles came before those of --against
        self.against = Against(spec) if spec.archives else None
        self.repeated: list[Late] = []  # records of archives whose ids come twice
        self.via: str | None = None  # the recipe of all records, once there is one
        self.bands = self.candidates = self.pairs = 0
        self.recall = 1.0

    def take(self, record: Record, _line: bytes, side: int, /) -> None:
        """Side 0 is the input, side 1 that of --against, and 2 and more its files behind archives.

        A record is compared with those that were taken before it, first of all, so that it fails the run even where it
        would be rejected, too. What is rejected leaves no trace: nothing is compared with it.
        """
        name, via, signature, data = take_signed(record, self.spec.id_field)
        if self.via is not None and via != self.via:
            raise Failed(wire.recipes_differ(via, self.via))
        if data:
            self.comparable.check(signature, len(data), via)
        payloads = [data, take_shingles(record)] if self.spec.wanted.verify and data else [data]
        if self.against is not None and side and self.against.known(side, *one_id(name)).any():
            raise Rejected(errors.seen_before(name))
        self.store.claim(min(side, 1), name)  # the last that may reject it
        self.via = via
        if not data:
            return
        if self.comparable.signature is None:
            self.comparable.accept(signature, len(data), via)
            self.fields = self.like_the_first()  # in one step: threads that read ahead may look at it at any moment
        self.store.add(min(side, 1), name, payloads)
        self.count(side, 1)

    def count(self, side: int, documents: int) -> None:
        if not side:
            self.first_side += documents
        elif self.against is not None:
            self.against.documents[side] += documents

    def take_lines(self, lines: bytes, at: int, side: int, /) -> tuple[int, int, Written]:
        """Those that are like the first one, if there was one."""
        block = self.block
        if block is None or block.lines is not lines or not block.places[0] <= at < block.places[-1]:
            of, signed = self.prepared.pop(id(lines), (b"", None))
            if signed is None or of is not lines or at:
                signed = self.read(lines, at)
            if signed is None or not signed.lines:
                return 0, at, Written()
            places = np.append(np.frombuffer(signed.places, np.int64), signed.end)
            self.block = block = SignedBlock(lines, signed, places, self.claim_lines(side, signed))
        start = int(np.searchsorted(block.places, at))
        stop = start + int(np.argmin(np.append(block.numbers[start:], -1)))
        if stop > start:
            self.store.add_lines(min(side, 1), block.signed, block.numbers, slice(start, stop))
            self.count(side, stop - start)
        return stop - start, int(block.places[stop]), Written()

    def claim_lines(self, side: int, signed: SignedLines) -> Index:
        """The numbers of ids, below 0 where their side, or an archive before them, has used them."""
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
        """What is taken of the lines from a place on; None as long as there was no signature to be like."""
        return None if self.fields is None else kernel.read_signed(lines, at, self.fields)

    def like_the_first(self) -> SignedFields | None:
        """What lines must have to be taken at once; None if none are."""
        first = self.comparable.signature
        if first is None:
            return None
        return lines_like(self.spec.id_field, self.via or "", first, self.comparable.size, self.spec.wanted.verify)

    def finish(self) -> Iterator[Written]:
        """The pairs."""
        if self.against is not None:
            yield from self.finish_against(self.against)
            return
        signature, wanted = self.comparable.signature, self.comparable.wanted
        if signature is None:
            return
        factory = TableFactory(signature, wanted)
        join = self.store.join(factory, self.first_side if self.spec.against else None, wanted.forest)
        lines = PairLines(factory.signatures[-1], wanted, bool(self.spec.against))
        for block in join.pairs(self.jobs):
            self.pairs += len(block.a)
            for start in range(0, len(block.a), wire.LINES):
                yield Written(self.written(Pairs(*(part[start : start + wire.LINES] for part in block)), lines))
        self.bands, self.recall, self.candidates = join.bands, join.recall, join.candidates

    def finish_against(self, against: Against) -> Iterator[Written]:
        """The pairs with files and archives."""
        self.via = against.check(self.comparable, self.via)
        for late in against.repeated(self.store):
            self.repeated.append(late)
            yield Written()
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
                sources.append(of_archive(join, place, self.store.loaded(self.first_side), signature))
                joins.append(join)
        of_files = None
        if any(against.documents):
            of_files = self.store.join(factory, self.first_side, False)
            sources.append(pairs._replace(b=against.place_of_files(pairs.b)) for pairs in of_files.pairs(self.jobs))
        for block in merged(sources):
            self.pairs += len(block.a)
            for start in range(0, len(block.a), wire.LINES):
                pairs = Pairs(*(part[start : start + wire.LINES] for part in block))
                sizes = np.full(len(pairs.a), self.comparable.size)
                a, b = self.store.names(0, pairs.a), against.names(self.store, pairs.b)
                yield Written(lines.of(a, b, pairs.agreeing, sizes, sizes))
        self.candidates = sum(join.candidates for join in joins) + (of_files.candidates if of_files else 0)
        self.bands = max([of_files.bands if of_files else 0, *(len(join.bands) for join in joins)])

    def late(self) -> Sequence[Late]:
        late, self.repeated = self.repeated, []
        return late

    def close(self) -> None:
        if self.against is not None:
            self.against.close()

    def written(self, pairs: Pairs, lines: PairLines) -> bytes:
        """The records of some pairs."""
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
