"""Records with signatures in, pairs of documents out."""

from array import array
from collections.abc import Iterator
from functools import lru_cache, partial

from shingletools import wire
from shingletools.filter import Written
from shingletools.simjoin.signatures import LONG_SHINGLES, Signature, Wanted, shingles_of, signature_of
from shingletools.wire import Failed, Record, Rejected


def made_by(via: str) -> str:
    return wire.shown(via) if via else "an unnamed recipe"


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
    simhash), their ids, and what the join needs.
    """

    reads: tuple[str, ...] = ()
    removed = None

    def __init__(self, id_field: str, wanted: Wanted, against: str | None, jobs: int) -> None:
        self.id_field = id_field
        self.wanted = wanted
        self.against = [] if against is None else [against]
        self.jobs = jobs
        self.seen: tuple[set[str | int], set[str | int]] = (set(), set())
        self.ids: list[str | int] = []  # of the documents that have words
        self.data = bytearray()
        self.sizes = array("q")  # of each document's signature, in bytes
        self.shingles = bytearray()  # of each document, where they are to decide, and their sizes in bytes
        self.shingle_sizes = array("q")
        self.first_side = 0  # how many of them came before --against
        self.signature: Signature | None = None  # the kind of all records, once there is one
        self.via: str | None = None  # so the recipe
        self.bands = self.candidates = self.pairs = 0

    def take(self, record: Record, _line: bytes, side: int, /) -> None:
        """Side 0 is the input, side 1 that of --against."""
        name = wire.take_id(record, self.id_field)
        signature = signature_of(record)
        data = signature.read(wire.take_string(record, signature.field))
        via = wire.take_recipe(record)
        if data is None:
            raise Rejected(f"field {wire.shown(signature.field)} is not {signature.form}")
        if self.via is None:
            self.via = via
        if via != self.via:
            raise Failed(f"made by {made_by(via)}, but the records before by {made_by(self.via)}")
        if data and self.signature is None:
            signature.check(self.wanted, len(data))  # better now
            self.signature = signature
        if data and self.signature is not None:
            self.check_shape(signature, self.signature, len(data))
        shingles = take_shingles(record) if self.wanted.verify and data else b""
        if name in self.seen[side]:
            raise Rejected(f"id {wire.shown(name)} was seen before")
        self.seen[side].add(name)
        if data:
            self.ids.append(name)
            self.data += data
            self.sizes.append(len(data))
            self.shingles += shingles
            self.shingle_sizes.append(len(shingles))
            self.first_side += not side

    def check_shape(self, here: Signature, before: Signature, size: int) -> None:
        """Raises Failed for a signature that cannot be compared with the first."""
        first = self.sizes[0] if self.sizes else size
        if (here, size) != (before, first) and here.shape(size) != before.shape(first):
            raise Failed(f"{here.shape(size)}, after {before.shape(first)}")

    def finish(self) -> Iterator[Written]:
        """The pairs."""
        self.seen = (set(), set())
        if self.signature is None or not self.ids:
            return
        from shingletools.simjoin.join import Join  # numpy, which --help does not need

        sizes, signature = self.sizes, self.signature
        table = signature.table(self.data, sizes, self.wanted)
        if self.wanted.verify:
            from shingletools.simjoin.sets import Verified

            sizes, signature = self.shingle_sizes, LONG_SHINGLES
            table = Verified(table, signature.table(self.shingles, sizes, self.wanted))
        join = Join(table, self.first_side if self.against else None)
        says = lru_cache(1 << 16)(partial(signature.says, self.wanted))
        ids = self.ids
        for block in join.pairs(self.jobs):
            self.pairs += len(block.a)
            lines = (
                wire.format_json({"a": ids[a], "b": ids[b], **says(agreeing, sizes[a], sizes[b])})
                for a, b, agreeing in zip(*(part.tolist() for part in block), strict=True)
            )
            yield from map(Written, wire.batches(lines))
        self.bands, self.candidates = join.bands, join.candidates

    def summary(self) -> list[str]:
        return [f"{self.bands} bands", f"{self.candidates} candidates", f"{self.pairs} pairs"]
