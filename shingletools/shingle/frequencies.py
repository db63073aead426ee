"""In how many documents each shingle occurs, and its inverse document frequency (Spärck Jones 1972)."""

import math
from collections import Counter
from collections.abc import Iterator

from shingletools import wire
from shingletools.filter import Written
from shingletools.shingle.fingerprints import Hashing, Runs
from shingletools.wire import Record


class Frequencies:
    """Takes texts; then gives a line for each shingle, in the order of its words.

    Memory: the distinct shingles, some 150 bytes each.
    """

    against: tuple[str, ...] = ()
    removed = None

    def __init__(self, text_field: str, runs: Runs, shingler: Hashing, reads: tuple[str, ...] = ()) -> None:
        self.text_field = text_field
        self.reads = reads
        self.runs = runs
        self.shingler = shingler
        self.documents = 0
        self.counts: Counter[str] = Counter()

    def take(self, record: Record, _line: bytes, _side: int, /) -> None:
        self.counts.update(set(self.runs(wire.take_string(record, self.text_field))))
        self.documents += 1

    def finish(self) -> Iterator[Written]:
        lines = filter(None, map(self.line, sorted(self.counts)))
        yield from map(Written, wire.batches(lines))

    def line(self, words: str) -> bytes:
        """log2(documents / df) is the weight; nothing for a shingle that --mod leaves out."""
        shingle = self.shingler(words)
        if not shingle:
            return b""
        df = self.counts[words]
        weight = round(math.log2(self.documents / df), 6)
        return wire.format_json({"words": words, "shingle": shingle, "df": df, "weight": weight})

    def summary(self) -> list[str]:
        return [f"{len(self.counts)} shingles"]
