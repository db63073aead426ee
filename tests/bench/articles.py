"""What canon --html=article finds of the text of news and blogs, compared with trafilatura.

usage: python tests/bench/articles.py FOLDER

FOLDER is a clone of github.com/scrapinghub/article-extraction-benchmark: 181 pages, and the text of each by hand.
Prints precision and recall of runs of four words, the mean over pages, and their F1, as that benchmark has them; for
each half of the pages, since what is left out was chosen on the first. Seconds are of processors, for all pages.
"""

import gzip
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from shingletools.commands.canon.article_extraction import extract

RUN = 4
WORD = re.compile(r"\w+")


def runs(text: str) -> Counter[tuple[str, ...]]:
    words = WORD.findall(text)
    return Counter(tuple(words[at : at + RUN]) for at in range(max(len(words) - RUN + 1, min(len(words), 1))))


def score(found: Sequence[str], texts: Sequence[str]) -> str:
    precision = recall = 0.0
    for one, other in zip(map(runs, found), map(runs, texts), strict=True):
        both = (one & other).total()
        precision += both / max(one.total(), 1) / len(texts)
        recall += both / max(other.total(), 1) / len(texts)
    both_ways = 2 * precision * recall / (precision + recall)
    return f"F1 {both_ways:.3f}, precision {precision:.3f}, recall {recall:.3f}, {found.count('')} without text"


def trafilatura(page: str) -> str:
    from trafilatura import extract as extracted

    return extracted(page) or ""


def main(folder: Path) -> None:
    truth = json.loads((folder / "ground-truth.json").read_text())
    names = sorted(truth)
    pages = [gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()).decode() for name in names]
    programs: dict[str, Callable[[str], str]] = {"canon": lambda page: extract((), page), "trafilatura": trafilatura}
    for program, text_of in programs.items():
        start = time.process_time()
        found = [text_of(page) for page in pages]
        print(f"{program}: {time.process_time() - start:.1f} s")
        for part, half in ("first half", slice(0, None, 2)), ("second half", slice(1, None, 2)), ("all", slice(None)):
            print(f"  {part}:", score(found[half], [truth[name]["articleBody"] for name in names[half]]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
