"""Microseconds of processor time that signatures and peers take for a document: making them, and joining them."""

import os
import statistics
import subprocess
import sys
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import bands
import corpora
import signatures
from measure import timed
from staged import PEERS, WORDS, Staged, environment


def rows(source: Path, documents: int, k: int, runs: int = 3) -> list[bands.Row]:
    """Of the first so many documents; medians of runs.

    What canon takes is in a row of its own. The start of each process counts; of peers neither that nor the reading of
    the texts does, and making and joining count as one.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        staged = Staged(folder, list(islice(corpora.read(source), documents)))
        words = staged.made(WORDS)
        canonical = folder / "canonical"
        table: list[bands.Row] = [["signature", "made, us", "joined, us", "both, us"]]
        seconds = [timed(["canon"], folder / "docs.jsonl", canonical, environment()).cpu for _ in range(runs)]
        table.append(["canon alone", f"{micro(seconds, documents):.0f}", "", ""])
        for signature in signatures.SIGNATURES:
            first, *stages = signatures.pipeline(signature, k).format(words=words).split(" | ")
            before = canonical if first == "canon" else staged.made(first)
            each = [costs(stages, before, folder) for _ in range(runs)]
            made, joined = (micro([run[part] for run in each], documents) for part in (0, 1))
            table.append([signature, f"{made:.0f}", f"{joined:.0f}", f"{made + joined:.0f}"])
        for peer, pipeline in bands.PEERS.items():
            argv = pipeline.format(k=k, seed=0).rpartition(" | ")[2].split()
            both = micro([peer_seconds(argv, canonical) for _ in range(runs)], documents)
            table.append([peer, "", "", f"{both:.0f}"])
        return table


def micro(seconds: list[float], documents: int) -> float:
    return statistics.median(seconds) / documents * 1e6


def costs(stages: list[str], source: Path, folder: Path) -> tuple[float, float]:
    """Seconds to make, and to join, which is the last stage."""
    spent = []
    for number, stage in enumerate(stages):
        target = folder / f"stage {number}"
        spent.append(timed(stage.split(), source, target, environment()).cpu)
        source = target
    return sum(spent[:-1]), spent[-1]


def peer_seconds(argv: list[str], canonical: Path) -> float:
    """What a peer says that it took."""
    done = subprocess.run(
        [sys.executable, str(PEERS), *argv, "--seconds", str(canonical)],
        env=os.environ | {"RAYON_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return float(done.stdout)
