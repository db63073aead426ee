"""simspark on synthetic records: what its tasks hold and what it moves, from Spark's own log of events.

usage: python tests/bench/cluster.py skew|stages [DOCUMENTS]

skew: 1,000 identical sketches and 2,000 nearly identical ones among 300,000 others, on a cluster of two executors of
1 GB, through `simjoin`, in parts, and `simgroup`. Tells the largest task of each stage that reads
as much as 1 MB.
stages: DOCUMENTS (default 1,000,000) texts of 100 words, one in ten of which is another with a word changed, through
the pipeline one command after the other, on local[2]. Tells seconds, and bytes a document, read, moved and written.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
import measure

from harness import BIN, ENVIRONMENT
from spark.cluster import HERE, SETTINGS, confs, start

MB = 1e6
IDENTICAL, NEAR, OTHERS = 1_000, 2_000, 300_000
WORDS, CHANGED = 84, 10
TEXT_WORDS, VOCABULARY = 100, 50_000
STAGES = ("canon", "shingle -k 10", "sketch -n 84", "simjoin -t 0.8", "simgroup")
LOGGED = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
    "spark.executor.processTreeMetrics.enabled": "true",
    "spark.executor.metrics.pollingInterval": "200",
}


class Task(NamedTuple):
    """What the log says of one task; sizes in bytes."""

    stage: int
    name: str
    seconds: float
    read: int  # from files
    fetched: int  # from other tasks
    records: int  # of both
    moved: int  # for other tasks
    written: int  # to files
    spilled: int
    heap: int
    python: int  # all of the executor's Python processes


def tasks(folder: Path) -> Iterator[Task]:
    for path in folder.iterdir():
        names: dict[int, str] = {}
        for line in path.open("rb"):
            event = json.loads(line)
            if event["Event"] == "SparkListenerStageSubmitted":
                names[event["Stage Info"]["Stage ID"]] = event["Stage Info"]["Stage Name"]
            elif event["Event"] == "SparkListenerTaskEnd":
                yield task(event, names[event["Stage ID"]])


def task(event: dict[str, Any], name: str) -> Task:
    metrics, peaks = event["Task Metrics"], event["Task Executor Metrics"]
    fetched = metrics["Shuffle Read Metrics"]
    return Task(
        event["Stage ID"],
        name,
        metrics["Executor Run Time"] / 1000,
        metrics["Input Metrics"]["Bytes Read"],
        fetched["Remote Bytes Read"] + fetched["Local Bytes Read"],
        metrics["Input Metrics"]["Records Read"] + fetched["Total Records Read"],
        metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"],
        metrics["Output Metrics"]["Bytes Written"],
        metrics["Disk Bytes Spilled"],
        peaks["JVMHeapMemory"],
        peaks["ProcessTreePythonRSSMemory"],
    )


def write_skewed(path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2**32, (IDENTICAL + NEAR + OTHERS, WORDS), dtype=np.uint32)
    rows[:IDENTICAL] = rows[0]
    near = np.arange(IDENTICAL, IDENTICAL + NEAR)
    rows[near] = rows[IDENTICAL]
    for _ in range(CHANGED):
        rows[near, rng.integers(0, WORDS, NEAR)] = rng.integers(0, 2**32, NEAR, dtype=np.uint32)
    with path.open("wb") as out:
        for number in rng.permutation(len(rows)).tolist():
            sketch = rows[number].astype(">u4").tobytes().hex(" ", 4)
            out.write(b'{"id":%d,"sketch":"%b"}\n' % (number, sketch.encode()))


def skew(folder: Path) -> None:
    source, out, log = folder / "sketches", folder / "out", folder / "log"
    write_skewed(source)
    log.mkdir()
    with ExitStack() as stack:
        settings = SETTINGS | LOGGED | {"spark.executor.memory": "1g", "spark.eventLog.dir": str(log)}
        begun = time.monotonic()
        words: list[str | Path] = [
            BIN / "simspark",
            "--master",
            "local-cluster[2,1,2048]",
            *confs(settings),
            "--at-once",
            "0",
        ]
        words += ["--in", source, "--out", out, "simjoin -t 0.8 | simgroup"]
        process = start(stack, folder, *words)
        _, said = process.communicate()
        assert process.returncode == 0, said.decode()
        seconds = time.monotonic() - begun
    groups = [json.loads(line)["size"] for path in sorted(out.glob("part-*")) for line in path.open("rb")]
    assert {IDENTICAL} < set(groups), max(groups)
    print(f"{IDENTICAL + NEAR + OTHERS} sketches: {len(groups)} groups, the largest of {sorted(groups)[-3:]};")
    every = list(tasks(log))
    print(f"{seconds:.0f} s, {len(every)} tasks. Largest of all tasks: heap {max(t.heap for t in every) / MB:.0f} MB,")
    print(f"Python {max(t.python for t in every) / MB:.0f} MB, spilled {sum(t.spilled for t in every) / MB:.0f} MB\n")
    measure.table_row("stage", "tasks", "s, largest", "records, largest", "MB read, largest", "MB moved, all")
    measure.table_row(*["---"] * 6)
    for stage in sorted({each.stage for each in every}):
        some = [each for each in every if each.stage == stage]
        read = max(each.read + each.fetched for each in some) / MB
        if read < 1:
            continue
        measure.table_row(
            stage,
            len(some),
            f"{max(each.seconds for each in some):.1f}",
            max(each.records for each in some),
            f"{read:.1f}",
            f"{sum(each.moved for each in some) / MB:.1f}",
        )


def write_texts(path: Path, documents: int) -> None:
    rng = random.Random(1)
    vocabulary = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(VOCABULARY)]
    words = rng.choices(vocabulary, k=TEXT_WORDS)
    with path.open("w") as out:
        for number in range(documents):
            if number % 10:
                words = rng.choices(vocabulary, k=TEXT_WORDS)
            else:
                words[rng.randrange(TEXT_WORDS)] = rng.choice(vocabulary)
            out.write(json.dumps({"id": number, "text": " ".join(words)}) + "\n")


def stages(folder: Path, documents: int) -> None:
    source = folder / "texts"
    write_texts(source, documents)
    measure.table_row("command", "s", "s in tasks", "read", "moved", "kept and written", "out")
    measure.table_row(*["---"] * 7)
    for number, command in enumerate(STAGES):
        log, out = folder / f"log{number}", folder / f"out{number}"
        log.mkdir()
        settings = SETTINGS | LOGGED | {"spark.eventLog.dir": str(log), "spark.driver.memory": "2g"}
        words = [
            str(BIN / "simspark"),
            "--master",
            "local[2]",
            *confs(settings),
            "--in",
            str(source),
            "--out",
            str(out),
            command,
        ]
        begun = time.monotonic()
        subprocess.run(words, check=True, env=ENVIRONMENT | HERE, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - begun
        every = list(tasks(log))
        size = sum(path.stat().st_size for path in out.glob("part-*"))
        figures = [sum(sizes) for sizes in zip(*((t.read, t.moved, t.written) for t in every), strict=True)]
        measure.table_row(
            command,
            f"{seconds:.0f}",
            f"{sum(each.seconds for each in every):.0f}",
            *(f"{figure / documents:.0f}" for figure in [*figures, size]),
        )
        source = out


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        if sys.argv[1:2] == ["skew"]:
            skew(Path(temporary))
        else:
            stages(Path(temporary), int((sys.argv[2:] or ["1000000"])[0]))
