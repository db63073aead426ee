"""simspark on synthetic records: what its tasks hold and what it moves, from Spark's own log of events.

usage: python tests/bench/cluster.py [DOCUMENTS]

DOCUMENTS (default 1,000,000) texts of 100 words, one in ten of which is another with a word changed, through
the pipeline one command after the other, on local[2]. Tells seconds, and bytes a document, read, moved and written.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
import measure

from harness import BIN, ENVIRONMENT
from spark.cluster import HERE, SETTINGS, confs

TEXT_WORDS, VOCABULARY = 100, 50_000
STAGES = ("canon", "shingle -k 10", "sketch -n 84", "simjoin -t 0.8", "simgroup")
LOGGED = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
}


class Task(NamedTuple):
    """What the log says of one task; sizes in bytes."""

    seconds: float
    read: int  # from files
    moved: int  # for other tasks
    written: int  # to files


def tasks(folder: Path) -> Iterator[Task]:
    for path in folder.iterdir():
        for line in path.open("rb"):
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                metrics = event["Task Metrics"]
                yield Task(
                    metrics["Executor Run Time"] / 1000,
                    metrics["Input Metrics"]["Bytes Read"],
                    metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"],
                    metrics["Output Metrics"]["Bytes Written"],
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
        stages(Path(temporary), int((sys.argv[1:] or ["1000000"])[0]))
