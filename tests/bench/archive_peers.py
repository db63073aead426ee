"""What other programs keep on disk for the same question: datasketch's MinHashLSH, pickled; sourmash's SQLite index.

    python tests/bench/archive_peers.py PROGRAM ask|add STORE SKETCHES.jsonl

add: puts the sketches into STORE, which is made if it is not there. ask: prints a line for each pair with one of them
that agrees in 68 of 84 components. The programs get these sketches as they are: datasketch as values of its min-hashes,
and it compares what its bands find; sourmash as sets of 84 hashes, one for each component with its place, which it
compares exactly: of two sets that have 68 in common 68 / 100 is common.
"""

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

N, LEAST = 84, 68


def sketches(path: Path) -> Iterator[tuple[str, NDArray[np.uint32]]]:
    with path.open("rb") as lines:
        for line in lines:
            record = json.loads(line)
            yield record["id"], np.frombuffer(bytes.fromhex(record["sketch"]), ">u4").astype(np.uint32)


def datasketch(action: str, store: Path, path: Path) -> None:
    from datasketch import LeanMinHash, MinHashLSH

    lsh, kept = MinHashLSH(threshold=LEAST / N, num_perm=N), {}
    if store.exists():
        with store.open("rb") as file:
            lsh, kept = pickle.load(file)
    for name, row in sketches(path):
        sketch = LeanMinHash(seed=1, hashvalues=row.astype(np.uint64), scheme="legacy")
        if action == "add":
            lsh.insert(name, sketch, check_duplication=False)
            kept[name] = row
        else:
            for other in lsh.query(sketch):
                if np.count_nonzero(kept[other] == row) >= LEAST:
                    print(name, other)
    if action == "add":
        with store.open("wb") as file:
            pickle.dump((lsh, kept), file, pickle.HIGHEST_PROTOCOL)


def sourmash(action: str, store: Path, path: Path) -> None:
    from sourmash import MinHash, SourmashSignature
    from sourmash.index.sqlite_index import SqliteIndex

    index: Any = SqliteIndex.create(str(store), append=True) if action == "add" else SqliteIndex.load(str(store))
    cursor = index.cursor()
    places = np.arange(N, dtype=np.uint64) << np.uint64(32)
    for name, row in sketches(path):
        sketch = MinHash(n=0, ksize=21, scaled=1)
        sketch.add_many((places + row + np.uint64(1)).tolist())
        signature = SourmashSignature(sketch, name=name)
        if action == "add":
            index.insert(signature, cursor=cursor, commit=False)
        else:
            for found in index.search(signature, threshold=LEAST / (2 * N - LEAST)):
                print(name, found.signature.name)
    if action == "add":
        index.commit()
    index.close()


PEERS = {"datasketch": datasketch, "sourmash": sourmash}

if __name__ == "__main__":
    PEERS[sys.argv[1]](sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
