"""Recall and precision of signatures by bands of true Jaccard similarity, over seeds."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import intervals
import planted
from staged import Pair, Staged

LEAST = "0.3"
BANDS = [(0.3, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0), (1.0, 1.1)]
HEADS = [*(f"{low} to {high}" for low, high in BANDS[:-1]), "1"]

# name: a pipeline; {k} is the truth's, {seed} that of hash functions, {words} a table of words, {language} a list of
# stop words, {segment} how texts become words if a language has no spaces. Megashingles with -m 1 find what
# supershingles with -m 2 find
SIGNATURES = {
    "84 minima, t 0.8": "canon | shingle -k {k} | sketch -n 84 --seed {seed} | simjoin -t 0.8",
    "84 minima, t 0.6": "canon | shingle -k {k} | sketch -n 84 --seed {seed} | simjoin -t 0.6",
    "256 minima, t 0.8": "canon | shingle -k {k} | sketch -n 256 --seed {seed} | simjoin -t 0.8",
    "84 and --verify": "canon | shingle -k {k} | sketch -n 84 --seed {seed} --keep | simjoin --verify -t 0.8",
    "84, t 0.5, recall .9": "canon | shingle -k {k} | sketch -n 84 --seed {seed} | simjoin -t 0.5 --recall 0.9",
    "super 14, m 2": "canon | shingle -k {k} | sketch --super 14 --seed {seed} | simjoin -m 2",
    "simhash, k 1, d 3": "canon | shingle -k 1 | sketch --simhash | simjoin -d 3",
    "simhash, k 3, d 3": "canon | shingle -k 3 | sketch --simhash | simjoin -d 3",
    "I-Match": "canon | shingle -k 1 | sketch --lexicon {words} | simjoin",
    "6 heaviest words": "canon | shingle -k 1 | sketch --top 6 --weights {words} | simjoin",
    "spots, k 4, t 0.8": (
        "canon{segment} | shingle -k 4 --spots {language} | sketch -n 84 --seed {seed} | simjoin -t 0.8"
    ),
    "--longest 3": "canon --sentences | shingle --longest 3 | simjoin -t 1",
    "--mod 8": "canon | shingle -k {k} --mod 8 | simjoin -t 0.8",
}


RIGHT = 0.8  # a pair is right from here on
TRUTH = "canon | shingle -k {k} | simjoin -t " + LEAST
ALL = "all pairs"
Row = list[object]


class Corpus(NamedTuple):
    """What copies are planted in, and by what they are compared."""

    source: planted.Source
    k: int
    documents: int  # at most, without copies
    language: str

    def pipelines(self, seed: int) -> dict[str, str]:
        """Of each signature."""
        segment = " --segment zh" if self.language == "zh" else ""
        values = {"k": self.k, "seed": seed, "words": "{words}", "language": self.language, "segment": segment}
        return {name: pipeline.format(**values) for name, pipeline in SIGNATURES.items()}


class Counts(NamedTuple):
    """Of one signature, in a corpus of one seed."""

    found: int
    bands: list[tuple[int, int]]  # of the pairs in each band of true similarity: found, all
    right: int  # of those found, how many are so similar at least


def count(found: set[Pair], truth: dict[Pair, float]) -> Counts:
    values = [truth.get(pair, 0.0) for pair in found]
    return Counts(
        len(found),
        [(within(low, high, values), within(low, high, truth.values())) for low, high in BANDS],
        sum(value >= RIGHT for value in values),
    )


def within(low: float, high: float, values: Iterable[float]) -> int:
    return sum(low <= value < high for value in values)


def measured(corpus: Corpus, seed: int) -> dict[str, Counts]:
    """Of each signature; those of all pairs are the truth's own."""
    made = planted.planted(corpus.source, corpus.documents, seed)
    with TemporaryDirectory() as folder:
        staged = Staged(Path(folder), made.documents)
        truth = dict(staged.pairs(TRUTH.format(k=corpus.k)))
        found = {name: {pair for pair, _ in staged.pairs(line)} for name, line in corpus.pipelines(seed).items()}
        return {name: count(pairs, truth) for name, pairs in ({ALL: set(truth)} | found).items()}


def shown(counts: Iterable[tuple[int, int]]) -> str:
    return str(intervals.pooled(list(counts)) or "-")


def rows(seeds: Sequence[dict[str, Counts]]) -> list[Row]:
    """A table: a row for each signature, with the recall in each band, and the precision."""
    table: list[Row] = [["signature", "pairs", *HEADS, f"right at {RIGHT}"]]
    for name in seeds[0]:
        each = [counts[name] for counts in seeds]
        recalls: list[object] = [
            sum(counts.bands[band][1] for counts in each)
            if name == ALL
            else shown(counts.bands[band] for counts in each)
            for band in range(len(BANDS))
        ]
        right = shown((counts.right, counts.found) for counts in each)
        table.append([name, sum(counts.found for counts in each), *recalls, right])
    return table
