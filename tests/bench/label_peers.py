"""Pairs that other programs find, of the words that canon made; labels.py runs it.

usage: python tests/bench/label_peers.py NAME UNITS,... T,... DOCS.canon FOLDER MOST SECONDS

FOLDER gets "NAME UNITS, T.npy" for each kind of units and each T that gives at most MOST pairs: the pairs as numbers of
two lines, and how similar they are. Units are runs of words (w2) or of characters (c3), for scikit-learn also of
characters within words (wb3); for RapidFuzz, the name of a scorer. Each kind may take so many processor seconds, with
the highest T first; what is not done then has no file. If the documents have a field `side`, only pairs of the two
sides are asked for. The min-hash programs get 128 hash functions; scikit-learn makes a TF-IDF join, all cosines;
RapidFuzz compares all pairs.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path

import numpy as np
import peer_pairs

HASHES, SEED = 128, 42
ROWS = (1, 2, 4, 8, 16)  # of a band
EXACT = {"scikit-learn", "RapidFuzz"}  # at a lower threshold they find the same pairs, and more
EVERY = 2  # thresholds for which an index is made; the next ones take of its pairs those that are estimated so high
ROOM = 2  # times MOST: more pairs are too much for the next threshold, too
PORTION = 500  # rows of a matrix of similarities at a time
MINHASH = ("w1", "w2", "c3", "c4")
UNITS = {
    "datasketch": MINHASH,
    "rensa": MINHASH,
    "gaoya": MINHASH,
    "scikit-learn": ("w1", "wb3", "c3", "c4"),
    "RapidFuzz": ("ratio", "token_sort_ratio", "token_set_ratio", "JaroWinkler"),
}
Pairs = Iterator[tuple[int, int, float]]


class Corpus:
    """Texts, and which are asked about which: those of one side about the other, or all about those before them."""

    def __init__(self, path: str) -> None:
        with Path(path).open("rb") as lines:
            records = [json.loads(line) for line in lines]
        self.texts = [each["text"] for each in records]
        filled = [number for number, text in enumerate(self.texts) if text]
        self.two = "side" in records[0]
        self.left = [self.two and each["side"] == "l" for each in records]
        self.first = [n for n in filled if not self.two or self.left[n]]
        self.second = [n for n in filled if not self.left[n]]

    def chosen(self, a: np.ndarray, b: np.ndarray, similarity: np.ndarray, t: float) -> Pairs:
        """The pairs that are asked for and so similar."""
        some = (self.two | (a < b)) & (similarity >= t)
        yield from zip(a[some].tolist(), b[some].tolist(), similarity[some].tolist(), strict=True)


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


def min_hashes(name: str, corpus: Corpus, units: str) -> Callable[[float], Pairs]:
    filled = [number for number, text in enumerate(corpus.texts) if text]
    find = peer_pairs.PEERS[name]((tokens(corpus.texts[number], units) for number in filled), HASHES, SEED)

    def pairs(t: float) -> Pairs:
        for one, two, similarity in find(t, rows_of(t)):
            a, b = filled[one], filled[two]
            if not corpus.two or corpus.left[a] != corpus.left[b]:
                yield a, b, similarity

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
            yield from corpus.chosen(first[product.row], second[product.col], product.data, t)

    return pairs


def rapidfuzz(corpus: Corpus, name: str) -> Callable[[float], Pairs]:
    from rapidfuzz import distance, fuzz, process

    scorer, scale = getattr(fuzz, name, None), 100
    if scorer is None:
        scorer, scale = getattr(distance, name).normalized_similarity, 1

    def pairs(t: float) -> Pairs:
        for start in range(0, len(corpus.first), PORTION):
            first = np.array(corpus.first[start : start + PORTION])
            second = np.array(corpus.second[0 if corpus.two else start :])
            texts = [[corpus.texts[number] for number in side] for side in (first, second)]
            scores = process.cdist(*texts, scorer=scorer, score_cutoff=scale * t) / scale
            a, b = np.broadcast_arrays(first[:, None], second)
            yield from corpus.chosen(a, b, scores, t)

    return pairs


PROGRAMS: dict[str, Callable[[Corpus, str], Callable[[float], Pairs]]] = {
    **{name: partial(min_hashes, name) for name in ("datasketch", "rensa", "gaoya")},
    "scikit-learn": scikit_learn,
    "RapidFuzz": rapidfuzz,
}


def tries(name: str, units: str, thresholds: list[str], corpus: Corpus, most: int) -> Iterator[tuple[str, np.ndarray]]:
    find, exact = PROGRAMS[name](corpus, units), name in EXACT
    places = range(len(thresholds)) if exact else reversed(range(0, len(thresholds), EVERY))
    for place in places:
        pairs = np.array(list(islice(find(float(thresholds[place])), ROOM * most + 1)), float).reshape(-1, 3)
        if whole := len(pairs) <= ROOM * most:
            for t in thresholds[place:] if exact else thresholds[place : place + EVERY]:
                if len(some := pairs[pairs[:, 2] >= float(t)]) <= most:
                    yield t, some
        if whole == exact:  # all is known, or a lower one is too much as well
            return


def main() -> None:
    name, kinds, thresholds, docs, folder, most, seconds = sys.argv[1:]
    for units in kinds.split(","):
        if not (child := os.fork()):  # a limit of its own
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), resource.RLIM_INFINITY))
            corpus = Corpus(docs)
            for t, pairs in tries(name, units, thresholds.split(","), corpus, int(most)):
                np.save(scratch := Path(folder, "scratch.npy"), pairs)
                scratch.rename(Path(folder, f"{name} {units}, {t}.npy"))
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in {0, -signal.SIGXCPU}, (name, units)


if __name__ == "__main__":
    main()
