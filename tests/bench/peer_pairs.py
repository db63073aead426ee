"""Pairs that programs with min-hashes find, of the same words, as records like those of simjoin; staged.py runs it.

usage: python tests/bench/peer_pairs.py NAME -k K -t T --seed S CANONICAL.jsonl

Each gets 84 hashes of the runs of K words, bands as its documentation advises for T, and decides by the estimate that
it indexes by. gaoya has no seed. A text of fewer than K words is one run of all of them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

HASHES = 84
# Of a band; these divide 84. A pair of similarity T agrees in some band with a chance of 0.99 or 0.95, one of 0.60 or
# 0.42 with a chance of one half
ROWS = {0.8: 6, 0.6: 4}
Found = Iterator[tuple[int, int, float]]
Find = Callable[[float, int], Found]  # of a threshold, and of so many rows in a band: numbers of sets, and estimates


def shingles(text: str, k: int) -> list[str]:
    words = text.split()
    return [" ".join(words[i : i + k]) for i in range(max(1, len(words) - k + 1))]


def gaoya(several: Iterable[list[str]], hashes: int, _: int) -> Find:
    from gaoya.minhash import MinHashStringIndex

    sets = list(several)

    def pairs(t: float, rows: int) -> Found:
        # An analyzer of one's own is asked for the features of a text; here the texts are numbers of sets
        index = MinHashStringIndex(32, t, hashes // rows, rows, None, lambda number: sets[int(number)])
        for number in range(len(sets)):
            index.insert_document(number, str(number))
        for number in range(len(sets)):
            for other, similarity in index.query(str(number), return_similarity=True):
                if other > number:
                    yield number, other, similarity

    return pairs


def rensa(several: Iterable[list[str]], hashes: int, seed: int) -> Find:
    from rensa import RMinHash, RMinHashLSH

    sketches = []
    for each in several:
        sketches.append(RMinHash(num_perm=hashes, seed=seed))
        sketches[-1].update(each)
    return lambda t, rows: looked_up(RMinHashLSH(threshold=t, num_perm=hashes, num_bands=hashes // rows), sketches, t)


def datasketch(several: Iterable[list[str]], hashes: int, seed: int) -> Find:
    """It chooses bands by itself."""
    from datasketch import MinHash, MinHashLSH

    sketches = []
    for each in several:
        sketches.append(MinHash(num_perm=hashes, seed=seed + 1))
        sketches[-1].update_batch([shingle.encode() for shingle in each])
    return lambda t, _: looked_up(MinHashLSH(threshold=t, num_perm=hashes), sketches, t)


def looked_up(index: Any, sketches: list[Any], t: float) -> Found:
    """What an index proposes, as far as the sketches agree so much."""
    for number, sketch in enumerate(sketches):
        index.insert(number, sketch)
    for number, sketch in enumerate(sketches):
        for other in index.query(sketch):
            if other > number and (similarity := sketch.jaccard(sketches[other])) >= t:
                yield number, other, similarity


PEERS: dict[str, Callable[[Iterable[list[str]], int, int], Find]] = {
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
        documents = [each for each in map(json.loads, lines) if each["text"]]
    find = PEERS[options.name]((shingles(each["text"], options.k) for each in documents), HASHES, options.seed)
    for a, b, similarity in sorted(find(options.t, ROWS[options.t])):
        pair = {"a": documents[a]["id"], "b": documents[b]["id"], "similarity": round(similarity, 6)}
        sys.stdout.write(json.dumps(pair, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
