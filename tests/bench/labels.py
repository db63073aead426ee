"""How right pipelines and peers are on sets that other people labelled: man/shingletools-evidence.7 has the tables.

usage: python tests/bench labels [--only WORDS] [--all] [--programs NAME,...] FOLDER

FOLDER has clones of the repositories in label_sets.py; what is missing is said, with the command that gets it. Nothing
is downloaded. Printed, in Markdown: for each set a row for the default pipeline, for what simtune says without labels
and with those of a tenth and of half of the things, which say nothing of the others, and for the best of the tries of
each program: UNITS by TS, and on two tables the same with the best partners only. The best try is the one with
the greatest F1 of pairs by all labels, for each program alike; so these rows say what a program can do, and the first
three what one gets. See label_scores.py for the figures. Of the fuzzy joins every fifth is taken, with --all each.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import label_peers
import numpy as np
from label_scores import Found, Judge, Score, found
from label_sets import LabelSet, every, missing
from measure import Figures, table_row, timed

from harness import ENVIRONMENT

TS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
DEFAULT = "shingle -k 10 | sketch -n 84 | simjoin -t 0.8"
MANY = 20  # pairs for each document: of ours, no lower threshold is tried
GRID = (
    "shingle -k 1 | simjoin --measure containment -t {t}",
    "shingle --chars -k 3 | simjoin -t {t}",
    "shingle --chars -k 3 | simjoin --measure containment -t {t}",
    "shingle --word-chars -k 3 | simjoin --measure cosine -t {t}",
)
PROGRAMS = ("shingletools", *label_peers.PROGRAMS)
HEAD = "program|try|precision|recall|F1 (95 %)|removal F1 (95 %)|wrongly|left|pairs for .9|CPU s|MB".split("|")


class Row(NamedTuple):
    program: str
    tried: str
    score: Score
    candidates: float | None
    cost: Figures


class Bench:
    """A set, its canonical words in a file, and its labels."""

    def __init__(self, labelled: LabelSet, folder: Path) -> None:
        self.labelled = labelled
        self.folder = folder
        self.judge = Judge(labelled)
        self.docs = folder / "docs.canon"
        with (folder / "docs.jsonl").open("w") as docs:
            for each in labelled.documents:
                record = {name: each[name] for name in ("id", "text", "side") if name in each}
                docs.write(json.dumps(record, ensure_ascii=False) + "\n")
        subprocess.run(["canon", "-o", self.docs, folder / "docs.jsonl"], env=ENVIRONMENT, check=True)
        self.lines = [each["id"] for each in labelled.documents]

    def shell(self, pipeline: str) -> list[str]:
        """A command that reads the words and writes pairs; of two tables only those of one with the other."""
        across = re.sub(r"\bsimjoin\b", "simjoin --across side", pipeline) if self.labelled.sides else pipeline
        return ["bash", "-o", "pipefail", "-c", f"cd {self.folder} && {across}"]

    def ours(self, pipeline: str) -> tuple[Found, Figures]:
        """The pairs of a pipeline, and what it took."""
        out = self.folder / "pairs.jsonl"
        cost = timed(self.shell(pipeline), self.docs, out)
        (self.folder / "simtune.canon").unlink(missing_ok=True)  # the pipeline's own, where it counts shingles
        with out.open("rb") as lines:
            pairs = [json.loads(line) for line in lines]
        numbers = [(*sorted((self.judge.number[p["a"]], self.judge.number[p["b"]])), p["similarity"]) for p in pairs]
        return found(numbers), cost

    def row(self, program: str, tried: str, pairs: Found, cost: Figures, every_pair: Found | None = None) -> Row:
        candidates = None if every_pair is None else self.judge.candidates(every_pair)
        return Row(program, tried, self.judge.score(pairs), candidates, cost)

    def advice(self, *options: str) -> str:
        """The pipeline that simtune proposes."""
        said = subprocess.run(["simtune", *options, self.docs], stdout=subprocess.PIPE, env=ENVIRONMENT, check=True)
        return str(json.loads(said.stdout.splitlines()[-1])["pipeline"])

    def labels(self, parts: int) -> Path:
        """Labels of one in so many things: of all their documents, also where a thing has one document."""
        path = self.folder / "labels.jsonl"
        groups = self.labelled.groups
        with path.open("w") as lines:
            for each in self.lines:
                thing = groups.get(each, each)
                if hashlib.blake2b(thing.encode()).digest()[0] % parts == 0:
                    lines.write(json.dumps({"id": each, "group": thing}) + "\n")
        return path

    def best(self, tries: Iterator[tuple[str, float, Found]]) -> tuple[str, float, bool, Found]:
        """The try with the greatest F1; of two tables, with all pairs or the best."""
        ranked = []
        for tried, t, pairs in tries:
            for only_best in (False, True) if self.labelled.sides else (False,):
                some = pairs.best() if only_best else pairs
                right = int(self.judge.right(some).sum())
                f1 = 2 * right / max(1, len(some.a) + len(self.judge.keys))
                ranked.append((f1, t, tried, only_best, some))
        _, t, tried, only_best, pairs = max(ranked, key=lambda each: each[:2])
        return tried, t, only_best, pairs

    def grid(self) -> Row:
        """From the highest threshold down, as long as there are not too many pairs to look at."""
        tries: list[tuple[str, float, Found]] = []
        for pipeline in GRID:
            for t in reversed(TS):
                tries.append((pipeline, t, self.ours(pipeline.format(t=t))[0]))
                if len(tries[-1][2].a) > MANY * self.judge.count:
                    break
        tried, t, only_best, _ = self.best(iter(tries))
        command = tried.format(t=t) + (" --best 1" if only_best else "")
        again, cost = self.ours(command)  # where two partners differ by less than is written, it tells them apart
        lowest = [some for pipeline, _, some in tries if pipeline == tried][-1]
        return self.row("shingletools, best of the tries", command, again, cost, lowest)

    def peer(self, name: str) -> Row | None:
        """The best of its tries; None if it would take too long."""
        if name == "RapidFuzz" and label_peers.Corpus(str(self.docs)).work() > label_peers.MOST:
            return None
        out = self.folder / "peer.npz"

        def run(units: str, thresholds: tuple[float, ...]) -> tuple[list[Found], Figures]:
            argv = [sys.executable, label_peers.__file__, name, units, ",".join(map(str, thresholds))]
            cost = timed([*argv, str(self.docs), str(out)], self.docs, self.folder / "said")
            with np.load(out) as arrays:
                each = [arrays[str(t)] for t in thresholds]
            return [Found(some[:, 0].astype(int), some[:, 1].astype(int), some[:, 2]) for some in each], cost

        tries: list[tuple[str, float, Found]] = []
        for units in label_peers.UNITS[name]:
            tries += [(units, t, some) for t, some in zip(TS, run(units, TS)[0], strict=True)]
        units, t, only_best, pairs = self.best(iter(tries))
        every_pair = next(some for tried, least, some in tries if (tried, least) == (units, TS[0]))
        tried = f"{units}, {t:g}" + (", best 1" if only_best else "")
        return self.row(name, tried, pairs, run(units, (t,))[1], every_pair)

    def rows(self, programs: Sequence[str]) -> Iterator[Row]:
        if PROGRAMS[0] in programs:
            for program, pipeline in (
                ("default", DEFAULT),
                ("simtune", self.advice()),
                ("simtune, a tenth", self.advice("--truth", str(self.labels(10)), "--field", "group")),
                ("simtune, half", self.advice("--truth", str(self.labels(2)), "--field", "group")),
            ):
                yield self.row(program, pipeline, *self.ours(pipeline))
            yield self.grid()
        for name in label_peers.PROGRAMS:
            if name in programs and (row := self.peer(name)) is not None:
                yield row


def share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def show(row: Row) -> None:
    score = row.score
    table_row(
        row.program, f"`{row.tried}`".replace("|", "\\|"), share(score.precision), share(score.recall),
        f"{score.f1:.3f} {score.f1_interval}",
        f"{score.removal:.3f} {score.removal_interval}",
        score.wrong, score.left, "" if row.candidates is None else f"{row.candidates:.2f}",
        f"{row.cost.cpu:.2f}", f"{row.cost.peak:.0f}",
    )  # fmt: skip


def chosen(clones: Path, only: str, whole: bool) -> Iterator[LabelSet]:
    joins = 0
    for labelled in every(clones):
        if labelled.name.startswith("autofj"):
            joins += 1
            if not whole and joins % 5:
                continue
        if only in labelled.name:
            yield labelled


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python tests/bench labels")
    parser.add_argument("--only", default="", help="sets whose name has these words")
    parser.add_argument("--all", action="store_true", help="all fifty fuzzy joins")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(words)
    if absent := missing(options.folder):
        parser.exit(2, "\n".join(absent) + "\n")
    totals: dict[str, list[Score]] = {}
    for labelled in chosen(options.folder, options.only, options.all):
        many = f"{len(labelled.documents)} documents, {len(labelled.truth)} true pairs"
        print(f"\n{labelled.name}: {many}{', of two tables' if labelled.sides else ''}\n")
        table_row(*HEAD)
        table_row("---", "---", *["---:"] * (len(HEAD) - 2))
        with TemporaryDirectory() as folder:
            for row in Bench(labelled, Path(folder)).rows(options.programs.split(",")):
                show(row)
                totals.setdefault(row.program, []).append(row.score)
    print("\nMeans over sets\n")
    table_row("program", "sets", "F1", "removal F1")
    table_row("---", "---:", "---:", "---:")
    for program, scores in totals.items():
        f1s, removals = ([getattr(score, name) for score in scores] for name in ("f1", "removal"))
        table_row(program, len(scores), share(float(np.mean(f1s))), share(float(np.mean(removals))))


if __name__ == "__main__":
    main(sys.argv[1:])
