"""canon's rules in one run, in megabytes of JSON's text a second, and hostile records with the memory that they take.

python tests/bench/canonize.py TEXTS.jsonl PAGES.jsonl    texts in several languages, and pages of HTML
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import regex

from shingletools.cli.options import make_parser
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.canon.command import add_options, chosen

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import ENVIRONMENT

RULES = {
    "all": ["", "--fold-accents", "--mask-numbers", "--sentences", "--delete zzz", "--stop ru --stem ru"],
    "Cyrillic": ["", "--stop ru --stem ru", "--lemma ru", "--drop-adjectives ru"],
    "Latin": ["", "--stop en --stem en", "--lemma en", "--drop-adjectives en"],
    "Han": ["", "--segment zh", "--segment zh --stop zh"],
    "pages": ["--html", "--html=main"],
}
MEGABYTES = 10
HOSTILE = {  # option: a unit to repeat
    "": ["word", "w ", "中", "a'", "\u0301\u0316", "ﷺ", "\u202e\u2066", "👩‍👩‍👧‍👦", "aж中", "\0", "<div>"],
    "--html": ["<div>x", "<p>x</p>", "<b a=1><p>x", "<ul><li>x", "<a ", "<", "&amp;", "<table><td>x", "\ufffdPNG\0"],
    "--segment zh --stop zh": ["中文", "中文 "],
    "--lemma en,ru --stem en,ru": ["слово", "words ", "словами "],
    "--sentences": [". ", "A. ", "。"],
}


def canonizer(options: str) -> Canonizer:
    return Canonizer(chosen(make_parser("canon", "", add_options).parse(options.split()))[0])


def speed(texts: list[str], options: str, runs: int) -> tuple[float, float]:
    """Megabytes a second, with an empty memo and with a warm one; medians."""
    size = sum(len(text.encode()) for text in texts) / 1e6
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(runs):
        canonize = canonizer(options)
        for seconds in (cold, warm):
            start = time.process_time()
            for text in texts:
                canonize(text)
            seconds.append(time.process_time() - start)
    return size / median(cold), size / median(warm)


def load(path: Path) -> list[str]:
    with path.open("rb") as lines:
        return [json.loads(line)["text"] for line in lines]


def of_script(texts: list[str], script: str) -> list[str]:
    letters = regex.compile(rf"\p{{{script}}}")
    return [text for text in texts if 2 * len(letters.findall(text[:2000])) > len(text[:2000])]


def hostile(options: str, unit: str) -> tuple[int, float, float]:
    """Exit status, seconds and peak megabytes of canon on one record of MEGABYTES."""
    with tempfile.NamedTemporaryFile() as file:
        text = unit * (MEGABYTES * 10**6 // len(unit.encode()))
        file.write(json.dumps({"id": 1, "text": text}, ensure_ascii=False).encode())
        file.flush()
        start = time.monotonic()
        argv = ["canon", *options.split(), file.name]
        child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, time.monotonic() - start, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("pages", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    # First, for a child's peak memory counts from that of its parent
    print(f"one record of {MEGABYTES} MB\n{'options':28} {'unit':16} {'status':>6} {'s':>6} {'peak MB':>8}")
    for rule, units in HOSTILE.items():
        for unit in units:
            status, seconds, peak = hostile(rule, unit)
            print(f"{rule:28} {ascii(unit)[1:-1]:16.16} {status:6} {seconds:6.1f} {peak:8.0f}", flush=True)
    texts = load(options.texts)
    corpora = {"all": texts, "pages": load(options.pages)}
    corpora |= {script: of_script(texts, script) for script in ("Cyrillic", "Latin", "Han")}
    print(f"\n{'corpus':9} {'options':28} {'cold MB/s':>10} {'warm MB/s':>10} {'warm/plain':>10}")
    for name, rules in RULES.items():
        plain = 0.0
        for rule in rules:
            cold, warm = speed(corpora[name], rule, options.runs)
            plain = plain or warm
            print(f"{name:9} {rule:28} {cold:10.1f} {warm:10.1f} {plain / warm:10.2f}", flush=True)


if __name__ == "__main__":
    main()
