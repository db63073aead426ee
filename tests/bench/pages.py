"""canon --html against the text that another parser gives: html5lib, from the extra [bench].

usage: python tests/bench/pages.py PAGES.jsonl [EVERY]

For every page, or every so manieth: the Jaccard similarity of the two texts' sets of runs of 3 canonical words; the
median, the pages without a word, and the ten worst.
"""

import json
import sys
from itertools import islice
from pathlib import Path
from statistics import median
from xml.etree.ElementTree import Element

import html5lib

from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.canon.html import Html

# Written out anew: what a browser shows in a line of its own, or as a box
PARTING = frozenset(
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html img input legend li main menu nav ol option p pre "
    "section select summary table tbody td textarea tfoot th thead title tr ul".split()
)
UNSEEN = frozenset("script style template noscript".split())
canonize, page_text = Canonizer(), Html()


def text_of(element: Element) -> str:
    if not isinstance(element.tag, str):  # a comment
        return element.tail or ""
    edge = " " if element.tag in PARTING else ""
    inner = "" if element.tag in UNSEEN else (element.text or "") + "".join(map(text_of, element))
    return f"{edge}{inner}{edge}{element.tail or ''}"


def runs(text: str) -> set[tuple[str, ...]]:
    words = canonize(text).split()
    return {tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))}


def main(path: Path, every: int) -> None:
    results = []
    with path.open("rb") as lines:
        for line in islice(lines, 0, None, every):
            page = json.loads(line)
            one = runs(page_text(page["text"]))
            two = runs(text_of(html5lib.parse(page["text"], namespaceHTMLElements=False)))
            results.append((len(one & two) / len(one | two), page["id"], one == {()}))
    results.sort()
    print(f"{len(results)} pages, median {median(result[0] for result in results):.4f}")
    print(f"{sum(result[2] for result in results)} without a word")
    for similarity, name, _ in results[:10]:
        print(f"{similarity:.4f} {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
