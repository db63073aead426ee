"""How right pipelines are on sets that other people labelled: the tables of man/shingletools-evidence.7.

usage: python tests/bench/labels.py [--only WORDS] [--all] [--programs NAME,...] FOLDER

FOLDER has clones of the repositories in label_sets.py; what is missing is said, with the command that gets it.
FOLDER/labels.jsonl gets each row as soon as it is measured, with all figures of label_scores.py. What is there already
is not measured again: a run that was stopped goes on, and two runs with other sets or programs can share the work.
Printed: the tables, in mdoc.

The best try is the one with the greatest F1 of pairs by all labels, so it says what can be found; the rows of simtune
say what one gets. A threshold is no try if a command takes more than LIMIT processor seconds there, or
finds more than MANY pairs for each document: F1 would be below 2 / MANY where true pairs are fewer than documents.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from label_scores import Found, Judge, found
from label_sets import LabelSet, every, missing

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import ENVIRONMENT

TS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MANY = 20
LIMIT = 15
STOPPED = 128 + 24  # bash's status if a command took too long: SIGXCPU
FIXED = {
    "default": "shingle -k 10 | sketch -n 84 | simjoin -t 0.8",
    "words 0.75": "shingle -k 1 | simjoin -t 0.75",
    "containment 0.85": "shingle --chars -k 3 | simjoin --measure containment -t 0.85",
}
ADVICE = {"simtune": 0, "simtune by half": 2}  # labels of one in so many things
GRID = (
    "shingle -k 1 | simjoin --measure containment -t {t}",
    "shingle --chars -k 3 | simjoin -t {t}",
    "shingle --chars -k 3 | simjoin --measure containment -t {t}",
    "shingle --word-chars -k 3 | simjoin --weights counted --measure cosine -t {t}",
)
TRIES = "best try"
PROGRAMS = (*FIXED, *ADVICE, TRIES)
# A figure, and for each column the first letters of the sets whose mean it is
TABLES = (
    (
        "removal",
        {
            "respir.": "respiratory",
            "digital": "digital_work",
            "haemat.": "haematology",
            "stroke": "stroke",
            "cytol.": "cytology_screening",
        },
    ),
    (
        "f1",
        {
            "Python": "humaneval_python",
            "JS": "humaneval_js",
            "C": "humaneval_c",
            "algebra": "abstract_algebra",
            "sociol.": "sociology",
            "history": "high_school",
            "GSM8K": "gsm8k",
        },
    ),
    ("f1", {**{name: name for name in ("D2", "D3", "D4", "D8", "cora", "cddb")}, "joins": "autofj"}),
    ("f1", {r"\&D1": "D1", "D5": "D5", "D6": "D6", "D7": "D7", "restaur.": "restaurants", "Chicago": "Chicago"}),
)
Row = dict[str, Any]


class Bench:
    """A set, its canonical words in a file, and its labels."""

    def __init__(self, labelled: LabelSet, folder: Path) -> None:
        self.labelled = labelled
        self.folder = folder
        self.judge = Judge(labelled)
        self.most = MANY * self.judge.count
        self.docs = folder / "docs.canon"
        with (folder / "docs.jsonl").open("w") as docs:
            for each in labelled.documents:
                record = {name: each[name] for name in ("id", "text", "side") if name in each}
                docs.write(json.dumps(record, ensure_ascii=False) + "\n")
        subprocess.run(["canon", "-o", self.docs, folder / "docs.jsonl"], env=ENVIRONMENT, check=True)

    def pairs(self, pipeline: str, most: int | None = None) -> Found | None:
        """What a pipeline finds, of two tables only pairs of one with the other; None if it is too much for a try."""
        against = " --against " in pipeline  # as simtune has it; it has made a file of the right table, too
        join = "simjoin --across side" if self.labelled.sides and not against else "simjoin"
        limit, head = (LIMIT, f" | head -n {most + 1}") if most else ("unlimited", "")
        docs = self.folder / "r.canon" if against else self.docs
        script = f"ulimit -S -t {limit}; " + re.sub(r"\bsimjoin\b", join, pipeline) + head
        argv = ["bash", "-o", "pipefail", "-c", script]
        with docs.open("rb") as lines:
            ran = subprocess.run(argv, stdin=lines, capture_output=True, env=ENVIRONMENT, check=False, cwd=self.folder)
        for path in self.folder.glob("simtune.*"):  # the pipeline's own
            path.unlink()
        pairs = [json.loads(line) for line in ran.stdout.splitlines()]
        if most and (ran.returncode == STOPPED or len(pairs) > most):
            return None
        assert ran.returncode == 0, (pipeline, ran.stderr)
        number = self.judge.number
        return found([(*sorted((number[p["a"]], number[p["b"]])), p["similarity"]) for p in pairs])

    def advice(self, parts: int) -> str:
        """The pipeline that simtune proposes, with labels of one in so many things, or none; of two tables, for the
        right one against the left one.
        """
        options = ["--field", "group"] if parts else []
        if self.labelled.sides:
            options += ["--against", self.part("l", parts).name]
        argv = ["simtune", *options, self.part("r", parts).name]
        said = subprocess.run(argv, stdout=subprocess.PIPE, env=ENVIRONMENT, check=True, cwd=self.folder)
        return str(json.loads(said.stdout.splitlines()[-1])["pipeline"])

    def part(self, side: str, parts: int) -> Path:
        """One of two tables, or all documents, with labels of all documents of one in so many things."""
        path = self.folder / f"{side}.canon"
        groups = self.labelled.groups
        with self.docs.open() as docs, path.open("w") as lines:
            for record in map(json.loads, docs):
                thing = groups.get(record["id"], record["id"])
                labelled = parts and hashlib.blake2b(thing.encode()).digest()[0] % parts == 0
                if record.get("side", side) == side:
                    lines.write(json.dumps(record | {"group": thing if labelled else None}) + "\n")
        return path

    def joined(self, pipeline: str) -> Iterator[tuple[str, Found]]:
        """The lowest threshold that is not too much has the pairs of all higher ones."""
        run = cache(lambda t: self.pairs(pipeline.format(t=t), self.most))
        few = TS[bisect_left(TS, True, key=lambda t: run(t) is not None) :]
        if few and (lowest := run(few[0])):
            yield from ((pipeline.format(t=t), lowest.where(lowest.similarity >= t)) for t in few)

    def best(self, tries: Iterable[tuple[str, Found]]) -> tuple[str, Found] | None:
        """The try with the greatest F1; of two tables, with all pairs or the best."""
        every = []
        for tried, pairs in tries:
            every.append((tried, pairs))
            if self.labelled.sides:
                every.append((f"{tried} --best 1", pairs.best()))
        return max(every, key=lambda each: self.judge.f1(each[1]), default=None)

    def tried(self, program: str) -> tuple[str, Found] | None:
        """What was tried, and what it found; None if each try is too much."""
        if program == TRIES:
            return self.best(chain.from_iterable(map(self.joined, GRID)))
        pipeline = FIXED.get(program) or self.advice(ADVICE[program])
        return (pipeline, pairs) if (pairs := self.pairs(pipeline)) else None


def measure(labelled: LabelSet, programs: Sequence[str], kept: Path) -> None:
    """Adds a line for each program."""
    with TemporaryDirectory() as folder:
        bench = Bench(labelled, Path(folder))
        for program in programs:
            row: Row = {"set": labelled.name, "program": program, "tried": None, "true": len(labelled.truth)}
            if done := bench.tried(program):
                row |= {"tried": done[0]} | bench.judge.score(done[1])._asdict()
            with kept.open("a") as lines:
                lines.write(json.dumps(row) + "\n")


def read(kept: Path) -> list[Row]:
    return [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []


def show(rows: list[Row], figure: str, columns: dict[str, str]) -> None:
    """What was measured, in mdoc."""
    sets = {row["set"] for row in rows}
    columns = {name: start for name, start in columns.items() if any(each.startswith(start) for each in sets)}
    print('.Bl -column "containment 0.85" ' + " ".join(['".000"'] * len(columns)))
    print(" Ta ".join([".It", *columns]))
    for program in PROGRAMS:
        cells = []
        for start in columns.values():
            each = [row for row in rows if row["program"] == program and row["set"].startswith(start)]
            values = [row[figure] for row in each if row["tried"]]
            if not values or len(values) < sum(name.startswith(start) for name in sets):
                cells.append("\\-")
                continue
            cells.append(f"{np.mean(values):.3f}".removeprefix("0"))
        if set(cells) != {"\\-"}:
            print(" Ta ".join([f".It {program}".replace("-", "\\-"), *cells]))
    print(".El")


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python tests/bench/labels.py")
    parser.add_argument("--only", default="", help="sets whose name begins so")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help=f"of {'; '.join(PROGRAMS)}")
    parser.add_argument("--all", action="store_true", help="all fifty fuzzy joins, not every fifth")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="sets at once")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(words)
    if unknown := set(options.programs.split(",")) - {*PROGRAMS}:
        parser.error(f"no such program: {', '.join(unknown)}")
    if absent := missing(options.folder):
        parser.exit(2, "\n".join(absent) + "\n")
    kept = options.folder / "labels.jsonl"
    done = {(row["set"], row["program"]) for row in read(kept)}
    sets = {each.name: each for each in every(options.folder)}
    joins = [name for name in sets if name.startswith("autofj")]
    for name in [] if options.all else set(joins) - set(joins[4::5]):
        del sets[name]
    with ThreadPoolExecutor(options.jobs) as pool:
        tasks = []
        for name, labelled in sorted(sets.items(), key=lambda each: len(each[1].documents)):
            programs = [program for program in options.programs.split(",") if (name, program) not in done]
            if programs and name.startswith(options.only):
                tasks.append(pool.submit(measure, labelled, programs, kept))
        for task in tasks:
            task.result()
    rows = [row for row in read(kept) if row["set"] in sets]
    for figure, columns in TABLES:
        show(rows, figure, columns)


if __name__ == "__main__":
    main(sys.argv[1:])
