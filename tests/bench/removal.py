"""How right a removal of near-duplicates is, by labels: what went, what should have gone, what is doubtful.

usage: python tests/bench/removal.py [--sets seen|held-out|NAME,...] [--command WORDS] [--jsonl] FOLDER
       python tests/bench/removal.py --list FOLDER

FOLDER is what label_sets.py made. WORDS are a command (default `shingletools unique`, that of the PATH), which gets a
file, `-o KEPT --removed GONE`, and if its --help names it, `--doubtful PAIRS`. The file is
docs.ris if the set has one and --jsonl is not given, else docs.jsonl, the rows of two tables one after the other.

True pairs connect documents to things.
  precision  of what went, the share of documents of whose thing one stays
  recall     of what could go (of each thing all documents but one), the share that went so
  F1         their harmonic mean
  P= R= F1=  the same if documents with the same words, whatever their case and marks, are one thing, too: in sets of
             two tables nobody labelled the copies within one
  doubtful   pairs in the file of doubtful ones
  share      of the true pairs whose documents both stay, those among the doubtful
  s          processor seconds, of all processes

The sets are halved by a bit of BLAKE3 of their names. Of the half that is held out, only means are shown, so that
nobody chooses by it; a mean is over sets, the precision's over those of which something went, the share is of all
pairs.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from blake3 import blake3
from label_sets import LabelSet

RECORDS = {".jsonl": re.compile(rb".*\n"), ".ris": re.compile(rb"TY  - .*?^ER  - *\n", re.DOTALL | re.MULTILINE)}
HALVES = ("seen", "held-out")
COLUMNS = "docs pairs gone precision recall F1 P= R= F1= doubtful share s"


class Counts(NamedTuple):
    """What went, and what should have gone."""

    gone: int
    right: int
    could_go: int

    @property
    def precision(self) -> float | None:
        return self.right / self.gone if self.gone else None

    @property
    def recall(self) -> float | None:
        return self.right / self.could_go if self.could_go else None

    @property
    def f1(self) -> float | None:
        return 2 * self.right / (self.gone + self.could_go) if self.gone + self.could_go else None


class Row(NamedTuple):
    name: str
    kind: str
    documents: int
    pairs: int
    labels: Counts
    words: Counts
    doubtful: int | None  # none: the command does not say which are
    stay: int  # true pairs whose documents both stay
    found: int  # of these, the doubtful ones
    seconds: float


def counted(labelled: LabelSet, gone: set[str]) -> Counts:
    groups = labelled.groups
    things: dict[str, list[str]] = {}
    for each in labelled.documents:
        things.setdefault(groups.get(each["id"], each["id"]), []).append(each["id"])
    right = sum(sum(each in gone for each in of) for of in things.values() if not gone.issuperset(of))
    return Counts(len(gone), right, sum(len(of) - 1 for of in things.values()))


def with_words(labelled: LabelSet) -> LabelSet:
    """The same, where documents with the same words are true pairs, too."""
    same: dict[tuple[str, ...], list[str]] = {}
    for each in labelled.documents:
        if words := tuple(re.findall(r"\w+", each["text"].casefold())):
            same.setdefault(words, []).append(each["id"])
    return labelled._replace(truth=labelled.truth.union(*map(pairwise, same.values())))


def read(folder: Path) -> LabelSet:
    documents, pairs = (
        [json.loads(line) for line in (folder / name).open(encoding="utf-8")] for name in ("docs.jsonl", "truth.jsonl")
    )
    return LabelSet(folder.name, documents, frozenset((each["a"], each["b"]) for each in pairs), "side" in documents[0])


def places(every: Sequence[bytes], some: Iterable[bytes]) -> list[int]:
    """Where records stand in a file, of which they are some, in the same order."""
    numbered = iter(enumerate(every))
    return [next(number for number, each in numbered if each == one) for one in some]


def measured(labelled: LabelSet, path: Path, command: Sequence[str], says_doubtful: bool) -> Row:
    with TemporaryDirectory() as scratch:
        kept, gone, doubtful = (
            Path(scratch, name) for name in ("kept" + path.suffix, "gone" + path.suffix, "pairs.jsonl")
        )
        more = ["--doubtful", str(doubtful)] if says_doubtful else []
        with Path(scratch, "messages").open("wb") as messages:
            argv = [*command, str(path), "-o", str(kept), "--removed", str(gone), *more]
            process = subprocess.Popen(argv, stdout=messages, stderr=messages)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{shlex.join(argv)}: status {process.returncode}\n{Path(messages.name).read_text()}")
        every, stay, went = (RECORDS[path.suffix].findall(file.read_bytes()) for file in (path, kept, gone))
        assert len(every) == len(labelled.documents) == len(stay) + len(went), labelled.name
        pairs = [json.loads(line) for line in doubtful.open(encoding="utf-8")] if says_doubtful else []
    ids = [each["id"] for each in labelled.documents]
    names = {str(n): each for n, each in enumerate(ids, 1)} if path.suffix == ".ris" else {each: each for each in ids}
    remaining = {ids[place] for place in places(every, stay)}
    left = {frozenset(pair) for pair in labelled.truth if remaining.issuperset(pair)}
    removed = set(ids) - remaining
    return Row(
        labelled.name,
        kind(path.parent),
        len(ids),
        len(labelled.truth),
        counted(labelled, removed),
        counted(with_words(labelled), removed),
        len(pairs) if says_doubtful else None,
        len(left),
        len(left & {frozenset((names[str(pair["a"])], names[str(pair["b"])])) for pair in pairs}),
        usage.ru_utime + usage.ru_stime,
    )


def kind(folder: Path) -> str:
    """Citations, titles that are to be joined, or something else."""
    return "citations" if (folder / "docs.ris").exists() else "autofj" if folder.name.startswith("autofj") else "others"


def half(name: str) -> str:
    return HALVES[blake3(name.encode()).digest()[0] % 2 == 0]


def shown(*cells: float | str | None) -> str:
    """A row of a table: a name, and figures; shares have a point."""
    name, *figures = cells
    texts = ("-" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in figures)
    return f"{name:<38}" + "".join(f"{text:>10}" for text in texts)


def table_row(row: Row) -> str:
    share = row.found / row.stay if row.stay and row.doubtful is not None else None
    scores = [value for each in (row.labels, row.words) for value in (each.precision, each.recall, each.f1)]
    return shown(row.name, row.documents, row.pairs, row.labels.gone, *scores, row.doubtful, share, row.seconds)


def means(name: str, rows: Sequence[Row]) -> str:
    def over(values: Iterable[float | None]) -> float | None:
        return mean(there) if (there := [value for value in values if value is not None]) else None

    counts = [[row[place] for row in rows] for place in map(Row._fields.index, ("labels", "words"))]
    scores = [over(getattr(each, score) for each in of) for of in counts for score in ("precision", "recall", "f1")]
    stay, said = sum(row.stay for row in rows), [row.doubtful for row in rows if row.doubtful is not None]
    share = sum(row.found for row in rows) / stay if stay and said else None
    sums = (sum(row.documents for row in rows), sum(row.pairs for row in rows), sum(row.labels.gone for row in rows))
    return shown(name, *sums, *scores, sum(said) if said else None, share, sum(row.seconds for row in rows))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tests/bench/removal.py")
    parser.add_argument("--sets", default=HALVES[0], help="seen, held-out, or names (default seen)")
    parser.add_argument("--command", type=shlex.split, default=["shingletools", "unique"])
    parser.add_argument("--jsonl", action="store_true", help="read docs.jsonl, also of citations")
    parser.add_argument("--list", action="store_true", help="print which sets are in which half")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    folders = sorted(path.parent for path in options.folder.glob("*/truth.jsonl"))
    if options.list:
        sys.exit(print(*(f"{half(each.name):<10}{each.name}" for each in folders), sep="\n"))
    chosen = [each for each in folders if options.sets == half(each.name) or each.name in options.sets.split(",")]
    helped = subprocess.run([*options.command, "--help"], capture_output=True, check=False, text=True).stdout
    rows: list[Row] = []
    print(shown("set", *COLUMNS.split()))
    for folder in chosen:
        path = folder / ("docs.jsonl" if options.jsonl or not (folder / "docs.ris").exists() else "docs.ris")
        rows.append(measured(read(folder), path, options.command, "--doubtful" in helped))
        if options.sets != HALVES[1]:
            print(table_row(rows[-1]), flush=True)
    for each in sorted({row.kind for row in rows}):
        of = [row for row in rows if row.kind == each]
        print(means(f"{len(of)} of {each}: means", of))
    print(means(f"{len(rows)} sets: means", rows))


if __name__ == "__main__":
    main()
