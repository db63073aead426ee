"""How good each signature, parameter and peer is, on open texts with planted copies, in tables.

usage: python tests/bench/quality.py [--seeds N] [--only WORDS] FOLDER

Corpora go to FOLDER, tables in Markdown to standard output. What is counted in the same corpora is the same to the
byte with any kernel, on any machine. A share is that of ten seeds together, each of which chooses other texts, copies
and hash functions, and in brackets its interval of 95 % (intervals.py). Takes some twenty minutes on two quiet
processors. Bands: recall in bands of true Jaccard similarity, and of the pairs found the share that is so similar at
least; see bands.py, planted.py, edits.py. Tasks: what pipelines make of copies such as people look for, by labels
alone; see tasks.py, scenarios.py.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import bands
import corpora
import intervals
import planted
import tasks
from measure import table_row

T = TypeVar("T")


def of_seeds(work: Callable[[int], T], seeds: int) -> list[T]:
    """What each seed gives; the work is done by processes, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(work, range(seeds)))


def show(title: str, rows: Iterable[bands.Row]) -> None:
    print(f"\n{title}\n")
    for number, row in enumerate(rows):
        table_row(*row)
        if not number:
            table_row("---", *["---:"] * (len(row) - 1))


def descriptions(folder: Path) -> tuple[planted.Source, planted.Source, planted.Source]:
    """In English, Russian and Chinese."""
    translated = corpora.build_translations(folder)
    return (
        planted.neighbours("descriptions en", corpora.build(folder)["descriptions"]),
        planted.neighbours("descriptions ru", translated["ru"]),
        planted.neighbours("descriptions zh", translated["zh"], spaced=False),
    )


def band_corpora(folder: Path) -> list[bands.Corpus]:
    english, russian, chinese = descriptions(folder)
    pages = corpora.build(folder)["guide"]
    return [
        bands.Corpus(english, 5, 900, "en"),
        bands.Corpus(russian, 5, 540, "ru"),
        bands.Corpus(chinese, 5, 540, "zh"),
        bands.Corpus(planted.guide("guide en", pages, "en"), 10, 180, "en"),
        bands.Corpus(planted.guide("guide ru", pages, "ru"), 10, 180, "ru"),
        bands.Corpus(planted.guide("guide zh", pages, "zh_CN", spaced=False), 5, 180, "zh"),
    ]


def show_bands(corpus: bands.Corpus, seeds: int) -> None:
    counts = of_seeds(lambda seed: bands.measured(corpus, seed), seeds)
    show(f"Bands: {corpus.source.name}, k {corpus.k}", bands.rows(counts))


def show_task(task: tasks.Task, seeds: int) -> None:
    show(f"Task: {task.name}", tasks.rows(of_seeds(lambda seed: tasks.measured(task, seed), seeds)))


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python tests/bench/quality.py")
    parser.add_argument("--seeds", type=int, default=intervals.MOST, choices=range(2, intervals.MOST + 1))
    parser.add_argument("--only", default="", help="corpora and tasks whose name has these words")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(words)
    for corpus in band_corpora(options.folder):
        if options.only in corpus.source.name:
            show_bands(corpus, options.seeds)
    for task in tasks.every(*descriptions(options.folder)):
        if options.only in task.name:
            show_task(task, options.seeds)


if __name__ == "__main__":
    main(sys.argv[1:])
