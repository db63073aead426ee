"""What simshow costs and finds, beside difflib's matching blocks and copydetect.

usage: python tests/bench/passages.py [--sample N] [--long MB] DOCS.jsonl

Printed, as tables in Markdown, in processor seconds: pairs a second and peak memory of `simshow --json` on all pairs of
DOCS that are 0.8 alike by runs of 10 words, reading the documents included; pairs a second of each program on the same
N of these pairs (default 2000), and on N of those whose words differ, in one process, from texts, each prepared once,
to the places of what they share; the words that were planted in N pairs of other documents and found again, and how
many others were marked; and two texts of so many MB (default 10).

difflib compares words, and of its blocks those of five words count; copydetect compares characters, 25 in a row, as it
does without options, with its filter of code turned off. What is planted is a document of 40 words or more, between
the halves of two others: as it is; with its halves changed about; with one word in eight replaced.
"""

import argparse
import difflib
import io
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from measure import table_row, timed

from shingletools.commands.simshow.documents import Reader
from shingletools.commands.simshow.passages import EQUAL, Manner, Text, compare
from shingletools.commands.simshow.prepared import Prepared

K, CHARACTERS = 5, 25
PLANTED = 40  # words at least
WORD = re.compile(r"\w+")
Places = list[tuple[int, int]]  # in code points of the second text, of what it shares with the first


class Ours:
    def __init__(self) -> None:
        self.read = Reader("text", "")
        self.manner = Manner(10, self.read.vocabulary.spelled)

    def prepare(self, text: str) -> Text:
        shown = self.read(0, {"text": text})
        return Text(shown, Prepared(shown.words, K))

    def share(self, a: Text, b: Text) -> Places:
        found = compare(a, b, None, self.manner)
        return [piece.b for passage in found.passages for piece in passage.pieces if piece.kind == EQUAL]


class ByDifflib:
    def prepare(self, text: str) -> tuple[list[str], list[tuple[int, int]]]:
        words = list(WORD.finditer(text.lower()))
        return [word[0] for word in words], [word.span() for word in words]

    def share(self, a: tuple[list[str], Places], b: tuple[list[str], Places]) -> Places:
        matcher = difflib.SequenceMatcher(None, a[0], b[0], autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size >= K]
        return [(b[1][block.b][0], b[1][block.b + block.size - 1][1]) for block in blocks]


class ByCopydetect:
    def prepare(self, text: str) -> Any:
        from copydetect import CodeFingerprint

        return CodeFingerprint("x", CHARACTERS, 1, filter=False, fp=io.StringIO(text))

    def share(self, a: Any, b: Any) -> Places:
        from copydetect import compare_files

        slices = compare_files(a, b)[2][1]
        return [(int(start), int(end)) for start, end in slices.T] if len(slices) else []


ENGINES: dict[str, Callable[[], Any]] = {"simshow": Ours, "difflib": ByDifflib, "copydetect": ByCopydetect}


def plant(texts: list[str], rng: random.Random, how: str) -> tuple[str, str, Places]:
    """Two documents with a third one in both, and where it is in the second."""
    carriers = [rng.choice(texts) for _ in range(2)]
    words = rng.choice(texts).split()
    changed = words.copy()
    if how == "moved":
        middle = len(words) // 2
        changed = changed[middle:] + changed[:middle]
    if how == "edited":
        changed = [f"other{rng.randrange(10**9)}" if place % 8 == 7 else word for place, word in enumerate(changed)]
    made, places = [], []
    for carrier, planted in zip(carriers, (words, changed), strict=True):
        halves = carrier.split()
        cut = len(halves) // 2
        before = " ".join(halves[:cut]) + " "
        made.append(before + " ".join([*planted, *halves[cut:]]))
        places.append((len(before), len(before) + len(" ".join(planted))))
    return made[0], made[1], places[1:]


def covered(places: Places, length: int) -> bytearray:
    marks = bytearray(length)
    for start, end in places:
        marks[start:end] = b"\1" * (end - start)
    return marks


def report_command(docs: Path, folder: Path) -> Path:
    """The command on all pairs."""
    stages, source = [["canon"], ["shingle", "-k", "10"], ["simjoin", "-t", "0.8"]], docs
    for number, stage in enumerate(stages):
        target = folder / str(number)
        timed(stage, source, target)
        source = target
    pairs = source.read_bytes().count(b"\n")
    figures = timed(["simshow", "--json", "--docs", str(docs)], source, folder / "shown")
    table_row("pairs", "seconds", "pairs a second", "peak MB")
    table_row(*["---"] * 4)
    table_row(pairs, f"{figures.cpu:.1f}", f"{pairs / figures.cpu:.0f}", f"{figures.peak:.0f}")
    return source


