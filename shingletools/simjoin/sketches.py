"""Records with signatures in, pairs of documents out."""

from collections.abc import Iterator
from functools import cache, partial
from itertools import islice

from shingletools import wire
from shingletools.filter import Written
from shingletools.simjoin.signatures import MINHASHES, Least, Signature, signature_of
from shingletools.wire import Failed, Record, Rejected

LINES = 4096  # of output, made at once


def made_by(via: str) -> str:
    return wire.shown(via) if via else "an unnamed recipe"


class SketchJoin:
    """Takes signatures; then gives the pairs of documents, in input order, that agree in enough places.

    Documents with empty signatures are like no other. Memory: the signatures (4 n bytes for n min-hashes, 64 for a
    simhash), their ids, and what the join needs.
    """

    reads: tuple[str, ...] = ()
    removed = None

    def __init__(self, id_field: str, least: Least, against: str | None, jobs: int, interval: bool = False) -> None:
        self.id_field = id_field
        self.least = least
        self.interval = interval
        self.against = [] if against is None else [against]
        self.jobs = jobs
        self.seen: tuple[set[str | int], set[str | int]] = (set(), set())
        self.ids: list[str | int] = []  # of the documents that have words
        self.data = bytearray()
        self.first_side = 0  # how many of them came before --against
        self.size = 0  # of a signature, in bytes
        self.signature: Signature | None = None  # that of all records, once there is one
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
            if self.interval and signature != MINHASHES:
                raise Failed(f"--interval needs min-hashes, not {signature.shape(len(data))}")
            signature.least(self.least, signature.places(len(data)))  # may raise Failed: better now
            self.signature, self.size = signature, len(data)
        if data and self.signature is not None and (signature, len(data)) != (self.signature, self.size):
            raise Failed(f"{signature.shape(len(data))}, after {self.signature.shape(self.size)}")
        if name in self.seen[side]:
            raise Rejected(f"id {wire.shown(name)} was seen before")
        self.seen[side].add(name)
        if data:
            self.ids.append(name)
            self.data += data
            self.first_side += not side

    def finish(self) -> Iterator[Written]:
        """The pairs."""
        self.seen = (set(), set())
        if self.signature is None:
            return
        from shingletools.simjoin.pigeonhole import Join, bands  # numpy, which --help does not need

        places = self.signature.places(self.size)
        least = self.signature.least(self.least, places)
        rows = self.signature.rows(self.data).reshape(-1, places)
        join = Join(rows, least, self.first_side if self.against else None)
        self.bands = len(bands(places, least))
        says = cache(partial(self.says, places=places))
        ids = self.ids
        for block in join.pairs(self.jobs):
            self.pairs += len(block.a)
            lines = (
                wire.format_json({"a": ids[a], "b": ids[b], **says(agreeing)})
                for a, b, agreeing in zip(*(part.tolist() for part in block), strict=True)
            )
            # orjson's lines keep some 4 kB of heap each until they are joined
            while batch := b"".join(islice(lines, LINES)):
                yield Written(batch)
        self.candidates = join.candidates

    def says(self, agreeing: int, places: int) -> dict[str, float]:
        """What a pair's record has beside the ids."""
        assert self.signature is not None
        said = self.signature.says(agreeing, places)
        if self.interval:
            from shingletools.simjoin.interval import interval

            said |= dict(zip(("low", "high"), interval(agreeing, places), strict=True))
        return said

    def summary(self) -> list[str]:
        return [f"{self.bands} bands", f"{self.candidates} candidates", f"{self.pairs} pairs"]
