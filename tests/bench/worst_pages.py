"""The page that costs canon --html the most, searched for by hill climbing through a grammar of all kinds of elements.

usage: python tests/bench/worst_pages.py [SECONDS [SEED]]

A page is some markup, a unit of tags and text that comes again and again, and some more; each try changes one of the
three and keeps what costs more processor time at 20,000 characters. What costs most is then made 1,000 characters,
0.6 and 5 million long. Printed: the seconds that each takes, with and without --html=main.
Status 1 if a longest one takes more than 1.5 times what its limit allows: such a page is ended, but the end of its
process, and what is made of a text, take time as well.
"""

import random
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from shingletools.commands.canon.html import SECONDS, SECONDS_A_CHARACTER, html_reader, parse
from shingletools.commands.canon.limited_process import LimitedProcess, LimitExceeded
from shingletools.system.errors import Rejected

FORMATTING = "a b big code em font i nobr s small strike strong tt u".split()
BLOCKS = "address article blockquote center dd details dialog div dl dt h1 h3 li main ol p pre section ul".split()
TABLES = "table caption colgroup col tbody tfoot thead tr td th".split()
SCOPES = "applet button form marquee object option optgroup select selectedcontent svg math template".split()
FOREIGN = "foreignObject desc title mi mtext annotation-xml mglyph path text".split()
OTHERS = "html head body frameset frame noframes noscript ruby rb rt rp rtc x-y span br img input hr wbr image".split()
RAW = "script style textarea title xmp iframe noembed plaintext listing datalist".split()
NAMES = (FORMATTING, BLOCKS, TABLES, SCOPES, FOREIGN, OTHERS, RAW)
ATTRIBUTES = ("", "", "", " a", " a={}", " b={}", " a=1 b c=2 d", " class='x y'", " type=hidden", " encoding=text/html")
REST = ("x", " ", "&amp;", "&#x41;", "<!-- ", "-->", "<![CDATA[", "]]>", "<!doctype html>", "\0", "<", "</", "\n", "é")
LIMIT, MOST = 20.0, 1 << 32  # seconds and bytes that a page in the search may take
LONGEST = 5_000_000  # characters

Page = tuple[list[str], list[str], list[str]]
Parser = LimitedProcess[Any, Any]


def token(rng: random.Random) -> str:
    name = rng.choice(rng.choice(NAMES))
    kind = rng.random()
    if kind < 0.5:
        return f"<{name}{rng.choice(ATTRIBUTES)}>"
    return f"</{name}>" if kind < 0.85 else rng.choice(REST)


def changed(page: Page, rng: random.Random) -> Page:
    parts = [list(part) for part in page]
    part = rng.choice((parts[0], parts[1], parts[1], parts[1], parts[2]))
    place = rng.randrange(len(part) + 1)
    match rng.randrange(4):
        case 0 if part:
            del part[place - 1]
        case 1 if part:
            part[place - 1] = token(rng)
        case 2 if part:
            part.insert(place, rng.choice(part))
        case _:
            part.insert(place, token(rng))
    return parts[0][:20], parts[1][:12] or [token(rng)], parts[2][:20]


def written(page: Page, size: int) -> str:
    """About so many characters; {} is a number that comes once."""
    before, unit, after = ("".join(part) for part in page)
    times = max(1, (size - len(before) - len(after)) // len(unit))
    return before + "".join(unit.replace("{}", str(number)) for number in range(times)) + after


def used(confined: Parser) -> float:
    """Processor seconds so far: ours, those of the process that parses now, and those of the ones before it."""
    here = time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    worker = confined.worker
    there = 0 if worker is None else int(Path(f"/proc/{worker.process.pid}/schedstat").read_text("ascii").split()[0])
    return here + there / 1e9


def cost(confined: Parser, call: Callable[[str], object], markup: str) -> float:
    begun = used(confined)
    with suppress(LimitExceeded, Rejected):
        call(markup)
    return used(confined) - begun


def climb(main: bool, seconds: float, rng: random.Random) -> dict[float, Page]:
    """The pages at the tops that were reached, by what they cost."""
    confined = LimitedProcess(partial(parse, main, ()))

    def seconds_of(page: Page) -> float:
        return cost(confined, lambda markup: confined(markup, LIMIT, MOST), written(page, 20_000))

    tops: dict[float, Page] = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        page: Page = ([], [token(rng) for _ in range(rng.randint(1, 5))], [])
        best, stuck = seconds_of(page), 0
        while stuck < 150 and best < LIMIT and time.monotonic() < end:
            other = changed(page, rng)
            took = seconds_of(other)
            stuck = 0 if took > 1.05 * best else stuck + 1
            if took > best:
                page, best = other, took
        tops[best] = page
    return tops


def main(seconds: float, seed: int) -> int:
    rng = random.Random(seed)
    slowest = 0.0
    print(f"seed {seed}\n{'20 k':>8} {'1 k':>8} {'600 k':>8} {'5 M':>8}  page", flush=True)
    for kind in (False, True):
        tops = climb(kind, seconds / 2, rng)
        to_text = html_reader(kind)
        for took in sorted(tops, reverse=True)[:3]:
            row = [took]
            row += [cost(to_text.confined, to_text, written(tops[took], size)) for size in (1000, 600_000, LONGEST)]
            slowest = max(slowest, row[-1])
            print(" ".join(f"{each:8.3f}" for each in row), *("".join(part) for part in tops[took]), flush=True)
    print(f"slowest of the longest: {slowest:.2f} s")
    return slowest > 1.5 * (SECONDS + SECONDS_A_CHARACTER * LONGEST)


if __name__ == "__main__":
    arguments = list(map(int, sys.argv[1:]))
    raise SystemExit(main(arguments[0] if arguments else 60, arguments[1] if len(arguments) > 1 else 1))
