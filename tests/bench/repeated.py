"""What repeats costs within a large corpus: real texts, many times over, with edits.

usage: python tests/bench/repeated.py DOCS FOLDER [MEGABYTES [K]]

DOCS has JSON lines with id and text; corpora.py makes some. The corpus is MEGABYTES (default 1000) of them, each time
with other edits: of a quarter of the copies none, of the others one word in 100, 30 or 10 becomes another word of DOCS.
So passages are there in many copies, of all lengths. Prints words, words in runs, processor seconds, megabytes a
second and peak memory: without -S, and with -S 64M, which must give the same bytes. The peak includes pages of
scratch files, which the system takes back if it needs them: the texts, mostly. The files in FOLDER, some ten times as
large as the corpus, are removed at the end.
"""

import filecmp
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import corpora
from measure import table_row, timed

RATES = (0, 1 / 100, 1 / 30, 1 / 10)  # of words that become others


def edited(words: Sequence[str], rate: float, others: Sequence[str], rng: random.Random) -> Iterator[str]:
    """The words, of which some are others."""
    at = 0
    while rate:
        there = at + int(rng.expovariate(rate))
        if there >= len(words):
            break
        yield from words[at:there]
        yield rng.choice(others)
        at = there + 1
    yield from words[at:]


def make(source: Path, target: Path, size: int) -> None:
    """A corpus of so many bytes of text."""
    rng = random.Random(37)
    texts = [text.split(" ") for _, text in corpora.read(source)]
    others = rng.sample([word for text in texts for word in text], 100_000)
    number = made = 0
    with target.open("w") as lines:
        while made < size:
            for text in rng.sample(texts, len(texts)):
                copy = " ".join(edited(text, RATES[number % len(RATES)], others, rng))
                made += len(copy.encode())
                lines.write(json.dumps({"id": number, "text": copy}, ensure_ascii=False) + "\n")
                number += 1
                if made >= size:
                    break


def main(source: Path, folder: Path, megabytes: int = 1000, k: int = 50) -> None:
    folder.mkdir()
    try:
        docs, words, marked, again = (folder / name for name in ("docs", "words", "marked", "again"))
        make(source, docs, megabytes * 1_000_000)
        subprocess.run(["canon", "--offsets", docs, "-o", words], check=True)
        docs.unlink()
        table_row("memory", "words", "in runs", "CPU s", "MB/s of text", "MB/s of records", "peak MB")
        table_row(*["---:"] * 7)
        for options, target in (([], marked), (["-S", "64M"], again)):
            argv = ["repeats", "-k", str(k), *options, str(words), "-v"]
            said = folder / "said"
            with said.open("wb") as errors:
                figures = timed(argv, Path("/dev/null"), target, stderr=errors)
            counts = re.findall(r"(\d+) words, (\d+) of them", said.read_text())[0]
            speeds = (size / figures.cpu for size in (megabytes, words.stat().st_size / 1e6))
            table_row(
                options[-1] if options else "512M",
                *counts,
                f"{figures.cpu:.1f}",
                *(f"{speed:.1f}" for speed in speeds),
                f"{figures.peak:.0f}",
            )
        print("the same bytes" if filecmp.cmp(marked, again, shallow=False) else "other bytes with -S")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
