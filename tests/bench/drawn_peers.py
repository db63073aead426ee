"""The documents of drawn.py for datasketch, rensa, text-dedup and datatrove: which to remove, and what that takes.

usage: python tests/bench/drawn_peers.py PEER COUNT SEED FOLDER

datasketch and rensa keep each document that is like none before it, as their documentation shows for streams, at
similarity 0.8 with 84 hashes of runs of 5 words. Prints the number of each document that stays. The others read a
file, as their READMEs show, in environments of their own in FOLDER: see job_peers.py.
"""

import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from drawn import AT_ONCE, Drawn
from job_peers import environment
from measure import table_row
from watched import Watched

HERE = Path(__file__).parent
K, HASHES, T = 5, 84, 0.8


def lines(count: int, seed: int, folder: Path) -> Iterator[bytes]:
    drawn = Drawn(folder, seed)
    for start in range(0, count, AT_ONCE):
        yield drawn.lines(np.arange(start, min(start + AT_ONCE, count)))


def sets(count: int, seed: int, folder: Path) -> Iterator[list[str]]:
    for some in lines(count, seed, folder):
        for line in some.splitlines():
            words = json.loads(line)["text"].lower().split()
            yield [" ".join(words[i : i + K]) for i in range(max(1, len(words) - K + 1))]


def datasketch(documents: Iterator[list[str]]) -> Iterator[int]:
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=T, num_perm=HASHES)
    sketches: dict[int, MinHash] = {}
    for number, each in enumerate(documents):
        sketch = MinHash(num_perm=HASHES)
        sketch.update_batch([shingle.encode() for shingle in each])
        if not any(sketch.jaccard(sketches[other]) >= T for other in index.query(sketch)):
            index.insert(number, sketch)
            sketches[number] = sketch
            yield number


def rensa(documents: Iterator[list[str]]) -> Iterator[int]:
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=T, num_perm=HASHES, num_bands=HASHES // 6)
    sketches: dict[int, RMinHash] = {}
    for number, each in enumerate(documents):
        sketch = RMinHash(num_perm=HASHES, seed=42)
        sketch.update(each)
        if not any(sketch.jaccard(sketches[other]) >= T for other in index.query(sketch)):
            index.insert(number, sketch)
            sketches[number] = sketch
            yield number


PEERS: dict[str, Callable[[Iterator[list[str]]], Iterator[int]]] = {"datasketch": datasketch, "rensa": rensa}


def command(peer: str, count: int, seed: int, folder: Path, scratch: Path) -> list[str]:
    """What runs a peer; empty if it is not installed."""
    numbers = list(map(str, (count, seed, folder)))
    if peer in PEERS:
        return [sys.executable, __file__, peer, *numbers] if find_spec(peer) else []
    python = environment(folder, peer)
    docs = scratch / "docs.jsonl"
    with docs.open("wb") as file:
        for some in lines(count, seed, folder):
            file.write(re.sub(rb'^{"id":(\d+)', rb'{"id":"\1"', some, flags=re.MULTILINE))  # datatrove wants strings
    return list(map(str, (python, HERE / "job_peers.py", peer, K, HASHES, T, docs, scratch)))


def compare(count: int, seed: int, folder: Path, most: int) -> Iterator[tuple[str, float]]:
    """Prints a row for each peer, with at most so many GB of memory; gives the processor seconds of those that end."""
    print()
    table_row(f"{count} documents", "wall, s", "cpu, s", "peak, MB", "kept")
    table_row("---", *["---:"] * 4)
    for peer in (*PEERS, "text-dedup", "datatrove"):
        with TemporaryDirectory(dir=folder) as name:
            argv = command(peer, count, seed, folder, Path(name))
            if not argv:
                table_row(peer, "not installed", "", "", "")
                continue
            process = subprocess.Popen(argv, stdout=subprocess.PIPE)
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (most << 30, most << 30))
            watched = Watched(process)
            assert process.stdout is not None
            kept = sum(1 for _ in process.stdout)
            (taken,) = watched.end()
        said = f"ends with status {process.returncode}" if process.returncode else kept
        table_row(peer, f"{taken.wall:.1f}", f"{taken.cpu:.1f}", f"{taken.peak:.0f}", said)
        if not process.returncode:
            yield peer, taken.cpu


if __name__ == "__main__":
    for number in PEERS[sys.argv[1]](sets(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))):
        print(number)
