"""Seconds, memory and exactness of the whole pipeline on a corpus of one's own.

usage: python tests/bench/pipeline.py DOCS.jsonl [RUNS]

Each stage runs alone, from file to file, then all run at once through pipes; figures are medians of RUNS (default 5),
taken in turn. So are those of the stages that work record by record with one and with two workers, on so many copies of
the input that one takes LONG seconds. At last the pairs of the first 6,000 documents are compared with those of a brute
force over the same sketches. Pages of HTML are recognized by .html in the name.
"""

import filecmp
import json
import math
import os
import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from measure import Figures, median, table_row, timed

STAGES = (["canon"], ["shingle", "-k", "10"], ["sketch", "-n", "84"], ["simjoin", "-t", "0.8"])
SOME = 6000
LONG = 4


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


def workers(argv: list[str], records: bytes, copies: int, folder: Path, runs: int) -> list[str]:
    """A row of figures, for one worker and for two, whose outputs are the same."""
    much, alone, shared = folder / "much", folder / "alone", folder / "shared"
    outputs = ("1", alone), ("2", shared)
    with much.open("wb") as file:
        for _ in range(copies):
            file.write(records)
    walls = []
    for _ in range(runs):
        one, two = (timed([*argv, "-j", jobs, str(much)], Path(os.devnull), out) for jobs, out in outputs)
        walls.append((one.wall, two.wall))
        assert filecmp.cmp(alone, shared, shallow=False)
    alone_s, shared_s = map(statistics.median, zip(*walls, strict=True))
    size = much.stat().st_size
    for path in (much, alone, shared):
        path.unlink()
    return [f"{size / 1e6:.0f}", f"{alone_s:.2f}", f"{shared_s:.2f}", f"{alone_s / shared_s:.2f}"]


def main(corpus: Path, runs: int) -> None:
    with TemporaryDirectory() as name, corpus.open("rb") as lines:
        folder = Path(name)
        documents = sum(1 for _ in lines)
        sources = [corpus, *(folder / argv[0] for argv in STAGES)]
        stages = [[*STAGES[0], *(["--html"] if ".html" in corpus.name else [])], *STAGES[1:]]
        rows = [(argv, sources[i], sources[i + 1]) for i, argv in enumerate(stages)]
        rows.append((["bash", "-c", " | ".join(map(" ".join, stages))], corpus, folder / "piped"))
        taken: dict[str, list[Figures]] = {}
        for _ in range(runs):
            for argv, source, target in rows:
                taken.setdefault(" ".join(argv), []).append(timed(argv, source, target))
        print(f"\n{corpus.name}: {documents} documents, {corpus.stat().st_size / 1e6:.1f} MB; medians of {runs} runs\n")
        table_row("", "wall s", "CPU s", "documents/s", "MB/s read", "peak MB")
        table_row("---", *["---:"] * 5)
        for argv, source, _ in rows:
            figures = median(taken[" ".join(argv)])
            table_row(
                "all, through pipes" if argv[0] == "bash" else " ".join(argv),
                f"{figures.wall:.2f}",
                f"{figures.cpu:.2f}",
                f"{documents / figures.wall:.0f}",
                f"{source.stat().st_size / 1e6 / figures.wall:.1f}",
                f"{figures.peak:.0f}",
            )
        assert (folder / "piped").read_bytes() == sources[-1].read_bytes()
        print("\nWorkers\n")
        table_row("", "MB", "wall s", "wall s with -j 2", "times as fast")
        table_row("---", *["---:"] * 4)
        for argv, source in zip(stages[:-1], sources, strict=False):
            copies = math.ceil(LONG / median(taken[" ".join(argv)]).wall)
            table_row(" ".join(argv), *workers(argv, source.read_bytes(), copies, folder, runs))

        some = folder / "some"
        with sources[-2].open("rb") as sketches:
            some.write_bytes(b"".join(line for line, _ in zip(sketches, range(SOME), strict=False)))
        timed(list(STAGES[-1]), some, folder / "pairs")
        pairs = [json.loads(line) for line in (folder / "pairs").read_bytes().splitlines()]
        found = [(pair["a"], pair["b"], pair["similarity"]) for pair in pairs]
        assert found == brute_force(some)
        print(f"\nThe {len(found)} pairs of the first {SOME} documents are those of a brute force")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
