"""Records with signatures in, pairs of documents out."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from shingletools import wire
from shingletools.filter import Written
from shingletools.simjoin.arrays import Pairs
from shingletools.simjoin.scratch import Memory
from shingletools.simjoin.signatures import LONG_SHINGLES, Signature, shingles_of, signature_of
from shingletools.simjoin.store import InMemory, OnDisk, Store
from shingletools.simjoin.wanted import Wanted
from shingletools.wire import Failed, Record, Rejected


def made_by(via: str) -> str:
    return wire.shown(via) if via else "an unnamed recipe"


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
        raise Rejected(f"field {wire.shown(signature.field)} is not {signature.form}")
    return Signed(name, via, signature, data)


def take_shingles(record: Record) -> bytes:
    """Raises Rejected unless the record has shingles, one at least."""
    signature = shingles_of(record)
    data = signature.read(wire.take_string(record, signature.field))
    if not data:
        raise Rejected(f"field {wire.shown(signature.field)} is not {signature.form}")
    return data


class SketchJoin:
    """Takes signatures; then gives the pairs of documents, in input order, that agree in enough places.

    Documents with empty signatures are like no other. Memory: the signatures (4 n bytes for n min-hashes, 64 for a
    simhash), their ids, and what the join needs; or, where a limit is set, that.
    """

    reads: tuple[str, ...] = ()
    removed = None

    def __init__(
        self, id_field: str, wanted: Wanted, against: Sequence[str] = (), jobs: int = 1, memory: Memory | None = None
    ) -> None:
        self.id_field = id_field
        self.wanted = wanted
        self.against = against
        self.jobs = jobs
        self.memory = memory
        payloads = 1 + wanted.verify
        self.store: Store = InMemory(payloads) if memory is None else OnDisk(payloads, memory)
        self.documents = self.first_side = 0  # how many have words, and how many of them came before --against
        self.signature: Signature | None = None  # the kind of all records, once there is one
        self.size = 0  # and the bytes of the first
        self.via: str | None = None  # and the recipe
        self.bands = self.candidates = self.pairs = 0
        self.recall = 1.0
        self.default = ""  # threshold, if none was said and there is one

    def take(self, record: Record, _line: bytes, side: int, /) -> None:
        """Side 0 is the input, side 1 that of --against.

        A record is compared with those that were taken before it, first of all, so that it fails the run even where it
        would be rejected, too. What is rejected leaves no trace: nothing is compared with it.
        """
        name, via, signature, data = take_signed(record, self.id_field)
        if self.via is not None and via != self.via:
            raise Failed(f"made by {made_by(via)}, but the records before by {made_by(self.via)}")
        if data:
            self.settled(signature, len(data), via)
        payloads = [data, take_shingles(record)] if self.wanted.verify and data else [data]
        self.store.claim(side, name)  # the last that may reject it
        self.via = via
        if not data:
            return
        if self.signature is None:
            self.settle(signature, len(data), via)
        self.store.add(name, payloads)
        self.documents += 1
        self.first_side += not side

    def settled(self, signature: Signature, size: int, via: str) -> Wanted:
        """What is wanted of such signatures; raises Failed if they cannot have it, or be compared with the first."""
        if self.signature is None:
            wanted = self.wanted if self.wanted.threshold() else self.wanted.with_threshold(signature.default(via))
            signature.check(wanted, size)
            return wanted
        if (signature, size) != (self.signature, self.size):
            here, first = signature.shape(size), self.signature.shape(self.size)
            if here != first:
                raise Failed(f"{here}, after {first}")
        return self.wanted

    def settle(self, signature: Signature, size: int, via: str) -> None:
        """Takes a signature for the first."""
        wanted = self.settled(signature, size, via)
        self.default = "" if self.wanted.threshold() else wanted.threshold()
        self.signature, self.size, self.wanted = signature, size, wanted

    def finish(self) -> Iterator[Written]:
        """The pairs."""
        if self.signature is None or not self.documents:
            return
        signatures: list[Signature] = [self.signature, LONG_SHINGLES] if self.wanted.verify else [self.signature]
        makers = [partial(signature.builder, self.wanted) for signature in signatures]
        join = self.store.join(makers, self.first_side if self.against else None, self.wanted.forest)
        says = lru_cache(1 << 16)(partial(signatures[-1].says, self.wanted))
        for block in join.pairs(self.jobs):
            self.pairs += len(block.a)
            for start in range(0, len(block.a), wire.LINES):
                yield Written(self.lines(Pairs(*(part[start : start + wire.LINES] for part in block)), says))
        self.bands, self.recall, self.candidates = join.bands, join.recall, join.candidates

    def lines(self, pairs: Pairs, says: Callable[[int, int, int], dict[str, float | str]]) -> bytes:
        """The records of some pairs."""
        names = map(self.store.names, (pairs.a, pairs.b))
        figures = (pairs.agreeing, self.store.sizes(pairs.a), self.store.sizes(pairs.b))
        return b"".join(
            wire.format_json({"a": a, "b": b, **says(*figures)})
            for a, b, *figures in zip(*names, *(part.tolist() for part in figures), strict=True)
        )

    def defaults(self) -> list[str]:
        return [f"default {self.default}"] if self.default else []

    def summary(self) -> list[str]:
        return [
            *self.defaults(),
            f"{self.bands} bands",
            f"recall {self.recall:.4g}",
            f"{self.candidates} candidates",
            f"{self.pairs} pairs",
        ]
