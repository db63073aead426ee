"""How the cost of the pipeline grows with the number of documents.

usage: python tests/bench/growth.py DOCS.jsonl PLOT.svg [MOST]

Documents are made of sentences drawn from those of the corpus, 8 each; one in ten is a copy of another with one
sentence exchanged. Sizes grow fourfold from 1,000 to MOST (default 1,000,000). Printed: processor seconds and peak
memory of each stage, once each, and microseconds for a document; plotted: microseconds against documents.
"""

import json
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl

sys.path.insert(0, str(Path(__file__).parent))
from measure import Figures, table_row, timed
from pipeline import STAGES

FIRST, TIMES, MOST = 1000, 4, 1_000_000
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\n")
LENGTH, RECENT = 8, 1000


def make(sentences: Sequence[str], count: int, target: Path) -> None:
    rng = random.Random(1)
    recent: list[list[str]] = []
    with target.open("w") as lines:
        for number in range(count):
            if number % 10 == 9:
                document = list(rng.choice(recent))
                document[rng.randrange(LENGTH)] = rng.choice(sentences)
            else:
                document = rng.choices(sentences, k=LENGTH)
            if len(recent) == RECENT:
                recent[rng.randrange(RECENT)] = document
            else:
                recent.append(document)
            lines.write(json.dumps({"id": number, "text": " ".join(document)}, ensure_ascii=False) + "\n")


def measure(sizes: Sequence[int], sentences: Sequence[str], folder: Path) -> dict[int, list[Figures]]:
    """For each size, what the stages cost, file to file."""
    table_row("documents", *(argv[0] + " CPU s" for argv in STAGES), "us a document", "simjoin's peak MB", "pairs")
    table_row(*["---:"] * (len(STAGES) + 4))
    found = {}
    for size in sizes:
        files = [folder / name for name in ("docs", *(argv[0] for argv in STAGES))]
        make(sentences, size, files[0])
        figures = [timed(argv, files[i], files[i + 1]) for i, argv in enumerate(STAGES)]
        with files[-1].open("rb") as lines:
            pairs = sum(1 for _ in lines)
        each = 1e6 * sum(figure.cpu for figure in figures) / size
        table_row(size, *(f"{figure.cpu:.2f}" for figure in figures), f"{each:.1f}", f"{figures[-1].peak:.0f}", pairs)
        found[size] = figures
    return found


def plot(found: dict[int, list[Figures]], target: Path) -> None:
    mpl.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    sizes = list(found)
    for i, argv in enumerate(STAGES):
        axes.plot(sizes, [1e6 * found[size][i].cpu / size for size in sizes], marker="o", label=argv[0])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("documents")
    axes.set_ylabel("processor time, µs a document")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(target)


def main(corpus: Path, target: Path, most: int) -> None:
    with corpus.open() as lines:
        sentences = [part for line in lines for part in SENTENCE.split(json.loads(line)["text"]) if part.strip()]
    sizes = [FIRST]
    while sizes[-1] < most:
        sizes.append(min(most, sizes[-1] * TIMES))
    with TemporaryDirectory() as name:
        plot(measure(sizes, sentences, Path(name)), target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else MOST)
