"""What input costs that was made to harm: seconds and memory as it doubles.

usage: python tests/bench/hostile.py [MEGABYTES]

Each kind of input is made of MEGABYTES (default 4), of twice and of four times as much. Printed: processor seconds
and peak memory of each, and the seconds of the last divided by those of the first: 4 where cost is linear.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from measure import table_row, timed


class Kind(NamedTuple):
    command: str
    make: Callable[[int], bytes]  # of so many bytes, about


def one(text: str, **fields: object) -> bytes:
    return json.dumps({"id": 1, "text": text, **fields}, ensure_ascii=False).encode() + b"\n"


def distinct(size: int) -> str:
    return " ".join(f"w{number:06x}" for number in range(size // 8))


def sketches(size: int) -> bytes:
    """All alike in 16 of 84 words, which is not enough."""
    lines = []
    for number in range(size // 780):
        words = ["00000000"] * 16 + [f"{number * 84 + place:08x}" for place in range(68)]
        lines.append(b'{"id":%d,"sketch":"%b"}\n' % (number, " ".join(words).encode()))
    return b"".join(lines)


def copies(size: int) -> bytes:
    text = json.dumps({"sketch": " ".join(f"{place:08x}" for place in range(84))})[1:].encode()
    return b"".join(b'{"id":%d,%b\n' % (number, text) for number in range(size // 780))


def nested(size: int) -> bytes:
    return b'{"id":1,"text":"a","x":%b%b}\n' % (b"[" * (size // 2), b"]" * (size // 2))


def star(size: int) -> bytes:
    return b"".join(b'{"a":0,"b":%d,"similarity":0.9}\n' % number for number in range(1, size // 35))


KINDS = {
    "words that never come again": Kind("canon", lambda size: one(distinct(size))),
    "one word": Kind("canon", lambda size: one("x" * size)),
    "one letter with marks": Kind("canon", lambda size: one("a" + "\u0301\u0323" * (size // 4))),
    "jamo": Kind("canon", lambda size: one("\u3147\u314f" * (size // 6))),
    "ligatures of 18 letters": Kind("canon", lambda size: one("\ufdfa" * (size // 3))),
    "apostrophes": Kind("canon", lambda size: one("a'" * (size // 2))),
    "a million fields": Kind("canon", lambda size: one("a", **{f"f{number}": 0 for number in range(size // 11)})),
    "lists in lists": Kind("canon", nested),
    "bad lines": Kind("canon --rejects /dev/null", lambda size: b"{\n" * (size // 2)),
    "elements in elements": Kind("canon --html", lambda size: one("<div>" * (size // 5))),
    "angle brackets": Kind("canon --html", lambda size: one("<" * size)),
    "entities": Kind("canon --html", lambda size: one("&amp;" * (size // 5))),
    "attributes": Kind("canon --html", lambda size: one("<p" + " a=b" * (size // 4) + ">")),
    "words that never come again, fingerprints": Kind("shingle", lambda size: one(distinct(size))),
    "runs longer than the text": Kind("shingle -k 1000000", lambda size: one(distinct(size))),
    "one run again and again": Kind("shingle", lambda size: one("a " * (size // 2))),
    "copies of one sketch, --forest": Kind("simjoin --forest", copies),
    "one band in common, --forest": Kind("simjoin --forest", sketches),
    "a star of pairs": Kind("simgroup", star),
}  # fmt: skip


def main(size: int) -> None:
    table_row("input", "command", "s", "twice", "four times", "peak MB", "twice", "four times", "last s / first s")
    table_row(*["---"] * 2, *["---:"] * 7)
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        for name, kind in KINDS.items():
            figures = []
            for times in (1, 2, 4):
                source.write_bytes(kind.make(times * size))
                script = f"{kind.command} 2>/dev/null; [ $? -lt 2 ]"  # bad records are no failure here
                figures.append(timed(["bash", "-c", script], source, target))
            seconds, peaks = [run.cpu for run in figures], [run.peak for run in figures]
            table_row(name, f"`{kind.command}`", *(f"{value:.2f}" for value in seconds),
                      *(f"{value:.0f}" for value in peaks), f"{seconds[-1] / seconds[0]:.1f}")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) * 1_000_000 if len(sys.argv) > 1 else 4_000_000)
