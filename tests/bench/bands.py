"""Recall and precision of signatures and peers by bands of true Jaccard similarity, over seeds."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import intervals
import planted
import signatures
from staged import Pair, Staged

LEASTS = (0.5, 0.6, 0.7, 0.8, 0.9)
TRUTH = "canon | shingle -k {k} | simjoin -t " + signatures.LEAST
PEERS = {
    f"{name}, t {t}": f"canon | {name} -k {{k}} -t {t} --seed {{seed}}"
    for name, t in (("gaoya", 0.8), ("gaoya", 0.6), ("rensa", 0.8), ("rensa", 0.6), ("datasketch", 0.8))
}
ALL = "all pairs"
Row = list[object]


class Corpus(NamedTuple):
    """What copies are planted in, and by what they are compared."""

    source: planted.Source
    k: int
    documents: int  # at most, without copies
    language: str

    def pipelines(self, seed: int) -> dict[str, str]:
        """Of each signature and each peer."""
        own = {name: signatures.pipeline(name, self.k, seed, self.language) for name in signatures.SIGNATURES}
        return own | {name: pipeline.format(k=self.k, seed=seed) for name, pipeline in PEERS.items()}


class Counts(NamedTuple):
    """Of one signature, in a corpus of one seed."""

    found: int
    bands: list[tuple[int, int]]  # of the pairs in each band of true similarity: found, all
    right: list[int]  # of those found, how many are so similar at least
    copies: dict[str, tuple[int, int]]  # of the copies of each kind and share: found, all
    size: float  # bytes a document


def count(found: set[Pair], truth: dict[Pair, float], copies: dict[Pair, str], size: float) -> Counts:
    values = [truth.get(pair, 0.0) for pair in found]
    every = Counter(copies.values())
    hits = Counter(what for pair, what in copies.items() if pair in found)
    return Counts(
        len(found),
        [(within(low, high, values), within(low, high, truth.values())) for low, high in signatures.BANDS],
        [sum(value >= least for value in values) for least in LEASTS],
        {what: (hits[what], number) for what, number in every.items()},
        size,
    )


def within(low: float, high: float, values: Iterable[float]) -> int:
    return sum(low <= value < high for value in values)


def measured(corpus: Corpus, seed: int) -> dict[str, Counts]:
    """Of each signature and peer; those of all pairs are the truth's own."""
    made = planted.planted(corpus.source, corpus.documents, seed)
    with TemporaryDirectory() as folder:
        staged = Staged(Path(folder), made.documents)
        truth = dict(staged.pairs(TRUTH.format(k=corpus.k)))
        counts = {ALL: count(set(truth), truth, made.copies, staged.size(TRUTH.format(k=corpus.k)))}
        for name, pipeline in corpus.pipelines(seed).items():
            found = {pair for pair, _ in staged.pairs(pipeline)}
            counts[name] = count(found, truth, made.copies, staged.size(pipeline))
        return counts


def shown(counts: Iterable[tuple[int, int]]) -> str:
    return str(intervals.pooled(list(counts)) or "-")


def rows(seeds: Sequence[dict[str, Counts]]) -> list[Row]:
    """A table: a row for each signature, with the recall in each band, and the precision at each least similarity."""
    precisions = [f"right at {least}" for least in LEASTS]
    table: list[Row] = [["signature", "bytes", "pairs", *signatures.HEADS, *precisions]]
    for name in seeds[0]:
        each = [counts[name] for counts in seeds]
        size = sum(counts.size for counts in each) / len(each)
        numbers = [sum(counts.bands[band][1] for counts in each) for band in range(len(signatures.BANDS))]
        recalls: list[object] = list(numbers)
        if name != ALL:
            recalls = [shown(counts.bands[band] for counts in each) for band in range(len(signatures.BANDS))]
        right = [shown((counts.right[least], counts.found) for counts in each) for least in range(len(LEASTS))]
        table.append([name, f"{size:.0f}", sum(counts.found for counts in each), *recalls, *right])
    return table


def copy_rows(seeds: Sequence[dict[str, Counts]]) -> list[Row]:
    """A table: a row for each kind of edit and share of words, with the recall of each signature."""
    names = [name for name in seeds[0] if name != ALL]
    return [
        ["copies", "number", *names],
        *(
            [
                what,
                sum(counts[ALL].copies[what][1] for counts in seeds),
                *(shown(counts[name].copies[what] for counts in seeds) for name in names),
            ]
            for what in seeds[0][ALL].copies
        ),
    ]
