"""Records with sketches in, pairs of documents out."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from shingletools import wire
from shingletools.filter import Written
from shingletools.wire import Failed, Record, Rejected

DIGITS = 8  # of a min-hash
LINES = 4096  # of output, made at once


def made_by(via: str) -> str:
    return wire.shown(via) if via else "an unnamed recipe"


class SketchJoin:
    """Takes sketches; then gives the pairs of documents, in input order, whose sketches agree in at least T * n words.

    Documents with empty sketches are like no other. Memory: the sketches (4 n bytes each), their ids, and what the join
    needs.
    """

    reads: tuple[str, ...] = ()
    removed = None

    def __init__(self, id_field: str, least: Fraction, against: str | None, jobs: int) -> None:
        self.id_field = id_field
        self.threshold = least
        self.against = [] if against is None else [against]
        self.jobs = jobs
        self.seen: tuple[set[str | int], set[str | int]] = (set(), set())
        self.ids: list[str | int] = []  # of the documents that have words
        self.sketches = bytearray()
        self.first_side = 0  # how many of them came before --against
        self.words = 0  # in each sketch
        self.via: str | None = None  # the recipe of all records, once there is one
        self.bands = self.candidates = self.pairs = 0

    def take(self, record: Record, _line: bytes, side: int, /) -> None:
        """Side 0 is the input, side 1 that of --against."""
        name = wire.take_id(record, self.id_field)
        payload = wire.take_string(record, "sketch")
        via = wire.take_recipe(record)
        data = wire.words_to_bytes(payload, DIGITS) if payload else b""
        if data is None:
            raise Rejected(f'field "sketch" is not words of {DIGITS} hex digits')
        if self.via is None:
            self.via = via
        if via != self.via:
            raise Failed(f"made by {made_by(via)}, but the records before by {made_by(self.via)}")
        if data and len(data) != DIGITS // 2 * self.words:
            if self.words:
                raise Failed(f"a sketch of {len(data) * 2 // DIGITS} words, after sketches of {self.words}")
            self.words = len(data) * 2 // DIGITS
        if name in self.seen[side]:
            raise Rejected(f"id {wire.shown(name)} was seen before")
        self.seen[side].add(name)
        if data:
            self.ids.append(name)
            self.sketches += data
            self.first_side += not side

    def finish(self) -> Iterator[Written]:
        """The pairs."""
        self.seen = (set(), set())
        if not self.ids:
            return
        import numpy as np  # which --help does not need

        from shingletools.simjoin.pigeonhole import Join, bands

        # Words are only compared, so the byte order they are read in does not matter
        rows = np.frombuffer(self.sketches, np.uint32).reshape(-1, self.words)
        least = math.ceil(self.threshold * self.words)
        join = Join(rows, least, self.first_side if self.against else None)
        self.bands = len(bands(self.words, least))
        similarity = [round(agreeing / self.words, 6) for agreeing in range(self.words + 1)]
        ids = self.ids
        for block in join.pairs(self.jobs):
            self.pairs += len(block.a)
            lines = (
                wire.format_json({"a": ids[a], "b": ids[b], "similarity": similarity[agreeing]})
                for a, b, agreeing in zip(*(part.tolist() for part in block), strict=True)
            )
            # orjson's lines keep some 4 kB of heap each until they are joined
            while batch := b"".join(islice(lines, LINES)):
                yield Written(batch)
        self.candidates = join.candidates

    def summary(self) -> list[str]:
        return [f"{self.bands} bands", f"{self.candidates} candidates", f"{self.pairs} pairs"]