def report_speed(texts: dict[object, str], pairs: Path, sample: int) -> None:
    every = [(texts[pair["a"]], texts[pair["b"]]) for pair in map(json.loads, pairs.read_bytes().splitlines())]
    print()
    table_row("program", "pairs a second", "of different texts")
    table_row(*["---"] * 3)
    kinds = [every, [(a, b) for a, b in every if WORD.findall(a.lower()) != WORD.findall(b.lower())]]
    for name, make in ENGINES.items():
        rates = []
        for some in kinds:
            engine = make()
            for pair in some[:50]:
                engine.share(*map(engine.prepare, pair))  # what it loads
            chosen = some[:: max(len(some) // sample, 1)][:sample]
            begun = time.process_time()
            ready = {text: engine.prepare(text) for pair in chosen for text in pair}
            for a, b in chosen:
                engine.share(ready[a], ready[b])
            rates.append(f"{len(chosen) / (time.process_time() - begun):.0f}")
        table_row(name, *rates)


def report_planted(texts: list[str], sample: int) -> None:
    print()
    table_row("program", *(f"{how}: found, others" for how in ("as it is", "moved", "edited")))
    table_row(*["---"] * 4)
    for name, make in ENGINES.items():
        engine, cells = make(), []
        for how in ("as it is", "moved", "edited"):
            rng = random.Random(how)
            there = found = others = 0
            for _ in range(sample):
                a, b, places = plant(texts, rng, how)
                marks, truth = (
                    covered(engine.share(engine.prepare(a), engine.prepare(b)), len(b)),
                    covered(places, len(b)),
                )
                for word in WORD.finditer(b):
                    if not word[0].startswith("other"):
                        there += truth[word.start()]
                        found += truth[word.start()] & marks[word.start()]
                        others += marks[word.start()] & ~truth[word.start()] & 1
            cells.append(f"{found / there:.1%}, {others / there:.1%}")
        table_row(name, *cells)


def long_texts(texts: list[str], size: int) -> Iterator[tuple[str, str, str]]:
    rng = random.Random(0)
    yield "one word", "word " * (size // 5), "word " * (size // 5 - 7)
    half: list[str] = []
    while sum(map(len, half)) < size // 2:
        half += rng.sample(texts, len(texts))
    cut = next(place for place in range(len(half)) if sum(map(len, half[:place])) * 2 >= size)
    parts = [half[:cut], rng.sample(half[:cut], cut)]
    yield "the same documents, shuffled", "\n".join(parts[0]), "\n".join(parts[1])


def report_long(texts: list[str], megabytes: int, folder: Path) -> None:
    print()
    table_row("two texts", "words", "passages", "seconds", "peak MB")
    table_row(*["---"] * 5)
    for name, a, b in long_texts(texts, megabytes * 10**6):
        docs = folder / "long"
        docs.write_text("".join(json.dumps({"id": id_, "text": text}) + "\n" for id_, text in (("a", a), ("b", b))))
        (folder / "pair").write_text('{"a":"a","b":"b"}\n')
        figures = timed(["simshow", "--json", "--docs", str(docs)], folder / "pair", folder / "shown")
        shown = json.loads((folder / "shown").read_bytes())
        table_row(name, shown["words"], len(shown["shared"]), f"{figures.cpu:.0f}", f"{figures.peak:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--sample", type=int, default=2000, metavar="N")
    parser.add_argument("--long", type=int, default=10, metavar="MB")
    parser.add_argument("docs", type=Path)
    options = parser.parse_args()
    records = [json.loads(line) for line in options.docs.read_bytes().splitlines()]
    texts = {record["id"]: record["text"] for record in records}
    distinct = [text for text in dict.fromkeys(texts.values()) if len(text.split()) >= PLANTED]
    with tempfile.TemporaryDirectory() as name:
        pairs = report_command(options.docs, Path(name))
        report_speed(texts, pairs, options.sample)
        report_planted(distinct, options.sample)
        report_long(distinct, options.long, Path(name))


if __name__ == "__main__":
    main()
