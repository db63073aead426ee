"""The joins alone: sets beside SetSimilaritySearch on the same sets, and a million sketches in little memory.

usage: python tests/bench/joins.py SHINGLES.jsonl [RUNS]

SHINGLES.jsonl: what `shingle` wrote. Figures are medians of RUNS (default 3), processor seconds, all of one run: those
of sets without reading, those of sketches with it. The sketches are random, 84 components each; one in five is another
with ten of them changed.
"""

import json
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from SetSimilaritySearch import all_pairs

sys.path.insert(0, str(Path(__file__).parent))
import measure

from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.commands.simjoin.wanted import Wanted

THRESHOLD = Fraction(4, 5)
SKETCHES, COMPONENTS, CHANGED = 1_000_000, 84, 10


def seconds(work: Callable[[], int]) -> tuple[float, int]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def ours(records: list[dict[str, str]]) -> tuple[float, int]:
    join = JoinCollector(JoinSpec("id", Wanted(similarity=THRESHOLD)))
    for record in records:
        join.take(record, b"", 0)
    return seconds(lambda: sum(written.output.count(b"\n") for written in join.finish()))


def theirs(records: list[dict[str, str]]) -> tuple[float, int]:
    sets = [words for record in records if (words := list(set(record["shingles"].split())))]
    return seconds(lambda: sum(1 for _ in all_pairs(sets, "jaccard", float(THRESHOLD))))


def sets(path: Path, runs: int) -> None:
    with path.open("rb") as lines:
        records = [json.loads(line) for line in lines]
    one, two = ([join(records) for _ in range(runs)] for join in (ours, theirs))
    assert {pairs for _, pairs in one} == {pairs for _, pairs in two}
    mine, other = (median(cpu for cpu, _ in figures) for figures in (one, two))
    print(f"sets of {path.name}, t 0.8: {one[0][1]} pairs, simjoin {mine:.2f} s, SetSimilaritySearch {other:.2f} s,")
    print(f"  ratio {other / mine:.1f}", flush=True)


def write_sketches(path: Path, identical: bool) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2**32, (SKETCHES, COMPONENTS), dtype=np.uint32)
    if identical:
        rows[:] = rows[0]
    else:
        near = rng.permutation(SKETCHES)[: SKETCHES // 5]
        rows[near] = rows[rng.integers(0, SKETCHES, len(near))]
        for _ in range(CHANGED):
            rows[near, rng.integers(0, COMPONENTS, len(near))] = rng.integers(0, 2**32, len(near), dtype=np.uint32)
    with path.open("wb") as out:
        for number, row in enumerate(rows):
            out.write(b'{"id":%d,"sketch":"%b"}\n' % (number, row.tobytes().hex(" ", 4).encode()))


def sketches(folder: Path, runs: int) -> None:
    source = folder / "sketches"
    for identical, ways in ((False, ["", "-S 256M", "--forest", "--forest -S 256M"]), (True, ["--forest"])):
        write_sketches(source, identical)
        outputs: dict[bool, bytes] = {}
        for way in ways:
            target = folder / "pairs"
            figures = measure.median([measure.timed(["simjoin", *way.split()], source, target) for _ in range(runs)])
            expected = outputs.setdefault("--forest" in way, target.read_bytes())
            assert target.read_bytes() == expected, way
            kind = "identical sketches" if identical else "sketches"
            print(f"{SKETCHES} {kind}, simjoin {way}: {figures.cpu:.1f} s, {figures.peak:.0f} MB", flush=True)


def main(path: Path, runs: int = 3) -> None:
    sets(path, runs)
    with TemporaryDirectory() as folder:
        sketches(Path(folder), runs)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
