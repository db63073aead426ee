"""How long a run goes on after a signal, at random moments of what takes long in each command.

usage: python tests/bench/signals.py [ROUNDS]

Each run is sent SIGTERM once, at a random moment of the time that it takes, at most of its first ten seconds. Printed:
the seconds from the signal to the end, median and worst of ROUNDS (default 20). Status 1 if one is more than half a
second, or a run ends otherwise than well or by the signal, or leaves something in its folder, or says anything.
"""

import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))
from hostile import boilerplate, distinct, one, one_group, payload, sets, star
from measure import table_row

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import DOCS, ENVIRONMENT

MEGABYTE = 1_000_000


def many(times: int) -> bytes:
    lines = DOCS.read_bytes().splitlines(keepends=True)
    return b"".join(line.replace(b'{"id":"', b'{"id":"%d-' % copy) for copy in range(times) for line in lines)


def random_sketches(count: int) -> bytes:
    rng = random.Random(count)
    return b"".join(
        b'{"id":%d,"sketch":"%b"}\n' % (number, rng.randbytes(336).hex(" ", 4).encode()) for number in range(count)
    )


def random_pairs(count: int) -> bytes:
    rng = random.Random(count)
    return b"".join(
        b'{"a":%d,"b":%d,"similarity":0.9}\n' % (rng.randrange(count), count + rng.randrange(count))
        for _ in range(count)
    )


CASES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "300 descriptions, 100 times": ("canon", lambda: many(100)),
    "the same, two workers": ("canon -j2", lambda: many(100)),
    "a text of 60 MB": ("canon", lambda: one(distinct(60 * MEGABYTE))),
    "one word of 60 MB": ("canon", lambda: one("é" * (30 * MEGABYTE))),
    "60 MB, accents folded, sentences": ("canon --fold-accents --sentences", lambda: one("Étude à. " * (6 * MEGABYTE))),
    "60 MB of Chinese": ("canon --segment zh", lambda: one("如何在中文文本中查找重复" * (60 * MEGABYTE // 36))),
    "dictionaries": ("canon --lemma ru,en --drop-adjectives ru,en", lambda: many(4)),
    "elements in elements": ("canon --html", lambda: one("<div>" * MEGABYTE)),
    "formatting, left open": ("canon --html=main", lambda: one("<b><div></b>" * (MEGABYTE // 4))),
    "a pattern that tries all ways": ("canon --delete (a|a)+$", lambda: one("a" * 60 + "b")),
    "the same, explained": ("canon --explain --delete (a|a)+$ " + "a" * 60 + "b", lambda: b""),
    "a pattern in 10 MB": ("canon --word (?:\\w+\\s?)+$", lambda: one(distinct(10 * MEGABYTE))),
    "runs of a text of 60 MB": ("shingle", lambda: one(distinct(60 * MEGABYTE))),
    "runs as strings": ("shingle --hash md5", lambda: one(distinct(30 * MEGABYTE))),
    "runs of characters": ("shingle --chars -k 5", lambda: one(distinct(60 * MEGABYTE))),
    "a table of frequencies": ("shingle --df", lambda: one(distinct(60 * MEGABYTE))),
    "a payload of 60 MB": ("sketch", lambda: payload(60 * MEGABYTE)),
    "the same, simhash": ("sketch --simhash", lambda: payload(60 * MEGABYTE)),
    "200,000 random sketches": ("simjoin", lambda: random_sketches(200_000)),
    "the same, 3 of 84": ("simjoin -m 3", lambda: random_sketches(20_000)),
    "the same, on disk": ("simjoin -S 20M", lambda: random_sketches(200_000)),
    "half boilerplate": ("simjoin -t 0.5", lambda: boilerplate(4 * MEGABYTE)),
    "the same, --forest": ("simjoin -t 0.5 --forest", lambda: boilerplate(4 * MEGABYTE)),
    "sets": ("simjoin", lambda: sets(30 * MEGABYTE)),
    "sets of one shingle in common": ("simjoin --measure containment -t 0.1", lambda: sets(4 * MEGABYTE)),
    "a million random pairs": ("simgroup", lambda: random_pairs(MEGABYTE)),
    "the same, --star": ("simgroup --star", lambda: random_pairs(MEGABYTE)),
    "a star of pairs": ("simgroup", lambda: star(20 * MEGABYTE)),
    "a group of 500,000": ("dedup --groups group", lambda: one_group(20 * MEGABYTE)),
    "the same, the longest": ("dedup --keep longest --groups group", lambda: one_group(20 * MEGABYTE)),
}


def start(command: str, folder: Path) -> "subprocess.Popen[bytes]":
    words = command.split() if "--explain" in command else [*command.split(), "in", "-o", "out"]
    return subprocess.Popen(
        words, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def delays(command: str, folder: Path, rounds: int) -> tuple[list[float], str]:
    """Seconds of each round; and what went wrong."""
    left = {path.name for path in folder.iterdir()}
    begun = time.monotonic()
    process = start(command, folder)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    usual = time.monotonic() - begun
    for leftover in (path for path in folder.iterdir() if path.name not in left):
        leftover.unlink()
    found: list[float] = []
    rng, wrong = random.Random(rounds), ""
    while len(found) < rounds:
        process = start(command, folder)
        time.sleep(rng.uniform(0.05, max(usual, 0.1)))
        process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        _, said = process.communicate()
        found.append(time.monotonic() - begun)
        status = process.returncode
        more = {path.name for path in folder.iterdir()} - left
        if status in (0, 1, 2):  # it had ended before
            usual *= 0.9
        elif said or more or status not in (128 + signal.SIGTERM, -signal.SIGTERM):
            wrong = f"status {status}, {sorted(more)}, {said.decode()[:200]!r}"
        for name in more:
            (folder / name).unlink()
    return found, wrong


def main(rounds: int) -> int:
    failed = False
    table_row("input", "command", "median s", "worst s")
    table_row("---", "---", "---:", "---:")
    for name, (command, make) in CASES.items():
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            data = make()
            if "--groups" in command:
                group, _, data = data.partition(b"\n")
                (folder / "group").write_bytes(group + b"\n")
            (folder / "in").write_bytes(data)
            found, wrong = delays(command, folder, rounds)
        failed |= max(found) > 0.5 or bool(wrong)
        table_row(name, f"`{command[:40]}`", f"{statistics.median(found):.2f}", f"{max(found):.2f}", wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
