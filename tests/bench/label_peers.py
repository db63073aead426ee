"""Pairs that other programs find, of the words that canon made; labels.py runs it.

usage: python tests/bench/label_peers.py NAME T,... DOCS.canon FOLDER MOST SECONDS

FOLDER gets "NAME UNITS.npz" for each kind of units, with an array for each T, from the least one on that gives at most
MOST pairs: the pairs as numbers of two lines, and how similar they are. Units are runs of words (w2) or of characters
(c3), for scikit-learn also of characters within words (wb3); for RapidFuzz, the name of a scorer. Each kind may take so
many processor seconds, else it has no file. If the documents have a field `side`, only pairs of the two sides are asked
for. The min-hash programs get 128 hash functions; scikit-learn makes a TF-IDF join, all cosines; RapidFuzz compares all
pairs.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

HASHES = 128
ROWS = (1, 2, 4, 8, 16)  # of a band
EXACT = {"scikit-learn", "RapidFuzz"}  # at a lower threshold they find the same pairs, and more
EVERY = 2  # thresholds for which an index is made; the next ones take of its pairs those that are estimated so high
PORTION = 500  # rows of a matrix of similarities at a time
MINHASH = ("w1", "w2", "c3", "c4")
UNITS = {
    "datasketch": MINHASH, "rensa": MINHASH, "gaoya": MINHASH,
    "scikit-learn": ("w1", "wb3", "c3", "c4"),
    "RapidFuzz": ("ratio", "token_sort_ratio", "token_set_ratio", "JaroWinkler"),
}  # fmt: skip
Pairs = Iterator[tuple[int, int, float]]


class Corpus:
    """Texts, and which are asked about which: those of one side about the other, or all about those before them."""

    def __init__(self, path: str) -> None:
        with Path(path).open("rb") as lines:
            records = [json.loads(line) for line in lines]
        self.texts = [each["text"] for each in records]
        filled = [number for number, text in enumerate(self.texts) if text]
        self.two = "side" in records[0]
        self.first = [n for n in filled if not self.two or records[n]["side"] == "l"]
        self.second = [n for n in filled if not self.two or records[n]["side"] == "r"]


def tokens(text: str, units: str) -> list[str]:
    """Runs of words or characters, each once; a shorter text is one run."""
    k = int(units[1:])
    words = text.split() if units[0] == "w" else text
    return list(
        dict.fromkeys(
            (" " if units[0] == "w" else "").join(words[i : i + k]) for i in range(max(1, len(words) - k + 1))
        )
    )


@cache
def rows_of(t: float) -> int:
    """Of a band, as datasketch chooses: the least sum of what is missed above T and proposed below it."""

    def wrong(rows: int) -> float:
        s = np.linspace(0, 1, 1001)
        proposed = 1 - (1 - s**rows) ** (HASHES // rows)
        return float(np.where(s < t, proposed, 1 - proposed).sum())

    return min(ROWS, key=wrong)


def indexed(
    corpus: Corpus, insert: Callable[[int], object], query: Callable[[int], Iterable[tuple[int, float]]]
) -> Pairs:
    """The first side inserted, the second queried."""
    for number in corpus.first:
        insert(number)
    for number in corpus.second:
        for other, similarity in query(number):
            if corpus.two or other < number:
                yield other, number, similarity


class Estimates:
    """How alike sketches are, many at a time: the share of equal hashes, as the programs say one by one."""

    def __init__(self, hashes: dict[int, np.ndarray]) -> None:
        self.place = {number: place for place, number in enumerate(hashes)}
        self.hashes = np.array(list(hashes.values()))

    def of(self, number: int, others: list[int], t: float) -> Iterator[tuple[int, float]]:
        rows = self.hashes[[self.place[other] for other in others]] == self.hashes[self.place[number]]
        agreeing = np.count_nonzero(rows, axis=1) / HASHES
        for at in np.flatnonzero(agreeing >= t).tolist():
            yield others[at], float(agreeing[at])


def looked_up(
    corpus: Corpus, sketches: dict[int, Any], hashes: dict[int, np.ndarray], index: Callable[[float], Any]
) -> Callable[[float], Pairs]:
    """Pairs of sketches that an index for a threshold proposes, as far as they are estimated so high."""
    estimates = Estimates(hashes)

    def pairs(t: float) -> Pairs:
        one = index(t)
        return indexed(
            corpus,
            lambda number: one.insert(number, sketches[number]),
            lambda number: estimates.of(number, list(one.query(sketches[number])), t),
        )

    return pairs


def datasketch(corpus: Corpus, units: str) -> Callable[[float], Pairs]:
    from datasketch import MinHash, MinHashLSH

    sketches = {}
    for number in {*corpus.first, *corpus.second}:
        sketches[number] = MinHash(num_perm=HASHES)
        sketches[number].update_batch([each.encode() for each in tokens(corpus.texts[number], units)])
    hashes = {number: sketch.hashvalues for number, sketch in sketches.items()}
    return looked_up(corpus, sketches, hashes, lambda t: MinHashLSH(threshold=t, num_perm=HASHES))


def rensa(corpus: Corpus, units: str) -> Callable[[float], Pairs]:
    from rensa import RMinHash, RMinHashLSH

    sketches = {}
    for number in {*corpus.first, *corpus.second}:
        sketches[number] = RMinHash(num_perm=HASHES, seed=42)
        sketches[number].update(tokens(corpus.texts[number], units))
    hashes = {number: np.array(sketch.digest()) for number, sketch in sketches.items()}
    return looked_up(
        corpus, sketches, hashes,
        lambda t: RMinHashLSH(threshold=t, num_perm=HASHES, num_bands=HASHES // rows_of(t)),
    )  # fmt: skip


def gaoya(corpus: Corpus, units: str) -> Callable[[float], Pairs]:
    from gaoya.minhash import MinHashStringIndex

    def pairs(t: float) -> Pairs:
        rows = rows_of(t)
        # An analyzer of one's own is asked for the features of a text; here the texts are numbers of texts
        index = MinHashStringIndex(
            32, t, HASHES // rows, rows, None, lambda number: tokens(corpus.texts[int(number)], units)
        )
        return indexed(
            corpus,
            lambda number: index.insert_document(number, str(number)),
            lambda number: index.query(str(number), return_similarity=True),
        )

    return pairs


def scikit_learn(corpus: Corpus, units: str) -> Callable[[float], Pairs]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    k = int(units.lstrip("wbc"))
    analyzer = {"w": "word", "b": "char_wb", "c": "char"}[units.rstrip("0123456789")[-1]]
    words = {"token_pattern": r"\S+"} if analyzer == "word" else {}
    vectors = TfidfVectorizer(analyzer=analyzer, ngram_range=(k, k), **words)
    matrix = vectors.fit_transform(corpus.texts).tocsr()
    second = np.array(corpus.second)
    transposed = matrix[second].T.tocsr()

    def pairs(t: float) -> Pairs:
        for start in range(0, len(corpus.first), PORTION):
            first = np.array(corpus.first[start : start + PORTION])
            product = (matrix[first] @ transposed).tocoo()
            chosen = product.data >= t
            a, b = first[product.row[chosen]], second[product.col[chosen]]
            for one, two, similarity in zip(a.tolist(), b.tolist(), product.data[chosen].tolist(), strict=True):
                if corpus.two or one < two:
                    yield one, two, similarity

    return pairs


def rapidfuzz(corpus: Corpus, name: str) -> Callable[[float], Pairs]:
    from rapidfuzz import distance, fuzz, process

    scorer, scale = getattr(fuzz, name, None), 100
    if scorer is None:
        scorer, scale = getattr(distance, name).normalized_similarity, 1

    def pairs(t: float) -> Pairs:
        second = [corpus.texts[number] for number in corpus.second]
        for start in range(0, len(corpus.first), PORTION):
            first = corpus.first[start : start + PORTION]
            texts = [corpus.texts[number] for number in first]
            scores = process.cdist(texts, second, scorer=scorer, score_cutoff=scale * t) / scale
            for row, column in zip(*(each.tolist() for each in np.nonzero(scores >= t)), strict=True):
                one, two = first[row], corpus.second[column]
                if corpus.two or one < two:
                    yield one, two, float(scores[row, column])

    return pairs


PROGRAMS = {
    "datasketch": datasketch, "rensa": rensa, "gaoya": gaoya, "scikit-learn": scikit_learn, "RapidFuzz": rapidfuzz,
}  # fmt: skip


def pairs_of(name: str, units: str, thresholds: list[str], docs: str, most: int) -> dict[str, np.ndarray]:
    find = PROGRAMS[name](Corpus(docs), units)
    arrays: dict[str, np.ndarray] = {}
    last = None
    for place, t in enumerate(thresholds):
        if last is None or (name not in EXACT and place % EVERY == 0):
            some = np.array(list(islice(find(float(t)), most + 1)), float).reshape(-1, 3)
            if len(some) > most:
                continue
            last = some
        arrays[t] = last[last[:, 2] >= float(t)]
    return arrays


def main() -> None:
    name, thresholds, docs, folder, most, seconds = sys.argv[1:]
    for units in UNITS[name]:
        if not (child := os.fork()):  # a limit of its own
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), resource.RLIM_INFINITY))
            arrays = pairs_of(name, units, thresholds.split(","), docs, int(most))
            np.savez(Path(folder, f"{name} {units}.npz"), allow_pickle=False, **arrays)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in {0, -signal.SIGXCPU}, (name, units)


if __name__ == "__main__":
    main()
