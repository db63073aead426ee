"""Whole jobs compared: from JSON lines to the file without near-duplicates, ours and programs that do the same.

usage: python tests/bench/jobs.py [--runs N] DOCS.jsonl FOLDER

Runs of 10 words, 84 min-hashes, similarity 0.8, all on one core. The peers are text-dedup and datatrove, each in an
environment of its own in FOLDER, which is made by its first run, and scripted in job_peers.py as its own documentation
shows. Each job runs N times (default 3), in turn with the others. Printed: medians of processor and wall seconds, peak
memory in MB (of the largest process), and of the last run how many documents are kept, how many are removed, and by the
exact pairs, which are those of our exact join: how many are removed that have no partner at 0.8 or above among those
that are kept, and of how many exact pairs both are kept. Each program splits words a little differently, so
some of the last two are of other words, not of other pairs. semhash is left out: it needs a model, which it downloads.
"""

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import Figures, median, table_row, timed

K, N, T = 10, 84, 0.8
PAIRS = f"canon {{0}} | shingle -k {K} | simjoin -t {T}"
SKETCHES = f"canon {{0}} | shingle -k {K} | sketch -n {N} | simjoin -t {T}"
VERIFIED = f"canon {{0}} | shingle -k {K} | sketch -n {N} --keep | simjoin --verify -t {T}"
REST = "| dedup --pairs - {0}"
GROUPS = "| simgroup | dedup --groups - {0}"
OURS = {
    "sketches": SKETCHES + REST,
    "sketches, verified": VERIFIED + REST,
    "exact join": PAIRS + REST,
    "exact join, groups": PAIRS + GROUPS,
}


PEERS = {"text-dedup": "text-dedup==0.4.0", "datatrove": "datatrove[processing]==0.10.1 spacy orjson"}


def environment(folder: Path, name: str) -> Path:
    """The Python of a peer's environment, which is made if it is not there."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        venv.create(folder / name, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS[name].split()], check=True)
    return python


def ids(path: Path) -> list[object]:
    with path.open("rb") as lines:
        return [json.loads(line)["id"] for line in lines]


def exact_pairs(docs: Path, folder: Path) -> list[tuple[object, object]]:
    target = folder / "pairs.jsonl"
    timed(["bash", "-c", PAIRS.format(docs)], Path("/dev/null"), target)
    with target.open("rb") as lines:
        return [(record["a"], record["b"]) for record in map(json.loads, lines)]


def main(docs: Path, folder: Path, runs: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    jobs = {name: ["taskset", "-c", "0", "bash", "-c", script.format(docs)] for name, script in OURS.items()}
    peers = Path(__file__).with_name("job_peers.py")
    for name in PEERS:
        python = environment(folder, name)
        script = f"rm -rf {folder}/work; mkdir {folder}/work; {python} {peers} {name} {K} {N} {T} {docs} {folder}/work"
        jobs[name] = ["taskset", "-c", "0", "bash", "-c", script]
    figures: dict[str, list[Figures]] = {name: [] for name in jobs}
    for _ in range(runs):
        for name, argv in jobs.items():
            figures[name].append(timed(argv, Path("/dev/null"), folder / f"{name}.out"))
    pairs, every = exact_pairs(docs, folder), ids(docs)
    table_row(
        "job",
        "processor s",
        "wall s",
        "MB",
        "kept",
        "removed",
        "removed without a partner that is kept",
        "pairs of which both are kept",
    )
    table_row("---", *["---:"] * 7)
    for name, each in figures.items():
        kept = set(ids(folder / f"{name}.out"))
        removed = [each for each in every if each not in kept]
        with_partner = {one for a, b in pairs for one, other in ((a, b), (b, a)) if other in kept}
        wrong = sum(each not in with_partner for each in removed)
        both = sum(a in kept and b in kept for a, b in pairs)
        middle = median(each)
        table_row(
            name, f"{middle.cpu:.1f}", f"{middle.wall:.1f}", f"{middle.peak:.0f}", len(kept), len(removed), wrong, both
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("docs", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    main(options.docs, options.folder, options.runs)
