"""Pairs that peers find, of the same words, as records like those of simjoin; staged.py runs it.

usage: python tests/bench/peer_pairs.py NAME -k K -t T --seed S CANONICAL.jsonl

Each gets 84 hashes of the runs of K words, bands as its documentation advises for T, and decides by the estimate that
it indexes by. gaoya has no seed. A text of fewer than K words is one run of all of them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

HASHES = 84
# Of a band; these divide 84. A pair of similarity T agrees in some band with a chance of 0.99 or 0.95, one of 0.60 or
# 0.42 with a chance of one half
ROWS = {0.8: 6, 0.6: 4}
Found = Iterator[tuple[int, int, float]]


def shingles(text: str, k: int) -> list[str]:
    words = text.split()
    return [" ".join(words[i : i + k]) for i in range(max(1, len(words) - k + 1))]


def gaoya(sets: Sequence[list[str]], t: float, _: int) -> Found:
    from gaoya.minhash import MinHashStringIndex

    # An analyzer of one's own is asked for the features of a text; here the texts are numbers of sets
    index = MinHashStringIndex(32, t, HASHES // ROWS[t], ROWS[t], None, lambda number: sets[int(number)])
    for number in range(len(sets)):
        index.insert_document(number, str(number))
    for number in range(len(sets)):
        for other, similarity in index.query(str(number), return_similarity=True):
            if other > number:
                yield number, other, similarity


def rensa(sets: Iterable[list[str]], t: float, seed: int) -> Found:
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=t, num_perm=HASHES, num_bands=HASHES // ROWS[t])
    sketches = []
    for number, each in enumerate(sets):
        sketches.append(RMinHash(num_perm=HASHES, seed=seed))
        sketches[-1].update(each)
        index.insert(number, sketches[-1])
    for number, sketch in enumerate(sketches):
        for other in index.query(sketch):
            if other > number and (similarity := sketch.jaccard(sketches[other])) >= t:
                yield number, other, similarity


def datasketch(sets: Iterable[list[str]], t: float, seed: int) -> Found:
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=t, num_perm=HASHES)
    sketches: list[MinHash] = []
    for number, each in enumerate(sets):
        sketch = MinHash(num_perm=HASHES, seed=seed + 1)
        sketch.update_batch([shingle.encode() for shingle in each])
        index.insert(number, sketch)
        sketches.append(sketch)
    for number, sketch in enumerate(sketches):
        for other in index.query(sketch):
            if other > number and (similarity := sketch.jaccard(sketches[other])) >= t:
                yield number, other, similarity


PEERS: dict[str, Callable[[Sequence[list[str]], float, int], Found]] = {
    "gaoya": gaoya,
    "rensa": rensa,
    "datasketch": datasketch,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=PEERS)
    parser.add_argument("-k", type=int)
    parser.add_argument("-t", type=float, choices=ROWS)
    parser.add_argument("--seed", type=int)
    parser.add_argument("canonical")
    options = parser.parse_args()
    with open(options.canonical, "rb") as lines:
        documents = [json.loads(line) for line in lines]
    documents = [each for each in documents if each["text"]]
    sets = [shingles(each["text"], options.k) for each in documents]
    pairs = sorted(PEERS[options.name](sets, options.t, options.seed))
    for a, b, similarity in pairs:
        pair = {"a": documents[a]["id"], "b": documents[b]["id"], "similarity": round(similarity, 6)}
        sys.stdout.write(json.dumps(pair, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
