"""In how many documents each shingle occurs, and its inverse document frequency (Spärck Jones 1972)."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from shingletools import wire
from shingletools.shingle.fingerprints import Hashing, Runs
from shingletools.stage import IN_ONE_PROCESS, Collector, Stage, Written
from shingletools.wire import Record


@dataclass(frozen=True)
class CountSpec(Stage):
    """In how many documents each run of a text is."""

    text_field: str
    runs: Runs
    hashing: Hashing
    reads: tuple[str, ...] = ()

    def alone(self) -> str:
        return IN_ONE_PROCESS

    def once(self, _side: int, /) -> tuple[str, ...]:
        return (self.text_field,)

    def collector(self, _jobs: int, /) -> "Frequencies":
        return Frequencies(self)


class Frequencies(Collector):
    """Takes texts; then gives a line for each shingle, in the order of its words.

    Memory: the distinct shingles, some 150 bytes each.
    """

    def __init__(self, spec: CountSpec) -> None:
        self.spec = spec
        self.documents = 0
        self.counts: Counter[str] = Counter()

    def take(self, record: Record, _line: bytes, _side: int, /) -> None:
        self.counts.update(set(self.spec.runs(wire.take_string(record, self.spec.text_field))))
        self.documents += 1

    def finish(self) -> Iterator[Written]:
        lines = filter(None, map(self.line, sorted(self.counts)))
        yield from map(Written, wire.batches(lines))

    def line(self, words: str) -> bytes:
        """log2(documents / df) is the weight; nothing for a shingle that --mod leaves out."""
        shingle = self.spec.hashing(words)
        if not shingle:
            return b""
        df = self.counts[words]
        weight = round(math.log2(self.documents / df), 6)
        return wire.format_json({"words": words, "shingle": shingle, "df": df, "weight": weight})

    def summary(self) -> list[str]:
        return [f"{len(self.counts)} shingles"]
