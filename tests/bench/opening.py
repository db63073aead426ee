"""How soon the page of simshow opens.

usage: python tests/bench/opening.py [GROUPS [PAGE]]

A page of so many groups (default 1000), each of five texts of 60 to 400 words and all their pairs; PAGE, if that is
there, else it is written, to PAGE if that is given. In Chromium without a window, from disk: milliseconds until the
overview is drawn, and then for each view. Medians of five.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from measure import table_row

from report.browser import at, chromium, settled
from report.naive import compare
from shingletools.commands.simshow.report.page import Report

TEXTS = 5  # of a group
RUNS = 5
LIMIT = 1 << 30
WORDS = [
    f"{first}{second}" for first in "ba ke li mo nu pra sti tro".split() for second in "den fal gor min ras".split()
]


def write(path: Path, groups: int) -> None:
    random.seed(1)
    with path.open("wb") as out:
        report = Report(out, LIMIT)
        for group in range(groups):
            origin = random.choices(WORDS, k=random.randrange(60, 400))
            texts = {}
            for text in range(TEXTS):
                words = [random.choice(WORDS) if random.random() < 0.05 else word for word in origin]
                cut = random.randrange(len(words))
                texts[f"group {group}, text {text}"] = " ".join(words[cut:] + words[:cut])
            for a, b in combinations(texts, 2):
                report.add_pair(compare(a, b, texts[a], texts[b]), texts[a], texts[b])
        report.finish()


def opened(browser: Browser, steps: dict[str, Callable[[Page], object]]) -> dict[str, float]:
    """Milliseconds of each step in a new window, from what is asked until it is drawn."""
    found = {}
    with browser.new_page() as page:
        for name, step in steps.items():
            start = time.perf_counter()
            step(page)
            settled(page)
            found[name] = (time.perf_counter() - start) * 1000
    return found


def main() -> None:
    groups = int(sys.argv[1]) if sys.argv[1:] else 1000
    with TemporaryDirectory() as folder, chromium() as browser:
        path = Path(sys.argv[2] if sys.argv[2:] else Path(folder, "page.html")).absolute()
        if not path.exists():
            write(path, groups)
        print(f"{path.stat().st_size / 1e6:.1f} MB")
        steps: dict[str, Callable[[Page], object]] = {
            "the page, overview": lambda page: page.goto(at(path)),
            "groups": lambda page: page.goto(at(path, "groups")),
            "pairs": lambda page: page.goto(at(path, "pairs")),
            "sort by id": lambda page: page.click("thead button >> nth=0"),
            "a group": lambda page: page.goto(at(path, f"group/{groups // 2}")),
            "a pair": lambda page: page.goto(at(path, f"pair/{groups // 2}")),
            "next passage": lambda page: page.keyboard.press("n"),
            "search in all texts": lambda page: page.evaluate("documentsWith('denfal')"),
        }
        runs = [opened(browser, steps) for _ in range(RUNS)]
    table_row("view", "milliseconds")
    table_row("---", "---:")
    for name in steps:
        table_row(name, f"{statistics.median(run[name] for run in runs):.0f}")


if __name__ == "__main__":
    main()
