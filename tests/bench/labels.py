"""How right pipelines and peers are on sets that other people labelled: the tables of man/shingletools-evidence.7.

usage: python tests/bench labels [--only WORDS] [--all] [--programs NAME,...] FOLDER

FOLDER has clones of the repositories in label_sets.py; what is missing is said, with the command that gets it. The
first run puts text-dedup into FOLDER/environments; nothing else is downloaded. FOLDER/labels.jsonl gets each row as
soon as it is measured, with all figures of label_scores.py. What is there already is not measured again: a run that was
stopped goes on, and two runs with other sets or programs can share the work. Printed: the tables, in mdoc.

The best try of a program is the one with the greatest F1 of pairs by all labels, so it says what a program can do; the
rows of simtune say what one gets. text-dedup tells which documents stay, not pairs: its best try has the greatest F1 of
removal. A threshold is no try if a command takes more than LIMIT processor seconds there, or finds more than MANY
pairs for each document: F1 would be below 2 / MANY where true pairs are fewer than documents.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import job_peers
import label_peers
import numpy as np
from jobs import environment
from label_scores import Found, Judge, Score, found
from label_sets import LabelSet, every, missing

from harness import ENVIRONMENT

TS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MANY = 20
LIMIT = 60
STOPPED = 128 + 24  # bash's status if a command took too long: SIGXCPU
FIXED = {
    "default": "shingle -k 10 | sketch -n 84 | simjoin -t 0.8",
    "containment 0.85": "shingle --chars -k 3 | simjoin --measure containment -t 0.85",
}
ADVICE = {"simtune": 0, "simtune by tenth": 10, "simtune by half": 2}  # labels of one in so many things
GRID = (
    "shingle -k 1 | simjoin --measure containment -t {t}",
    "shingle --chars -k 3 | simjoin -t {t}",
    "shingle --chars -k 3 | simjoin --measure containment -t {t}",
    "shingle --word-chars -k 3 | simjoin --weights counted --measure cosine -t {t}",
)
TRIES = "best try"
REMOVER = "text-dedup"
WORDS = (1, 2)  # of its shingles
PROGRAMS = (*FIXED, *ADVICE, TRIES, *label_peers.PROGRAMS, REMOVER)
# A figure, and for each column the first letters of the sets whose mean it is
TABLES = (
    ("removal", {"respir.": "respiratory", "digital": "digital_work", "haemat.": "haematology", "stroke": "stroke",
                 "cytol.": "cytology_screening"}),
    ("f1", {"Python": "humaneval_python", "JS": "humaneval_js", "C": "humaneval_c", "algebra": "abstract_algebra",
            "sociol.": "sociology", "history": "high_school", "GSM8K": "gsm8k"}),
    ("f1", {**{name: name for name in ("D2", "D3", "D4", "D8", "cora", "cddb")}, "joins": "autofj"}),
)  # fmt: skip
Row = dict[str, Any]
NOTHING = found([])


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
        """What a pipeline finds, of two tables only pairs of one with the other; None if it is too much."""
        across = re.sub(r"\bsimjoin\b", "simjoin --across side", pipeline) if self.labelled.sides else pipeline
        argv = ["bash", "-o", "pipefail", "-c", f"ulimit -S -t {LIMIT}; cd {self.folder} && {across}"]
        with subprocess.Popen(argv, stdin=self.docs.open(), stdout=subprocess.PIPE, env=ENVIRONMENT) as run:
            assert run.stdout is not None
            pairs = [json.loads(line) for line in islice(run.stdout, most and most + 1)]
        (self.folder / "simtune.canon").unlink(missing_ok=True)  # the pipeline's own, where it counts shingles
        if run.returncode == STOPPED or (most and len(pairs) > most):
            return None
        assert run.returncode == 0, pipeline
        number = self.judge.number
        return found([(*sorted((number[p["a"]], number[p["b"]])), p["similarity"]) for p in pairs])

    def advice(self, parts: int) -> str:
        """The pipeline that simtune proposes, with labels of one in so many things, or none."""
        options = ["--truth", str(self.labels(parts)), "--field", "group"] if parts else []
        said = subprocess.run(["simtune", *options, self.docs], stdout=subprocess.PIPE, env=ENVIRONMENT, check=True)
        return str(json.loads(said.stdout.splitlines()[-1])["pipeline"])

    def labels(self, parts: int) -> Path:
        """Of all documents of a thing, also where it has one."""
        path = self.folder / "labels.jsonl"
        groups = self.labelled.groups
        with path.open("w") as lines:
            for each in self.judge.number:
                thing = groups.get(each, each)
                if hashlib.blake2b(thing.encode()).digest()[0] % parts == 0:
                    lines.write(json.dumps({"id": each, "group": thing}) + "\n")
        return path

    def grid(self) -> Iterator[tuple[str, Found]]:
        """A join at the lowest threshold that is not too much has the pairs of all higher ones."""
        for pipeline in GRID:
            pairs = None
            for t in TS:
                if pairs is None:
                    pairs = self.pairs(pipeline.format(t=t), self.most)
                if pairs is not None:
                    yield pipeline.format(t=t), pairs.where(pairs.similarity >= t)

    def peer(self, name: str) -> Iterator[tuple[str, Found]]:
        out = self.folder / "peer"
        out.mkdir(exist_ok=True)
        thresholds = ",".join(map(str, TS))
        argv = [
            sys.executable,
            label_peers.__file__,
            name,
            thresholds,
            str(self.docs),
            str(out),
            str(self.most),
            str(LIMIT),
        ]
        subprocess.run(argv, check=True)
        for path in sorted(out.glob(f"{name} *.npz")):
            with np.load(path) as arrays:
                for t, (a, b, similarity) in ((t, arrays[t].T) for t in arrays):
                    yield f"{path.stem}, {t}", Found(a.astype(int), b.astype(int), similarity)

    def best(self, tries: Iterable[tuple[str, Found]]) -> tuple[str, Found] | None:
        """The try with the greatest F1; of two tables, with all pairs or the best."""
        ranked = []
        for tried, pairs in tries:
            for name, some in {tried: pairs, f"{tried} --best 1": pairs.best()}.items():
                if some is pairs or self.labelled.sides:
                    ranked.append((2 * self.judge.right(some).sum() / (len(some.a) + len(self.judge.keys)), name, some))
        return max(ranked, key=lambda each: each[0])[1:] if ranked else None

    def kept_by_text_dedup(self, clones: Path) -> Iterator[tuple[str, Score]]:
        program = [str(environment(clones / "environments", REMOVER)), job_peers.__file__, REMOVER]
        for k, t in product(WORDS, TS):
            with TemporaryDirectory() as scratch:
                argv = [*program, str(k), str(label_peers.HASHES), str(t), str(self.docs), scratch]
                said = subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout
            stay = {json.loads(line)["id"] for line in said.splitlines()}
            gone = np.array([each not in stay for each in self.judge.number])
            yield f"{REMOVER} w{k}, {t}", self.judge.score(NOTHING, gone)

    def row(self, program: str, clones: Path) -> tuple[str, Score] | None:
        """What was tried and how good it is; None if each try is too much."""
        if program == REMOVER:
            return max(self.kept_by_text_dedup(clones), key=lambda each: each[1].removal)
        if program in (*FIXED, *ADVICE):
            tried = FIXED.get(program) or self.advice(ADVICE[program])
            pairs = self.pairs(tried)
            return None if pairs is None else (tried, self.judge.score(pairs))
        best = self.best(self.grid() if program == TRIES else self.peer(program))
        return best and (best[0], self.judge.score(best[1]))


def measure(labelled: LabelSet, programs: Sequence[str], clones: Path, kept: Path) -> None:
    """Adds a line for each program."""
    with TemporaryDirectory() as folder:
        bench = Bench(labelled, Path(folder))
        for program in programs:
            tried, score = bench.row(program, clones) or (None, None)
            row = {"set": labelled.name, "program": program, "tried": tried} | (score._asdict() if score else {})
            with kept.open("a") as lines:
                lines.write(json.dumps(row) + "\n")


def read(kept: Path) -> list[Row]:
    return [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []


def show(rows: list[Row], figure: str, columns: dict[str, str]) -> None:
    """What was measured, in mdoc; then how far the intervals of 95 % reach, of a mean that over sets."""
    sets = {row["set"] for row in rows}
    columns = {name: start for name, start in columns.items() if any(each.startswith(start) for each in sets)}
    print('.Bl -column "containment 0.85" ' + " ".join(['".000"'] * len(columns)))
    print(" Ta ".join([".It", *columns]))
    reach = []
    for program in PROGRAMS:
        cells = []
        for start in columns.values():
            each = [row for row in rows if row["program"] == program and row["set"].startswith(start)]
            values = [row[figure] for row in each if row["tried"]]
            if not values or len(values) < sum(name.startswith(start) for name in sets):
                cells.append("\\-")
                continue
            cells.append(f"{np.mean(values):.3f}".removeprefix("0"))
            low, high = each[0][f"{figure}_interval"]
            reach.append((high - low) / 2 if len(each) == 1 else 1.96 * float(np.std(values)) / len(each) ** 0.5)
        if set(cells) != {"\\-"}:
            print(" Ta ".join([f".It {program}".replace("-", "\\-"), *cells]))
    reach = reach or [0]
    print(
        f".El\n.Pp\nThe intervals reach {np.median(reach):.3f} to either side in the middle, {max(reach):.3f} at most."
    )


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python tests/bench labels")
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
    reviews = tuple(TABLES[0][1].values())
    kept = options.folder / "labels.jsonl"
    done = {(row["set"], row["program"]) for row in read(kept)}
    sets = {each.name: each for each in every(options.folder)}
    joins = [name for name in sets if name.startswith("autofj")]
    for name in [] if options.all else set(joins) - set(joins[4::5]):
        del sets[name]
    with ThreadPoolExecutor(options.jobs) as pool:
        tasks = []
        for name, labelled in sets.items():
            programs = [
                program for program in options.programs.split(",")
                if (name, program) not in done and (program != REMOVER or name in reviews)
            ]  # fmt: skip
            if programs and name.startswith(options.only):
                tasks.append(pool.submit(measure, labelled, programs, options.folder, kept))
        for task in tasks:
            task.result()
    rows = [row for row in read(kept) if row["set"] in sets]
    for figure, columns in TABLES:
        show(rows, figure, columns)


if __name__ == "__main__":
    main(sys.argv[1:])
