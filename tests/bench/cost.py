"""simspark compared with the shell, on the same cores, in turn: what McSherry, Isard and Murray (HotOS 2015) call COST.

usage: python tests/bench/cost.py [DOCUMENTS ...] [--runs filters,all,join,groups,dedup] [--way SIZE]

Texts of 100 words, one in ten of which is another with a word changed (default 100,000 and 1,000,000 of them), through
the filters, through all to pairs, and through dedup, with a group of these two each; sketches through simjoin alone;
five random pairs a document, of four times as many ids, through simgroup; on local[2]. The outputs must be equal.
--way is simspark's --at-once. Tells for both the seconds, of simspark those after Spark's start, which it tells itself;
then how many jobs it took, the bytes a document that were moved, and the largest memory of all Python processes.
"""

import argparse
import json
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import cluster
import measure
import numpy as np

from harness import BIN, ENVIRONMENT
from spark.cluster import HERE, SETTINGS, confs

FILTERS, JOIN = "canon | shingle -k 10 | sketch -n 84", "simjoin -t 0.8"
SECONDS = re.compile(r"([0-9.]+) s \(([0-9.]+) s to start Spark\)")


class Figures(NamedTuple):
    """Seconds of the shell and of simspark after its start; what the log says."""

    shell: float
    start: float
    seconds: float
    jobs: int
    moved: int
    python: int


def write_pairs(path: Path, documents: int) -> None:
    ids = np.random.default_rng(1).integers(0, 4 * documents, (5 * documents, 2))
    with path.open("w") as out:
        for start in range(0, len(ids), 1 << 16):
            pairs = ids[start : start + (1 << 16)].tolist()
            out.writelines(f'{{"a":{a},"b":"{b}","similarity":0.9}}\n' for a, b in pairs)


def write_groups(path: Path, documents: int) -> None:
    """Of the texts of cluster.write_texts those that are others with a word changed, with these."""
    with path.open("w") as out:
        out.writelines(f'{{"members":[{number - 1},{number}]}}\n' for number in range(10, documents, 10))


def shell(pipeline: str, source: Path, out: Path) -> float:
    first, *rest = pipeline.split("|")
    begun = time.monotonic()
    command = "|".join([f"{first} {source} ", *rest])
    subprocess.run(["bash", "-c", f"{command} > {out}"], check=True, env=ENVIRONMENT)
    return time.monotonic() - begun


def simspark(pipeline: str, source: Path, folder: Path, way: Sequence[str]) -> tuple[float, float, Path, Path]:
    """Seconds to start, and after it; the log's folder and the output's."""
    log, out = folder / "log", folder / "out"
    log.mkdir(parents=True)
    settings = SETTINGS | cluster.LOGGED | {"spark.eventLog.dir": str(log), "spark.driver.memory": "2g"}
    words = [
        str(BIN / "simspark"),
        "-v",
        "--master",
        "local[2]",
        *way,
        *confs(settings),
        "--in",
        str(source),
        "--out",
        str(out),
        pipeline,
    ]
    said = subprocess.run(words, check=True, env=ENVIRONMENT | HERE, stderr=subprocess.PIPE).stderr.decode()
    found = SECONDS.search(said)
    assert found, said
    return float(found[2]), float(found[1]) - float(found[2]), log, out


def measured(pipeline: str, source: Path, folder: Path, way: Sequence[str] = ()) -> Figures:
    expected = folder / "expected"
    folder.mkdir()
    seconds = shell(pipeline, source, expected)
    start, after, log, out = simspark(pipeline, source, folder, way)
    same = subprocess.run(["bash", "-c", f"cat {out}/part-* | cmp - {expected}"], check=False).returncode == 0
    assert same, pipeline
    every = list(cluster.tasks(log))
    (path,) = log.iterdir()
    jobs = sum(json.loads(line)["Event"] == "SparkListenerJobStart" for line in path.open("rb"))
    return Figures(seconds, start, after, jobs, sum(each.moved for each in every), max(each.python for each in every))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--runs", default="filters,all,join,groups,dedup")
    parser.add_argument("--way", metavar="SIZE", help="how much simspark may do in one task (--at-once)")
    options = parser.parse_args()
    measure.table_row(
        "documents",
        "pipeline",
        "shell, s",
        "Spark's start, s",
        "simspark after it, s",
        "ratio",
        "jobs",
        "bytes moved a document",
        "Python, MB",
    )
    measure.table_row(*["---"] * 9)
    for documents in options.documents:
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            texts = folder / "texts"
            if options.runs != "groups":
                cluster.write_texts(texts, documents)
            pairs = folder / "pairs"
            if "groups" in options.runs.split(","):
                write_pairs(pairs, documents)
            groups = folder / "of_two"
            write_groups(groups, documents)
            way = () if options.way is None else ("--at-once", options.way)
            sources = {"join": folder / "filters" / "expected", "groups": pairs}
            runs = {
                "filters": FILTERS,
                "all": f"{FILTERS} | {JOIN}",
                "join": JOIN,
                "groups": "simgroup",
                "dedup": f"dedup --groups {groups}",
            }
            for name, pipeline in (run for run in runs.items() if run[0] in options.runs.split(",")):
                source = sources.get(name, texts)
                each = measured(pipeline, source, folder / name, way)
                measure.table_row(
                    documents,
                    name,
                    f"{each.shell:.1f}",
                    f"{each.start:.1f}",
                    f"{each.seconds:.1f}",
                    f"{each.seconds / each.shell:.2f}",
                    each.jobs,
                    f"{each.moved / documents:.0f}",
                    f"{each.python / 1e6:.0f}",
                )


if __name__ == "__main__":
    main()
