"""Seconds, memory and exactness of the whole pipeline on a corpus of one's own.

usage: python tests/bench/pipeline.py DOCS.jsonl [RUNS]

Each stage runs alone, from file to file, then all run at once through pipes; figures are medians of RUNS (default 5).
At last the pairs of the first 6,000 documents are compared with those of a brute force over the same sketches.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from measure import median, timed

STAGES = (["canon"], ["shingle", "-k", "10"], ["sketch", "-n", "84"], ["simjoin", "-t", "0.8"])
SOME = 6000


def brute_force(sketches: Path) -> list[tuple[str, str, float]]:
    """All pairs of the first documents, each sketch compared with all that follow it."""
    with sketches.open("rb") as lines:
        records = [json.loads(line) for line, _ in zip(lines, range(SOME), strict=False)]
    records = [record for record in records if record["sketch"]]
    rows = np.array([[int(word, 16) for word in record["sketch"].split()] for record in records], np.uint32)
    pairs = []
    for a, row in enumerate(rows):
        agreeing = (rows[a + 1 :] == row).sum(axis=1)
        for b in np.flatnonzero(5 * agreeing >= 4 * rows.shape[1]):
            similarity = round(int(agreeing[b]) / rows.shape[1], 6)
            pairs.append((records[a]["id"], records[a + 1 + int(b)]["id"], similarity))
    return pairs


def main(corpus: Path, runs: int) -> None:
    with TemporaryDirectory() as name, corpus.open("rb") as lines:
        folder = Path(name)
        documents = sum(1 for _ in lines)
        sources = [corpus, *(folder / argv[0] for argv in STAGES)]
        print(f"{documents} documents, {corpus.stat().st_size / 1e6:.1f} MB; medians of {runs} runs")
        print(f"{'':24}{'wall s':>8}{'CPU s':>8}{'docs/s':>10}{'MB/s in':>10}{'peak MB':>9}")
        rows = [(" ".join(argv), argv, sources[i], sources[i + 1]) for i, argv in enumerate(STAGES)]
        whole = ["bash", "-c", " | ".join(map(" ".join, STAGES))]
        for title, argv, source, target in [*rows, ("all, through pipes", whole, corpus, folder / "piped")]:
            figures = median([timed(argv, source, target) for _ in range(runs)])
            size = source.stat().st_size / 1e6 / figures.wall
            speed = documents / figures.wall
            print(f"{title:24}{figures.wall:8.2f}{figures.cpu:8.2f}{speed:10.0f}{size:10.1f}{figures.peak:9.0f}")
        assert (folder / "piped").read_bytes() == sources[-1].read_bytes()

        some = folder / "some"
        with sources[-2].open("rb") as sketches:
            some.write_bytes(b"".join(line for line, _ in zip(sketches, range(SOME), strict=False)))
        timed(list(STAGES[-1]), some, folder / "pairs")
        pairs = [json.loads(line) for line in (folder / "pairs").read_bytes().splitlines()]
        found = [(pair["a"], pair["b"], pair["similarity"]) for pair in pairs]
        assert found == brute_force(some)
        print(f"the {len(found)} pairs of the first {SOME} documents are those of a brute force")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
