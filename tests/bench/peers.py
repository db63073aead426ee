"""The whole job, from JSON lines to near-duplicate pairs, compared with the programs that people use for it.

usage: python tests/bench/peers.py [--runs N] FOLDER

Words in lower case, runs of 10 words, 84 min-hashes, similarity 0.8; one thread each. For each corpus, which FOLDER
gets (corpora.py), a run of each program in turn, N times (default 5): the pipeline of four processes; and gaoya, rensa
and datasketch, each scripted as its own documentation shows. Printed, for man/shingletools-clusters.7: medians of
processor seconds (user and system, all processes), wall seconds, peak memory in MB (of the largest process), the pairs
found, and the ratio of the processor seconds to ours. The peers decide by the estimate that they index by.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import corpora
from measure import Figures, median, table_row, timed

K, N, T = 10, 84, 0.8
BANDS = 14  # of 6: what gaoya's own calculation gives for 84 hashes and 0.8 is close to that
ONE_THREAD = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
WORD = re.compile(r"\w+")
PIPELINE = f"canon {{0}} | shingle -k {K} | sketch -n {N} | simjoin -t {T}"


def documents(path: str) -> Iterator[tuple[str, str]]:
    with Path(path).open("rb") as lines:
        for line in lines:
            record = json.loads(line)
            yield record["id"], record["text"]


def shingles(text: str) -> list[str]:
    """What the peers' own examples do: words by a regular expression, joined with blanks."""
    words = WORD.findall(text.lower())
    return [" ".join(words[i : i + K]) for i in range(len(words) - K + 1)]


def sets(path: str) -> Iterator[list[str]]:
    """The shingles of all documents that have some."""
    for _, text in documents(path):
        if tokens := shingles(text):
            yield tokens


def gaoya(path: str) -> int:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(32, T, BANDS, N // BANDS, None, "word", True, (K, K))
    texts = list(documents(path))
    pairs = 0
    for number, (_, text) in enumerate(texts):
        index.insert_document(number, text)
    for number, (_, text) in enumerate(texts):
        pairs += sum(other > number for other in index.query(text))
    return pairs


def rensa(path: str) -> int:
    from rensa import RMinHash, RMinHashLSH

    sketches = []
    for each in sets(path):
        sketches.append(RMinHash(num_perm=N, seed=42))
        sketches[-1].update(each)
    return found(RMinHashLSH(threshold=T, num_perm=N, num_bands=BANDS), sketches)


def datasketch(path: str) -> int:
    from datasketch import MinHash, MinHashLSH

    sketches = []
    for each in sets(path):
        sketches.append(MinHash(num_perm=N))
        sketches[-1].update_batch([shingle.encode() for shingle in each])
    return found(MinHashLSH(threshold=T, num_perm=N), sketches)


def found(index: Any, sketches: list[Any]) -> int:
    for number, sketch in enumerate(sketches):
        index.insert(number, sketch)
    return sum(
        other > number and sketch.jaccard(sketches[other]) >= T
        for number, sketch in enumerate(sketches)
        for other in index.query(sketch)
    )


PEERS: dict[str, Callable[[str], int]] = {"gaoya": gaoya, "rensa": rensa, "datasketch": datasketch}


class Run(NamedTuple):
    figures: Figures
    pairs: int


def measured(name: str, path: str) -> Run:
    """A run of ours, which writes the pairs, or of a peer, which prints how many it found."""
    argv = [sys.executable, __file__, "--peer", name, path]
    if name not in PEERS:
        argv = ["bash", "-o", "pipefail", "-c", PIPELINE.format(path)]
    with tempfile.NamedTemporaryFile() as file:
        figures = timed(argv, Path(os.devnull), Path(file.name), ONE_THREAD)
        return Run(figures, int(file.read()) if name in PEERS else sum(1 for _ in file))


def compare(path: str, runs: int) -> None:
    print(f"\n{Path(path).parent.name}/{Path(path).name}, {Path(path).stat().st_size / 1e6:.1f} MB\n")
    table_row("program", "CPU s", "wall s", "peak MB", "pairs", "CPU / ours")
    table_row("---", *["---:"] * 5)
    taken: dict[str, list[Run]] = {name: [] for name in ("shingletools", *PEERS)}
    for _ in range(runs):
        for name, several in taken.items():
            several.append(measured(name, path))
    own = statistics.median(run.figures.cpu for run in taken["shingletools"])
    for name, several in taken.items():
        wall, cpu, peak = median([run.figures for run in several])
        table_row(name, f"{cpu:.2f}", f"{wall:.2f}", f"{peak:.0f}", several[0].pairs, f"{cpu / own:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer", choices=PEERS, help="run only this one, and print the number of pairs")
    parser.add_argument("path", help="a folder for corpora; with --peer a file of documents")
    options = parser.parse_args()
    if options.peer:
        print(PEERS[options.peer](options.path))
    else:
        built = corpora.build(Path(options.path))
        for name in ("descriptions", "texts", "guide"):
            compare(str(built[name]), options.runs)


if __name__ == "__main__":
    main()
